//! Reads non-firm constraints `[[nonfirm]]`: rows, the matrix M(q), and the set of reactions C_0 + Σ κ_i C_i (B02 §6.1).

use crate::tables::read_constraints::{condition, pair, project, rows};
use crate::tables::spec::{NonFirmSpec, SetSpec};
use crate::{Formula, InputError, Item, Reader, Value, parts};

/// Largest depth of sums of sets within sums.
const DEEPEST_SUM: usize = 8;

/// `[[nonfirm]]`.
pub(super) fn nonfirm(root: &mut Reader<'_>) -> Result<Vec<NonFirmSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "nonfirm", "non-firm constraint")? {
        let constraint = rows(&mut reader)?;
        let Some(item) = reader.take("force") else {
            return Err(reader.missing("force"));
        };
        let force = set(&reader, item, 0)?;
        let count = constraint.len();
        check_rows(&reader, &force, count)?;
        let matrix = matrix(&mut reader, count)?;
        let project = project(&mut reader)?;
        let condition = condition(&mut reader)?;
        let line = reader.line;
        reader.finish()?;
        all.push(NonFirmSpec {
            name,
            line,
            constraint,
            force,
            matrix,
            project,
            condition,
        });
    }
    Ok(all)
}

/// `matrix`: M(q) row by row, as many rows and columns as there are rows of the constraint; empty where there is none.
fn matrix(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Vec<Formula>>, Box<InputError>> {
    let Some(item) = reader.take("matrix") else {
        return Ok(Vec::new());
    };
    let square =
        format!("an array of {count} rows of {count} values each was expected: M(q), invertible");
    let wrong = || reader.wrong("matrix", &item, square.clone(), "");
    let Value::List(lines) = &item.value else {
        return Err(wrong());
    };
    let rows: Vec<Vec<Formula>> = lines
        .iter()
        .map(|line| list(reader, "matrix", line))
        .collect::<Result<_, _>>()?;
    match rows.len() == count && rows.iter().all(|row| row.len() == count) {
        true => Ok(rows),
        false => Err(wrong()),
    }
}

/// An array of values.
fn list(reader: &Reader<'_>, key: &str, item: &Item) -> Result<Vec<Formula>, Box<InputError>> {
    match &item.value {
        Value::List(items) => items
            .iter()
            .map(|value| reader.to_formula(key, value.clone()))
            .collect(),
        _ => Err(reader.wrong(key, item, "an array of values was expected".into(), "")),
    }
}

/// The set of reactions of a non-firm constraint.
fn set(reader: &Reader<'_>, item: Item, depth: usize) -> Result<SetSpec, Box<InputError>> {
    const EXPECTED: &str = "\"firm\" or one of { at_least }, { at_most }, { between }, { box }, { ball }, \
                            { ellipse }, { polygon }, { vertices }, { half_spaces }, { factor, of }, \
                            { sum } was expected";
    match &item.value {
        Value::Text(text) if text == "firm" => return Ok(SetSpec::Firm),
        Value::Table(entries) if entries.len() == 1 && depth < DEEPEST_SUM => {}
        Value::Table(entries)
            if entries.len() == 2
                && depth < DEEPEST_SUM
                && entries.iter().any(|entry| entry.key == "factor") => {}
        Value::Table(entries) if entries.len() > 1 => {
            let advice = "Sets are added with { sum = [set, set, ...] }";
            return Err(reader.wrong("force", &item, EXPECTED.into(), advice));
        }
        _ => return Err(reader.wrong("force", &item, EXPECTED.into(), "")),
    }
    let part = format!("{}, force", reader.part);
    let mut table = reader.of(part, "force", item)?;
    // One key gives the form of the set.
    let found = if let Some(a) = table.formula_if("at_least")? {
        Some(SetSpec::AtLeast(a))
    } else if let Some(b) = table.formula_if("at_most")? {
        Some(SetSpec::AtMost(b))
    } else if let Some(item) = table.take("between") {
        let [a, b] = pair(&table, "between", item)?;
        Some(SetSpec::Between(a, b))
    } else if let Some(radius) = table.formula_if("ball")? {
        Some(SetSpec::Ball(radius))
    } else if let Some(factor) = table.formula_if("factor")? {
        let Some(of) = table.take("of") else {
            return Err(table.missing("of"));
        };
        let of = set(&table, of, depth + 1)?;
        Some(SetSpec::Scaled(factor, Box::new(of)))
    } else if let Some(shape) = shape(&mut table)? {
        Some(shape)
    } else {
        sum(&mut table, depth)?
    };
    match found {
        Some(set) => table.finish().map(|()| set),
        None => {
            let missing = table.error(EXPECTED, "");
            table.finish()?;
            Err(missing)
        }
    }
}

/// Sets with a value or more for each row.
fn shape(table: &mut Reader<'_>) -> Result<Option<SetSpec>, Box<InputError>> {
    let lists = |table: &Reader<'_>, key: &str, item: &Item, what: &str| match &item.value {
        Value::List(items) if !items.is_empty() => items
            .iter()
            .map(|line| list(table, key, line))
            .collect::<Result<Vec<_>, _>>(),
        _ => Err(table.wrong(key, item, format!("an array of {what} was expected"), "")),
    };
    if let Some(item) = table.take("box") {
        let Value::List(lines) = &item.value else {
            let problem = "an array of intervals [a, b], one for each row, was expected";
            return Err(table.wrong("box", &item, problem.into(), ""));
        };
        let each = lines.iter().map(|line| pair(table, "box", line.clone()));
        return Ok(Some(SetSpec::Intervals(each.collect::<Result<_, _>>()?)));
    }
    if let Some(item) = table.take("ellipse") {
        return Ok(Some(SetSpec::Ellipse(list(table, "ellipse", &item)?)));
    }
    for key in ["polygon", "vertices"] {
        if let Some(item) = table.take(key) {
            let corners = lists(table, key, &item, "vertices, a value for each row,")?;
            return Ok(Some(SetSpec::Vertices(corners)));
        }
    }
    if let Some(item) = table.take("half_spaces") {
        let what = "half-spaces [n1, n2, ..., b], n.force <= b,";
        let sides = lists(table, "half_spaces", &item, what)?;
        return Ok(Some(SetSpec::HalfSpaces(sides)));
    }
    Ok(None)
}

