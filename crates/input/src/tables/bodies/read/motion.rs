//! Reads the freedom of a body (fixed, free components, prescribed motion), and the forces given to it.

use super::super::spec::{FreedomSpec, LoadSpec, MotionSpec};
use super::{turning, vector_if, vector_of};
use crate::tables::read_run;
use crate::{Formula, InputError, Item, Reader, Value};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Names of the velocity components.
pub(super) fn components(dimension: usize) -> &'static [&'static str] {
    match dimension {
        2 => &["x", "y", "turn"],
        _ => &["x", "y", "z", "turn_x", "turn_y", "turn_z"],
    }
}

/// `fixed`, `free` or `motion`: at most one of them.
pub(super) fn freedom(
    reader: &mut Reader<'_>,
    dimension: usize,
) -> Result<FreedomSpec, Box<InputError>> {
    let fixed = reader.truth_if("fixed")?.is_some_and(|(truth, _)| truth);
    let free = reader.take("free");
    let motion = reader.take("motion");
    // The three keys exclude each other; all components free is the same as free.
    match (fixed, free, motion) {
        (false, None, None) => Ok(FreedomSpec::Free),
        (true, None, None) => Ok(FreedomSpec::Fixed),
        (false, Some(item), None) => {
            let mask = mask(reader, "free", &item, dimension)?;
            match mask.count_ones() as usize == components(dimension).len() {
                true => Ok(FreedomSpec::Free),
                false => Ok(FreedomSpec::Only(mask)),
            }
        }
        (false, None, Some(item)) => motions(reader, item, dimension).map(FreedomSpec::Motion),
        (true, _, _) => Err(reader.error(
            "a body with `fixed = true` has neither `free` nor `motion`",
            "Keep one of them",
        )),
        (false, Some(_), Some(_)) => Err(reader.error(
            "`free` and `motion` are both given",
            "Keep one of them: the directions that are not free are held",
        )),
    }
}

/// Bit mask of the velocity components that follow forces.
pub(super) fn mask(
    reader: &Reader<'_>,
    key: &str,
    item: &Item,
    dimension: usize,
) -> Result<u8, Box<InputError>> {
    let names = components(dimension);
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let listed = quoted.join(", ");
    // One bit per component name.
    let bit = |item: &Item| match &item.value {
        Value::Text(text) => match names.iter().position(|name| name == text) {
            Some(at) => Ok(1_u8 << at),
            None => {
                let known: Vec<String> = names.iter().map(|name| name.to_string()).collect();
                let guess = super::guess(text, &known);
                Err(reader.wrong(
                    key,
                    item,
                    format!("one of {listed} was expected{guess}"),
                    "",
                ))
            }
        },
        _ => Err(reader.expected(key, item, &format!("one of {listed}"), "")),
    };
    match &item.value {
        Value::List(items) if items.is_empty() => {
            let problem = "nothing would be free".to_string();
            Err(reader.wrong(
                key,
                item,
                problem,
                "Write `fixed = true`, or name directions",
            ))
        }
        Value::List(items) => items.iter().try_fold(0, |mask, item| Ok(mask | bit(item)?)),
        Value::Text(_) => bit(item),
        _ => Err(reader.expected(key, item, &format!("an array of {listed}"), "")),
    }
}

fn motions(
    reader: &Reader<'_>,
    item: Item,
    dimension: usize,
) -> Result<Vec<MotionSpec>, Box<InputError>> {
    // One table, or an array of tables whose motions add up.
    let items = match item.value {
        Value::List(items) if !items.is_empty() => items,
        Value::Table(_) => vec![item],
        _ => return Err(reader.expected("motion", &item, "a table, or an array of them", "")),
    };
    let mut all = Vec::new();
    for item in items {
        let part = format!("{}, motion", reader.part);
        let mut table = reader.of(part, "motion", item)?;
        all.push(motion(&mut table, dimension)?);
        table.finish()?;
    }
    // Rotations about different axes do not add up: at most one part may rotate.
    let turns = |spec: &&MotionSpec| matches!(spec, MotionSpec::Expressions { turn: Some(_), .. });
    match all.iter().filter(turns).count() {
        0 | 1 => Ok(all),
        _ => Err(reader.error(
            "two parts of `motion` turn the body",
            "Add the angles in one of them",
        )),
    }
}

fn motion(table: &mut Reader<'_>, dimension: usize) -> Result<MotionSpec, Box<InputError>> {
    if let Some(item) = table.take("accelerogram") {
        return Ok(MotionSpec::Accelerogram {
            file: super::name(table, "accelerogram", item)?,
            direction: vector_of(table, "direction", dimension)?,
            scale: table.formula_if("scale")?,
            drift: read_run::word(table, "drift")?,
        });
    }
    // Displacements by axis and a rotation.
    let offset = AXES[..dimension].iter().map(|axis| table.formula_if(axis));
    let offset: Vec<_> = offset.collect::<Result<_, _>>()?;
    let turn = match dimension {
        2 => table.formula_if("angle")?.map(|angle| (None, angle)),
        _ => turn(table)?,
    };
    if offset.iter().all(Option::is_none) && turn.is_none() {
        let keys = match dimension {
            2 => "`x`, `y`, `angle`",
            _ => "`x`, `y`, `z`, `turn`",
        };
        let problem = format!("one of {keys} or `accelerogram` was expected");
        let nothing = table.error(problem, "A body that stands still is `fixed = true`");
        return Err(table.misspelt("accelerogram").unwrap_or(nothing));
    }
    Ok(MotionSpec::Expressions { offset, turn })
}

type Turn = (Option<Vec<Formula>>, Formula);

fn turn(table: &mut Reader<'_>) -> Result<Option<Turn>, Box<InputError>> {
    let Some(item) = table.take("turn") else {
        return Ok(None);
    };
    let mut turn = table.of(format!("{}, turn", table.part), "turn", item)?;
    let axis = vector_of(&mut turn, "axis", 3)?;
    let angle = turn.formula("angle")?;
    turn.finish()?;
    Ok(Some((Some(axis), angle)))
}

/// `force`, `torque`, `at`.
pub(super) fn load(
    reader: &mut Reader<'_>,
    dimension: usize,
) -> Result<Option<LoadSpec>, Box<InputError>> {
    let force = vector_if(reader, "force", dimension)?;
    let torque = turning(reader, "torque", dimension)?;
    let at = vector_if(reader, "at", dimension)?;
    if at.is_some() && force.is_none() {
        let problem = "`at` is where a `force` acts, but none is given";
        return Err(reader.error(problem, "Add `force`, or drop `at`"));
    }
    match (&force, &torque) {
        (None, None) => Ok(None),
        _ => Ok(Some(LoadSpec { force, torque, at })),
    }
}
