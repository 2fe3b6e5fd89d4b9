//! Reads the constraints of a mechanism: contacts, joints and nonholonomic constraints.

use crate::tables::spec::{
    BilateralSpec, ContactSpec, FrictionSpec, NonholonomicSpec, ProjectSpec, RestitutionSpec, Word,
};
use crate::{Formula, InputError, Item, Reader, Value, parts};

/// Largest number of rows of a constraint: as many as a contact law has at most.
pub const MOST_ROWS: usize = 32;

/// `[[contact]]`.
pub(super) fn contacts(root: &mut Reader<'_>) -> Result<Vec<ContactSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "contact", "contact")? {
        let gap = reader.formula("gap")?;
        let normal = reader.formula_if("normal")?;
        let tangent = reader.formulas_if("tangent")?.unwrap_or_default();
        let friction = friction(&mut reader, |_| Ok(()))?.map(|(spec, line, ())| (spec, line));
        let moment = reader.formulas_if("moment")?.unwrap_or_default();
        let rolling = reader.formula_if("rolling_friction")?;
        let spinning = reader.formula_if("spinning_friction")?;
        let rebound = rebound(&mut reader)?;
        let tangential_restitution = reader.formula_if("tangential_restitution")?;
        let stiffness = reader.formula_if("stiffness")?;
        let contact = ContactSpec {
            name,
            line: reader.line,
            gap,
            normal,
            tangent,
            friction,
            moment,
            rolling,
            spinning,
            rebound,
            tangential_restitution,
            stiffness,
        };
        check_rows(&reader, &contact)?;
        reader.finish()?;
        all.push(contact);
    }
    Ok(all)
}

/// `restitution` or `dissipation`, at most one of them.
pub fn rebound(reader: &mut Reader<'_>) -> Result<Option<RestitutionSpec>, Box<InputError>> {
    let restitution = reader.formula_if("restitution")?;
    let dissipation = reader.formula_if("dissipation")?;
    match (restitution, dissipation) {
        (Some(_), Some(_)) => Err(reader.error(
            "`restitution` and `dissipation` are both given, but each determines the other: \
             e = (1 - delta)/(1 + delta)",
            "Keep one of them",
        )),
        (Some(e), None) => Ok(Some(RestitutionSpec::Restitution(e))),
        (None, Some(delta)) => Ok(Some(RestitutionSpec::Dissipation(delta))),
        (None, None) => Ok(None),
    }
}

