//! Reads `[[joint]]`.

use super::super::spec::JointSpec;
use super::{between, named, points, vector, vector_if};
use crate::tables::read_run;
use crate::{Formula, InputError, Item, Reader, Value};

/// `[[joint]]`.
pub(super) fn joints(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<JointSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "joint", "joint")? {
        let Some(kind) = read_run::word(&mut reader, "kind")? else {
            return Err(reader.missing("kind"));
        };
        let joint = JointSpec {
            name,
            line: reader.line,
            kind,
            between: between(&mut reader)?,
            at: places(&mut reader, "at", dimension)?,
            anchors: places(&mut reader, "anchors", dimension)?,
            axis: vector_if(&mut reader, "axis", dimension)?,
            length: reader.formula_if("length")?,
            about: read_run::word(&mut reader, "about")?,
            limits: table(&mut reader, "limits", ["low", "high", "restitution"])?,
            motor: motor(&mut reader)?,
            spring: table(&mut reader, "spring", ["stiffness", "rest", "damping"])?,
            friction: reader.formula_if("friction")?,
            radius: reader.formula_if("radius")?,
            play: reader.formula_if("play")?,
            restitution: reader.formula_if("restitution")?,
            contact: reader.truth_if("contact")?.is_some_and(|(truth, _)| truth),
        };
        reader.finish()?;
        all.push(joint);
    }
    Ok(all)
}

/// A point, or an array of two points.
fn places(
    reader: &mut Reader<'_>,
    key: &'static str,
    dimension: usize,
) -> Result<Option<Vec<Vec<Formula>>>, Box<InputError>> {
    let Some(item) = reader.take(key) else {
        return Ok(None);
    };
    // Nested arrays are points, a flat one is a point.
    let nested = |items: &[Item]| {
        items
            .iter()
            .any(|item| matches!(item.value, Value::List(_)))
    };
    match &item.value {
        Value::List(items) if nested(items) => {
            let raw = item.clone();
            let both = points(reader, key, item, dimension)?;
            match both.len() {
                2 => Ok(Some(both)),
                _ => Err(reader.expected(key, &raw, "a point, or an array of two points", "")),
            }
        }
        _ => vector(reader, key, item, dimension).map(|point| Some(vec![point])),
    }
}

/// A table of optional values.
fn table<const N: usize>(
    reader: &mut Reader<'_>,
    key: &'static str,
    keys: [&'static str; N],
) -> Result<Option<[Option<Formula>; N]>, Box<InputError>> {
    let Some(item) = reader.take(key) else {
        return Ok(None);
    };
    let mut inner = reader.of(format!("{}, {key}", reader.part), key, item)?;
    let mut all = [const { None }; N];
    for (value, key) in all.iter_mut().zip(keys) {
        *value = inner.formula_if(key)?;
    }
    // An empty table is refused.
    if all.iter().all(Option::is_none) {
        let listed: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        let problem = format!("one of {} was expected", listed.join(", "));
        let nothing = inner.error(problem, "");
        return Err(inner.misspelt(keys[0]).unwrap_or(nothing));
    }
    inner.finish()?;
    Ok(Some(all))
}

fn motor(reader: &mut Reader<'_>) -> Result<Option<(Formula, Option<Formula>)>, Box<InputError>> {
    let Some(item) = reader.take("motor") else {
        return Ok(None);
    };
    let mut inner = reader.of(format!("{}, motor", reader.part), "motor", item)?;
    let speed = inner.formula("speed")?;
    let bound = inner.formula_if("bound")?;
    inner.finish()?;
    Ok(Some((speed, bound)))
}
