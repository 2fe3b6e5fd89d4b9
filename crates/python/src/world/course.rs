//! Runs of a world: many steps, with callbacks, records and findings.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numpy::PyArray1;
use percuss_record::OutputDirectory;
use percuss_run::{
    ActiveRun, BodiesOutcome, EarlyStop, EndedRun, StopReason, Threads, WorldRecordSpec,
    WorldRunSpan, record_snapshot,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::build::parse;
use super::{Engine, Inner};
use crate::error;
use crate::pulse::ProgressReporter;
use crate::run::{PythonListener, findings_of};
use crate::value;

/// Longest time without the GIL where there is a Python callback.
const SLICE: Duration = Duration::from_millis(20);

/// Options of a run.
struct WorldRunOptions {
    span: WorldRunSpan,
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
        span: WorldRunSpan {
            until,
            every: every.max(1),
        },
        callback,
        tell,
    };
    // Observables of findings and plots, and the requested ones.
    let mut wanted = engine.wanted.clone();
    observe.iter().for_each(|text| wanted.observable(text));
    // Without a directory: run in memory.
    let Some(out) = out else {
        let (ended, raised) = engine.run_steps(py, &asked, wanted, None)?;
        raised.map_or(Ok(()), Err)?;
        engine.settle(&ended.outcome)?;
        return told(py, &ended.outcome, None);
    };
    // With records: run, close the records, measure findings.
    let scene = match whole {
        true => parse(text)?,
        false => engine.scene.clone(),
    };
    let records = WorldRecordSpec {
        scene: &scene,
        text: (!whole).then_some(text),
        place: OutputDirectory::new(Some(&out), scene.name()),
    };
    let (ended, raised) = engine.run_steps(py, &asked, wanted, Some(records))?;
    let mut listener = PythonListener::new(asked.tell.as_ref(), raised);
    let (findings, threads) = (findings_of(findings), Threads::all());
    let run = py.detach(|| ended.finish(&scene, findings, threads, &mut listener));
    let (run, directory) = listener.finish(run.map_err(|wrong| error::run(&wrong))?)?;
    let Some(outcome) = run.outcome.bodies() else {
        return Err(error::machine("the run of a world has no bodies"));
    };
    engine.settle(outcome)?;
    told(py, outcome, Some(&directory))
}

/// Records the current state of a world in a directory, as a run of one step: for pictures.
#[pyfunction]
pub fn snapshot_world(engine: &Engine, out: PathBuf, text: &str) -> PyResult<()> {
    let scene = engine.scene.clone();
    let inner = engine.inner()?;
    let spec = WorldRecordSpec {
        scene: &scene,
        text: Some(text),
        place: OutputDirectory::new(Some(&out), scene.name()),
    };
    record_snapshot(&inner.live, &inner.score, spec).map_err(|wrong| error::run(&wrong))
}

impl Engine {
    /// Makes the steps of a run, in memory or with records; returns it, and the exception that Python raised.
    fn run_steps(
        &self,
        py: Python<'_>,
        asked: &WorldRunOptions,
        wanted: percuss_run::ObservableRequest,
        records: Option<WorldRecordSpec<'_>>,
    ) -> PyResult<(EndedRun, Option<PyErr>)> {
        let mut pulse = ProgressReporter::new(asked.tell.as_ref());
        // Start of the run: observers and recorder see the initial state.
        let mut course = {
            let inner = self.inner()?;
            let begun = ActiveRun::start(&inner.live, &inner.score, wanted, asked.span, records);
            begun.map_err(|wrong| error::run(&wrong))?
        };
        let mut first = true;
        // Steps without the GIL, in slices if there is a callback.
        loop {
            let going = py.detach(|| {
                let mut inner = self.inner.lock().unwrap_or_else(|p| p.into_inner());
                let begun = Instant::now();
                loop {
                    let going = turn(&mut course, &mut inner, &mut pulse);
                    if first && going {
                        // A checkpoint after the first step: the state of a world that was stepped or changed
                        // does not follow from its text.
                        course.write_checkpoint(&mut inner.live);
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
                    course.interrupt(&mut self.inner()?.live);
                }
                break;
            }
            if !going {
                break;
            }
        }
        // The result up to the last step, and the pending exception.
        let ended = course.end();
        let raised = pulse.raised.or_else(|| self.slot.take());
        Ok((ended, raised))
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

fn turn(course: &mut ActiveRun, inner: &mut Inner, pulse: &mut ProgressReporter<'_>) -> bool {
    let going = course.step(&mut inner.live, &mut |tick| pulse.tick(tick));
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
