//! Event-driven integration: smooth motion between events, which are located to rounding.
//!
//! ```text
//! A v̇ = K + Σ Gᵀ R,    0 ≤ U̇_n ⊥ R_n ≥ 0 at closed contacts, friction on U_t or U̇_t      (M99 §8.4)
//! ```
//!
//! Unknowns: q, v between events, R at every instant, the times of events, and the *contact modes* of all constraints
//! (open, stick, slip) in between. With fixed modes the accelerations solve a small linear system and the motion is
//! smooth: the Runge–Kutta pair of Dormand and Prince of order 8 integrates it to 1e-12 and keeps closed gaps, joints
//! and sticking rows at rest by projection in the kinetic metric. An event is a zero of a gap or of another event
//! function (a margin of the modes); it is located on the continuous extension of the step, and a second step ends
//! exactly there. There the velocity jumps by the impact law, where a gap closes with approach, and new modes are
//! selected.
//!
//! Accumulation of impacts (Zeno): when the intervals between the impacts of a contact shrink geometrically, their sum
//! is extrapolated and the contact closes.
//!
//! Limits: few contacts at a time (mode combinations are enumerated); forces K must be smooth between events, jumps of
//! K are only passed by short steps.

mod balance;
mod dormand_prince;
mod event_location;
mod integrate;
mod memory;
mod progress;
mod projection;
mod switching;
mod tableau;
mod velocity_jump;
mod zeno;

use percuss_contact::law::Status;
use serde::{Deserialize, Serialize};

pub(crate) use self::memory::EventDrivenMemory;

use self::balance::IntervalSums;
use self::dormand_prince::DormandPrince;
use self::zeno::ImpactTimes;
use crate::error::MechanismError;
use crate::modes::contact_mode::ContactMode;
use crate::settings::Settings;
use crate::state::{ConstraintReport, Event, State, StepReport};
use crate::system::{StateRef, System};

/// Closed-contact tolerance, relative to the length scale of the constraint.
const CLOSED: f64 = 1e-10;

/// State of the motion with everything that the integrator remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct MotionMemory {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Contact mode of every constraint.
    modes: Vec<ContactMode>,
    /// Step length that the error estimate allows.
    h: f64,
    /// Velocity scale: largest velocities met, by constraint.
    speed: Vec<f64>,
    /// Length scale: largest lengths met, by constraint.
    length_scale: Vec<f64>,
    /// Times of recent impacts, by constraint.
    impact_times: Vec<ImpactTimes>,
    /// Accumulation events in the future.
    pending: Vec<Event>,
    /// Largest kinetic energy met, or that the forces could give in an interval.
    energy: f64,
    /// Output intervals done.
    intervals: u64,
}

impl MotionMemory {
    /// The state (t, q, v).
    fn instant(&self) -> StateRef<'_> {
        StateRef {
            t: self.t,
            q: &self.q,
            v: &self.v,
        }
    }
}

/// One constraint over one output interval: velocities at both ends and the impulse.
#[derive(Debug, Clone, Default)]
struct ConstraintTrace {
    constraint: usize,
    gap: f64,
    begin: Vec<f64>,
    end: Vec<f64>,
    impulse: Vec<f64>,
}

/// Event-driven integrator of a mechanism.
#[derive(Debug)]
pub struct EventDriven<S: System> {
    system: S,
    settings: Settings,
    start: f64,
    /// Positions at the start, from which the extent of the motion is measured.
    origin: Vec<f64>,
    pub(crate) state: State,
    pub(crate) report: StepReport,
    traces: Vec<ConstraintTrace>,
    pub(crate) events: Vec<Event>,
    /// Present state and modes.
    now: MotionMemory,
    /// Runge–Kutta step and its continuous extension.
    rk: DormandPrince,
    /// Impulses, works and events of the current output interval.
    interval_sums: IntervalSums,
    /// Impulses and events at the initial instant, which belong to the first interval.
    initial_sums: Option<IntervalSums>,
}

