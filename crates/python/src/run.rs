//! Runs of scenes, as by the command: records, certificate, findings.

use std::path::{Path, PathBuf};

use percuss_draw::plot::check_plots;
use percuss_record::{
    BodiesRecorder, Manifest, MechanismLayout, MechanismRecorder, OutputDirectory,
};
use percuss_run::{BodiesOutcome, StopReason, Threads};
use percuss_scene::{Scene, SceneError, SceneKind};
use pyo3::prelude::*;
use serde_json::Value;

use crate::certify::{decomposition_errors, findings_json, interrupted, record_failure};
use crate::error;
use crate::pulse::ProgressReporter;
use crate::scenes::PyScene;
use crate::site::{RunTarget, left, run_writer};

/// Adds the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_scene, module)?)?;
    module.add_function(wrap_pyfunction!(check_scene, module)?)?;
    module.add_function(wrap_pyfunction!(resume_run, module)?)
}

/// Options of a run.
pub struct RunOptions<'a> {
    /// Threads of contact detection, cases and studies.
    pub threads: Threads,
    /// Whether findings are measured.
    pub findings: bool,
    /// Progress callback.
    pub tell: Option<&'a Py<PyAny>>,
}

/// Result of a run: its directory, and what ended it early. An interruption is raised by the caller once the
/// records are closed.
pub struct RunEnd {
    /// The run directory; `None` where the run was refused.
    pub directory: Option<PathBuf>,
    /// The exception raised during the run.
    pub raised: Option<PyErr>,
    /// Why there is no solution.
    pub refused: Option<String>,
}

/// Runs a scene into a directory; returns the directory.
#[pyfunction]
#[pyo3(signature = (scene, out, threads=None, findings=true, tell=None))]
fn run_scene(
    py: Python<'_>,
    scene: &PyScene,
    out: PathBuf,
    threads: Option<usize>,
    findings: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let manner = manner(threads, findings, tell.as_ref())?;
    let site = RunTarget::New(OutputDirectory::new(Some(&out), scene.scene.name()));
    let ended = py.detach(|| run(&scene.scene, site, &manner))?;
    finish(ended)
}

/// Resumes an interrupted run; returns its directory.
#[pyfunction]
#[pyo3(signature = (directory, threads=None, findings=true, force=false, tell=None))]
fn resume_run(
    py: Python<'_>,
    directory: PathBuf,
    threads: Option<usize>,
    findings: bool,
    force: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let manner = manner(threads, findings, tell.as_ref())?;
    let ended = py.detach(|| {
        // A completed run is returned as it is.
        let Some((scene, site)) = left(&directory, force)? else {
            return Ok(RunEnd {
                directory: Some(directory.clone()),
                raised: None,
                refused: None,
            });
        };
        run(&scene, site, &manner)
    })?;
    finish(ended)
}

/// Validates a scene and computes its first step, without recording.
#[pyfunction]
fn check_scene(py: Python<'_>, scene: &PyScene) -> PyResult<()> {
    let scene = &scene.scene;
    py.detach(|| {
        check_plots(scene).map_err(error::scene)?;
        // Mechanisms are compiled only; bodies make one step.
        if scene.kind() == SceneKind::Mechanism {
            scene.build_mechanism().map_err(error::scene)?;
            return percuss_run::check_findings(scene).map_err(error::scene);
        }
        let collection = scene.build_bodies().map_err(error::scene)?;
        percuss_run::check_collection(scene, &collection).map_err(error::scene)?;
        let wanted = percuss_run::ObservableRequest::default();
        let sink = &mut percuss_record::NullObserver;
        let threads = Threads::all();
        let outcome =
            percuss_run::run_bodies(scene, collection, &wanted, threads, sink, &mut |_| false);
        match outcome.stopped {
            Some(stop) if stop.reason != StopReason::Requested => {
                Err(error::input(format!("{}: {stop}", scene.origin())))
            }
            _ => Ok(()),
        }
    })
}

fn manner(
    threads: Option<usize>,
    findings: bool,
    tell: Option<&Py<PyAny>>,
) -> PyResult<RunOptions<'_>> {
    if threads == Some(0) {
        return Err(error::argument(
            "threads",
            "a whole number, 1 or more, was expected",
        ));
    }
    Ok(RunOptions {
        threads: threads.map_or_else(Threads::all, Threads::new),
        findings,
        tell,
    })
}

/// Raises the pending exception after the records are closed.
pub fn finish(ended: RunEnd) -> PyResult<PathBuf> {
    match (ended.raised, ended.refused, ended.directory) {
        (Some(raised), _, _) => Err(raised),
        (None, Some(reason), _) => Err(error::input(reason)),
        (None, None, Some(directory)) => Ok(directory),
        (None, None, None) => Err(error::machine("the run has left no records")),
    }
}

fn run(scene: &Scene, site: RunTarget, manner: &RunOptions<'_>) -> PyResult<RunEnd> {
    match scene.kind() {
        SceneKind::Bodies => bodies(scene, site, manner),
        SceneKind::Mechanism => mechanism(scene, site, manner),
    }
}

