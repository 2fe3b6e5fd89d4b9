//! Runs of scenes, as the command makes them: records, certificate, findings.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use scene::plot::check_plots;
use scene::record::{
    BodiesRecorder, Cadence, DataFile, Layout, Lock, Manifest, Place, RecordError, Recorder,
    Session, Status,
};
use scene::{BodiesOutcome, Kind, Scene, Stop, StopReason, Threads};
use serde_json::{Value, json};

use crate::error;
use crate::pulse::Pulse;
use crate::scenes::PyScene;

/// Adds the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_scene, module)?)?;
    module.add_function(wrap_pyfunction!(check_scene, module)?)?;
    module.add_function(wrap_pyfunction!(resume_run, module)?)
}

/// How a run is made.
pub struct Manner<'a> {
    /// Threads of detection, cases and studies.
    pub threads: Threads,
    /// Whether findings are measured.
    pub findings: bool,
    /// Hears how far it is.
    pub tell: Option<&'a Py<PyAny>>,
}

/// Where a run writes to.
enum Site {
    New(Place),
    Left(PathBuf, Lock, Vec<DataFile>),
}

/// What came of a run: its directory, and what ended it early. An interruption is raised by the caller
/// once the records are closed.
pub struct Ended {
    /// Where the records are; none where the run was refused.
    pub directory: Option<PathBuf>,
    /// What Python raised on the way.
    pub raised: Option<PyErr>,
    /// Why there is no motion.
    pub refused: Option<String>,
}

/// Runs a scene into a directory; gives the directory.
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
    let site = Site::New(Place::new(Some(&out), scene.scene.name()));
    let ended = py.detach(|| run(&scene.scene, site, &manner))?;
    finish(ended)
}

/// Goes on with an interrupted run; gives its directory.
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
        let Some((scene, site)) = left(&directory, force)? else {
            return Ok(Ended {
                directory: Some(directory.clone()),
                raised: None,
                refused: None,
            });
        };
        run(&scene, site, &manner)
    })?;
    finish(ended)
}