/// `friction` with its line; `more` reads further keys of its table.
pub fn friction<T: Default>(
    reader: &mut Reader<'_>,
    more: impl FnOnce(&mut Reader<'_>) -> Result<T, Box<InputError>>,
) -> Result<Option<(FrictionSpec, usize, T)>, Box<InputError>> {
    let Some(item) = reader.take("friction") else {
        return Ok(None);
    };
    let line = item.line;
    // One value is an isotropic coefficient; a table gives the law by its keys.
    let Value::Table(_) = item.value else {
        let formula = reader.to_formula("friction", item)?;
        return Ok(Some((FrictionSpec::Isotropic(formula), line, T::default())));
    };
    let part = format!("{}, friction", reader.part);
    let mut table = reader.of(part, "friction", item)?;
    let spec = if let Some(plus) = table.formula_if("plus")? {
        let minus = table.formula("minus")?;
        FrictionSpec::Asymmetric { plus, minus }
    } else if let Some(fixed) = table.formula_if("static")? {
        let sliding = table.formula("dynamic")?;
        FrictionSpec::StaticDynamic { fixed, sliding }
    } else if let Some(item) = table.take("axes") {
        FrictionSpec::Elliptic(pair(&table, "axes", item)?)
    } else if let Some(item) = table.take("polygon") {
        FrictionSpec::Polygon(polygon(&table, item)?)
    } else {
        // Register the keys that may follow the first one, so that a misspelling is recognised.
        let _ = (table.take("minus"), table.take("dynamic"));
        table.finish()?;
        let problem = "{ plus, minus }, { static, dynamic }, { axes } or { polygon } was expected";
        return Err(reader.error(format!("friction: {problem}"), ""));
    };
    let more = more(&mut table)?;
    table.finish()?;
    Ok(Some((spec, line, more)))
}

pub(super) fn pair(
    reader: &Reader<'_>,
    key: &str,
    item: Item,
) -> Result<[Formula; 2], Box<InputError>> {
    match &item.value {
        Value::List(items) if items.len() == 2 => Ok([
            reader.to_formula(key, items[0].clone())?,
            reader.to_formula(key, items[1].clone())?,
        ]),
        _ => Err(reader.wrong(key, &item, "an array of two values was expected".into(), "")),
    }
}

fn polygon(reader: &Reader<'_>, item: Item) -> Result<Vec<[Formula; 2]>, Box<InputError>> {
    match &item.value {
        Value::List(items) if items.len() >= 3 => {
            let vertices = items.iter().cloned();
            vertices
                .map(|vertex| pair(reader, "polygon", vertex))
                .collect()
        }
        _ => {
            let problem = "an array of at least three vertices [x, y] was expected";
            Err(reader.wrong("polygon", &item, problem.into(), ""))
        }
    }
}

/// Checks the numbers of tangential and angular rows against the laws given.
fn check_rows(reader: &Reader<'_>, contact: &ContactSpec) -> Result<(), Box<InputError>> {
    let tangents = contact.tangent.len();
    if tangents > 2 {
        let problem = format!("`tangent` has {tangents} expressions");
        return Err(reader.error(problem, "Give one in the plane, two in space"));
    }
    // Friction and sliding velocities must agree in number.
    match (&contact.friction, tangents) {
        (Some(_), 0) => {
            return Err(reader.error(
                "`friction` is given but `tangent`, the sliding velocity it opposes, is not",
                "Add `tangent`: one velocity expression in the plane, an array of two in space",
            ));
        }
        (Some((law @ FrictionSpec::Asymmetric { .. }, _)), 2) => {
            let problem = format!("friction {} is a law of the plane", law.name());
            return Err(reader.error(problem, "Give one `tangent`, or use { polygon }"));
        }
        (Some((law @ (FrictionSpec::Elliptic(_) | FrictionSpec::Polygon(_)), _)), 1) => {
            let problem = format!("friction {} needs two tangential velocities", law.name());
            return Err(reader.error(
                problem,
                "Give `tangent` as an array of two, or use { plus, minus }",
            ));
        }
        (None, 1 | 2) => {
            let problem = "`tangent` is given but no `friction`";
            return Err(reader.error(problem, "Add `friction`, which may be 0, or drop `tangent`"));
        }
        _ => {}
    }
    check_moments(reader, contact)
}

fn check_moments(reader: &Reader<'_>, contact: &ContactSpec) -> Result<(), Box<InputError>> {
    let (tangents, moments) = (contact.tangent.len(), contact.moment.len());
    let wrong = |problem: &str, advice: &str| Err(reader.error(problem, advice));
    // Without moment rows no rolling or spinning friction.
    if moments == 0 {
        return match contact.rolling.is_some() || contact.spinning.is_some() {
            true => wrong(
                "rolling or spinning friction is given but `moment`, the angular velocities it \
                 opposes, is not",
                "Add `moment`: one angular velocity in the plane, two or three in space",
            ),
            false => Ok(()),
        };
    }
    if contact.rolling.is_none() {
        return wrong(
            "`moment` is given but no `rolling_friction`",
            "Add it; it is a length",
        );
    }
    if !matches!(contact.friction, Some((FrictionSpec::Isotropic(_), _))) {
        let advice = "Give `friction` as one value, and `tangent`";
        return wrong(
            "rolling friction goes with one coefficient of sliding friction",
            advice,
        );
    }
    // Rows of rolling and spinning by dimension.
    match (tangents, moments, contact.spinning.is_some()) {
        (1, 1, false) | (2, 2, false) | (2, 3, true) => Ok(()),
        (1, 1, true) => wrong("there is no spin in the plane", "Drop `spinning_friction`"),
        (2, 3, false) => wrong(
            "`moment` has three angular velocities but no `spinning_friction` is given",
            "Add it, or give the two rolling velocities alone",
        ),
        (2, 2, true) => wrong(
            "`spinning_friction` is given but `moment` has no third angular velocity",
            "Add the spin about the normal as the third",
        ),
        (1, _, _) => wrong("in the plane `moment` is one angular velocity", ""),
        _ => wrong(
            "in space `moment` has two angular velocities, or three with the spin",
            "",
        ),
    }
}

/// `[[joint]]`.
pub(super) fn joints(root: &mut Reader<'_>) -> Result<Vec<BilateralSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "joint", "joint")? {
        let constraint = rows(&mut reader)?;
        let tangent = reader.formulas_if("tangent")?.unwrap_or_default();
        let friction = reader.formula_if("friction")?;
        let project = project(&mut reader)?;
        if project.is_some() && friction.is_none() {
            let problem = "`project` makes frictional rows orthogonal to constraints, but this joint has no friction";
            return Err(reader.error(problem, "Give `tangent` and `friction`, or drop `project`"));
        }
        // Friction of a joint needs its sliding velocities.
        if friction.is_some() == tangent.is_empty() {
            let problem = "`friction` and `tangent`, the sliding velocity, go together";
            return Err(reader.error(problem, "Give both or none"));
        }
        if friction.is_some() && (constraint.len() > 2 || tangent.len() > 2) {
            let problem =
                "a joint with friction has one or two constraints and one or two tangents";
            return Err(reader.error(problem, "Split it into several joints"));
        }
        let line = reader.line;
        reader.finish()?;
        all.push(BilateralSpec {
            name,
            line,
            constraint,
            tangent,
            friction,
            project,
        });
    }
    Ok(all)
}

