//! From a scene to a motion.
//!
//! The integrator named by the settings goes on step by step from the initial state until
//! t ≥ `until`; steps are not shortened at the end, so that a run with half the step passes through
//! the same instants. A motion that fails midway keeps what was computed.

use std::fmt;

use mechanism::{EventDriven, MechanismError, Motion, Scheme, State, Stepper, System};

use crate::certificate::Certificate;
use crate::error::SceneError;
use crate::sink::Sink;
use crate::sweep::SweepMotion;
use crate::text::Built;
use crate::trajectory::{Between, Trajectory};

/// A run is over when what is left of it is less than this share of a step: rounding of t.
pub(crate) const LEFT: f64 = 1e-6;

/// What came out of a run.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// The motion as far as it was computed.
    pub trajectory: Trajectory,
    /// What the run vouches for.
    pub certificate: Certificate,
    /// Why it ended early, if it did.
    pub stopped: Option<Stop>,
}

/// Where and why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
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
    Sink(SceneError),
    /// The caller asked for it.
    Asked,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.started) {
            (StopReason::Asked, _) => write!(f, "stopped on request at t = {}", self.t),
            (StopReason::Mechanism(error), false) => write!(f, "the run cannot start: {error}"),
            (StopReason::Mechanism(error), true) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
            (StopReason::Bodies(reason), false) => write!(f, "the run cannot start: {reason}"),
            (StopReason::Bodies(reason), true) => {
                write!(f, "the run stopped at t = {}: {reason}", self.t)
            }
            (StopReason::Sink(error), _) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
        }
    }
}

/// Runs a scene: every step goes to `sink`, `progress` hears the time reached and says whether to go
/// on.
pub fn run(built: Built, sink: &mut dyn Sink, progress: &mut dyn FnMut(f64) -> bool) -> RunOutcome {
    let chart = built.system.chart().clone();
    let mut trajectory = Trajectory::new(chart, Between::of(built.settings.scheme));
    let mut both = Both {
        trajectory: &mut trajectory,
        sink,
    };
    let (certificate, stopped) = drive(built, &mut both, progress);
    RunOutcome {
        trajectory,
        certificate,
        stopped,
    }
}

struct Both<'a> {
    trajectory: &'a mut Trajectory,
    sink: &'a mut dyn Sink,
}

impl Sink for Both<'_> {
    fn step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &mechanism::Ledger,
        touches: &[mechanism::Touch<'_>],
        events: &[mechanism::Event],
    ) -> Result<(), SceneError> {
        self.trajectory.push(state, ledger, touches, events);
        self.sink.step(step, state, ledger, touches, events)
    }
}

/// Drives the integrator of the settings; nothing is kept but what the sink keeps.
pub(crate) fn drive(
    built: Built,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64) -> bool,
) -> (Certificate, Option<Stop>) {
    let (start, until) = (built.initial.t, built.until);
    let left = LEFT * built.settings.step.min(until - start);
    let refused = |error: MechanismError| {
        let stop = Stop {
            t: start,
            started: false,
            reason: StopReason::Mechanism(error),
        };
        (Certificate::new(), Some(stop))
    };
    if let Some(plan) = built.sweep.clone() {
        return match SweepMotion::new(built, *plan) {
            Ok(mut motion) => follow(&mut motion, until - left, sink, progress),
            Err(error) => refused(error),
        };
    }
    match built.settings.scheme {
        Scheme::Event => match EventDriven::new(built.system, built.settings, built.initial) {
            Ok(mut motion) => follow(&mut motion, until - left, sink, progress),
            Err(error) => refused(error),
        },
        Scheme::Midpoint | Scheme::Theta(_) | Scheme::Paoli => {
            match Stepper::new(built.system, built.settings, built.initial) {
                Ok(mut motion) => {
                    motion.end_at(until);
                    follow(&mut motion, until - left, sink, progress)
                }
                Err(error) => refused(error),
            }
        }
    }
}

fn follow(
    motion: &mut dyn Motion,
    until: f64,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(f64) -> bool,
) -> (Certificate, Option<Stop>) {
    let mut certificate = Certificate::new();
    let first = sink.step(0, motion.state(), motion.ledger(), &[], &[]);
    let mut reason = first.err().map(StopReason::Sink);
    let mut step = 0;
    while reason.is_none() && motion.state().t < until {
        if let Err(error) = motion.advance() {
            reason = Some(StopReason::Mechanism(error));
            break;
        }
        step += 1;
        certificate.add(motion.ledger());
        let state = motion.state();
        let taken = sink.step(
            step,
            state,
            motion.ledger(),
            &motion.touches(),
            motion.events(),
        );
        if let Err(error) = taken {
            reason = Some(StopReason::Sink(error));
        } else if !progress(state.t) {
            reason = Some(StopReason::Asked);
        }
    }
    let stop = reason.map(|reason| Stop {
        t: motion.state().t,
        started: true,
        reason,
    });
    (certificate, stop)
}
