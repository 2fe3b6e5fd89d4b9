//! Runs a mechanism or a sweeping process: from a built scene to a trajectory and its certificate.
//!
//! [`run_mechanism`] chooses the integrator named by the settings (time stepping, event-driven, or
//! the sweeping process of `sweeping`) and makes steps from the initial state until t ≥
//! `until`. The last of constant steps is not shortened to end at `until`, so that a run with half
//! the step passes through the same instants; adaptive steps and those of a sweeping process end
//! there. After every step, in this order: the certificate, the observer, the progress callback,
//! the checkpoint. A motion that fails midway keeps what was computed.

use percuss_mechanism::{
    EventDriven, Integrator, MechanismError, Scheme, StepReport, System, TimeStepper,
};
use percuss_record::{
    Certificate, Criterion, EncodedBytes, MechanismRef, Observer, SimulationRef, Snapshot, Step,
};
use percuss_scene::{BuiltMechanism, CertificateBounds, SceneError};

use crate::drive::{Driver, Stage, StepObservers};
use crate::progress::{ProgressCallback, RunProgress};
use crate::resume::{self, MechanismCheckpoint};
use crate::simulation::{Checkpoint, Simulation, SimulationState};
use crate::stop::{EarlyStop, StopReason, infeasible_text};
use crate::sweeping::SweepMotion;
use crate::trajectory::{Interpolation, Trajectory};

/// The result of a run of a mechanism.
#[derive(Debug, Clone)]
pub struct MechanismOutcome {
    /// The trajectory as far as it was computed.
    pub trajectory: Trajectory,
    /// Certificate of the run: largest residual, penetration, drift and energy gain of its steps.
    pub certificate: Certificate,
    /// Why it ended early, if it did.
    pub stopped: Option<EarlyStop>,
}

/// Runs a scene of a mechanism. `sink` observes every step; `progress` is called after every step
/// and returns whether to go on.
pub fn run_mechanism(
    built: BuiltMechanism,
    sink: &mut dyn Observer,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> MechanismOutcome {
    let chart = built.system.configuration_space().clone();
    let mut trajectory = Trajectory::new(chart, Interpolation::of_built(&built));
    let mut both = TrajectoryObserver {
        trajectory: &mut trajectory,
        sink,
        told: 0,
    };
    let (certificate, stopped) = match both.begun() {
        Ok(begun) => integrate_from(built, begun, &mut both, progress),
        Err(error) => refused(built.initial.t, StopReason::Observer(error)),
    };
    MechanismOutcome {
        trajectory,
        certificate,
        stopped,
    }
}

/// Stores every state in the trajectory and passes the step on to another observer.
struct TrajectoryObserver<'a> {
    trajectory: &'a mut Trajectory,
    sink: &'a mut dyn Observer,
    /// Number of states that are in the history of a checkpoint already.
    told: usize,
}

impl Observer for TrajectoryObserver<'_> {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        self.trajectory.on_step(step)?;
        self.sink.on_step(step)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.sink.checkpoint_due()
    }

    fn write_checkpoint(&mut self, mut snapshot: Snapshot) -> Result<(), SceneError> {
        // The history of a checkpoint holds only the states since the previous one.
        snapshot.history = resume::encode(&self.trajectory.since(self.told))?;
        self.sink.write_checkpoint(snapshot)?;
        self.told = self.trajectory.len();
        Ok(())
    }
}

impl TrajectoryObserver<'_> {
    /// The checkpoint from which the observer wants the run to continue, if it has one. The states
    /// up to it go into the trajectory.
    fn begun(&mut self) -> Result<Option<MechanismCheckpoint>, SceneError> {
        let Some(restored) = self.sink.take_checkpoint() else {
            return Ok(None);
        };
        let begun = MechanismCheckpoint::of(&restored, self.trajectory)?;
        self.told = self.trajectory.len();
        Ok(Some(begun))
    }
}

/// The result of a run that could not start.
fn refused(t: f64, reason: StopReason) -> (Certificate, Option<EarlyStop>) {
    let stop = EarlyStop {
        t,
        started: false,
        reason,
    };
    (Certificate::new(), Some(stop))
}

