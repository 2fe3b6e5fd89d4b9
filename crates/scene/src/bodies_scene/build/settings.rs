//! Run settings of bodies: `[run]`, `[record]` and `[[prepare]]` evaluated.

use percuss_bodies::{Activation, Integrator, Settings};

use super::super::OverlapRule;
use super::body_table::BodyTable;
use super::context::{At, Context, at};
use super::scene_dim::SceneDim;
use percuss_input::tables::bodies::BodiesRunSpec;
use percuss_input::tables::bodies::spec::PrepareSpec;
use percuss_input::tables::{
    BodySubset, CertificateBounds, OPTIONAL_BODY_TABLES, RecordSelection, record,
};
use percuss_input::{Formula, InputError, Origin};

const PART: &str = "[run]";

/// The scheme of time stepping by its word, and whether the run goes from event to event.
const INTEGRATORS: [(&str, (Integrator, bool)); 3] = [
    ("midpoint", (Integrator::Midpoint, false)),
    ("projected", (Integrator::Projected, false)),
    ("event", (Integrator::Midpoint, true)),
];

/// Number of recorded states of a run by default.
const KEPT: f64 = 250.0;

/// Times, settings of the scheme, recording interval, overlaps and bounds of a run.
pub(super) struct Schedule {
    pub start: f64,
    pub until: f64,
    pub settings: Settings,
    pub event_driven: bool,
    pub record_every: usize,
    pub overlap: OverlapRule,
    pub bounds: CertificateBounds,
}

fn run_key(key: &str) -> At<'_> {
    at(PART, key)
}

/// Evaluates all of `[run]`.
pub(super) fn schedule(
    context: &mut Context<'_>,
    run: &BodiesRunSpec,
) -> Result<Schedule, Box<InputError>> {
    // Interval of time.
    let start = match &run.start {
        None => 0.0,
        Some(formula) => context.number(run_key("start"), formula)?,
    };
    let until = context.number(run_key("until"), &run.until)?;
    if until <= start {
        let problem = format!("the run from start = {start} to until = {until} is empty");
        let advice = "`until` must be later than `start`";
        return Err(context.wrong(run_key("until"), &run.until, problem, advice));
    }
    let step = step(context, PART, &run.step, until - start)?;
    let settings = settings(context, run, step)?;
    // Recording interval: of `[record]`, of `[run]`, else for about 250 states.
    let chosen = run.record.every(context.file, &mut context.parameters)?;
    let record_every = match (chosen, &run.record_every) {
        (Some(every), _) => every,
        (None, Some(formula)) => context.whole(run_key("record_every"), formula, 1)?,
        (None, None) => (((until - start) / step / KEPT).round() as usize).max(1),
    };
    // Initial overlaps.
    let allowed = match &run.overlap {
        None => None,
        Some(formula) => Some(context.not_negative(run_key("overlap"), formula)?),
    };
    let relax = truth(context, "relax", run.relax.as_ref())?;
    Ok(Schedule {
        start,
        until,
        settings,
        event_driven: event_driven(context, run)?,
        record_every,
        overlap: OverlapRule { allowed, relax },
        bounds: (run.certificate).bounds(
            context.file,
            &mut context.parameters,
            CertificateBounds::default(),
        )?,
    })
}

/// Evaluates `[record]`, with the indices of its bodies.
pub(super) fn recorded<D: SceneDim>(
    context: &mut Context<'_>,
    run: &BodiesRunSpec,
    roster: &BodyTable<D>,
    span: (f64, f64),
) -> Result<RecordSelection, Box<InputError>> {
    let (file, parameters) = (context.file, &mut context.parameters);
    let mut choice = run
        .record
        .choice(file, parameters, &OPTIONAL_BODY_TABLES, span)?;
    // Bodies and groups by name to indices.
    if let Some(names) = &run.record.bodies {
        let place = at(record::PART, "bodies");
        let members = roster.all_members(context, place, Some(names))?;
        if members.is_empty() {
            let advice = "Name at least one body or group, or leave the key out";
            return Err(context.list_error(place, names, "these are no bodies", advice));
        }
        choice.bodies = Some(BodySubset {
            names: names.iter().map(|name| name.text.clone()).collect(),
            members: members.into(),
        });
    }
    Ok(choice)
}

