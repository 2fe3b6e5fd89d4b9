//! Runs that findings and studies look at.

use std::borrow::Cow;

use percuss_record::NullObserver;
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{BuiltMechanism, FindingSpec as Asked, Scene, SceneError, SceneKind};

use super::evaluated_run::{EvaluatedRun, RunSchedule};
use super::ground::expectation;
use super::value::Value;
use crate::bodies_run::{BodiesOutcome, ObservableRequest, run_bodies};
use crate::mechanism_run::{MechanismOutcome, run_mechanism};
use crate::parallel::Threads;
use crate::progress::RunProgress;

/// Whether a value is as expected of a finding; none where it cannot be compared.
pub fn meets_expectation(asked: &Asked, subject: &EvaluatedRun<'_>, value: &Value) -> Option<bool> {
    // A run that was refused has no step.
    let step = Some(subject.step()).filter(|h| h.is_finite());
    let parameters = subject.parameters();
    let expected = expectation(subject.scene(), asked, parameters, step.unwrap_or(1.0));
    expected.ok()?.compare(value).0
}

/// Runs a scene and keeps what findings are evaluated on: the whole trajectory, or the requested
/// values of bodies.
pub fn run_scene(
    scene: Scene,
    threads: Threads,
    wanted: &ObservableRequest,
) -> EvaluatedRun<'static> {
    run_scene_with_progress(scene, threads, wanted, &mut |_| true)
}

/// As [`run_scene`]; `tell` is called with the share of the run that is done and returns whether to
/// go on.
pub fn run_scene_with_progress(
    scene: Scene,
    threads: Threads,
    wanted: &ObservableRequest,
    tell: &mut dyn FnMut(f64) -> bool,
) -> EvaluatedRun<'static> {
    run_scene_with(scene, threads, wanted, &mut Unrecorded(tell))
}

/// Makes the run of a scene, with records or without.
pub trait SceneRunner {
    /// Runs a mechanism.
    fn mechanism(&mut self, scene: &Scene, built: BuiltMechanism) -> MechanismOutcome;

    /// Runs bodies.
    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> BodiesOutcome;
}

/// Runs without records; calls its progress callback.
struct Unrecorded<'a>(&'a mut dyn FnMut(f64) -> bool);

impl SceneRunner for Unrecorded<'_> {
    fn mechanism(&mut self, _scene: &Scene, built: BuiltMechanism) -> MechanismOutcome {
        run_mechanism(built, &mut NullObserver, &mut |tick| (self.0)(tick.share))
    }

    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> BodiesOutcome {
        let tell = &mut |tick: &RunProgress<'_>| (self.0)(tick.share);
        run_bodies(scene, collection, wanted, threads, &mut NullObserver, tell)
    }
}

/// As [`run_scene`]; `records` makes the run.
pub fn run_scene_with(
    scene: Scene,
    threads: Threads,
    wanted: &ObservableRequest,
    records: &mut dyn SceneRunner,
) -> EvaluatedRun<'static> {
    // A case may exist to show that it is refused.
    let refused = |scene: Scene, error: SceneError| {
        EvaluatedRun::refused(Cow::Owned(scene), error.to_string())
    };
    // Bodies: built, then run by the runner.
    if scene.kind() == SceneKind::Bodies {
        let collection = match scene.build_bodies() {
            Ok(collection) => collection,
            Err(error) => return refused(scene, error),
        };
        let outcome = records.bodies(&scene, collection, threads, wanted);
        return EvaluatedRun::bodies(Cow::Owned(scene), Cow::Owned(outcome), threads.get());
    }
    match scene.build_mechanism() {
        Err(error) => refused(scene, error),
        Ok(built) => {
            let (system, pace) = (built.system.clone(), pace(&built, threads));
            let outcome = records.mechanism(&scene, built);
            EvaluatedRun::new(Cow::Owned(scene), Cow::Owned(outcome), system, pace)
        }
    }
}

/// Time span, step and threads of a mechanism's run.
pub fn pace(built: &BuiltMechanism, threads: Threads) -> RunSchedule {
    RunSchedule {
        start: built.initial.t,
        until: built.until,
        step: built.settings.step,
        threads: threads.get(),
    }
}
