//! Runs what findings ask for and evaluates them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::collection::Collection;
use crate::error::SceneError;
use crate::file::{Finding as Asked, Kind, Scene};
use crate::finding::Finding;
use crate::finding::plan::{Ground, Plan, expectation, plan, with_ground};
use crate::finding::subject::{Pace, Studies, Subject};
use crate::finding::value::{Absent, Value, Valued};
use crate::run::{RunOutcome, run};
use crate::sink::Discard;
use crate::study::StudyTable;
use crate::text::Built;
use crate::watch::{BodiesOutcome, Tick, Wanted, run_wanted};

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
    let plan = with_ground(scene, |ground| plan(scene, ground))?;
    evaluate(scene, &plan, Main::Mechanism(main), threads, progress)
}

/// As [`evaluate_findings`] for a scene of bodies. What findings look at must have been asked for:
/// see [`crate::wanted`].
///
/// # Errors
/// As [`evaluate_findings`].
pub fn evaluate_bodies_findings(
    scene: &Scene,
    main: &BodiesOutcome,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    let plan = plan(scene, &mut Ground::of_outcome(scene, main))?;
    evaluate(scene, &plan, Main::Bodies(main), threads, progress)
}

/// The run that findings look at where they name no other.
#[derive(Clone, Copy)]
enum Main<'a> {
    Mechanism(&'a RunOutcome),
    Bodies(&'a BodiesOutcome),
}

fn evaluate(
    scene: &Scene,
    plan: &Plan,
    main: Main<'_>,
    threads: Threads,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Vec<Finding>, SceneError> {
    let count = scene.findings().len() as f64;
    let mut subjects: HashMap<String, Subject<'_>> = HashMap::new();
    let mut tables: Vec<Option<Valued<StudyTable>>> = plan.studies.iter().map(|_| None).collect();
    let mut found = Vec::with_capacity(scene.findings().len());
    let mut going = true;
    for (done, (asked, expression)) in scene.findings().iter().zip(&plan.findings).enumerate() {
        going = going && progress(&asked.name, done as f64 / count);
        let case = asked.case.clone().unwrap_or_else(|| "main".to_string());
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
        let mut fraction = |share: f64| progress(&asked.name, (done as f64 + share) / count);
        let mut laboratory = Laboratory {
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

/// The run of a case with its scene.
fn subject<'a>(
    scene: &'a Scene,
    plan: &Plan,
    case: &str,
    main: Main<'a>,
    threads: Threads,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Result<Subject<'a>, SceneError> {
    if let Some(case) = scene.cases().iter().find(|known| known.name == case) {
        let changed = scene.with(&case.set)?;
        let wanted = match main {
            Main::Mechanism(_) => Wanted::default(),
            Main::Bodies(main) => plan.wanted(scene, &main.cast, Some(&case.name)),
        };
        return Ok(run_telling(changed, threads, &wanted, tell));
    }
    let main = match main {
        Main::Mechanism(main) => main,
        Main::Bodies(main) => {
            let (scene, main) = (Cow::Borrowed(scene), Cow::Borrowed(main));
            return Ok(Subject::bodies(scene, main, threads.get()));
        }
    };
    let built = scene.build()?;
    let pace = pace(&built, threads);
    let (scene, main) = (Cow::Borrowed(scene), Cow::Borrowed(main));
    Ok(Subject::new(scene, main, built.system, pace))
}

fn pace(built: &Built, threads: Threads) -> Pace {
    Pace {
        start: built.initial.t,
        until: built.until,
        step: built.settings.step,
        threads: threads.get(),
    }
}

/// Whether a value is as expected of a finding; nothing where it cannot be compared.
pub(crate) fn verdict(asked: &Asked, subject: &Subject<'_>, value: &Value) -> Option<bool> {
    let step = Some(subject.step()).filter(|h| h.is_finite());
    let parameters = subject.parameters();
    let expected = expectation(subject.scene(), asked, parameters, step.unwrap_or(1.0));
    expected.ok()?.judge(value).0
}

/// Runs a scene and keeps the run to be looked at: all of it, or what is wanted of bodies.
pub(crate) fn run_subject(scene: Scene, threads: Threads, wanted: &Wanted) -> Subject<'static> {
    run_telling(scene, threads, wanted, &mut |_| true)
}

/// As [`run_subject`]; `tell` hears the share of the run that is done and says whether to go on.
fn run_telling(
    scene: Scene,
    threads: Threads,
    wanted: &Wanted,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Subject<'static> {
    run_recorded(scene, threads, wanted, &mut Unrecorded(tell))
}

/// What takes the records of a run beside it.
pub(crate) trait Records {
    /// The run of a mechanism.
    fn mechanism(&mut self, scene: &Scene, built: Built) -> RunOutcome;

    /// The run of bodies.
    fn bodies(
        &mut self,
        scene: &Scene,
        collection: Collection,
        threads: Threads,
        wanted: &Wanted,
    ) -> BodiesOutcome;
}

/// Nothing is recorded; what it holds hears of progress.
struct Unrecorded<'a>(&'a mut dyn FnMut(f64) -> bool);

impl Records for Unrecorded<'_> {
    fn mechanism(&mut self, _scene: &Scene, built: Built) -> RunOutcome {
        run(built, &mut Discard, &mut |tick| (self.0)(tick.share))
    }

    fn bodies(
        &mut self,
        scene: &Scene,
        collection: Collection,
        threads: Threads,
        wanted: &Wanted,
    ) -> BodiesOutcome {
        let tell = &mut |tick: &Tick<'_>| (self.0)(tick.share);
        run_wanted(scene, collection, wanted, threads, &mut Discard, tell)
    }
}

/// As [`run_subject`]; the run is handed to `records` to be made.
pub(crate) fn run_recorded(
    scene: Scene,
    threads: Threads,
    wanted: &Wanted,
    records: &mut dyn Records,
) -> Subject<'static> {
    // A case may be there to show that it is refused.
    let refused =
        |scene: Scene, error: SceneError| Subject::refused(Cow::Owned(scene), error.to_string());
    if scene.kind() == Kind::Bodies {
        let collection = match scene.collection() {
            Ok(collection) => collection,
            Err(error) => return refused(scene, error),
        };
        let outcome = records.bodies(&scene, collection, threads, wanted);
        return Subject::bodies(Cow::Owned(scene), Cow::Owned(outcome), threads.get());
    }
    match scene.build() {
        Err(error) => refused(scene, error),
        Ok(built) => {
            let (system, pace) = (built.system.clone(), pace(&built, threads));
            let outcome = records.mechanism(&scene, built);
            Subject::new(Cow::Owned(scene), Cow::Owned(outcome), system, pace)
        }
    }
}