/// Reads everything of a scene and tries its first step, without recording.
#[pyfunction]
fn check_scene(py: Python<'_>, scene: &PyScene) -> PyResult<()> {
    let scene = &scene.scene;
    py.detach(|| {
        check_plots(scene).map_err(error::scene)?;
        if scene.kind() == Kind::Mechanism {
            scene.build().map_err(error::scene)?;
            return scene::check_findings(scene).map_err(error::scene);
        }
        let collection = scene.collection().map_err(error::scene)?;
        scene::check_collection(scene, &collection).map_err(error::scene)?;
        let wanted = scene::Wanted::default();
        let sink = &mut scene::Discard;
        let threads = Threads::all();
        let outcome = scene::run_wanted(scene, collection, &wanted, threads, sink, &mut |_| false);
        match outcome.stopped {
            Some(stop) if stop.reason != StopReason::Asked => {
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
) -> PyResult<Manner<'_>> {
    if threads == Some(0) {
        return Err(error::argument(
            "threads",
            "a whole number, 1 or more, was expected",
        ));
    }
    Ok(Manner {
        threads: threads.map_or_else(Threads::all, Threads::new),
        findings,
        tell,
    })
}

/// Raises what is to be raised after the records are closed.
pub fn finish(ended: Ended) -> PyResult<PathBuf> {
    match (ended.raised, ended.refused, ended.directory) {
        (Some(raised), _, _) => Err(raised),
        (None, Some(reason), _) => Err(error::input(reason)),
        (None, None, Some(directory)) => Ok(directory),
        (None, None, None) => Err(error::machine("the run has left no records")),
    }
}

/// The scene and the place of a run that was interrupted; nothing where there is nothing to go on with.
fn left(directory: &Path, force: bool) -> PyResult<Option<(Scene, Site)>> {
    let lock = match directory.is_dir() {
        true => Lock::take_left(directory).map_err(error::record)?,
        false => None,
    };
    let manifest = Manifest::read(directory).map_err(error::record)?;
    let shown = directory.display();
    if manifest.kind != "run" {
        let kind = &manifest.kind;
        return Err(error::input(format!(
            "{shown}: this is the directory of a {kind}, not of a run"
        )));
    }
    let lock = match (lock, manifest.status) {
        (Some(lock), _) => lock,
        (None, Status::Finished | Status::Stopped) => return Ok(None),
        (None, Status::Running | Status::Interrupted) => {
            Lock::take(directory).map_err(error::record)?
        }
    };
    let (old, new) = (manifest.percuss.as_str(), env!("CARGO_PKG_VERSION"));
    if old != new && !force {
        return Err(error::input(format!(
            "{shown}: percuss {old} began this run and this is percuss {new}, which may compute \
             other bits; use percuss {old}, or force=True"
        )));
    }
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text);
    let overrides = manifest.overrides.iter();
    let overrides: Vec<(&str, &str)> = overrides.map(|o| (&*o.key, &*o.value)).collect();
    let scene = scene.and_then(|scene| scene.with(&overrides));
    let scene = scene.map_err(error::scene)?;
    let machine = manifest.machine.as_ref();
    let folder = machine.and_then(|machine| machine.folder.as_deref());
    let scene = match folder {
        Some(folder) => scene.from_folder(Path::new(folder)),
        None => scene,
    };
    let site = Site::Left(directory.into(), lock, manifest.files);
    Ok(Some((scene, site)))
}

fn run(scene: &Scene, site: Site, manner: &Manner<'_>) -> PyResult<Ended> {
    match scene.kind() {
        Kind::Bodies => bodies(scene, site, manner),
        Kind::Mechanism => mechanism(scene, site, manner),
    }
}

/// The session of a run with this manifest.
fn session(scene: &Scene, site: Site, manifest: Manifest) -> PyResult<Session> {
    match site {
        Site::New(place) => Session::new(place, manifest, scene.cadence()).map_err(error::record),
        Site::Left(directory, lock, files) => {
            for file in &manifest.files {
                let known = files.iter().find(|known| known.name == file.name);
                if known.is_none_or(|known| known.checksum != file.checksum) {
                    let at = file.path.as_ref().unwrap_or(&file.name);
                    return Err(error::input(format!(
                        "{}: the file {at} is not the one that the run began with; put that one \
                         back, or run the scene anew",
                        scene.origin()
                    )));
                }
            }
            let resumed = Session::resume(&directory, lock, manifest, scene.cadence());
            Ok(resumed.map_err(error::record)?.0)
        }
    }
}

fn bodies(scene: &Scene, site: Site, manner: &Manner<'_>) -> PyResult<Ended> {
    let collection = scene.collection().map_err(error::scene)?;
    let wanted = scene::wanted(scene, &collection).map_err(error::scene)?;
    scene::check_collection(scene, &collection).map_err(error::scene)?;
    check_plots(scene).map_err(error::scene)?;
    let manifest = Manifest::of_bodies(scene, &collection, manner.threads);
    let session = session(scene, site, manifest)?;
    let mut recorder = BodiesRecorder::on(session, &collection).map_err(error::record)?;
    let fits = fits(&collection);
    let mut pulse = Pulse::new(manner.tell);
    let mut tell = |tick: &scene::Tick<'_>| pulse.tick(tick);
    let threads = manner.threads;
    let outcome = scene::run_wanted(
        scene,
        collection,
        &wanted,
        threads,
        &mut recorder,
        &mut tell,
    );
    let mut certificate = certificate(&outcome);
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
    manner: &Manner<'_>,
    mut raised: Option<PyErr>,
) -> PyResult<Ended> {
    if let Some(fault) = recorder.take_fault() {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(broken_off(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    let asked = interrupted(stopped);
    if !asked && stopped.is_some_and(|stop| !stop.started) {
        recorder.abandon().map_err(error::record)?;
        let words = stopped.map(|stop| format!("{}: {stop}", scene.origin()));
        return Ok(Ended {
            directory: None,
            raised,
            refused: words,
        });
    }
    let mut close = || {
        recorder.add_series(&outcome.times, &outcome.series)?;
        recorder.add_surveys(outcome)?;
        match stopped.map(ToString::to_string) {
            Some(words) if asked => recorder.interrupt(&certificate, words),
            words => recorder.close(&certificate, words),
        }
    };
    if let Err(fault) = close() {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(broken_off(&fault, recorder.directory()));
    }
    if !asked {
        if manner.findings && raised.is_none() {
            let mut pulse = Pulse::new(manner.tell);
            let mut tell = |name: &str, done: f64| pulse.beat(done, f64::NAN, name);
            let threads = manner.threads;
            let found = scene::evaluate_bodies_findings(scene, outcome, threads, &mut tell);
            raised = pulse.raised;
            if raised.is_none() {
                let found = found.map_err(error::scene)?;
                recorder
                    .add_findings(json_of(&found)?)
                    .map_err(error::record)?;
            }
        }
        if raised.is_none() {
            recorder.finish().map_err(error::record)?;
        }
    }
    Ok(Ended {
        directory: recorder.directory().map(Path::to_path_buf),
        raised,
        refused: None,
    })
}

fn mechanism(scene: &Scene, site: Site, manner: &Manner<'_>) -> PyResult<Ended> {
    let built = scene.build().map_err(error::scene)?;
    scene::check_findings(scene).map_err(error::scene)?;
    check_plots(scene).map_err(error::scene)?;
    let layout = Layout::of_scene(scene, &built.system);
    let every = built.record_every;
    let manifest = Manifest::of_mechanism(scene, &built, manner.threads);
    let session = session(scene, site, manifest)?;
    let mut recorder = Recorder::on(session, layout, every).map_err(error::record)?;
    let mut system = built.system.clone();
    let mut pulse = Pulse::new(manner.tell);
    let outcome = scene::run(built, &mut recorder, &mut |tick| pulse.tick(tick));
    let mut raised = pulse.raised;
    if let Some(fault) = recorder.take_fault() {
        let _ = recorder.fail(&outcome.certificate, fault.to_string());
        return Err(broken_off(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    if let Some(StopReason::Sink(fault)) = stopped.map(|stop| &stop.reason) {
        return Err(error::scene(fault.clone()));
    }
    recorder.set_nonunique(scene::nonunique(&mut system, &outcome));
    let closed = match stopped.map(ToString::to_string) {
        Some(words) if interrupted(stopped) => recorder.interrupt(&outcome.certificate, words),
        words => recorder.close(&outcome.certificate, words),
    };
    if let Err(fault) = closed {
        let _ = recorder.fail(&outcome.certificate, fault.to_string());
        return Err(broken_off(&fault, recorder.directory()));
    }
    if !interrupted(stopped) {
        if manner.findings && raised.is_none() {
            let mut pulse = Pulse::new(manner.tell);
            let mut tell = |name: &str, done: f64| pulse.beat(done, f64::NAN, name);
            let found = scene::evaluate_findings(scene, &outcome, manner.threads, &mut tell);
            raised = pulse.raised;
            if raised.is_none() {
                let found = found.map_err(error::scene)?;
                recorder
                    .add_findings(json_of(&found)?)
                    .map_err(error::record)?;
            }
        }
        if raised.is_none() {
            recorder.finish().map_err(error::record)?;
        }
    }
    let refused = stopped.filter(|stop| !stop.started && raised.is_none());
    Ok(Ended {
        directory: recorder.directory().map(Path::to_path_buf),
        refused: refused.map(|stop| format!("{}: {stop}", scene.origin())),
        raised,
    })
}

fn interrupted(stop: Option<&Stop>) -> bool {
    stop.is_some_and(|stop| stop.reason == StopReason::Asked)
}

fn broken_off(fault: &RecordError, directory: Option<&Path>) -> PyErr {
    match directory.filter(|d| d.is_dir()) {
        Some(directory) if fault.is_fault() => error::machine(format!(
            "{fault}. What was recorded before is kept; `percuss resume {}` goes on from there",
            directory.display()
        )),
        _ => error::record(fault.clone()),
    }
}

fn json_of(found: &[scene::finding::Finding]) -> PyResult<Vec<Value>> {
    let json = found.iter().map(serde_json::to_value);
    json.collect::<Result<_, _>>()
        .map_err(|e| error::machine(format!("cannot write the findings as JSON: {e}")))
}

fn fits(collection: &scene::collection::Collection) -> Vec<Value> {
    let json = |(name, fit): &(String, scene::collection::Fit)| {
        json!({
            "body": name,
            "parts": fit.parts,
            "volume": fit.volume,
            "parts_volume": fit.sum,
            "excess": fit.excess,
            "missing": fit.missing,
        })
    };
    collection.fits().iter().map(json).collect()
}

/// What a run of bodies vouches for, with what only bodies have.
pub fn certificate(outcome: &BodiesOutcome) -> Value {
    let mut all = serde_json::to_value(outcome.certificate).unwrap_or_else(|_| json!({}));
    all["most_contacts"] = outcome.most_contacts.into();
    if !outcome.redundant.is_empty() {
        let mut names = outcome.redundant.clone();
        names.sort();
        names.dedup();
        all["redundant_joint_rows"] = outcome.redundant.len().into();
        all["redundant_joints"] = names.into();
    }
    if outcome.halted {
        all["halted"] = true.into();
    }
    if outcome.relaxed > 0.0 {
        all["relaxed"] = outcome.relaxed.into();
    }
    let prepared = outcome.prepared.iter().map(|prepared| {
        json!({
            "name": prepared.name,
            "duration": prepared.duration,
            "steps": prepared.certificate.steps,
            "missed": prepared.certificate.missed,
            "halted": prepared.halted,
        })
    });
    let prepared: Vec<Value> = prepared.collect();
    if !prepared.is_empty() {
        all["prepared"] = prepared.into();
    }
    all
}

/// When checkpoints are written where a world is recorded.
pub fn cadence(scene: &Scene) -> Cadence {
    scene.cadence()
}
