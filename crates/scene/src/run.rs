//! From a scene to a motion.
//!
//! The integrator named by the settings goes on step by step from the initial state until
//! t ≥ `until`; steps are not shortened at the end, so that a run with half the step passes through
//! the same instants. A motion that fails midway keeps what was computed.

use std::fmt;

use mechanism::{
    EventDriven, Integrator, MechanismError, Scheme, State, StepReport, System, TimeStepper,
};

use crate::certificate::{Certificate, CertificateBounds, Criterion};
use crate::error::SceneError;
use crate::record::{EncodedBytes, Snapshot};
use crate::resume::{self, MechanismCheckpoint};
use crate::sink::MechanismObserver;
use crate::sweep::SweepMotion;
use crate::text::BuiltMechanism;
use crate::trajectory::{Interpolation, Trajectory};
use crate::watch::RunProgress;

/// A run is over when what is left of it is less than this share of a step: rounding of t.
pub(crate) const END_TOLERANCE: f64 = 1e-6;

/// What came out of a run.
#[derive(Debug, Clone)]
pub struct MechanismOutcome {
    /// The motion as far as it was computed.
    pub trajectory: Trajectory,
    /// What the run vouches for.
    pub certificate: Certificate,
    /// Why it ended early, if it did.
    pub stopped: Option<EarlyStop>,
}

/// Where and why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStop {
    /// The last instant that was computed.
    pub t: f64,
    /// Whether there is a motion at all: false when the initial state was refused.
    pub started: bool,
    /// Why.
    pub reason: StopReason,
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub enum StopReason {
    /// The motion cannot start or cannot go on.
    Mechanism(MechanismError),
    /// Bodies cannot start or cannot go on; in words, with their names.
    Bodies(String),
    /// The sink failed.
    Observer(SceneError),
    /// The caller asked for it.
    Requested,
}

impl fmt::Display for EarlyStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.started) {
            (StopReason::Requested, _) => write!(f, "stopped on request at t = {}", self.t),
            (StopReason::Mechanism(error), false) => write!(f, "the run cannot start: {error}"),
            (StopReason::Mechanism(error), true) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
            (StopReason::Bodies(reason), false) => write!(f, "the run cannot start: {reason}"),
            (StopReason::Bodies(reason), true) => {
                write!(f, "the run stopped at t = {}: {reason}", self.t)
            }
            (StopReason::Observer(error), _) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
        }
    }
}

/// What hears of progress and says whether to go on.
pub(crate) type ProgressCallback<'a> = dyn FnMut(&RunProgress<'_>) -> bool + 'a;

/// Runs a scene: every step goes to `sink`, `progress` hears how far the run is and says whether to
/// go on.
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

struct TrajectoryObserver<'a> {
    trajectory: &'a mut Trajectory,
    sink: &'a mut dyn MechanismObserver,
    /// States of the motion that are kept by the sink already.
    told: usize,
}

impl MechanismObserver for TrajectoryObserver<'_> {
    fn on_step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &mechanism::StepReport,
        touches: &[mechanism::ConstraintReport<'_>],
        events: &[mechanism::Event],
    ) -> Result<(), SceneError> {
        self.trajectory.push(state, ledger, touches, events);
        self.sink.on_step(step, state, ledger, touches, events)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.sink.checkpoint_due()
    }

    fn write_checkpoint(&mut self, mut snapshot: Snapshot) -> Result<(), SceneError> {
        snapshot.history = resume::encode(&self.trajectory.since(self.told))?;
        self.sink.write_checkpoint(snapshot)?;
        self.told = self.trajectory.len();
        Ok(())
    }
}

impl TrajectoryObserver<'_> {
    /// What the sink wants the run to go on from, if anything.
    fn begun(&mut self) -> Result<Option<MechanismCheckpoint>, SceneError> {
        let Some(restored) = self.sink.take_checkpoint() else {
            return Ok(None);
        };
        let begun = MechanismCheckpoint::of(&restored, self.trajectory)?;
        self.told = self.trajectory.len();
        Ok(Some(begun))
    }
}

/// There is no motion.
fn refused(t: f64, reason: StopReason) -> (Certificate, Option<EarlyStop>) {
    let stop = EarlyStop {
        t,
        started: false,
        reason,
    };
    (Certificate::new(), Some(stop))
}

/// Drives the integrator of the settings; nothing is kept but what the sink keeps.
pub(crate) fn integrate(
    built: BuiltMechanism,
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    integrate_from(built, None, sink, progress)
}

fn integrate_from(
    built: BuiltMechanism,
    begun: Option<MechanismCheckpoint>,
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
    let (start, until) = (built.initial.t, built.until);
    let left = END_TOLERANCE * built.settings.step.min(until - start);
    let span = Span {
        start,
        until,
        end: until - left,
        tolerance: built.settings.tolerance,
        bounds: built.bounds,
    };
    let names = built.system.constraints().iter();
    let names: Vec<String> = names.map(|c| c.name.clone()).collect();
    let names = &names[..];
    let refused = |error: MechanismError| refused(start, StopReason::Mechanism(error));
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
                    motion.set_end_time(until);
                    step_until_end(&mut motion, begun, (span, names), sink, progress)
                }
                Err(error) => refused(error),
            }
        }
    }
}

/// From when to when a motion is followed.
#[derive(Clone, Copy)]
struct Span {
    start: f64,
    until: f64,
    /// `until` but for rounding.
    end: f64,
    tolerance: f64,
    bounds: CertificateBounds,
}

/// What is said of contacts that no velocity satisfies together; nothing where there are none.
pub(crate) fn infeasible_text(names: Vec<String>) -> String {
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "{}, which no velocity satisfies together (infeasible),",
            names.join(" and ")
        ),
    }
}

/// The constraint that is deepest, or furthest apart, or those that exclude each other, by name.
pub fn worst_constraint_name(what: Criterion, ledger: &StepReport, names: &[String]) -> String {
    if what == Criterion::Residual {
        let known = ledger.infeasible.iter().flatten();
        let names = known.filter_map(|i| names.get(*i as usize));
        return infeasible_text(names.map(|name| format!("`{name}`")).collect());
    }
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

fn step_until_end(
    motion: &mut dyn Integrator,
    begun: Option<MechanismCheckpoint>,
    (span, names): (Span, &[String]),
    sink: &mut dyn MechanismObserver,
    progress: &mut ProgressCallback<'_>,
) -> (Certificate, Option<EarlyStop>) {
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
    while reason.is_none() && motion.state().t < span.end {
        if let Err(error) = motion.integrate() {
            reason = Some(StopReason::Mechanism(error));
            break;
        }
        step += 1;
        let ledger = motion.step_report();
        certificate.add(ledger, &|what| worst_constraint_name(what, ledger, names));
        let state = motion.state();
        let taken = sink.on_step(
            step,
            state,
            motion.step_report(),
            &motion.constraint_reports(),
            motion.events(),
        );
        let going = progress(&span.run_progress(step, motion.step_report(), &certificate))
            || !(state.t < span.end);
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

/// Has the sink keep what the run goes on from.
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
