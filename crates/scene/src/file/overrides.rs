//! Overrides of `--set key=value`: parameters first, then the keys of `[run]`, `[record]` and `[certificate]`, and of
//! `[impact]` the key `law`. A key of `[run]` may be written with or without its prefix `run.`.

use super::content::Content;
use percuss_input::tables::bodies::BodiesRunSpec as BodiesRun;
use percuss_input::tables::{MechanismRunSpec, StepSpec, certificate, record};
use percuss_input::{Formula, InputError, Origin};

/// Keys of `[run]` of a mechanism that can be overridden.
const MECHANISM_KEYS: [&str; 9] = [
    "start",
    "until",
    "step",
    "integrator",
    "theta",
    "forces",
    "tangent_cone",
    "correction",
    "tolerance",
];

/// Keys of `[run]` of bodies that can be overridden.
const BODIES_KEYS: [&str; 13] = [
    "start",
    "until",
    "step",
    "integrator",
    "activation",
    "correction",
    "tolerance",
    "solver",
    "max_iterations",
    "overlap",
    "relax",
    "stop",
    "record_every",
];

/// Applies one override.
pub(super) fn apply(
    file: &str,
    content: &mut Content,
    key: &str,
    value: &str,
) -> Result<(), Box<InputError>> {
    let formula = Formula::overriding(value.trim());
    // A parameter of this name takes precedence.
    let mut parameters = content.parameters_mut().iter_mut();
    if let Some(parameter) = parameters.find(|p| p.name == key) {
        parameter.formula = formula;
        return Ok(());
    }
    // Otherwise a setting, by the table it belongs to.
    let Some(short) = setting(content, key) else {
        let origin = Origin::Override;
        return Err(unknown(file, content, key, value, origin, ""));
    };
    let recording = short.starts_with("record.");
    let bounding = short.starts_with("certificate.");
    match content {
        Content::Mechanism(m) if bounding => m.run.certificate.set(short, formula),
        Content::Bodies(bodies) if bounding => bodies.run.certificate.set(short, formula),
        Content::Mechanism(m) if recording => m.run.record.set(short, formula),
        Content::Bodies(bodies) if recording => bodies.run.record.set(short, formula),
        Content::Mechanism(mechanism) => set_run(&mut mechanism.run, short, formula),
        Content::Bodies(bodies) => set_bodies(&mut bodies.run, short, formula),
    }
    Ok(())
}

fn keys(content: &Content) -> &'static [&'static str] {
    match content {
        Content::Mechanism(_) => &MECHANISM_KEYS,
        Content::Bodies(_) => &BODIES_KEYS,
    }
}

/// The setting that a key names, without the prefix `run.` or `impact.`; `None` if it cannot be overridden.
pub(super) fn setting(content: &Content, key: &str) -> Option<&'static str> {
    // `run.` may be left out; `law` exists only for mechanisms.
    let short = key.strip_prefix("run.").unwrap_or(key);
    let known = keys(content).iter().find(|known| **known == short).copied();
    let law = matches!(content, Content::Mechanism(_)) && (key == "law" || key == "impact.law");
    let recorded = record::keys(content.kind()).iter().find(|k| **k == key);
    let bounds = certificate::KEYS.iter().find(|k| **k == key);
    let further = recorded.or(bounds).copied();
    known.or(law.then_some("law")).or(further)
}

/// Refuses a key of a case or a study that cannot be overridden.
pub(super) fn require_known(
    file: &str,
    content: &Content,
    part: &str,
    key: &str,
    line: usize,
) -> Result<(), Box<InputError>> {
    let parameter = content.parameters().iter().any(|p| p.name == key);
    match parameter || setting(content, key).is_some() {
        true => Ok(()),
        false => Err(unknown(file, content, key, "", Origin::Line(line), part)),
    }
}

/// Refuses a name that is neither a parameter nor a setting on which a motion depends.
pub(super) fn require_setting(
    file: &str,
    content: &Content,
    part: &str,
    name: &str,
    line: usize,
) -> Result<(), Box<InputError>> {
    let parameter = content.parameters().iter().any(|p| p.name == name);
    let run = setting(content, name).is_some_and(|short| !short.contains('.'));
    match parameter || run {
        true => Ok(()),
        false => Err(unknown(file, content, name, "", Origin::Line(line), part)),
    }
}