/// `project`: true, or names of constraints.
pub(super) fn project(reader: &mut Reader<'_>) -> Result<Option<ProjectSpec>, Box<InputError>> {
    const EXPECTED: &str = "true, the name of a constraint or an array of names was expected";
    let Some(item) = reader.take("project") else {
        return Ok(None);
    };
    let name = |item: &Item| match &item.value {
        Value::Text(text) => Some(Word::at_line(text.clone(), item.line)),
        _ => None,
    };
    let names: Option<Vec<Word>> = match &item.value {
        Value::Truth(true) => return Ok(Some(ProjectSpec::Joints)),
        Value::Truth(false) => return Ok(None),
        Value::List(items) if !items.is_empty() => items.iter().map(name).collect(),
        _ => name(&item).map(|word| vec![word]),
    };
    match names {
        Some(names) => Ok(Some(ProjectSpec::Named(names))),
        None => Err(reader.wrong("project", &item, EXPECTED.into(), "")),
    }
}

/// `while`: the name of a contact.
pub(super) fn condition(reader: &mut Reader<'_>) -> Result<Option<Word>, Box<InputError>> {
    match reader.take("while") {
        None => Ok(None),
        Some(Item {
            value: Value::Text(text),
            line,
            ..
        }) => Ok(Some(Word::at_line(text, line))),
        Some(item) => {
            let problem = "the name of a contact was expected".to_string();
            Err(reader.wrong(
                "while",
                &item,
                problem,
                "The constraint acts while this contact is closed",
            ))
        }
    }
}

pub(super) fn rows(reader: &mut Reader<'_>) -> Result<Vec<Formula>, Box<InputError>> {
    let Some(rows) = reader.formulas_if("constraint")? else {
        return Err(reader.missing("constraint"));
    };
    match rows.len() > MOST_ROWS {
        true => Err(reader.error(
            format!(
                "`constraint` has {} rows, more than the {MOST_ROWS} allowed",
                rows.len()
            ),
            "Split it into several",
        )),
        false => Ok(rows),
    }
}

/// `[[velocity_constraint]]`.
pub(super) fn velocity_constraints(
    root: &mut Reader<'_>,
) -> Result<Vec<NonholonomicSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "velocity_constraint", "velocity constraint")? {
        let constraint = rows(&mut reader)?;
        let condition = condition(&mut reader)?;
        let line = reader.line;
        reader.finish()?;
        all.push(NonholonomicSpec {
            name,
            line,
            constraint,
            condition,
        });
    }
    Ok(all)
}