fn bodies(scene: &Scene, site: RunTarget, manner: &RunOptions<'_>) -> PyResult<RunEnd> {
    // Validate before anything is written.
    let collection = scene.build_bodies().map_err(error::scene)?;
    let wanted = percuss_run::observable_request(scene, &collection).map_err(error::scene)?;
    percuss_run::check_collection(scene, &collection).map_err(error::scene)?;
    check_plots(scene).map_err(error::scene)?;
    // Recorder and run.
    let manifest = Manifest::of_bodies(scene, &collection, manner.threads.get());
    let session = run_writer(scene, site, manifest)?;
    let mut recorder = BodiesRecorder::on(session, &collection).map_err(error::record)?;
    let fits = decomposition_errors(&collection);
    let mut pulse = ProgressReporter::new(manner.tell);
    let mut tell = |tick: &percuss_run::RunProgress<'_>| pulse.tick(tick);
    let threads = manner.threads;
    let outcome = percuss_run::run_bodies(
        scene,
        collection,
        &wanted,
        threads,
        &mut recorder,
        &mut tell,
    );
    // The certificate includes the errors of convex decompositions.
    let mut certificate = outcome.certificate_json();
    if !fits.is_empty() {
        certificate["solids"] = fits.into();
    }
    let raised = pulse.raised;
    conclude(scene, (&outcome, certificate), recorder, manner, raised)
}

/// Closes the records of a run of bodies and measures its findings.
pub fn conclude(
    scene: &Scene,
    (outcome, certificate): (&BodiesOutcome, Value),
    mut recorder: BodiesRecorder,
    manner: &RunOptions<'_>,
    mut raised: Option<PyErr>,
) -> PyResult<RunEnd> {
    recorder.set_warnings(outcome.warnings());
    // A failed write ends the run; the records so far stay readable.
    if let Some(fault) = recorder.take_fault() {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    let asked = interrupted(stopped);
    // A run that could not start leaves no records.
    if !asked && stopped.is_some_and(|stop| !stop.started) {
        recorder.abandon().map_err(error::record)?;
        let words = stopped.map(|stop| format!("{}: {stop}", scene.origin()));
        return Ok(RunEnd {
            directory: None,
            raised,
            refused: words,
        });
    }
    // Close the records, as complete or as interrupted.
    let mut close = || {
        recorder.add_series(&outcome.times, &outcome.series)?;
        recorder.add_surveys(&outcome.surveys())?;
        match stopped.map(ToString::to_string) {
            Some(words) if asked => recorder.interrupt(&certificate, words),
            words => recorder.close(&certificate, words),
        }
    };
    if let Err(fault) = close() {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    // Findings, unless the run was interrupted.
    if !asked && raised.is_none() {
        if manner.findings {
            let found = measured(manner, |threads, tell| {
                percuss_run::evaluate_bodies_findings(scene, outcome, threads, tell)
            })?;
            match found {
                Ok(found) => recorder.add_findings(found).map_err(error::record)?,
                Err(interruption) => raised = Some(interruption),
            }
        }
        if raised.is_none() {
            recorder.finish().map_err(error::record)?;
        }
    }
    Ok(RunEnd {
        directory: recorder.directory().map(Path::to_path_buf),
        raised,
        refused: None,
    })
}

fn mechanism(scene: &Scene, site: RunTarget, manner: &RunOptions<'_>) -> PyResult<RunEnd> {
    // Validate before anything is written.
    let built = scene.build_mechanism().map_err(error::scene)?;
    percuss_run::check_findings(scene).map_err(error::scene)?;
    check_plots(scene).map_err(error::scene)?;
    // Recorder and run.
    let layout = MechanismLayout::of_scene(scene, &built.system);
    let every = built.record_every;
    let manifest = Manifest::of_mechanism(scene, &built, manner.threads.get());
    let session = run_writer(scene, site, manifest)?;
    let mut recorder = MechanismRecorder::on(session, layout, every).map_err(error::record)?;
    let mut system = built.system.clone();
    let mut pulse = ProgressReporter::new(manner.tell);
    let outcome = percuss_run::run_mechanism(built, &mut recorder, &mut |tick| pulse.tick(tick));
    let mut raised = pulse.raised;
    let certificate = outcome.certificate.json();
    recorder.set_warnings(outcome.certificate.warnings());
    if let Some(fault) = recorder.take_fault() {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    if let Some(StopReason::Observer(fault)) = stopped.map(|stop| &stop.reason) {
        return Err(error::scene(fault.clone()));
    }
    // Instants at which the continuation is not unique.
    recorder.set_nonunique(percuss_run::nonunique_instants(&mut system, &outcome));
    let closed = match stopped.map(ToString::to_string) {
        Some(words) if interrupted(stopped) => recorder.interrupt(&certificate, words),
        words => recorder.close(&certificate, words),
    };
    if let Err(fault) = closed {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    if !interrupted(stopped) && raised.is_none() {
        if manner.findings {
            let found = measured(manner, |threads, tell| {
                percuss_run::evaluate_findings(scene, &outcome, threads, tell)
            })?;
            match found {
                Ok(found) => recorder.add_findings(found).map_err(error::record)?,
                Err(interruption) => raised = Some(interruption),
            }
        }
        if raised.is_none() {
            recorder.finish().map_err(error::record)?;
        }
    }
    let refused = stopped.filter(|stop| !stop.started && raised.is_none());
    Ok(RunEnd {
        directory: recorder.directory().map(Path::to_path_buf),
        refused: refused.map(|stop| format!("{}: {stop}", scene.origin())),
        raised,
    })
}

/// Findings as the manifest stores them, or the exception raised while they were measured.
fn measured(
    manner: &RunOptions<'_>,
    evaluate: impl FnOnce(
        Threads,
        &mut dyn FnMut(&str, f64) -> bool,
    ) -> Result<Vec<percuss_run::finding::Finding>, SceneError>,
) -> PyResult<Result<Vec<Value>, PyErr>> {
    let mut pulse = ProgressReporter::new(manner.tell);
    let found = evaluate(manner.threads, &mut |name, done| {
        pulse.update(done, f64::NAN, name)
    });
    // An exception takes precedence over the findings.
    if let Some(raised) = pulse.raised {
        return Ok(Err(raised));
    }
    findings_json(&found.map_err(error::scene)?).map(Ok)
}
