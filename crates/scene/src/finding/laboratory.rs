//! Runs what findings ask for and evaluates them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{InputError, SceneError};
use crate::file::{Check, Datum, Finding as Asked, Formula, Scene, Study};
use crate::finding::Finding;
use crate::finding::expression::Expression;
use crate::finding::judge::Expectation;
use crate::finding::names::Names;
use crate::finding::subject::{Studies, Subject};
use crate::finding::value::{Absent, Value, Valued};
use crate::run::{RunOutcome, run};
use crate::sink::Discard;
use crate::study::{CompiledStudy, StudyTable};
use crate::text::TextSystem;

/// How many threads further runs may use: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(usize);

impl Threads {
    /// This many, or one.
    pub fn new(count: usize) -> Self {
        Self(count.max(1))
    }

    /// As many as the machine has.
    pub fn all() -> Self {
        Self(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// How many.
    pub fn get(self) -> usize {
        self.0
    }
}

/// Everything a scene's findings need, compiled.
struct Plan {
    findings: Vec<Expression>,
    studies: Vec<CompiledStudy>,
}

/// Reads all findings and studies of a scene without running anything.
///
/// # Errors
/// The first text that cannot be read, with its finding or study, line and place.
pub fn check_findings(scene: &Scene) -> Result<(), SceneError> {
    plan(scene).map(|_| ())
}

/// Evaluates the findings of a scene on its main run; the cases and studies they ask for are run,
/// each once. `progress` hears the name of the finding that is being worked on and the share done,
/// and says whether to go on.
///
/// # Errors
/// A finding, a case or a study that cannot be read. A finding without a value is no error.
pub fn evaluate_findings(
    scene: &Scene,
    main: &RunOutcome,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    let plan = plan(scene)?;
    let count = scene.findings().len() as f64;
    let mut subjects: HashMap<String, Subject<'_>> = HashMap::new();
    let mut tables: Vec<Option<Valued<StudyTable>>> = plan.studies.iter().map(|_| None).collect();
    let mut found = Vec::with_capacity(scene.findings().len());
    let mut going = true;
    for (done, (asked, expression)) in scene.findings().iter().zip(&plan.findings).enumerate() {
        going = going && progress(&asked.name, done as f64 / count);
        let case = asked.case.clone().unwrap_or_else(|| "main".to_string());
        if !subjects.contains_key(&case) {
            let subject = subject(scene, &case, main, threads)?;
            subjects.insert(case.clone(), subject);
        }
        let Some(subject) = subjects.get_mut(&case) else {
            continue;
        };
        let mut fraction = |share: f64| progress(&asked.name, (done as f64 + share) / count);
        let mut laboratory = Laboratory {
            scene,
            plan: &plan,
            tables: &mut tables,
            threads,
            progress: &mut fraction,
        };
        let value = match going {
            true => expression.evaluate(subject, &mut laboratory),
            false => Err(Absent::because("not evaluated: stopped on request")),
        };
        found.push(finding(scene, asked, &case, subject, value)?);
    }
    Ok(found)
}

/// The run of a case with its scene.
fn subject<'a>(
    scene: &'a Scene,
    case: &str,
    main: &'a RunOutcome,
    threads: Threads,
) -> Result<Subject<'a>, SceneError> {
    let Some(case) = scene.cases().iter().find(|known| known.name == case) else {
        let built = scene.build()?;
        let (system, step) = (built.system, built.settings.step);
        let (scene, main) = (Cow::Borrowed(scene), Cow::Borrowed(main));
        return Ok(Subject::new(scene, main, system, step, threads.get()));
    };
    let changed = scene.with(&case.set)?;
    Ok(run_subject(changed, threads))
}

/// Runs a scene and keeps the run to be looked at.
pub(crate) fn run_subject(scene: Scene, threads: Threads) -> Subject<'static> {
    match scene.build() {
        // A case may be there to show that it is refused.
        Err(error) => Subject::refused(Cow::Owned(scene), error.to_string()),
        Ok(built) => {
            let (system, step) = (built.system.clone(), built.settings.step);
            let outcome = run(built, &mut Discard, &mut |_| true);
            let (scene, outcome) = (Cow::Owned(scene), Cow::Owned(outcome));
            Subject::new(scene, outcome, system, step, threads.get())
        }
    }
}

fn finding(
    scene: &Scene,
    asked: &Asked,
    case: &str,
    subject: &mut Subject<'_>,
    value: Valued<Value>,
) -> Result<Finding, SceneError> {
    // A run that was refused has no step: one of any length serves to read the expectation.
    let h = if subject.step().is_finite() {
        subject.step()
    } else {
        1.0
    };
    let expectation = expectation(scene, asked, subject.parameters(), h)?;
    let (value, ok, reason) = match value {
        Err(Absent(reason)) => (None, Some(false), Some(reason)),
        Ok(value) => {
            let (ok, reason) = expectation.judge(&value);
            // The certificate of the main run speaks for itself; that of a case is shown nowhere
            // else, so its findings answer for it.
            match uncertified(subject).filter(|_| case != "main") {
                Some(missed) => (Some(value), Some(false), Some(missed)),
                None => (Some(value), ok, reason),
            }
        }
    };
    Ok(Finding {
        name: asked.name.clone(),
        value,
        expected: expectation.expected.clone().or(expectation.bounds()),
        tolerance: expectation.tolerance,
        at_most: expectation.at_most,
        at_least: expectation.at_least,
        ok,
        source: asked.source.clone(),
        about: asked.about.clone(),
        case: case.to_string(),
        errors: std::mem::take(&mut subject.errors),
        reason,
    })
}

