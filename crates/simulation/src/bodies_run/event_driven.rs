//! Runs of bodies from event to event: the motion that makes the steps of a world, and its check before a run.

use percuss_bodies::World;
use percuss_body_system::{BodyMotion, BodySystem, BodySystemError};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{InputError, Origin, Scene, SceneError};

use super::observed_dim::ObservedDim;

/// Lets the event-driven integrator make the steps of a world, from its present state.
///
/// # Errors
/// The motion cannot start.
pub(super) fn begin<D: ObservedDim>(scene: &Scene, world: &mut World<D>) -> Result<(), String> {
    let setup = again::<D>(scene).map_err(|error| error.to_string())?;
    let state = world.state();
    let start = (state.t, &state.poses[..], &state.velocities[..]);
    let (step, tolerance) = (world.settings().step, world.settings().tolerance);
    let names = setup.names.bodies;
    let motion = BodyMotion::new(setup.model, start, names, (step, tolerance));
    world.step_with(Box::new(motion.map_err(|error| error.to_string())?));
    Ok(())
}

/// The scene built once more: the motion owns a model, as the world does.
fn again<D: ObservedDim>(scene: &Scene) -> Result<BodiesSetup<D>, SceneError> {
    let built = scene.build_bodies()?;
    let setup = D::setup(built);
    setup.ok_or_else(|| SceneError::Missing("the scene changed its dimension".to_string()))
}

/// Refuses an event-driven run of what the integrator does not treat, before anything is written.
///
/// # Errors
/// What it does not treat, with the line of the key `integrator`.
pub fn check_event_driven(scene: &Scene, built: &BuiltBodies) -> Result<(), SceneError> {
    let checked = match built {
        BuiltBodies::Plane(setup) if setup.event_driven => {
            refusal::<percuss_bodies::Plane>(again(scene)?)
        }
        BuiltBodies::Space(setup) if setup.event_driven => {
            refusal::<percuss_bodies::Space>(again(scene)?)
        }
        _ => Ok(()),
    };
    checked.map_err(|problem| {
        let word = scene
            .bodies()
            .and_then(|bodies| bodies.run.integrator.as_ref());
        SceneError::from(Box::new(InputError {
            file: scene.origin().to_string(),
            origin: word.map_or(Origin::Override, |word| word.origin.clone()),
            part: "[run]".to_string(),
            key: "integrator".to_string(),
            value: "event".to_string(),
            problem: problem.to_string(),
            advice: String::new(),
        }))
    })
}

/// What the integrator does not treat.
fn refusal<D: ObservedDim>(setup: BodiesSetup<D>) -> Result<(), BodySystemError> {
    let poses = setup.state.poses;
    BodySystem::new(setup.model, &poses, setup.names.bodies).map(|_| ())
}
