//! `--set key=value`: parameters first, then the keys of `[run]` and `[impact]`.

use crate::error::{InputError, Origin};
use crate::file::reader::Formula;
use crate::file::spec::{Mechanism, RunSpec, StepSpec};

/// Keys of `[run]` that can be overridden.
const RUN_KEYS: [&str; 8] = [
    "start",
    "until",
    "step",
    "integrator",
    "theta",
    "forces",
    "correction",
    "tolerance",
];

/// Changes one value.
pub(super) fn apply(
    file: &str,
    mechanism: &mut Mechanism,
    key: &str,
    value: &str,
) -> Result<(), Box<InputError>> {
    let formula = Formula::overriding(value.trim());
    let parameters = &mut mechanism.parameters;
    if let Some(parameter) = parameters.iter_mut().find(|p| p.name == key) {
        parameter.formula = formula;
        return Ok(());
    }
    match setting(key) {
        Some("law") => mechanism.run.law = Some(formula),
        Some(short) => set_run(&mut mechanism.run, short, formula),
        None => {
            let origin = Origin::Override;
            return Err(unknown(file, mechanism, key, value, origin, ""));
        }
    }
    Ok(())
}

/// The setting that a key means.
fn setting(key: &str) -> Option<&'static str> {
    let short = key.strip_prefix("run.").unwrap_or(key);
    let known = RUN_KEYS.iter().find(|known| **known == short).copied();
    let law = (key == "law" || key == "impact.law").then_some("law");
    known.or(law)
}

/// Refuses a key of a case or a study that cannot be overridden.
pub(super) fn require_known(
    file: &str,
    mechanism: &Mechanism,
    part: &str,
    key: &str,
    line: usize,
) -> Result<(), Box<InputError>> {
    let parameter = mechanism.parameters.iter().any(|p| p.name == key);
    match parameter || setting(key).is_some() {
        true => Ok(()),
        false => Err(unknown(file, mechanism, key, "", Origin::Line(line), part)),
    }
}

fn set_run(run: &mut RunSpec, key: &str, formula: Formula) {
    match key {
        "start" => run.start = Some(formula),
        "until" => run.until = formula,
        "step" => run.step = StepSpec::Fixed(formula),
        "integrator" => run.integrator = Some(formula),
        "theta" => run.theta = Some(formula),
        "forces" => run.forces = Some(formula),
        "correction" => run.correction = Some(formula),
        _ => run.tolerance = Some(formula),
    }
}

fn unknown(
    file: &str,
    mechanism: &Mechanism,
    key: &str,
    value: &str,
    origin: Origin,
    part: &str,
) -> Box<InputError> {
    let parameters = mechanism.parameters.iter().map(|p| p.name.clone());
    let run = RUN_KEYS.iter().chain(&["law"]).map(|key| key.to_string());
    let short: Vec<String> = parameters.chain(run).collect();
    let long = RUN_KEYS.iter().map(|key| format!("run.{key}"));
    let all: Vec<String> = short
        .iter()
        .cloned()
        .chain(long)
        .chain(["impact.law".to_string()])
        .collect();
    let guess = match expr::nearest(key, &all).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    Box::new(InputError {
        file: file.to_string(),
        origin,
        part: part.to_string(),
        key: key.to_string(),
        value: value.to_string(),
        problem: format!(
            "there is no such parameter or setting{guess} (those that can be set: {})",
            short.join(", ")
        ),
        advice: String::new(),
    })
}