/// What the certificate of a run lacks.
fn uncertified(subject: &Subject<'_>) -> Option<String> {
    let certificate = subject
        .certificate()
        .filter(|certificate| !certificate.ok)?;
    let (missed, steps) = (certificate.missed, certificate.steps);
    let worst = certificate.worst_residual;
    Some(format!(
        "{missed} of {steps} steps of this case missed their tolerance (worst residual {worst:.1e})"
    ))
}

fn expectation(
    scene: &Scene,
    asked: &Asked,
    parameters: &[(String, f64)],
    h: f64,
) -> Result<Expectation, SceneError> {
    if let Check::Expected {
        value: Datum::Text(text),
        ..
    } = &asked.check
        && asked.value.text.trim().starts_with(['"', '\''])
    {
        return Ok(Expectation::of_text(text));
    }
    Expectation::of(&asked.check, parameters, h).map_err(|(key, problem)| {
        let part = format!("finding `{}`", asked.name);
        let at = Formula::at_line("", asked.line);
        wrong(scene.origin(), &part, key, &at, problem)
    })
}

/// An error about a text of the scene.
fn wrong(file: &str, part: &str, key: &str, at: &Formula, problem: String) -> SceneError {
    SceneError::from(InputError {
        file: file.to_string(),
        origin: at.origin.clone(),
        part: part.to_string(),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}

fn plan(scene: &Scene) -> Result<Plan, SceneError> {
    let built = scene.build()?;
    let (mut system, start) = (built.system, built.initial.t);
    let mut findings = Vec::with_capacity(scene.findings().len());
    for asked in scene.findings() {
        let mut names = Names {
            parameters: scene.parameters(),
            system: &mut system,
            start,
            studies: scene.studies(),
        };
        let part = format!("finding `{}`", asked.name);
        let compiled = Expression::compile(&asked.value.text, &mut names);
        let compiled = compiled
            .map_err(|problem| wrong(scene.origin(), &part, "value", &asked.value, problem))?;
        let case = scene
            .cases()
            .iter()
            .find(|case| Some(&case.name) == asked.case.as_ref());
        let changed = case.map(|case| scene.with(&case.set)).transpose()?;
        let parameters = changed.as_ref().unwrap_or(scene).parameters();
        expectation(scene, asked, parameters, built.settings.step)?;
        findings.push(compiled);
    }
    for case in scene.cases() {
        scene.with(&case.set)?;
    }
    let compiled = scene
        .studies()
        .iter()
        .map(|study| compile_study(scene, study, &mut system));
    Ok(Plan {
        findings,
        studies: compiled.collect::<Result<_, _>>()?,
    })
}

/// Compiles what a study observes and checks its keys.
pub(crate) fn compile_study(
    scene: &Scene,
    study: &Study,
    system: &mut TextSystem,
) -> Result<CompiledStudy, SceneError> {
    let start = scene.build()?.initial.t;
    let part = format!("study `{}`", study.name);
    let mut names = Names {
        parameters: scene.parameters(),
        system,
        start,
        studies: &[],
    };
    let mut compile = |key: &str, formula: &Formula| {
        let compiled = Expression::compile(&formula.text, &mut names);
        compiled.map_err(|problem| wrong(scene.origin(), &part, key, formula, problem))
    };
    let mut observe = Vec::with_capacity(study.observe.len());
    for (name, formula) in &study.observe {
        observe.push(compile(name, formula)?);
    }
    let when = study
        .when
        .as_ref()
        .map(|when| compile("when", when))
        .transpose()?;
    CompiledStudy::new(scene, study, observe, when)
}

/// Runs studies when they are first asked for.
struct Laboratory<'a> {
    scene: &'a Scene,
    plan: &'a Plan,
    tables: &'a mut Vec<Option<Valued<StudyTable>>>,
    threads: Threads,
    progress: &'a mut dyn FnMut(f64) -> bool,
}

impl Laboratory<'_> {
    fn table(&mut self, study: usize) -> Valued<&StudyTable> {
        if self.tables[study].is_none() {
            let compiled = &self.plan.studies[study];
            let table = compiled.run(self.scene, self.threads, self.progress);
            let table = table.map_err(|error| Absent::because(error.to_string()));
            self.tables[study] = Some(table);
        }
        match &self.tables[study] {
            Some(Ok(table)) => Ok(table),
            Some(Err(absent)) => Err(absent.clone()),
            None => Err(Absent::because("the study was not run")),
        }
    }
}

impl Studies for Laboratory<'_> {
    fn column(&mut self, study: usize, column: &str) -> Valued<Vec<f64>> {
        let table = self.table(study)?;
        table.numbers(column).map_err(Absent)
    }

    fn threshold(&mut self, study: usize) -> Valued<Value> {
        let table = self.table(study)?;
        let mut numbers = table
            .numbers(crate::finding::compile::THRESHOLD)
            .map_err(Absent)?;
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
