//! Runs of a world: many steps, with callbacks, records and findings.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numpy::PyArray1;
use percuss_record::{
    BodiesObserver, BodiesRecorder, Manifest, NullObserver, OutputDirectory, RunWriter,
};
use percuss_run::{BodiesOutcome, EarlyStop, StopReason, Threads, WorldRun};
use percuss_scene::Scene;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::build::parse;
use super::{Engine, Inner};
use crate::error;
use crate::pulse::ProgressReporter;
use crate::run::{self, RunEnd, RunOptions};
use crate::value;

/// Longest time without the GIL where there is a Python callback.
const SLICE: Duration = Duration::from_millis(20);

/// Options of a run.
struct WorldRunOptions {
    until: f64,
    every: usize,
    callback: Option<Py<PyAny>>,
    tell: Option<Py<PyAny>>,
}

/// Runs to `until`. `text` is the scene to be recorded; `whole` says whether it describes the world completely.
/// Returns a dict.
#[pyfunction]
#[pyo3(signature = (engine, until, text, whole, out=None, every=1, observe=Vec::new(), callback=None, tell=None, findings=true))]
#[allow(clippy::too_many_arguments)]
pub fn run_world(
    engine: &Engine,
    py: Python<'_>,
    until: f64,
    text: &str,
    whole: bool,
    out: Option<PathBuf>,
    every: usize,
    observe: Vec<String>,
    callback: Option<Py<PyAny>>,
    tell: Option<Py<PyAny>>,
    findings: bool,
) -> PyResult<Py<PyAny>> {
    let (t, _) = engine.inner()?.live.time();
    if !(until.is_finite() && until > t) {
        let problem = format!("{until}: a finite time after now, t = {t}, was expected");
        return Err(error::argument("until", problem));
    }
    let asked = WorldRunOptions {
        until,
        every: every.max(1),
        callback,
        tell,
    };
    // Observables of findings and plots, and the requested ones.
    let mut wanted = engine.wanted.clone();
    observe.iter().for_each(|text| wanted.observable(text));
    // Without a directory: run in memory.
    let Some(out) = out else {
        let (outcome, raised) = engine.run_steps(py, &asked, wanted, &mut NullObserver)?;
        raised.map_or(Ok(()), Err)?;
        engine.settle(&outcome)?;
        return told(py, &outcome, None);
    };
    // With records: open the run writer, run, close the records, measure findings.
    let scene = match whole {
        true => parse(text)?,
        false => engine.scene.clone(),
    };
    let session = engine.session(&scene, &asked, &out, (!whole).then_some(text))?;
    let mut recorder = engine.recorder(session, asked.every)?;
    let (outcome, raised) = engine.run_steps(py, &asked, wanted, &mut recorder)?;
    let manner = RunOptions {
        threads: Threads::all(),
        findings,
        tell: asked.tell.as_ref(),
    };
    let both = (&outcome, outcome.certificate_json());
    let ended: RunEnd = py.detach(|| run::conclude(&scene, both, recorder, &manner, raised))?;
    let directory = run::finish(ended)?;
    engine.settle(&outcome)?;
    told(py, &outcome, Some(&directory))
}

/// Records the current state of a world in a directory, as a run of one step: for pictures.
#[pyfunction]
pub fn snapshot_world(engine: &Engine, out: PathBuf, text: &str) -> PyResult<()> {
    let scene = engine.scene.clone();
    let inner = engine.inner()?;
    let asked = WorldRunOptions {
        until: inner.live.time().0,
        every: 1,
        callback: None,
        tell: None,
    };
    drop(inner);
    let session = engine.session(&scene, &asked, &out, Some(text))?;
    let mut recorder = engine.recorder(session, 1)?;
    let inner = engine.inner()?;
    let certificate = inner.score.before.certificate_json();
    // The state as the initial one and as the end of a step.
    for step in 0..2 {
        let taken = recorder.on_step(step, inner.live.view(), step == 1);
        taken.map_err(error::scene)?;
    }
    recorder.close(&certificate, None).map_err(error::record)?;
    recorder.finish().map_err(error::record)
}

