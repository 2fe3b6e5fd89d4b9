//! Evaluates the findings of a scene and makes the runs they need: cases and studies.

pub(crate) mod compiled_findings;

use std::borrow::Cow;
use std::collections::HashMap;

use percuss_record::Observer;
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{FindingSpec as Asked, Scene, SceneError};

use self::compiled_findings::compile_findings;
use crate::finding::Finding;
use crate::finding::evaluated_run::{EvaluatedRun, Studies};
use crate::finding::expectation::Expectation;
use crate::finding::ground::{ExpressionContext, expectation, with_expression_context};
use crate::finding::made::{pace, run_scene_with_progress};
use crate::finding::value::{Absent, Value, Valued};
use crate::study::StudyTable;
use compiled_findings::CompiledFindings;
use percuss_simulation::MechanismOutcome;
use percuss_simulation::RunProgress;
use percuss_simulation::Threads;
use percuss_simulation::{BodiesOutcome, ObservableRequest, run_bodies};

/// Evaluates the findings of a scene on its main run; the cases and studies they need are run, each
/// once. `progress` is called with the name of the finding in work and the share done, and returns
/// whether to go on.
///
/// # Errors
/// A finding, a case or a study has an error. A finding without a value is no error.
pub fn evaluate_findings(
    scene: &Scene,
    main: &MechanismOutcome,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    let plan = with_expression_context(scene, |ground| compile_findings(scene, ground))?;
    evaluate(scene, &plan, MainRun::Mechanism(main), threads, progress)
}

/// As [`evaluate_findings`] for a scene of bodies. The observables that the findings need must have
/// been requested: see [`observable_request`](crate::observable_request).
///
/// # Errors
/// As [`evaluate_findings`].
pub fn evaluate_bodies_findings(
    scene: &Scene,
    main: &BodiesOutcome,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    let plan = compile_findings(scene, &mut ExpressionContext::of_outcome(scene, main))?;
    evaluate(scene, &plan, MainRun::Bodies(main), threads, progress)
}

/// The run that findings are evaluated on where they name no case.
#[derive(Clone, Copy)]
enum MainRun<'a> {
    Mechanism(&'a MechanismOutcome),
    Bodies(&'a BodiesOutcome),
}

/// Evaluates all findings, with each case and each study run once.
fn evaluate(
    scene: &Scene,
    plan: &CompiledFindings,
    main: MainRun<'_>,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    // Progress counts findings.
    let count = scene.findings().len() as f64;
    let mut subjects: HashMap<String, EvaluatedRun<'_>> = HashMap::new();
    let mut tables: Vec<Option<Valued<StudyTable>>> = plan.studies.iter().map(|_| None).collect();
    let mut found = Vec::with_capacity(scene.findings().len());
    let mut going = true;
    for (done, (asked, expression)) in scene.findings().iter().zip(&plan.findings).enumerate() {
        going = going && progress(&asked.name, done as f64 / count);
        let case = asked.case.clone().unwrap_or_else(|| "main".to_string());
        // The run of the case, when the first of its findings needs it.
        if !subjects.contains_key(&case) {
            // A case takes most of the time of its first finding.
            let label = format!("{}, case {case}", asked.name);
            let mut tell = |share: f64| progress(&label, (done as f64 + 0.9 * share) / count);
            let subject = subject(scene, plan, &case, main, threads, &mut tell)?;
            subjects.insert(case.clone(), subject);
        }
        let Some(subject) = subjects.get_mut(&case) else {
            continue;
        };
        // The value of the finding; studies are run when they are first needed.
        let mut fraction = |share: f64| progress(&asked.name, (done as f64 + share) / count);
        let mut laboratory = StudyRunner {
            scene,
            plan,
            tables: &mut tables,
            threads,
            progress: &mut fraction,
            missed: Vec::new(),
        };
        let value = match going {
            true => expression.evaluate(subject, &mut laboratory),
            false => Err(Absent::because("not evaluated: stopped on request")),
        };
        let behind = laboratory.missed;
        found.push(finding(scene, asked, &case, subject, (value, behind))?);
    }
    Ok(found)
}

/// The run of a case with its scene, or the main run.
fn subject<'a>(
    scene: &'a Scene,
    plan: &CompiledFindings,
    case: &str,
    main: MainRun<'a>,
    threads: Threads,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Result<EvaluatedRun<'a>, SceneError> {
    // A case is run with its overrides.
    if let Some(case) = scene.cases().iter().find(|known| known.name == case) {
        let changed = scene.with_overrides(&case.set)?;
        let wanted = match main {
            MainRun::Mechanism(_) => ObservableRequest::default(),
            MainRun::Bodies(main) => plan.observable_request(scene, &main.names, Some(&case.name)),
        };
        return Ok(run_scene_with_progress(changed, threads, &wanted, tell));
    }
    let main = match main {
        MainRun::Mechanism(main) => main,
        MainRun::Bodies(main) => {
            let (scene, main) = (Cow::Borrowed(scene), Cow::Borrowed(main));
            return Ok(EvaluatedRun::bodies(scene, main, threads.get()));
        }
    };
    // The main run of a mechanism needs its compiled system to evaluate observables.
    let built = scene.build_mechanism()?;
    let pace = pace(&built, threads);
    let (scene, main) = (Cow::Borrowed(scene), Cow::Borrowed(main));
    Ok(EvaluatedRun::new(scene, main, built.system, pace))
}

