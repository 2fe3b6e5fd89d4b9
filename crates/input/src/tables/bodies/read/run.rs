//! Reads `[run]`, `[[prepare]]` and `[[picture]]`.

use super::super::spec::{BodiesRunSpec, PrepareSpec};
use super::{choice, motion, named, names_if, vector_if};
use crate::report::{Colour, Picture};
use crate::tables::{SceneKind, Word, certificate, read_run, record};
use crate::{Formula, InputError, Named, Reader, Value};

/// `[run]`.
pub(super) fn run(root: &mut Reader<'_>) -> Result<BodiesRunSpec, Box<InputError>> {
    let Some(item) = root.take("run") else {
        let advice = "Add [run] with `until` and `step`";
        let misspelt = root.misspelt("run");
        return Err(misspelt.unwrap_or_else(|| root.error("the part [run] is missing", advice)));
    };
    let mut reader = root.of("[run]", "run", item)?;
    // Keys of `[run]`, then the tables `[record]` and `[certificate]`.
    let mut spec = BodiesRunSpec {
        start: reader.formula_if("start")?,
        until: reader.formula("until")?,
        step: reader.formula("step")?,
        integrator: read_run::word(&mut reader, "integrator")?,
        tolerance: reader.formula_if("tolerance")?,
        record_every: reader.formula_if("record_every")?,
        record: record::RecordSpec::default(),
        certificate: certificate::CertificateSpec::default(),
        activation: read_run::word(&mut reader, "activation")?,
        correction: truth(&mut reader, "correction")?,
        solver: read_run::word(&mut reader, "solver")?,
        max_iterations: reader.formula_if("max_iterations")?,
        overlap: reader.formula_if("overlap")?,
        relax: truth(&mut reader, "relax")?,
        stop: reader.formula_if("stop")?,
    };
    reader.finish()?;
    spec.record = record::read(root, SceneKind::Bodies, spec.record_every.is_some())?;
    spec.certificate = certificate::read(root)?;
    Ok(spec)
}

/// A boolean as a word, so that it can be overridden.
fn truth(reader: &mut Reader<'_>, key: &'static str) -> Result<Option<Word>, Box<InputError>> {
    let truth = reader.truth_if(key)?;
    Ok(truth.map(|(truth, line)| Word::at_line(truth.to_string(), line)))
}

/// `[[prepare]]`.
pub(super) fn prepare(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<PrepareSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in named(root, "prepare", "prepare")? {
        let spec = PrepareSpec {
            name,
            line: reader.line,
            until: reader.formula("until")?,
            step: reader.formula_if("step")?,
            tolerance: reader.formula_if("tolerance")?,
            stop: reader.formula_if("stop")?,
            must: reader.truth_if("must")?.is_some_and(|(truth, _)| truth),
            set: set(&mut reader)?,
            free: free(&mut reader, dimension)?,
            fixed: names_if(&mut reader, "fixed")?.unwrap_or_default(),
            rest: reader.truth_if("rest")?.is_some_and(|(truth, _)| truth),
        };
        // A required stop needs a stop condition.
        if spec.must && spec.stop.is_none() {
            let problem = "`must` does nothing without `stop`";
            return Err(reader.error(problem, "Say what must become true"));
        }
        reader.finish()?;
        all.push(spec);
    }
    Ok(all)
}

/// `set = { parameter = value }`.
fn set(reader: &mut Reader<'_>) -> Result<Vec<Named>, Box<InputError>> {
    let Some(item) = reader.take("set") else {
        return Ok(Vec::new());
    };
    let part = format!("{}, set", reader.part);
    let mut table = reader.of(part, "set", item)?;
    let mut all = Vec::new();
    for entry in table.take_all() {
        let formula = table.to_formula(&entry.key, entry.item)?;
        all.push(Named {
            name: entry.key,
            formula,
        });
    }
    Ok(all)
}

/// `free = { BODY = ["x"] }`.
fn free(reader: &mut Reader<'_>, dimension: usize) -> Result<Vec<(Word, u8)>, Box<InputError>> {
    let Some(item) = reader.take("free") else {
        return Ok(Vec::new());
    };
    let part = format!("{}, free", reader.part);
    let mut table = reader.of(part, "free", item)?;
    let mut all = Vec::new();
    for entry in table.take_all() {
        let mask = motion::mask(&table, &entry.key, &entry.item, dimension)?;
        all.push((Word::at_line(entry.key, entry.line), mask));
    }
    Ok(all)
}

/// `[[picture]]`.
pub(super) fn pictures(
    root: &mut Reader<'_>,
    dimension: usize,
) -> Result<Vec<Picture>, Box<InputError>> {
    const COLOURS: [(&str, Colour); 6] = [
        ("none", Colour::None),
        ("speed", Colour::Speed),
        ("displacement", Colour::Displacement),
        ("spin", Colour::Spin),
        ("material", Colour::Material),
        ("mass", Colour::Mass),
    ];
    const TAKEN: [&str; 3] = ["picture", "pictures", "forces"];
    let mut all = Vec::new();
    for (name, mut reader) in crate::parts(root, "picture", "picture")? {
        // Names of the standard pictures of every run are taken.
        if TAKEN.contains(&name.as_str()) {
            let problem = format!("every run has a picture `{name}`");
            return Err(reader.error(problem, "Choose another name"));
        }
        let (forces, chains) = forces(&mut reader)?;
        let picture = Picture {
            name,
            title: reader.text_if("title")?,
            at: instants(&mut reader)?,
            colour: choice(&mut reader, "colour", &COLOURS)?,
            forces,
            chains,
            low: vector_if(&mut reader, "low", dimension)?,
            high: vector_if(&mut reader, "high", dimension)?,
            view: match dimension {
                3 => vector_if(&mut reader, "view", 3)?,
                _ => None,
            },
            line: reader.line,
        };
        reader.finish()?;
        all.push(picture);
    }
    Ok(all)
}

/// `forces`: true, false or "chains". Whether forces are drawn, and whether force chains are highlighted.
fn forces(reader: &mut Reader<'_>) -> Result<(bool, bool), Box<InputError>> {
    let Some(item) = reader.take("forces") else {
        return Ok((false, false));
    };
    match &item.value {
        Value::Truth(truth) => Ok((*truth, false)),
        Value::Text(text) if text == "chains" => Ok((true, true)),
        _ => Err(reader.expected("forces", &item, "true, false or \"chains\"", "")),
    }
}

/// `at`: one time or an array of them.
fn instants(reader: &mut Reader<'_>) -> Result<Vec<Formula>, Box<InputError>> {
    Ok(reader.formulas_if("at")?.unwrap_or_default())
}