fn sum(table: &mut Reader<'_>, depth: usize) -> Result<Option<SetSpec>, Box<InputError>> {
    match table.take("sum") {
        None => Ok(None),
        Some(Item {
            value: Value::List(items),
            ..
        }) if !items.is_empty() => {
            let sets = items.into_iter().map(|item| set(table, item, depth + 1));
            Ok(Some(SetSpec::Sum(sets.collect::<Result<_, _>>()?)))
        }
        Some(item) => Err(table.wrong("sum", &item, "an array of sets was expected".into(), "")),
    }
}

/// Sets with values for each row must have as many as the constraint has rows.
fn check_rows(reader: &Reader<'_>, set: &SetSpec, rows: usize) -> Result<(), Box<InputError>> {
    let wrong = |what: &str, found: usize, expected: usize| {
        let problem = format!(
            "force: {what} {found} values, but the constraint has {rows} rows: {expected} were expected"
        );
        Err(reader.error(problem, "Give one value for each row of `constraint`"))
    };
    match set {
        SetSpec::Intervals(all) if all.len() != rows => wrong("`box` has", all.len(), rows),
        SetSpec::Ellipse(axes) if axes.len() != rows => wrong("`ellipse` has", axes.len(), rows),
        SetSpec::Vertices(all) => match all.iter().find(|v| v.len() != rows) {
            Some(vertex) => wrong("a vertex has", vertex.len(), rows),
            None => Ok(()),
        },
        SetSpec::HalfSpaces(all) => match all.iter().find(|v| v.len() != rows + 1) {
            Some(side) => wrong("a half-space has", side.len(), rows + 1),
            None => Ok(()),
        },
        SetSpec::Scaled(_, of) => check_rows(reader, of, rows),
        SetSpec::Sum(sets) => sets
            .iter()
            .try_for_each(|set| check_rows(reader, set, rows)),
        _ => Ok(()),
    }
}