impl Engine {
    /// The run writer of a run; `other` is the text of a world that no text describes completely.
    fn session(
        &self,
        scene: &Scene,
        asked: &WorldRunOptions,
        out: &Path,
        other: Option<&str>,
    ) -> PyResult<RunWriter> {
        let collection = scene.build_bodies().map_err(error::scene)?;
        let mut manifest = Manifest::of_bodies(scene, &collection, Threads::all().get());
        // Settings of this run.
        let (t, _) = self.inner()?.live.time();
        manifest.settings["start"] = t.into();
        manifest.settings["until"] = asked.until.into();
        manifest.settings["record_every"] = asked.every.into();
        if let Some(text) = other {
            manifest.text = text.to_string();
        }
        let place = OutputDirectory::new(Some(out), scene.name());
        RunWriter::new(place, manifest, scene.checkpoint_schedule()).map_err(error::record)
    }

    /// A recorder of the world.
    fn recorder(&self, session: RunWriter, every: usize) -> PyResult<BodiesRecorder> {
        let inner = self.inner()?;
        let cast = &inner.score.before.names;
        BodiesRecorder::of_world(session, inner.live.view(), cast, every).map_err(error::record)
    }

    /// Makes the steps of a run; returns the outcome, and the exception that Python raised.
    fn run_steps(
        &self,
        py: Python<'_>,
        asked: &WorldRunOptions,
        wanted: percuss_run::ObservableRequest,
        sink: &mut (dyn BodiesObserver + Send),
    ) -> PyResult<(BodiesOutcome, Option<PyErr>)> {
        let mut pulse = ProgressReporter::new(asked.tell.as_ref());
        // Start of the run: observers and recorder see the initial state.
        let mut course = {
            let inner = self.inner()?;
            let mut score = inner.score.clone();
            score.record_every = asked.every;
            WorldRun::start(&inner.live, &score, wanted, asked.until, sink)
        };
        let mut first = true;
        // Steps without the GIL, in slices if there is a callback.
        loop {
            let going = py.detach(|| {
                let mut inner = self.inner.lock().unwrap_or_else(|p| p.into_inner());
                let begun = Instant::now();
                loop {
                    let going = turn(&mut course, &mut inner, sink, &mut pulse);
                    if first && going {
                        // A checkpoint after the first step: the state of a world that was stepped or changed
                        // does not follow from its text.
                        course.write_checkpoint(&inner.live, sink);
                        first = false;
                    }
                    let due = asked.callback.is_some() || begun.elapsed() > SLICE;
                    if !going || due {
                        return going;
                    }
                }
            });
            // The callback may end the run by an exception.
            if pulse.raised.is_none()
                && let Some(callback) = &asked.callback
                && let Err(raised) = callback.call0(py)
            {
                pulse.raised = Some(raised);
                if going {
                    course.interrupt(&self.inner()?.live, sink);
                }
                break;
            }
            if !going {
                break;
            }
        }
        // The result up to the last step, and the pending exception.
        let outcome = course.close(&self.inner()?.live);
        let raised = pulse.raised.or_else(|| self.slot.take());
        Ok((outcome, raised))
    }

    /// Raises the error of a run that ended early without a request.
    fn settle(&self, outcome: &BodiesOutcome) -> PyResult<()> {
        match &outcome.stopped {
            Some(EarlyStop {
                reason: StopReason::Requested,
                ..
            })
            | None => Ok(()),
            Some(stop) => Err(self.refusal(format!("World: {stop}"))),
        }
    }
}

fn turn(
    course: &mut WorldRun,
    inner: &mut Inner,
    sink: &mut (dyn BodiesObserver + Send),
    pulse: &mut ProgressReporter<'_>,
) -> bool {
    let going = course.step(&mut inner.live, sink, &mut |tick| pulse.tick(tick));
    inner.update_observables();
    going
}

/// A run as a dict: directory, certificate, times and series of observables.
fn told(py: Python<'_>, outcome: &BodiesOutcome, directory: Option<&Path>) -> PyResult<Py<PyAny>> {
    let dict = PyDict::new(py);
    dict.set_item("directory", directory)?;
    dict.set_item(
        "certificate",
        value::python(py, &outcome.certificate_json())?,
    )?;
    dict.set_item("warnings", outcome.warnings())?;
    dict.set_item("times", PyArray1::from_slice(py, &outcome.times))?;
    let series = PyDict::new(py);
    for (name, values) in &outcome.series {
        series.set_item(name, PyArray1::from_slice(py, values))?;
    }
    dict.set_item("series", series)?;
    dict.into_py_any(py)
}
