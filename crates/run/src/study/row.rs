//! One run of a study: overrides, measures, how it ended.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use percuss_record::RecordError;
use percuss_scene::{Overrides, Scene, SceneError, Study};

use super::recorded_runs::RecordingRunner;
use super::table::{Cell, End, StudyRow};
use super::{CompiledStudy, bisect, points};
use crate::finding::evaluated_run::{EvaluatedRun, NoStudies};
use crate::finding::expression::{Expression, plain};
use crate::finding::value::{Value, Valued};
use crate::finding::{meets_expectation, run_scene, run_scene_with};
use percuss_simulation::ObservableRequest;
use percuss_simulation::Threads;

impl CompiledStudy {
    /// Makes a run, recorded where a directory is given. A panic of the program gives a row as any
    /// other failure: the other runs go on.
    ///
    /// # Errors
    /// The records cannot be written: then nothing is known of the run.
    pub(super) fn row(
        &self,
        scene: &Scene,
        run: usize,
        search: Option<bisect::Search>,
        keep: Option<&Path>,
    ) -> Result<StudyRow, RecordError> {
        let point = self.points.get(run).map_or(&[][..], Vec::as_slice);
        let settings = self.settings(scene, run);
        let attempt = || self.attempt(scene, point, settings.clone(), search, keep);
        guarded(attempt).unwrap_or_else(|what| {
            let reason = format!("a fault of the program: {what}; please report it");
            let columns = self.columns().len();
            Ok(StudyRow::failed(settings, columns, End::Fault, &reason))
        })
    }

    /// The varied values of a run, as the table shows them.
    pub(super) fn settings(&self, scene: &Scene, run: usize) -> Vec<Value> {
        let point = self.points.get(run).map_or(&[][..], Vec::as_slice);
        point.iter().map(|text| setting(scene, text)).collect()
    }

    /// Bisects where the study does, then runs the scene and evaluates the columns.
    fn attempt(
        &self,
        scene: &Scene,
        point: &[String],
        settings: Vec<Value>,
        search: Option<bisect::Search>,
        keep: Option<&Path>,
    ) -> Result<StudyRow, RecordError> {
        let mut row = StudyRow::new(settings);
        let mut set = overrides(&self.study, point);
        let rest = self.observe.len() + self.judged.len();
        // Bisection: the threshold becomes the first column and an override of the run.
        if let Some(search) = search {
            let missed = RefCell::new(None);
            let threshold = self.threshold(scene, &set, search, &missed);
            row.missed = missed.into_inner();
            if row.missed.is_some() {
                row.end = End::Missed;
            }
            match threshold {
                Ok((key, threshold)) => {
                    row.cells.push(Cell::of(Value::Number(threshold)));
                    set.push((key, points::text_of(threshold)));
                }
                Err(reason) => {
                    row.cells.push(Cell::absent(reason.clone()));
                    row.leave_out(rest, &reason);
                    return Ok(row);
                }
            }
            if self.observe.is_empty() {
                return Ok(row);
            }
        }
        // The run itself; a scene that refuses its values gives a row without values.
        match scene.with_overrides(&set) {
            Err(error) => {
                let reason = error.to_string();
                row.leave_out(rest, &reason);
                row.stopped = Some(reason);
                row.end = End::Refused;
            }
            Ok(scene) => self.observe(&mut self.subject(scene, keep)?, &mut row),
        }
        Ok(row)
    }

