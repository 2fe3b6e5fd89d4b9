//! Reads `[world]`, `[[material]]` and `[[law]]`.

use super::super::spec::{LawSpec, MaterialSpec};
use super::{between, named, numbered, vector_if};
use crate::tables::{FrictionSpec, read_constraints};
use crate::{Formula, InputError, Reader, Value};

/// Largest number of materials: the table of laws grows with its square.
const MOST_MATERIALS: usize = 1000;

/// `[world]`: the dimension and gravity.
pub(super) fn world(
    root: &mut Reader<'_>,
) -> Result<(usize, Option<Vec<Formula>>), Box<InputError>> {
    let Some(item) = root.take("world") else {
        let advice = "Add [world] with `dimension = 2` or `dimension = 3`";
        let misspelt = root.misspelt("world");
        return Err(misspelt.unwrap_or_else(|| root.error("the part [world] is missing", advice)));
    };
    let mut reader = root.of("[world]", "world", item)?;
    let Some(item) = reader.take("dimension") else {
        return Err(reader.missing("dimension"));
    };
    // Only the plane and space exist.
    let dimension = match item.value {
        Value::Number(2.0) => 2,
        Value::Number(3.0) => 3,
        _ => {
            let problem = "2 (the plane) or 3 (space) was expected".to_string();
            return Err(reader.wrong("dimension", &item, problem, ""));
        }
    };
    let gravity = vector_if(&mut reader, "gravity", dimension)?;
    reader.finish()?;
    Ok((dimension, gravity))
}

/// `[[material]]`.
pub(super) fn materials(root: &mut Reader<'_>) -> Result<Vec<MaterialSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "material", "material")? {
        // `any` is the wildcard of laws.
        if name == "any" {
            let problem = "`any` stands for all materials in [[law]]";
            return Err(reader.error(problem, "Choose another name"));
        }
        let density = reader.formula_if("density")?;
        let line = reader.line;
        reader.finish()?;
        all.push(MaterialSpec {
            name,
            line,
            density,
        });
    }
    if all.is_empty() {
        let misspelt = root.misspelt("material");
        let advice = "Add a [[material]] with a `name`";
        return Err(misspelt.unwrap_or_else(|| root.error("there is no material", advice)));
    }
    match all.get(MOST_MATERIALS) {
        None => Ok(all),
        Some(first) => Err(root.error(
            format!(
                "there are {} materials, {MOST_MATERIALS} are allowed",
                all.len()
            ),
            format!("The first too many is on line {}", first.line),
        )),
    }
}

/// `[[law]]`.
pub(super) fn laws(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<LawSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (_, mut reader) in numbered(root, "law")? {
        let between = between(&mut reader)?;
        reader.part = format!(
            "law between `{}` and `{}`",
            between[0].text, between[1].text
        );
        // Friction with its direction, rolling and spinning friction, restitution.
        let friction =
            read_constraints::friction(&mut reader, |table| vector_if(table, "along", 3))?;
        let rolling = reader.formula_if("rolling_friction")?;
        let spinning = reader.formula_if("spinning_friction")?;
        let rebound = read_constraints::rebound(&mut reader)?;
        let tangential_restitution = reader.formula_if("tangential_restitution")?;
        let law = LawSpec {
            line: reader.line,
            between,
            friction,
            rolling,
            spinning,
            rebound,
            tangential_restitution,
        };
        check_law(&reader, &law, dimension)?;
        reader.finish()?;
        all.push(law);
    }
    Ok(all)
}

/// Refuses keys that exclude each other or do not exist in this dimension.
fn check_law(reader: &Reader<'_>, law: &LawSpec, dimension: usize) -> Result<(), Box<InputError>> {
    let wrong = |problem: String, advice: &str| Err(reader.error(problem, advice));
    let directed =
        |spec: &FrictionSpec| matches!(spec, FrictionSpec::Elliptic(_) | FrictionSpec::Polygon(_));
    // Asymmetric laws belong to the plane, elliptic and polygonal ones to space.
    if let Some((spec, _, along)) = &law.friction {
        let name = spec.name();
        match (spec, dimension) {
            (FrictionSpec::Asymmetric { .. }, 3) => {
                let problem = format!("friction {name} is a law of the plane");
                return wrong(problem, "In space use { polygon, along }");
            }
            (spec, 2) if directed(spec) => {
                let problem = format!("friction {name} is a law of space");
                return wrong(problem, "In the plane use { plus, minus }");
            }
            _ => {}
        }
        // Anisotropic laws need the direction of their first axis.
        match (directed(spec), along) {
            (true, None) => {
                let problem = format!(
                    "friction {name} needs `along`, the direction of its first axis in the axes of \
                     the body of `{}`",
                    law.between[0].text
                );
                return wrong(problem, "Add `along = [x, y, z]`");
            }
            (false, Some(_)) => {
                let problem = format!("`along` does nothing with friction {name}");
                return wrong(problem, "Drop it, or use { axes } or { polygon }");
            }
            _ => {}
        }
    }
    if law.spinning.is_some() && dimension == 2 {
        let problem = "there is no spin about the normal in the plane".to_string();
        return wrong(problem, "Drop `spinning_friction`");
    }
    let moments = law.rolling.is_some() || law.spinning.is_some();
    let plain = matches!(
        &law.friction,
        None | Some((FrictionSpec::Isotropic(_), _, _))
    );
    match moments && !plain {
        true => wrong(
            "rolling and spinning friction go with one coefficient of sliding friction".into(),
            "Give `friction` as one value",
        ),
        false => Ok(()),
    }
}