/// Compares a value with its expectation and makes the finding.
fn finding(
    scene: &Scene,
    asked: &Asked,
    case: &str,
    subject: &mut EvaluatedRun<'_>,
    (value, mut behind): (Valued<Value>, Vec<String>),
) -> Result<Finding, SceneError> {
    // A run that was refused has no step: any length serves to evaluate the expectation.
    let h = if subject.step().is_finite() {
        subject.step()
    } else {
        1.0
    };
    // The expectation, unless it holds at other values alone or has none here.
    let outside = subject.scene().not_applicable(asked)?;
    let expected = match outside {
        Some(_) => Ok(Expectation::default()),
        None => expectation(scene, asked, subject.parameters(), h)?,
    };
    let (value, absent) = match value {
        Ok(value) => (Some(value), None),
        Err(Absent(reason)) => (None, Some(reason)),
    };
    // The certificate of the main run is reported by itself; those of its preparations, of a case and of the runs of a
    // study are reported nowhere else, so findings fail with them.
    behind.extend(match case {
        "main" => subject.unprepared(),
        _ => subject.uncertified().map(|why| format!("this case: {why}")),
    });
    let (ok, reason) = match (&outside, absent, &value, &expected) {
        (Some(outside), ..) => (None, Some(format!("not applicable: {outside}"))),
        (None, Some(absent), ..) => (Some(false), Some(absent)),
        _ if !behind.is_empty() => (Some(false), Some(behind.join("; "))),
        (.., Err(reason)) => (Some(false), Some(reason.clone())),
        (.., Some(value), Ok(expected)) => expected.compare(value),
        (.., None, Ok(_)) => (Some(false), None),
    };
    let expected = expected.unwrap_or_default();
    Ok(Finding {
        name: asked.name.clone(),
        value,
        expected: expected.expected.clone().or(expected.bounds()),
        tolerance: expected.tolerance,
        at_most: expected.at_most,
        at_least: expected.at_least,
        ok,
        source: asked.source.clone(),
        about: asked.about.clone(),
        case: case.to_string(),
        errors: std::mem::take(&mut subject.errors),
        applicable: outside.is_none(),
        reason,
    })
}

/// Runs studies when they are first needed.
struct StudyRunner<'a> {
    scene: &'a Scene,
    plan: &'a CompiledFindings,
    tables: &'a mut Vec<Option<Valued<StudyTable>>>,
    threads: Threads,
    progress: &'a mut dyn FnMut(f64) -> bool,
    /// What the certificates of the runs of these studies lack.
    missed: Vec<String>,
}

impl StudyRunner<'_> {
    /// The table of a study, run at the first call.
    fn table(&mut self, study: usize) -> Valued<&StudyTable> {
        if self.tables[study].is_none() {
            let compiled = &self.plan.studies[study];
            let table = compiled.run(self.scene, self.threads, self.progress);
            let table = table.map_err(|error| Absent::because(error.to_string()));
            self.tables[study] = Some(table);
        }
        // A finding fails where runs of its study are not certified.
        if let Some(Ok(table)) = &self.tables[study]
            && let Some(missed) = table.missed()
            && !self.missed.contains(&missed)
        {
            self.missed.push(missed);
        }
        match &self.tables[study] {
            Some(Ok(table)) => Ok(table),
            Some(Err(absent)) => Err(absent.clone()),
            None => Err(Absent::because("the study was not run")),
        }
    }
}

impl Studies for StudyRunner<'_> {
    fn column(&mut self, study: usize, column: &str) -> Valued<Vec<f64>> {
        let table = self.table(study)?;
        table.numbers(column).map_err(Absent)
    }

    fn threshold(&mut self, study: usize) -> Valued<Value> {
        let table = self.table(study)?;
        let mut numbers = table
            .numbers(crate::finding::compile::THRESHOLD)
            .map_err(Absent)?;
        // One threshold is a number, several are a list.
        match (numbers.len(), numbers.pop()) {
            (1, Some(number)) => Ok(Value::Number(number)),
            (_, Some(last)) => {
                numbers.push(last);
                Ok(Value::List(numbers))
            }
            (_, None) => Err(Absent::because("the study has no runs")),
        }
    }
}

/// Runs bodies and observes them. `sink` is given every step; the outcome has the values of the
/// observables `observe` at every step and the events of the watches that the scene's findings
/// need; `progress` says whether to go on. Results do not depend on the number of threads.
pub fn run_bodies_observing(
    scene: &Scene,
    collection: BuiltBodies,
    observe: &[String],
    threads: Threads,
    sink: &mut dyn Observer,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> BodiesOutcome {
    // The watches of the findings; an error in a finding is reported by its own check.
    let known = compiled_findings::observable_request(scene, &collection);
    let wanted = ObservableRequest {
        observables: observe.to_vec(),
        watches: known.map_or_else(|_| Vec::new(), |wanted| wanted.watches),
        distributions: false,
    };
    run_bodies(scene, collection, &wanted, threads, sink, progress)
}