/// Whether the run is integrated from event to event.
fn event_driven(context: &Context<'_>, run: &BodiesRunSpec) -> Result<bool, Box<InputError>> {
    let Some(word) = &run.integrator else {
        return Ok(false);
    };
    let (_, event) = context.word(run_key("integrator"), word, &INTEGRATORS)?;
    // An override, as of a finding, meets the keys of the scheme that it takes the place of.
    if !event || word.origin == Origin::Override {
        return Ok(event);
    }
    let keys = [
        ("activation", &run.activation),
        ("correction", &run.correction),
        ("solver", &run.solver),
        ("max_iterations", &run.max_iterations),
    ];
    match keys.iter().find(|(_, given)| given.is_some()) {
        Some((key, Some(given))) => {
            let problem = format!(
                "`{key}` belongs to time stepping and does nothing with `integrator = \"event\"`"
            );
            let advice = format!("Leave `{key}` out, or take `integrator = \"midpoint\"`");
            Err(context.wrong(run_key(key), given, problem, &advice))
        }
        _ => Ok(true),
    }
}

fn settings(
    context: &mut Context<'_>,
    run: &BodiesRunSpec,
    step: f64,
) -> Result<Settings, Box<InputError>> {
    const ACTIVATIONS: [(&str, Activation); 2] = [
        ("gap", Activation::Gap),
        ("predicted", Activation::Predicted),
    ];
    let default = Settings::default();
    let activation = match &run.activation {
        None => default.activation,
        Some(word) => context.word(run_key("activation"), word, &ACTIVATIONS)?,
    };
    let integrator = match &run.integrator {
        None => default.integrator,
        Some(word) => context.word(run_key("integrator"), word, &INTEGRATORS)?.0,
    };
    // Solver by name.
    let solver = match &run.solver {
        None => default.solver.clone(),
        Some(word) => {
            let known = percuss_solve::NAMES.map(|name| (name, name));
            context.word(run_key("solver"), word, &known)?.to_string()
        }
    };
    let max_iterations = match &run.max_iterations {
        None => None,
        Some(formula) => Some(context.whole(run_key("max_iterations"), formula, 1)?),
    };
    Ok(Settings {
        step,
        tolerance: match &run.tolerance {
            None => default.tolerance,
            Some(formula) => tolerance(context, PART, formula)?,
        },
        max_iterations,
        solver,
        integrator,
        activation,
        projection: truth(context, "correction", run.correction.as_ref())?,
        threads: default.threads,
    })
}

fn truth(
    context: &Context<'_>,
    key: &str,
    word: Option<&Formula>,
) -> Result<bool, Box<InputError>> {
    match word {
        None => Ok(false),
        Some(word) => context.word(run_key(key), word, &[("true", true), ("false", false)]),
    }
}

fn step(
    context: &mut Context<'_>,
    part: &str,
    formula: &Formula,
    span: f64,
) -> Result<f64, Box<InputError>> {
    let place = at(part, "step");
    let step = context.positive(place, formula)?;
    match step > span {
        true => {
            let problem = format!("a step of {step} is longer than the run of {span}");
            let advice = "Shorten the step or lengthen the run";
            Err(context.wrong(place, formula, problem, advice))
        }
        false => Ok(step),
    }
}

fn tolerance(
    context: &mut Context<'_>,
    part: &str,
    formula: &Formula,
) -> Result<f64, Box<InputError>> {
    let place = at(part, "tolerance");
    let tolerance = context.positive(place, formula)?;
    match tolerance < 1.0 {
        true => Ok(tolerance),
        false => Err(context.not_that(place, formula, tolerance, "a number below 1 was expected")),
    }
}

/// Duration and settings of a preparation: those of the run, except for its own keys.
pub(super) fn of_preparation(
    context: &mut Context<'_>,
    part: &str,
    prepare: &PrepareSpec,
    settings: &Settings,
) -> Result<(f64, Settings), Box<InputError>> {
    let until = context.positive(at(part, "until"), &prepare.until)?;
    let mut settings = settings.clone();
    settings.step = match &prepare.step {
        Some(formula) => step(context, part, formula, until)?,
        // The step of the run may be too long for this stage: then the key of the run is not at fault.
        None if settings.step > until => {
            let problem = format!(
                "it lasts {until}, less than the run's step of {}",
                settings.step
            );
            let advice = "Give it a `step` of its own";
            return Err(context.wrong(at(part, "until"), &prepare.until, problem, advice));
        }
        None => settings.step,
    };
    if let Some(formula) = &prepare.tolerance {
        settings.tolerance = tolerance(context, part, formula)?;
    }
    Ok((until, settings))
}
