//! Runs that findings and studies look at.

use std::borrow::Cow;
use std::convert::Infallible;

use percuss_record::NullObserver;
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{BuiltMechanism, FindingSpec as Asked, Scene, SceneError, SceneKind};

use super::evaluated_run::{EvaluatedRun, RunSchedule};
use super::ground::expectation;
use super::value::Value;
use percuss_simulation::RunProgress;
use percuss_simulation::Threads;
use percuss_simulation::{BodiesOutcome, ObservableRequest, run_bodies};
use percuss_simulation::{MechanismOutcome, run_mechanism};

/// Whether a value is as expected of a finding; none where it cannot be compared or nothing is expected here.
pub fn meets_expectation(asked: &Asked, subject: &EvaluatedRun<'_>, value: &Value) -> Option<bool> {
    if !matches!(subject.scene().not_applicable(asked), Ok(None)) {
        return None;
    }
    // A run that was refused has no step.
    let step = Some(subject.step()).filter(|h| h.is_finite());
    let parameters = subject.parameters();
    let expected = expectation(subject.scene(), asked, parameters, step.unwrap_or(1.0));
    expected.ok()?.ok()?.compare(value).0
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
    match run_scene_with(scene, threads, wanted, &mut Unrecorded(tell)) {
        Ok(made) => made,
        Err(never) => match never {},
    }
}

/// Makes the run of a scene, with records or without.
pub trait SceneRunner {
    /// Why there is no outcome: an error of the records.
    type Error;

    /// Runs a mechanism.
    ///
    /// # Errors
    /// The records cannot be written.
    fn mechanism(
        &mut self,
        scene: &Scene,
        built: BuiltMechanism,
    ) -> Result<MechanismOutcome, Self::Error>;

    /// Runs bodies.
    ///
    /// # Errors
    /// The records cannot be written.
    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> Result<BodiesOutcome, Self::Error>;
}

/// Runs without records; calls its progress callback.
struct Unrecorded<'a>(&'a mut dyn FnMut(f64) -> bool);

impl SceneRunner for Unrecorded<'_> {
    type Error = Infallible;

    fn mechanism(
        &mut self,
        _scene: &Scene,
        built: BuiltMechanism,
    ) -> Result<MechanismOutcome, Infallible> {
        let tell = &mut |tick: &RunProgress<'_>| (self.0)(tick.share);
        Ok(run_mechanism(built, &mut NullObserver, tell))
    }

    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> Result<BodiesOutcome, Infallible> {
        let (sink, tell) = (&mut NullObserver, &mut |tick: &RunProgress<'_>| {
            (self.0)(tick.share)
        });
        Ok(run_bodies(scene, collection, wanted, threads, sink, tell))
    }
}

/// As [`run_scene`]; `records` makes the run.
///
/// # Errors
/// The records cannot be written.
pub fn run_scene_with<R: SceneRunner>(
    scene: Scene,
    threads: Threads,
    wanted: &ObservableRequest,
    records: &mut R,
) -> Result<EvaluatedRun<'static>, R::Error> {
    // A case may exist to show that it is refused.
    let refused = |scene: Scene, error: SceneError| {
        EvaluatedRun::refused(Cow::Owned(scene), error.to_string())
    };
    // Bodies: built, then run by the runner.
    if scene.kind() == SceneKind::Bodies {
        let collection = match scene.build_bodies() {
            Ok(collection) => collection,
            Err(error) => return Ok(refused(scene, error)),
        };
        let outcome = records.bodies(&scene, collection, threads, wanted)?;
        let (scene, outcome) = (Cow::Owned(scene), Cow::Owned(outcome));
        return Ok(EvaluatedRun::bodies(scene, outcome, threads.get()));
    }
    Ok(match scene.build_mechanism() {
        Err(error) => refused(scene, error),
        Ok(built) => {
            let (system, pace) = (built.system.clone(), pace(&built, threads));
            let outcome = records.mechanism(&scene, built)?;
            EvaluatedRun::new(Cow::Owned(scene), Cow::Owned(outcome), system, pace)
        }
    })
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