    /// Makes the run, with or without records.
    fn subject(
        &self,
        scene: Scene,
        keep: Option<&Path>,
    ) -> Result<EvaluatedRun<'static>, RecordError> {
        // One thread per run: runs are made in parallel.
        let (wanted, one) = (self.wanted(&self.observe), Threads::new(1));
        let Some(directory) = keep else {
            return Ok(run_scene(scene, one, &wanted));
        };
        let mut recorder = RecordingRunner::new(directory);
        run_scene_with(scene, one, &wanted, &mut recorder)
    }

    /// Evaluates the columns on a run.
    fn observe(&self, subject: &mut EvaluatedRun<'_>, row: &mut StudyRow) {
        let first = row.cells.len();
        for observed in &self.observe {
            row.cells
                .push(cell(observed.evaluate(subject, &mut NoStudies)));
        }
        // Whether findings are as expected.
        for (place, finding) in &self.judged {
            let value = row.cells.get(first + place).and_then(|c| c.value.as_ref());
            let ok = value.and_then(|value| meets_expectation(finding, subject, value));
            let ok = ok.map(|ok| Cell::of(Value::Truth(ok)));
            let unknown = || Cell::absent("there is no value to compare".into());
            row.cells.push(ok.unwrap_or_else(unknown));
        }
        row.stopped = subject.stopped();
        row.certificate = subject.certificate().cloned().filter(|c| c.steps > 0);
        // How the run ended, with the certificates of its preparations and of the bisection.
        let missed = subject.uncertified();
        let met = row.missed.is_none() && missed.is_none();
        row.end = match (&row.stopped, subject.began(), met) {
            (Some(_), false, _) => End::Refused,
            (Some(_), true, _) => End::Stopped,
            (None, _, false) => End::Missed,
            (None, ..) => End::Finished,
        };
        if let (End::Missed, Some(missed)) = (row.end, missed) {
            row.missed = Some(missed);
        }
    }

    /// What a run of bodies must keep for these expressions.
    fn wanted(&self, expressions: &[Expression]) -> ObservableRequest {
        let mut wanted = ObservableRequest::default();
        for expression in expressions {
            expression.add_requests(&self.cast, &mut wanted);
        }
        wanted
    }

    /// The key of the bisection, and the threshold.
    fn threshold(
        &self,
        scene: &Scene,
        set: &Overrides,
        search: bisect::Search,
        missed: &RefCell<Option<String>>,
    ) -> Result<(String, f64), String> {
        let (Some(bisect), Some(when)) = (&self.study.bisect, &self.when) else {
            return Err("there is no bisection".to_string());
        };
        let wanted = self.wanted(std::slice::from_ref(when));
        // Each trial is a run of its own; the first one that is not certified is reported.
        let holds = |value: f64| {
            let mut set = set.clone();
            set.push((bisect.key.clone(), points::text_of(value)));
            let note = format!("at {} = {value}", bisect.key);
            truth(scene, &set, when, &wanted, &|why| {
                missed.borrow_mut().get_or_insert(format!("{note}: {why}"));
            })
        };
        Ok((bisect.key.clone(), search.run(holds)?))
    }
}

/// The result of `work`, or the message of its panic.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // A run owns all that it changes: no other run sees a partial change.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        // Panics carry a text in one of two types.
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "it gave no reason".to_string())
    })
}

fn cell(value: Valued<Value>) -> Cell {
    match value {
        Ok(value) => Cell::of(value),
        Err(absent) => Cell::absent(absent.0),
    }
}

/// The overrides of a run.
pub(super) fn overrides(study: &Study, point: &[String]) -> Overrides {
    let varied = study.vary.iter().zip(point);
    let varied = varied.map(|(vary, value)| (vary.key.clone(), value.clone()));
    study.set.iter().cloned().chain(varied).collect()
}

/// A value as the table shows it: a number where it is one.
fn setting(scene: &Scene, text: &str) -> Value {
    let number = plain(text, scene.parameters(), f64::NAN);
    number.map_or_else(|_| Value::Text(text.to_string()), Value::Number)
}

/// Runs a scene and evaluates the condition `when`.
fn truth(
    scene: &Scene,
    set: &Overrides,
    when: &Expression,
    wanted: &ObservableRequest,
    missed: &dyn Fn(String),
) -> Result<bool, String> {
    let run = |scene: Scene| run_scene(scene, Threads::new(1), wanted);
    // Each trial of the bisection is a run without records.
    let subject: Result<EvaluatedRun<'static>, SceneError> = scene.with_overrides(set).map(run);
    let mut subject = subject.map_err(|error| error.to_string())?;
    if let Some(why) = subject.uncertified() {
        missed(why);
    }
    match when.evaluate(&mut subject, &mut NoStudies) {
        Ok(Value::Truth(truth)) => Ok(truth),
        Ok(Value::Number(number)) => Ok(number != 0.0),
        Ok(other) => Err(format!("`when` is {}, not true or false", other.sort())),
        Err(absent) => Err(absent.0),
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_becomes_its_words() {
        assert_eq!(guarded(|| 3), Ok(3));
        assert_eq!(guarded(|| -> i32 { panic!("here") }), Err("here".into()));
        let number = 7;
        let told = guarded(|| -> i32 { panic!("run {number}") });
        assert_eq!(told, Err("run 7".into()));
        let odd = guarded(|| -> i32 { std::panic::panic_any(1.5) });
        assert_eq!(odd, Err("it gave no reason".into()));
    }
}
