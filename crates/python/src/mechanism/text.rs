//! Mechanisms and sweeping processes of expressions: compiled from scene text, run in memory.

use std::time::{Duration, Instant};

use percuss_record::NullObserver;
use percuss_run::{StudyFile, Threads};
use percuss_scene::{Origin, Scene, SceneError};
use pyo3::prelude::*;

use super::motion::Motion;
use crate::error;

/// Interval between polls for signals (Ctrl-C).
const PAUSE: Duration = Duration::from_millis(20);

/// Polls Python for signals, reports progress, and stores an exception.
pub(crate) struct SignalPoll {
    asked: Instant,
    told: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl SignalPoll {
    /// `told` is called with the fraction done.
    pub fn new(told: Option<Py<PyAny>>) -> Self {
        Self {
            asked: Instant::now(),
            told,
            raised: None,
        }
    }

    /// Polls; returns whether to continue.
    pub fn should_continue(&mut self, share: f64) -> bool {
        if self.asked.elapsed() < PAUSE {
            return true;
        }
        self.asked = Instant::now();
        // Signals and progress, with the GIL.
        let asked = Python::attach(|py| {
            py.check_signals()?;
            match &self.told {
                None => Ok(()),
                Some(told) => told.call1(py, (share,)).map(drop),
            }
        });
        match asked {
            Ok(()) => true,
            Err(raised) => {
                self.raised = Some(raised);
                false
            }
        }
    }

    /// Raises the stored exception, if any.
    pub fn end(self) -> PyResult<()> {
        match self.raised {
            None => Ok(()),
            Some(raised) => Err(raised),
        }
    }
}

/// An error of generated text: its line numbers mean nothing to the user and are removed.
fn arguments(mut wrong: SceneError) -> PyErr {
    if let SceneError::Input(input) = &mut wrong
        && let Origin::Line(_) = input.origin
    {
        input.origin = Origin::Whole;
    }
    error::scene(wrong)
}

/// The scene of a text with overridden values.
fn scene(name: &str, text: &str, set: &[(String, String)]) -> PyResult<Scene> {
    let parsed = Scene::parse(name, name, text).and_then(|scene| scene.with_overrides(set));
    parsed.map_err(arguments)
}

/// Compiles a mechanism without running it.
#[pyfunction]
#[pyo3(signature = (name, text, set))]
pub fn check_mechanism(
    py: Python<'_>,
    name: &str,
    text: &str,
    set: Vec<(String, String)>,
) -> PyResult<()> {
    py.detach(|| {
        let scene = scene(name, text, &set)?;
        let checked = scene
            .build_mechanism()
            .and_then(|_| percuss_run::check_findings(&scene));
        checked.map_err(arguments)
    })
}

/// Runs a mechanism or a sweeping process in memory; with `findings`, evaluates those of the scene, too.
#[pyfunction]
#[pyo3(signature = (name, text, set, findings, thread_count, progress))]
pub fn run_mechanism(
    py: Python<'_>,
    name: &str,
    text: &str,
    set: Vec<(String, String)>,
    findings: bool,
    thread_count: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Motion> {
    let mut ear = SignalPoll::new(progress);
    let made = py.detach(|| -> PyResult<Motion> {
        let scene = scene(name, text, &set)?;
        let built = scene.build_mechanism().map_err(arguments)?;
        if findings {
            percuss_run::check_findings(&scene).map_err(arguments)?;
        }
        // Run in memory.
        let system = built.system.clone();
        let outcome = percuss_run::run_mechanism(built, &mut NullObserver, &mut |tick| {
            ear.should_continue(tick.share)
        });
        // Findings, only of a complete run.
        let found = match findings && outcome.stopped.is_none() {
            false => None,
            true => {
                let found = percuss_run::evaluate_findings(
                    &scene,
                    &outcome,
                    Threads::new(thread_count),
                    &mut |_, _| ear.should_continue(1.0),
                );
                let found = found.map_err(arguments)?;
                serde_json::to_string(&found).ok()
            }
        };
        let stopped = outcome.stopped.as_ref().map(ToString::to_string);
        let motion = Motion::new(&system, outcome.trajectory, outcome.certificate, stopped);
        Ok(motion.with_text(system, found))
    });
    ear.end()?;
    refuse_empty(made?)
}

/// A motion that could not start is an input error.
pub(super) fn refuse_empty(motion: Motion) -> PyResult<Motion> {
    match motion.is_empty() {
        false => Ok(motion),
        true => {
            let words = motion.reason().unwrap_or("the run cannot start");
            Err(error::input(words.to_string()))
        }
    }
}

/// Runs a study of a scene in memory and returns its table as JSON.
#[pyfunction]
#[pyo3(signature = (name, text, set, study, thread_count, progress))]
pub fn run_study(
    py: Python<'_>,
    name: &str,
    text: &str,
    set: Vec<(String, String)>,
    study: &str,
    thread_count: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut ear = SignalPoll::new(progress);
    let result = py.detach(|| -> PyResult<String> {
        let scene = scene(name, text, &set)?;
        let result = StudyFile::of_scene("study", "study", study, scene)
            .and_then(|file| {
                file.run(Threads::new(thread_count), &mut |share| {
                    ear.should_continue(share)
                })
            })
            .map_err(arguments)?;
        serde_json::to_string(&result)
            .map_err(|error| error::input(format!("the table of the study: {error}")))
    });
    ear.end()?;
    result
}
