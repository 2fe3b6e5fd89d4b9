//! Builds a world from Python: scene text, arrays of grains, callables.

use std::sync::Mutex;

use numpy::PyReadonlyArray2;
use percuss_bodies::{Freedom, Model};
use percuss_record::{Certificate, NullObserver};
use percuss_run::{AnyWorld, Threads};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{InputError, Origin, Scene, SceneError};
use pyo3::prelude::*;

use super::{Engine, Inner};
use crate::callable::{CallableDim, CallableForce, CallableMotion, ExceptionSlot};
use crate::error;
use crate::pulse::ProgressReporter;

/// A body, its displacement, and its velocity if given.
type MotionArg = (String, Py<PyAny>, Option<Py<PyAny>>);

/// Names of bodies or groups (`None`: all), and the force on them.
type ForceArg = (Option<Vec<String>>, Py<PyAny>);

/// Name, and rows of coordinates and radius.
type Grains<'py> = (String, PyReadonlyArray2<'py, f64>);

/// Builds a world. `text` is a scene of bodies; for a body whose motion is a callable it contains a placeholder
/// motion.
#[pyfunction]
#[pyo3(signature = (text, grains, motions, forces, threads=1, tell=None))]
pub fn build(
    py: Python<'_>,
    text: &str,
    grains: Vec<Grains<'_>>,
    motions: Vec<MotionArg>,
    forces: Vec<ForceArg>,
    threads: usize,
    tell: Option<Py<PyAny>>,
) -> PyResult<Engine> {
    if threads == 0 {
        let text = "a whole number, 1 or more, was expected";
        return Err(error::argument("threads", text));
    }
    // Build the bodies without the GIL.
    let scene = with_grains(parse(text)?, &grains)?;
    let mut collection = py
        .detach(|| scene.build_bodies())
        .map_err(|fault| error::scene(placeless(fault)))?;
    let wanted = percuss_run::observable_request(&scene, &collection);
    let wanted = wanted.map_err(|fault| error::scene(placeless(fault)))?;
    let slot = ExceptionSlot::default();
    // Replace motions and add forces by callables.
    match &mut collection {
        BuiltBodies::Plane(all) => attach_callables(py, all, &motions, &forces, &slot)?,
        BuiltBodies::Space(all) => attach_callables(py, all, &motions, &forces, &slot)?,
    }
    // Preparation: removal of overlaps and preparatory steps.
    let mut pulse = ProgressReporter::new(tell.as_ref());
    let begun = py.detach(|| {
        let threads = Threads::new(threads);
        let mut hear = |tick: &percuss_run::RunProgress<'_>| pulse.tick(tick);
        AnyWorld::prepare(&scene, collection, threads, &mut NullObserver, &mut hear)
    });
    pulse.check()?;
    let (live, score) = begun.map_err(|outcome| {
        let reason = outcome.stopped.map_or_else(String::new, |s| s.to_string());
        slot.take()
            .unwrap_or_else(|| error::input(format!("World: {reason}")))
    })?;
    let certificate = Certificate::with_bounds(*score.before.certificate.bounds());
    Ok(Engine {
        inner: Mutex::new(Inner {
            live,
            score,
            observables: Vec::new(),
            certificate,
            told: Vec::new(),
        }),
        scene,
        wanted,
        slot,
    })
}

/// Parses the text that the package has generated; its line numbers mean nothing to the user.
pub fn parse(text: &str) -> PyResult<Scene> {
    Scene::parse("world", "World", text).map_err(|fault| error::scene(placeless(fault)))
}

/// The same error without a line number.
fn placeless(fault: SceneError) -> SceneError {
    match fault {
        SceneError::Input(input) => SceneError::from(InputError {
            origin: match input.origin {
                Origin::Line(_) => Origin::Whole,
                other => other,
            },
            ..*input
        }),
        other => other,
    }
}

fn with_grains(mut scene: Scene, all: &[Grains<'_>]) -> PyResult<Scene> {
    for (name, rows) in all {
        let rows = rows.as_array();
        // Coordinates and radius.
        if rows.ncols() != 4 {
            return Err(error::argument(
                "positions",
                "rows of 4 numbers were expected",
            ));
        }
        let row = |row: numpy::ndarray::ArrayView1<'_, f64>| [row[0], row[1], row[2], row[3]];
        let grains = rows.rows().into_iter().map(row).collect();
        scene = scene.with_grains(name, grains).map_err(error::scene)?;
    }
    Ok(scene)
}

/// Replaces the prescribed motions of bodies by callables, and adds forces.
fn attach_callables<D: CallableDim>(
    py: Python<'_>,
    all: &mut BodiesSetup<D>,
    motions: &[MotionArg],
    forces: &[ForceArg],
    slot: &ExceptionSlot,
) -> PyResult<()> {
    let cast = &all.names;
    // The model of each preparatory stage and that of the run.
    let stages = all.prepare.iter_mut();
    let stages = stages.map(|stage| (&mut stage.model, stage.settings.step));
    for (model, step) in stages.chain([(&mut all.model, all.settings.step)]) {
        // Prescribed motions.
        for (body, place, rate) in motions {
            let number = cast.bodies.iter().position(|name| name == body);
            let guide = number.and_then(|number| guide(model, number));
            let Some(guide) = guide else {
                continue;
            };
            model.prescribed_motions[guide] = Box::new(CallableMotion {
                body: body.clone(),
                place: place.clone_ref(py),
                rate: rate.as_ref().map(|rate| rate.clone_ref(py)),
                step,
                slot: slot.clone(),
            });
        }
        // Forces on bodies or groups.
        for (names, call) in forces {
            let bodies = match names {
                None => (0..cast.bodies.len() as u32).collect(),
                Some(names) => members(cast, names)?,
            };
            model.force_fields.push(Box::new(CallableForce {
                bodies,
                call: call.clone_ref(py),
                slot: slot.clone(),
            }));
        }
    }
    Ok(())
}

/// Index of the prescribed motion of a body, if it has one.
fn guide<D: CallableDim>(model: &Model<D>, body: usize) -> Option<usize> {
    match model.bodies.get(body)?.freedom {
        Freedom::Kinematic(guide) => {
            Some(guide as usize).filter(|g| *g < model.prescribed_motions.len())
        }
        _ => None,
    }
}

/// Bodies by their names and those of groups.
fn members(cast: &percuss_scene::bodies_scene::SceneNames, names: &[String]) -> PyResult<Vec<u32>> {
    let mut all = Vec::new();
    for name in names {
        let group = cast.groups.iter().find(|(group, _)| group == name);
        let body = cast.bodies.iter().position(|body| body == name);
        // A name may be a group or a body.
        match (group, body) {
            (Some((_, members)), _) => all.extend(members),
            (None, Some(body)) => all.push(body as u32),
            (None, None) => {
                let text = format!("there is no body or group `{name}`");
                return Err(error::argument("bodies", text));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