/// Runs the integrator of the settings without a trajectory; only the observer keeps states.
pub fn integrate(
    built: BuiltMechanism,
    sink: &mut dyn Observer,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    integrate_from(built, None, sink, progress)
}

/// As [`integrate`], from the initial state or from a checkpoint.
fn integrate_from(
    built: BuiltMechanism,
    begun: Option<MechanismCheckpoint>,
    sink: &mut dyn Observer,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    let span = MotionSpan {
        start: built.initial.t,
        until: built.until,
        step: built.settings.step,
        tolerance: built.settings.tolerance,
        bounds: built.bounds,
        jumps_at_end: built
            .sweep
            .as_ref()
            .is_some_and(|plan| plan.jumps.contains(&built.until)),
    };
    // Names of the constraints: the certificate names the worst one.
    let names = built.system.constraints().iter();
    let names: Vec<String> = names.map(|c| c.name.clone()).collect();
    let mut motion = match motion_of(built) {
        Ok(motion) => motion,
        Err(error) => return refused(span.start, StopReason::Mechanism(error)),
    };
    let mut simulation = MotionSimulation {
        motion: motion.as_mut(),
        names: &names,
    };
    step_until_end(&mut simulation, begun, span, sink, progress)
}

/// The integrator of the settings, at the initial state.
fn motion_of(built: BuiltMechanism) -> Result<Box<dyn Integrator>, MechanismError> {
    // A sweeping process has its own integrator, whatever the scheme.
    if let Some(plan) = built.sweep.clone() {
        return Ok(Box::new(SweepMotion::new(built, *plan)?));
    }
    let until = built.until;
    match built.settings.scheme {
        Scheme::Event => {
            let motion = EventDriven::new(built.system, built.settings, built.initial)?;
            Ok(Box::new(motion))
        }
        Scheme::Midpoint | Scheme::Projected | Scheme::Theta(_) | Scheme::Paoli => {
            let mut motion = TimeStepper::new(built.system, built.settings, built.initial)?;
            // Only adaptive steps are shortened to end at `until`.
            motion.set_end_time(until);
            Ok(Box::new(motion))
        }
    }
}

/// The time interval of a motion, with what its certificate and progress reports need.
#[derive(Debug, Clone, Copy)]
pub struct MotionSpan {
    /// Its start.
    pub start: f64,
    /// Its end.
    pub until: f64,
    /// Length of a step.
    pub step: f64,
    /// Tolerance of the residual.
    pub tolerance: f64,
    /// Bounds of the certificate.
    pub bounds: CertificateBounds,
    /// Whether the set of a sweeping process jumps at the end: its left limit is not the end then.
    pub jumps_at_end: bool,
}

impl MotionSpan {
    /// The time at which the motion is over: the end, less a tolerance for rounding.
    pub fn end(&self) -> f64 {
        match self.jumps_at_end {
            true => self.until,
            false => Stage::end_of(self.start, self.until, self.step),
        }
    }
}

/// Runs an integrator from its initial state; `names` are those of its constraints. `sink` observes
/// every step; `progress` is called after every step and returns whether to go on.
pub fn run_motion(
    motion: &mut dyn Integrator,
    names: &[String],
    span: MotionSpan,
    sink: &mut dyn Observer,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> (Certificate, Option<EarlyStop>) {
    let mut simulation = MotionSimulation { motion, names };
    step_until_end(&mut simulation, None, span, sink, progress)
}

/// Name of the constraint with the largest violation of a criterion: the deepest penetration, the
/// largest drift, the deepest contact at rest; for the residual, the constraints that are
/// infeasible together.
pub fn worst_constraint_name(what: Criterion, ledger: &StepReport, names: &[String]) -> String {
    // Residual: the constraints that no velocity satisfies together.
    if what == Criterion::Residual {
        let known = ledger.infeasible.iter().flatten();
        let names = known.filter_map(|i| names.get(*i as usize));
        return infeasible_text(names.map(|name| format!("`{name}`")).collect());
    }
    // Other criteria: the worst constraint by number, from the step report.
    let constraint = match what {
        Criterion::Penetration => ledger.worst[0],
        Criterion::Drift => ledger.worst[1],
        Criterion::Resting => ledger.worst[2],
        _ => None,
    };
    let name = constraint.and_then(|i| names.get(i as usize));
    name.map_or_else(String::new, |name| format!("`{name}`"))
}

/// An integrator of a mechanism or a sweeping process as a simulation.
struct MotionSimulation<'a> {
    motion: &'a mut dyn Integrator,
    /// Names of the constraints.
    names: &'a [String],
}

