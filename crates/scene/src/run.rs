//! From a scene to a motion.
//!
//! The integrator named by the settings goes on step by step from the initial state until
//! t ≥ `until`; steps are not shortened at the end, so that a run with half the step passes through
//! the same instants. A motion that fails midway keeps what was computed.

use std::fmt;

use mechanism::{EventDriven, StepReport, MechanismError, Integrator, Scheme, State, TimeStepper, System};

use crate::certificate::{Bounds, Certificate, What};
use crate::error::SceneError;
use crate::record::{Packed, Snapshot};
use crate::resume::{self, Begun};
use crate::sink::Sink;
use crate::sweep::SweepMotion;
use crate::text::Built;
use crate::trajectory::{Between, Trajectory};
use crate::watch::Tick;

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

/// What hears of progress and says whether to go on.
pub(crate) type Progress<'a> = dyn FnMut(&Tick<'_>) -> bool + 'a;

/// Runs a scene: every step goes to `sink`, `progress` hears how far the run is and says whether to
/// go on.
pub fn run(
    built: Built,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(&Tick<'_>) -> bool,
) -> RunOutcome {
    let chart = built.system.configuration_space().clone();
    let mut trajectory = Trajectory::new(chart, Between::of(built.settings.scheme));
    let mut both = Both {
        trajectory: &mut trajectory,
        sink,
        told: 0,
    };
    let (certificate, stopped) = match both.begun() {
        Ok(begun) => drive_from(built, begun, &mut both, progress),
        Err(error) => refused(built.initial.t, StopReason::Sink(error)),
    };
    RunOutcome {
        trajectory,
        certificate,
        stopped,
    }
}

struct Both<'a> {
    trajectory: &'a mut Trajectory,
    sink: &'a mut dyn Sink,
    /// States of the motion that are kept by the sink already.
    told: usize,
}

impl Sink for Both<'_> {
    fn step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &mechanism::StepReport,
        touches: &[mechanism::ConstraintReport<'_>],
        events: &[mechanism::Event],
    ) -> Result<(), SceneError> {
        self.trajectory.push(state, ledger, touches, events);
        self.sink.step(step, state, ledger, touches, events)
    }

    fn due(&mut self) -> bool {
        self.sink.due()
    }

    fn keep(&mut self, mut snapshot: Snapshot) -> Result<(), SceneError> {
        snapshot.history = resume::packed(&self.trajectory.since(self.told))?;
        self.sink.keep(snapshot)?;
        self.told = self.trajectory.len();
        Ok(())
    }
}

impl Both<'_> {
    /// What the sink wants the run to go on from, if anything.
    fn begun(&mut self) -> Result<Option<Begun>, SceneError> {
        let Some(restored) = self.sink.restored() else {
            return Ok(None);
        };
        let begun = Begun::of(&restored, self.trajectory)?;
        self.told = self.trajectory.len();
        Ok(Some(begun))
    }
}

/// There is no motion.
fn refused(t: f64, reason: StopReason) -> (Certificate, Option<Stop>) {
    let stop = Stop {
        t,
        started: false,
        reason,
    };
    (Certificate::new(), Some(stop))
}

/// Drives the integrator of the settings; nothing is kept but what the sink keeps.
pub(crate) fn drive(
    built: Built,
    sink: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> (Certificate, Option<Stop>) {
    drive_from(built, None, sink, progress)
}

fn drive_from(
    built: Built,
    begun: Option<Begun>,
    sink: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> (Certificate, Option<Stop>) {
    let (start, until) = (built.initial.t, built.until);
    let left = LEFT * built.settings.step.min(until - start);
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
            Ok(mut motion) => follow(&mut motion, begun, (span, names), sink, progress),
            Err(error) => refused(error),
        };
    }
    match built.settings.scheme {
        Scheme::Event => match EventDriven::new(built.system, built.settings, built.initial) {
            Ok(mut motion) => follow(&mut motion, begun, (span, names), sink, progress),
            Err(error) => refused(error),
        },
        Scheme::Midpoint | Scheme::Theta(_) | Scheme::Paoli => {
            match TimeStepper::new(built.system, built.settings, built.initial) {
                Ok(mut motion) => {
                    motion.set_end_time(until);
                    follow(&mut motion, begun, (span, names), sink, progress)
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
    bounds: Bounds,
}

/// What is said of contacts that no velocity satisfies together; nothing where there are none.
pub(crate) fn excluded(names: Vec<String>) -> String {
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "{}, which no velocity satisfies together (infeasible),",
            names.join(" and ")
        ),
    }
}

/// The constraint that is deepest, or furthest apart, or those that exclude each other, by name.
pub fn place(what: What, ledger: &StepReport, names: &[String]) -> String {
    if what == What::Residual {
        let known = ledger.infeasible.iter().flatten();
        let names = known.filter_map(|i| names.get(*i as usize));
        return excluded(names.map(|name| format!("`{name}`")).collect());
    }
    let constraint = match what {
        What::Penetration => ledger.worst[0],
        What::Drift => ledger.worst[1],
        What::Resting => ledger.worst[2],
        _ => None,
    };
    let name = constraint.and_then(|i| names.get(i as usize));
    name.map_or_else(String::new, |name| format!("`{name}`"))
}

impl Span {
    fn tick<'a>(&self, step: usize, ledger: &StepReport, certificate: &'a Certificate) -> Tick<'a> {
        Tick {
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

fn follow(
    motion: &mut dyn Integrator,
    begun: Option<Begun>,
    (span, names): (Span, &[String]),
    sink: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> (Certificate, Option<Stop>) {
    let (mut step, mut certificate) = (0, Certificate::within(span.bounds));
    let first = match begun {
        None => {
            certificate.begin(motion.step_report());
            sink.step(0, motion.state(), motion.step_report(), &[], &[])
        }
        Some(begun) => {
            (step, certificate) = (begun.step, begun.certificate);
            let restored = motion.restore(begun.motion);
            restored.map_err(|error| resume::unfit(&error.to_string()))
        }
    };
    if let Err(error) = first {
        return refused(span.start, StopReason::Sink(error));
    }
    let mut reason = None;
    while reason.is_none() && motion.state().t < span.end {
        if let Err(error) = motion.integrate() {
            reason = Some(StopReason::Mechanism(error));
            break;
        }
        step += 1;
        let ledger = motion.step_report();
        certificate.add(ledger, &|what| place(what, ledger, names));
        let state = motion.state();
        let taken = sink.step(
            step,
            state,
            motion.step_report(),
            &motion.constraint_reports(),
            motion.events(),
        );
        let going =
            progress(&span.tick(step, motion.step_report(), &certificate)) || !(state.t < span.end);
        let kept = taken.and_then(|()| match sink.due() || !going {
            true => keep(sink, step, &certificate, motion),
            false => Ok(()),
        });
        if let Err(error) = kept {
            reason = Some(StopReason::Sink(error));
        } else if !going {
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

/// Has the sink keep what the run goes on from.
fn keep(
    sink: &mut dyn Sink,
    step: usize,
    certificate: &Certificate,
    motion: &dyn Integrator,
) -> Result<(), SceneError> {
    let Some(motion) = motion.save() else {
        return Ok(());
    };
    let begun = Begun {
        step,
        certificate: certificate.clone(),
        motion,
    };
    sink.keep(Snapshot {
        motion: resume::packed(&begun)?,
        history: Packed::default(),
    })
}
