//! Reads the run settings of a mechanism: `[run]` and `[impact]`.

use crate::tables::spec::{CoordinateSpec, MechanismRunSpec, StepSpec, Word};
use crate::tables::{SceneKind, certificate, read_model, record};
use crate::{Formula, InputError, Item, Reader, Value};

/// `[run]` and `[impact]`.
pub(super) fn run(
    root: &mut Reader<'_>,
    coordinates: &[CoordinateSpec],
) -> Result<MechanismRunSpec, Box<InputError>> {
    let Some(item) = root.take("run") else {
        let advice = "Add [run] with `until` and `step`";
        let misspelt = root.misspelt("run");
        return Err(misspelt.unwrap_or_else(|| root.error("the part [run] is missing", advice)));
    };
    let mut reader = root.of("[run]", "run", item)?;
    // Keys of `[run]`.
    let until = reader.formula("until")?;
    let start = reader.formula_if("start")?;
    let step = step(&mut reader)?;
    let integrator = word(&mut reader, "integrator")?;
    let theta = reader.formula_if("theta")?;
    let forces = word(&mut reader, "forces")?;
    let tangent_cone = word(&mut reader, "tangent_cone")?;
    let correction = reader.truth_if("correction")?;
    let correction = correction.map(|(truth, line)| Word::at_line(truth.to_string(), line));
    let tolerance = reader.formula_if("tolerance")?;
    let record_every = reader.count_if("record_every")?;
    reader.finish()?;
    // Tables beside it: `[record]`, `[certificate]`, `[impact]`.
    let record = record::read(root, SceneKind::Mechanism, record_every.is_some())?;
    let certificate = certificate::read(root)?;
    let (mut law, mut restitution) = (None, None);
    let (mut velocity, mut exponent) = (Vec::new(), None);
    if let Some(item) = root.take("impact") {
        let mut reader = root.of("[impact]", "impact", item)?;
        law = word(&mut reader, "law")?;
        restitution = reader.formula_if("restitution")?;
        exponent = reader.formula_if("exponent")?;
        if let Some(item) = reader.take("velocity") {
            let table = reader.of("[impact.velocity]", "velocity", item)?;
            velocity = read_model::by_coordinate(table, coordinates)?;
        }
        reader.finish()?;
    }
    Ok(MechanismRunSpec {
        until,
        start,
        step,
        integrator,
        theta,
        forces,
        tangent_cone,
        correction,
        tolerance,
        record_every: record_every.unwrap_or(1),
        record,
        certificate,
        law,
        restitution,
        velocity,
        exponent,
    })
}

fn step(reader: &mut Reader<'_>) -> Result<StepSpec, Box<InputError>> {
    let Some(item) = reader.take("step") else {
        return Err(reader.missing("step"));
    };
    // A number is a fixed step, a table an adaptive one.
    if !matches!(item.value, Value::Table(_)) {
        return Ok(StepSpec::Fixed(reader.to_formula("step", item)?));
    }
    let mut table = reader.of("[run], step", "step", item)?;
    let (tolerance, smallest) = (table.formula("tolerance")?, table.formula("smallest")?);
    let largest = table.formula("largest")?;
    table.finish()?;
    Ok(StepSpec::Variable {
        tolerance,
        smallest,
        largest,
    })
}

/// A string with its line.
pub fn word(reader: &mut Reader<'_>, key: &'static str) -> Result<Option<Word>, Box<InputError>> {
    match reader.take(key) {
        None => Ok(None),
        Some(Item {
            value: Value::Text(text),
            line,
            ..
        }) => Ok(Some(Formula::at_line(text, line))),
        Some(item) => Err(reader.expected(key, &item, "a text", "")),
    }
}
