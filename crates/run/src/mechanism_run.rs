//! Runs a mechanism or a sweeping process: from a built scene to a trajectory and its certificate.
//!
//! [`run_mechanism`] chooses the integrator named by the settings (time stepping, event-driven, or
//! the sweeping process of [`crate::sweeping`]) and makes steps from the initial state until t ≥
//! `until`. The last of constant steps is not shortened to end at `until`, so that a run with half
//! the step passes through the same instants; adaptive steps and those of a sweeping process end
//! there. After every step, in this order: the certificate, the observer, the progress callback,
//! the checkpoint. A motion that fails midway keeps what was computed.

use percuss_mechanism::{
    EventDriven, Integrator, MechanismError, Scheme, State, StepReport, System, TimeStepper,
};
use percuss_record::{Certificate, Criterion, EncodedBytes, MechanismObserver, Snapshot};
use percuss_scene::file::END_TOLERANCE;
use percuss_scene::{BuiltMechanism, CertificateBounds, SceneError};

use crate::progress::{ProgressCallback, RunProgress};
use crate::resume::{self, MechanismCheckpoint};
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
    sink: &mut dyn MechanismObserver,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> MechanismOutcome {
    let chart = built.system.configuration_space().clone();
    let mut trajectory = Trajectory::new(chart, Interpolation::of(built.settings.scheme));
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
    sink: &'a mut dyn MechanismObserver,
    /// Number of states that are in the history of a checkpoint already.
    told: usize,
}

impl MechanismObserver for TrajectoryObserver<'_> {
    fn on_step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &percuss_mechanism::StepReport,
        touches: &[percuss_mechanism::ConstraintReport<'_>],
        events: &[percuss_mechanism::Event],
    ) -> Result<(), SceneError> {
        self.trajectory.push(state, ledger, touches, events);
        self.sink.on_step(step, state, ledger, touches, events)
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
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    integrate_from(built, None, sink, progress)
}

/// As [`integrate`], from the initial state or from a checkpoint.
fn integrate_from(
    built: BuiltMechanism,
    begun: Option<MechanismCheckpoint>,
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    // Time span of the run, with the tolerance at its end.
    let (start, until) = (built.initial.t, built.until);
    let left = END_TOLERANCE * built.settings.step.min(until - start);
    let span = Span {
        start,
        until,
        end: until - left,
        tolerance: built.settings.tolerance,
        bounds: built.bounds,
    };
    // Names of the constraints: the certificate names the worst one.
    let names = built.system.constraints().iter();
    let names: Vec<String> = names.map(|c| c.name.clone()).collect();
    let names = &names[..];
    let refused = |error: MechanismError| refused(start, StopReason::Mechanism(error));
    // A sweeping process has its own integrator, whatever the scheme.
    if let Some(plan) = built.sweep.clone() {
        return match SweepMotion::new(built, *plan) {
            Ok(mut motion) => step_until_end(&mut motion, begun, (span, names), sink, progress),
            Err(error) => refused(error),
        };
    }
    match built.settings.scheme {
        Scheme::Event => match EventDriven::new(built.system, built.settings, built.initial) {
            Ok(mut motion) => step_until_end(&mut motion, begun, (span, names), sink, progress),
            Err(error) => refused(error),
        },
        Scheme::Midpoint | Scheme::Theta(_) | Scheme::Paoli => {
            match TimeStepper::new(built.system, built.settings, built.initial) {
                Ok(mut motion) => {
                    // Only adaptive steps are shortened to end at `until`.
                    motion.set_end_time(until);
                    step_until_end(&mut motion, begun, (span, names), sink, progress)
                }
                Err(error) => refused(error),
            }
        }
    }
}

/// The time interval of a run, with what its certificate and progress reports need.
#[derive(Clone, Copy)]
struct Span {
    start: f64,
    until: f64,
    /// `until` less the tolerance for rounding.
    end: f64,
    tolerance: f64,
    bounds: CertificateBounds,
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

impl Span {
    /// Progress of the run after a step.
    fn run_progress<'a>(
        &self,
        step: usize,
        ledger: &StepReport,
        certificate: &'a Certificate,
    ) -> RunProgress<'a> {
        RunProgress {
            preparation: None,
            step,
            t: ledger.t,
            until: self.until,
            share: ((ledger.t - self.start) / (self.until - self.start)).clamp(0.0, 1.0),
            contacts: ledger.num_active,
            iterations: ledger.iterations,
            residual: ledger.residual,
            tolerance: self.tolerance,
            reached: ledger.reached,
            penetration: ledger.penetration,
            gain: ledger.gain,
            gamma: ledger.gamma,
            certificate,
        }
    }
}

/// The step loop of a mechanism: from the initial state or a checkpoint until the end of the run,
/// an error of the integrator or the observer, or a request to stop.
fn step_until_end(
    motion: &mut dyn Integrator,
    begun: Option<MechanismCheckpoint>,
    (span, names): (Span, &[String]),
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    // First state: the initial one, or that of the checkpoint.
    let (mut step, mut certificate) = (0, Certificate::with_bounds(span.bounds));
    let first = match begun {
        None => {
            certificate.begin(motion.step_report());
            sink.on_step(0, motion.state(), motion.step_report(), &[], &[])
        }
        Some(begun) => {
            (step, certificate) = (begun.step, begun.certificate);
            let restored = motion.restore(begun.motion);
            restored.map_err(|error| resume::incompatible_checkpoint(&error.to_string()))
        }
    };
    if let Err(error) = first {
        return refused(span.start, StopReason::Observer(error));
    }
    let mut reason = None;
    // Step loop.
    while reason.is_none() && motion.state().t < span.end {
        if let Err(error) = motion.advance() {
            reason = Some(StopReason::Mechanism(error));
            break;
        }
        step += 1;
        let ledger = motion.step_report();
        // Certificate first, then the observer, the progress callback and the checkpoint.
        certificate.add(ledger, &|what| worst_constraint_name(what, ledger, names));
        let state = motion.state();
        let taken = sink.on_step(
            step,
            state,
            motion.step_report(),
            &motion.constraint_reports(),
            motion.events(),
        );
        // A request to stop at the last step is no interruption.
        let going = progress(&span.run_progress(step, motion.step_report(), &certificate))
            || !(state.t < span.end);
        // A run that stops on request leaves a checkpoint, so that it can be resumed.
        let kept = taken.and_then(|()| match sink.checkpoint_due() || !going {
            true => write_checkpoint(sink, step, &certificate, motion),
            false => Ok(()),
        });
        if let Err(error) = kept {
            reason = Some(StopReason::Observer(error));
        } else if !going {
            reason = Some(StopReason::Requested);
        }
    }
    let stop = reason.map(|reason| EarlyStop {
        t: motion.state().t,
        started: true,
        reason,
    });
    (certificate, stop)
}

/// Passes a checkpoint to the observer; an integrator without checkpoints (a sweeping process)
/// writes none.
fn write_checkpoint(
    sink: &mut dyn MechanismObserver,
    step: usize,
    certificate: &Certificate,
    motion: &dyn Integrator,
) -> Result<(), SceneError> {
    let Some(motion) = motion.save() else {
        return Ok(());
    };
    let begun = MechanismCheckpoint {
        step,
        certificate: certificate.clone(),
        motion,
    };
    sink.write_checkpoint(Snapshot {
        motion: resume::encode(&begun)?,
        history: EncodedBytes::default(),
    })
}