impl Simulation for MotionSimulation<'_> {
    fn step(&mut self) -> Result<(), StopReason> {
        self.motion.advance().map_err(StopReason::Mechanism)
    }

    fn time(&self) -> f64 {
        self.motion.state().t
    }

    fn report(&self) -> percuss_record::StepReport {
        self.motion.step_report().into()
    }

    fn view(&self) -> SimulationRef<'_> {
        SimulationRef::Mechanism(MechanismRef {
            state: self.motion.state(),
            report: self.motion.step_report(),
            constraint_reports: self.motion.constraint_reports(),
            events: self.motion.events(),
        })
    }

    fn place_of(&self, what: Criterion) -> String {
        worst_constraint_name(what, self.motion.step_report(), self.names)
    }

    fn save(&self) -> Option<SimulationState<'_>> {
        let saved = self.motion.save();
        saved.map(|motion| SimulationState::Mechanism(Box::new(motion)))
    }
}

impl MotionSimulation<'_> {
    /// The initial state as observers see it: without constraint reports and events.
    fn initial(&self) -> Step<'_> {
        Step {
            number: 0,
            last: false,
            view: SimulationRef::Mechanism(MechanismRef {
                state: self.motion.state(),
                report: self.motion.step_report(),
                constraint_reports: Vec::new(),
                events: &[],
            }),
        }
    }
}

/// The observers of a run of a mechanism: one, before the progress callback.
struct MotionObservers<'a> {
    sink: &'a mut dyn Observer,
}

impl StepObservers for MotionObservers<'_> {
    fn before_progress(&mut self, step: &Step<'_>) -> Result<bool, SceneError> {
        self.sink.on_step(step).map(|()| false)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.sink.checkpoint_due()
    }

    fn write_checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), SceneError> {
        let SimulationState::Mechanism(motion) = &checkpoint.simulation else {
            return Ok(());
        };
        let begun = MechanismCheckpoint {
            step: checkpoint.step,
            certificate: checkpoint.certificate.clone(),
            motion: (**motion).clone(),
        };
        self.sink.write_checkpoint(Snapshot {
            motion: resume::encode(&begun)?,
            history: EncodedBytes::default(),
        })
    }
}

/// Runs a mechanism from the initial state or a checkpoint until the end of the run, an error of
/// the integrator or the observer, or a request to stop.
fn step_until_end(
    simulation: &mut MotionSimulation<'_>,
    begun: Option<MechanismCheckpoint>,
    span: MotionSpan,
    sink: &mut dyn Observer,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    // First state: the initial one, or that of the checkpoint.
    let (mut step, mut certificate) = (0, Certificate::with_bounds(span.bounds));
    let first = match begun {
        None => {
            certificate.begin(simulation.motion.step_report());
            sink.on_step(&simulation.initial())
        }
        Some(begun) => {
            (step, certificate) = (begun.step, begun.certificate);
            let restored = simulation.motion.restore(begun.motion);
            restored.map_err(|error| resume::incompatible_checkpoint(&error.to_string()))
        }
    };
    if let Err(error) = first {
        return refused(span.start, StopReason::Observer(error));
    }
    let stage = Stage {
        preparation: None,
        start: span.start,
        until: span.until,
        end: span.end(),
        tolerance: span.tolerance,
        checkpoint_at_end: true,
        request_at_end: false,
    };
    let mut driver = Driver::new(stage, step, certificate);
    driver.drive(simulation, &mut MotionObservers { sink }, progress);
    (driver.certificate, driver.stopped)
}