fn finding(
    scene: &Scene,
    asked: &Asked,
    case: &str,
    subject: &mut Subject<'_>,
    (value, mut behind): (Valued<Value>, Vec<String>),
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
            // The certificate of the main run speaks for itself; those of its preparations, of a case
            // and of the runs of a study are shown nowhere else, so findings answer for them.
            behind.extend(match case {
                "main" => subject.unprepared(),
                _ => subject.uncertified().map(|why| format!("this case: {why}")),
            });
            match behind.is_empty() {
                false => (Some(value), Some(false), Some(behind.join("; "))),
                true => (Some(value), ok, reason),
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

/// Runs studies when they are first asked for.
struct Laboratory<'a> {
    scene: &'a Scene,
    plan: &'a Plan,
    tables: &'a mut Vec<Option<Valued<StudyTable>>>,
    threads: Threads,
    progress: &'a mut dyn FnMut(f64) -> bool,
    /// What the runs of the studies that were asked lack.
    missed: Vec<String>,
}

impl Laboratory<'_> {
    fn table(&mut self, study: usize) -> Valued<&StudyTable> {
        if self.tables[study].is_none() {
            let compiled = &self.plan.studies[study];
            let table = compiled.run(self.scene, self.threads, self.progress);
            let table = table.map_err(|error| Absent::because(error.to_string()));
            self.tables[study] = Some(table);
        }
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