impl<S: System> EventDriven<S> {
    /// Creates an integrator at `initial`. Closed contacts that approach there collide at once.
    ///
    /// # Errors
    /// Settings out of range, a position or velocity that the constraints do not admit, or a motion that cannot begin.
    pub fn new(mut system: S, settings: Settings, initial: State) -> Result<Self, MechanismError> {
        settings.validate()?;
        crate::check_initial_state(&mut system, &settings, &initial)?;
        let count = system.constraints().len();
        let rows = system.constraints().iter().map(|c| c.rows).sum();
        let chart = system.configuration_space();
        // Unknowns of the differential equation: q, v, impulses, quadratures.
        let size = chart.num_positions() + chart.num_velocities() + rows + balance::SUMS;
        let now = MotionMemory {
            t: initial.t,
            q: initial.q.clone(),
            v: initial.v.clone(),
            modes: vec![ContactMode::Open; count],
            h: settings.step,
            speed: vec![0.0; count],
            length_scale: vec![0.0; count],
            impact_times: vec![ImpactTimes::default(); count],
            pending: Vec::new(),
            energy: 0.0,
            intervals: 0,
        };
        let mut motion = Self {
            start: initial.t,
            origin: initial.q.clone(),
            state: State {
                impulse: vec![0.0; rows],
                status: vec![Status::Open; count],
                ..initial
            },
            report: StepReport::default(),
            traces: Vec::new(),
            events: Vec::new(),
            now,
            rk: DormandPrince::new(size),
            interval_sums: IntervalSums::new(rows),
            initial_sums: None,
            system,
            settings,
        };
        // Length scales, then impacts and mode selection at the initial instant.
        for i in 0..count {
            motion.update_length_scale(i)?;
        }
        motion
            .system
            .configuration_space()
            .normalise(&mut motion.now.q);
        motion
            .interval_sums
            .begin(&mut motion.system, &motion.now)?;
        motion.resolve_instant(None)?;
        motion.initial_sums = Some(motion.interval_sums.clone());
        motion.commit(0.0)?;
        Ok(motion)
    }

    /// The mechanism that is integrated.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The mechanism, for evaluations beside the motion.
    pub fn system_mut(&mut self) -> &mut S {
        &mut self.system
    }

    /// Integrates over one output interval.
    fn interval(&mut self) -> Result<(), MechanismError> {
        let done = (self.now.intervals + 1) as f64;
        // The target is counted from the start, not added up.
        let target = self.start + done * self.settings.step;
        while self.now.t < target {
            self.advance_to_event(target)?;
        }
        self.now.intervals += 1;
        self.commit(self.settings.step)
    }

    /// Advances by one output interval; a failed one leaves the motion as it was.
    pub(crate) fn advance_interval(&mut self) -> Result<(), MechanismError> {
        let before = self.now.clone();
        // The sums of the first interval contain the initial instant.
        match &self.initial_sums {
            Some(opening) => self.interval_sums = opening.clone(),
            None => {
                self.interval_sums = IntervalSums::new(self.state.impulse.len());
                self.interval_sums.begin(&mut self.system, &before)?;
            }
        }
        let done = self.interval();
        // A failed interval leaves the motion as it was.
        match done {
            Ok(()) => self.initial_sums = None,
            Err(_) => self.now = before,
        }
        done
    }

    /// Reports of the constraints that were active in the last interval.
    pub(crate) fn active_reports(&self) -> Vec<ConstraintReport<'_>> {
        self.traces
            .iter()
            .map(|trace| ConstraintReport {
                constraint: trace.constraint,
                gap: trace.gap,
                begin: &trace.begin,
                end: &trace.end,
                impulse: &trace.impulse,
                projection_impulse: &[],
                status: self.state.status[trace.constraint],
            })
            .collect()
    }
}