/// The values of a setting as they are written; its default where it is not given.
pub(super) fn given(content: &Content, key: &str) -> Vec<Formula> {
    let one = |formula: &Option<Formula>, default: &str| {
        let default = || Formula::overriding(default);
        vec![formula.clone().unwrap_or_else(default)]
    };
    match content {
        Content::Mechanism(mechanism) => {
            let run = &mechanism.run;
            match key {
                "law" => one(&run.law, "moreau"),
                "start" => one(&run.start, "0"),
                "until" => vec![run.until.clone()],
                "step" => match &run.step {
                    StepSpec::Fixed(step) => vec![step.clone()],
                    StepSpec::Variable {
                        tolerance,
                        smallest,
                        largest,
                    } => vec![tolerance.clone(), smallest.clone(), largest.clone()],
                },
                "integrator" => one(&run.integrator, "midpoint"),
                "theta" => one(&run.theta, "0.5"),
                "forces" => one(&run.forces, "mean"),
                "correction" => one(&run.correction, "false"),
                _ => one(&run.tolerance, "default"),
            }
        }
        Content::Bodies(bodies) => {
            let run = &bodies.run;
            match key {
                "start" => one(&run.start, "0"),
                "until" => vec![run.until.clone()],
                "step" => vec![run.step.clone()],
                "integrator" => one(&run.integrator, "midpoint"),
                "activation" => one(&run.activation, "default"),
                "correction" => one(&run.correction, "false"),
                "solver" => one(&run.solver, "default"),
                "max_iterations" => one(&run.max_iterations, "default"),
                "overlap" => one(&run.overlap, "default"),
                "relax" => one(&run.relax, "false"),
                "stop" => one(&run.stop, "default"),
                "record_every" => one(&run.record_every, "1"),
                _ => one(&run.tolerance, "default"),
            }
        }
    }
}

fn set_run(run: &mut MechanismRunSpec, key: &str, formula: Formula) {
    match key {
        "law" => run.law = Some(formula),
        "start" => run.start = Some(formula),
        "until" => run.until = formula,
        "step" => run.step = StepSpec::Fixed(formula),
        "integrator" => run.integrator = Some(formula),
        "theta" => run.theta = Some(formula),
        "forces" => run.forces = Some(formula),
        "tangent_cone" => run.tangent_cone = Some(formula),
        "correction" => run.correction = Some(formula),
        _ => run.tolerance = Some(formula),
    }
}

fn set_bodies(run: &mut BodiesRun, key: &str, formula: Formula) {
    match key {
        "start" => run.start = Some(formula),
        "until" => run.until = formula,
        "step" => run.step = formula,
        "integrator" => run.integrator = Some(formula),
        "activation" => run.activation = Some(formula),
        "correction" => run.correction = Some(formula),
        "solver" => run.solver = Some(formula),
        "max_iterations" => run.max_iterations = Some(formula),
        "overlap" => run.overlap = Some(formula),
        "relax" => run.relax = Some(formula),
        "stop" => run.stop = Some(formula),
        // The override wins over `every` of `[record]`.
        "record_every" => {
            run.record_every = Some(formula);
            run.record.every = None;
        }
        _ => run.tolerance = Some(formula),
    }
}

fn unknown(
    file: &str,
    content: &Content,
    key: &str,
    value: &str,
    origin: Origin,
    part: &str,
) -> Box<InputError> {
    let impact = matches!(content, Content::Mechanism(_));
    let parameters = content.parameters().iter().map(|p| p.name.clone());
    let run = keys(content).iter().map(|key| key.to_string());
    let law = impact.then(|| "law".to_string());
    let recorded = record::keys(content.kind()).iter().map(|k| k.to_string());
    let bounds = certificate::KEYS.iter().map(|k| k.to_string());
    let further = recorded.chain(bounds);
    // Names for the list in the message, and those that a guess may come from.
    let short: Vec<String> = parameters.chain(run).chain(law).chain(further).collect();
    let long = keys(content).iter().map(|key| format!("run.{key}"));
    let all: Vec<String> = short
        .iter()
        .cloned()
        .chain(long)
        .chain(impact.then(|| "impact.law".to_string()))
        .collect();
    // Suggest the nearest key.
    let guess = match percuss_expr::similar_names(key, &all).first() {
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
