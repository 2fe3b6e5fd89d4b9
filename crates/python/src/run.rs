//! Runs of scenes, as by the command: records, certificate, findings.

use std::path::{Path, PathBuf};

use percuss_draw::plot::check_plots;
use percuss_record::OutputDirectory;
use percuss_run::{
    FindingsOf, InterruptedRun, Run, RunEnd, RunError, RunListener, RunOptions, RunProgress,
    RunTarget, StopReason, Threads, execute,
};
use percuss_scene::{Scene, SceneError, SceneKind};
use pyo3::prelude::*;

use crate::error;
use crate::pulse::ProgressReporter;
use crate::scenes::PyScene;

/// Adds the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_scene, module)?)?;
    module.add_function(wrap_pyfunction!(check_scene, module)?)?;
    module.add_function(wrap_pyfunction!(resume_run, module)?)
}

/// Python as the listener of a run: plots are checked, signals are polled, progress is reported. An exception
/// that Python raises is kept, the run is asked to end, and the exception is raised when it has ended.
pub struct PythonListener<'a> {
    tell: Option<&'a Py<PyAny>>,
    pulse: ProgressReporter<'a>,
}

impl<'a> PythonListener<'a> {
    /// `tell` is the progress callback, `raised` an exception that was raised before.
    pub fn new(tell: Option<&'a Py<PyAny>>, raised: Option<PyErr>) -> Self {
        let mut pulse = ProgressReporter::new(tell);
        pulse.raised = raised;
        Self { tell, pulse }
    }

    /// Raises the pending exception after the records are closed; the run and its directory otherwise.
    pub fn finish(self, run: Run) -> PyResult<(Run, PathBuf)> {
        self.pulse.check()?;
        if let RunEnd::NotStarted(stop) = &run.end {
            return Err(error::input(format!("{}: {stop}", run.manifest.origin)));
        }
        match run.directory.clone() {
            Some(directory) => Ok((run, directory)),
            None => Err(error::machine("the run has left no records")),
        }
    }
}

impl RunListener for PythonListener<'_> {
    fn check(&mut self, scene: &Scene) -> Result<(), SceneError> {
        check_plots(scene)
    }

    fn on_begin(&mut self) {
        self.pulse = ProgressReporter::new(self.tell);
    }

    fn on_step(&mut self, progress: &RunProgress<'_>) -> bool {
        self.pulse.tick(progress)
    }

    fn on_closed(&mut self, _directory: Option<&Path>, _findings: bool) -> bool {
        if self.pulse.raised.is_some() {
            return false;
        }
        self.pulse = ProgressReporter::new(self.tell);
        true
    }

    fn on_finding(&mut self, name: &str, share: f64) -> bool {
        self.pulse.update(share, f64::NAN, name)
    }
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
    let threads = threads_of(threads)?;
    let scene = &scene.scene;
    let target = RunTarget::Directory(OutputDirectory::new(Some(&out), scene.name()));
    py.detach(|| run(scene, target, threads, findings, tell.as_ref()))
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
    let threads = threads_of(threads)?;
    py.detach(|| {
        let interrupted = match InterruptedRun::open(&directory, force) {
            Ok(interrupted) => interrupted,
            // A completed run is returned as it is.
            Err(RunError::NothingToResume { .. }) => return Ok(directory.clone()),
            Err(wrong) => return Err(error::run(&wrong)),
        };
        let scene = interrupted.scene.clone();
        let target = RunTarget::Resume(Box::new(interrupted));
        run(&scene, target, threads, findings, tell.as_ref())
    })
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

/// The number of threads, where it is given.
fn threads_of(threads: Option<usize>) -> PyResult<Threads> {
    match threads {
        Some(0) => Err(error::argument(
            "threads",
            "a whole number, 1 or more, was expected",
        )),
        threads => Ok(threads.map_or_else(Threads::all, Threads::new)),
    }
}

/// Which findings a run with records has.
pub fn findings_of(findings: bool) -> FindingsOf {
    match findings {
        true => FindingsOf::RecordedRuns,
        false => FindingsOf::Nothing,
    }
}

/// Runs a scene; returns the directory of its records.
fn run(
    scene: &Scene,
    target: RunTarget,
    threads: Threads,
    findings: bool,
    tell: Option<&Py<PyAny>>,
) -> PyResult<PathBuf> {
    let mut listener = PythonListener::new(tell, None);
    let options = RunOptions {
        target,
        threads,
        findings: findings_of(findings),
        listener: Some(&mut listener),
        ..RunOptions::default()
    };
    let run = execute(scene, options).map_err(|wrong| error::run(&wrong))?;
    let (_, directory) = listener.finish(run)?;
    Ok(directory)
}
