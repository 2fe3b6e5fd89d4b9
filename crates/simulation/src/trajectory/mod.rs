//! A trajectory in memory: t, q, v at the ends of all steps, step reports, constraint reports,
//! events.
//!
//! The arrays are flat. States are numbered from 0 (the initial one); step k leads from state k − 1
//! to state k. [`Interpolation`] says how values between states are computed. The event-driven
//! integrator gives states only at its outputs, so an output interval with a jump of the velocity
//! is known to second order in its length: choose it fine enough where such instants matter.

mod increment;
mod segment;
#[cfg(test)]
mod tests;

use percuss_contact::law::Status;
use percuss_mechanism::{
    ConfigurationSpace, ConstraintReport, Event, State, StepReport, mean_force,
};
use percuss_record::{Observer, Step};
use percuss_scene::SceneError;

pub(crate) use increment::TrajectoryIncrement;
pub use segment::Interpolation;
pub use segment::Segment;

/// The report of one constraint in one step; its rows are in a common array.
#[derive(Debug, Clone, Copy)]
struct Stored {
    constraint: usize,
    gap: f64,
    status: Status,
    rows: usize,
    /// Index of its rows: begin, end, impulse, one after the other.
    first: usize,
}

/// A trajectory in memory.
#[derive(Debug, Clone)]
pub struct Trajectory {
    chart: ConfigurationSpace,
    between: Interpolation,
    t: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    ledgers: Vec<StepReport>,
    touches: Vec<Stored>,
    touch_ends: Vec<usize>,
    rows: Vec<f64>,
    events: Vec<Event>,
    event_ends: Vec<usize>,
}

impl Trajectory {
    /// A trajectory without states.
    pub fn new(chart: ConfigurationSpace, between: Interpolation) -> Self {
        Self {
            chart,
            between,
            t: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            ledgers: Vec::new(),
            touches: Vec::new(),
            touch_ends: Vec::new(),
            rows: Vec::new(),
            events: Vec::new(),
            event_ends: Vec::new(),
        }
    }

    /// Adds a state: the initial one first, then the end of each step.
    pub fn push(
        &mut self,
        state: &State,
        ledger: &StepReport,
        touches: &[ConstraintReport<'_>],
        events: &[Event],
    ) {
        // State and step report, then the rows of each active constraint.
        self.t.push(state.t);
        self.q.extend_from_slice(&state.q);
        self.v.extend_from_slice(&state.v);
        self.ledgers.push(*ledger);
        for touch in touches {
            self.touches.push(Stored {
                constraint: touch.constraint,
                gap: touch.gap,
                status: touch.status,
                rows: touch.begin.len(),
                first: self.rows.len(),
            });
            self.rows.extend_from_slice(touch.begin);
            self.rows.extend_from_slice(touch.end);
            self.rows.extend_from_slice(touch.impulse);
        }
        // Ends of the ranges of reports and events of each state.
        self.touch_ends.push(self.touches.len());
        self.events.extend_from_slice(events);
        self.event_ends.push(self.events.len());
    }

    /// Number of states, one more than steps.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether there is no state at all: the run could not start.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// The configuration space: how positions follow velocities.
    pub fn chart(&self) -> &ConfigurationSpace {
        &self.chart
    }

    /// The interpolation between states.
    pub fn interpolation(&self) -> Interpolation {
        self.between
    }

    /// Times of the states.
    pub fn times(&self) -> &[f64] {
        &self.t
    }

    /// Time of the initial state.
    pub fn start(&self) -> Option<f64> {
        self.t.first().copied()
    }

    /// Time of the last state.
    pub fn end(&self) -> Option<f64> {
        self.t.last().copied()
    }

    /// Positions of a state.
    pub fn position(&self, state: usize) -> &[f64] {
        let n = self.chart.num_positions();
        &self.q[state * n..(state + 1) * n]
    }

    /// Velocities of a state, right limits.
    pub fn velocity(&self, state: usize) -> &[f64] {
        let n = self.chart.num_velocities();
        &self.v[state * n..(state + 1) * n]
    }

    /// Report of the step that ended in a state.
    pub fn step_report(&self, state: usize) -> &StepReport {
        &self.ledgers[state]
    }

    /// Reports of the constraints that were active in the step that ended in a state.
    pub fn constraint_reports(&self, state: usize) -> impl Iterator<Item = ConstraintReport<'_>> {
        // The reports of a state end where those of the next begin.
        let first = state
            .checked_sub(1)
            .map_or(0, |before| self.touch_ends[before]);
        self.touches[first..self.touch_ends[state]]
            .iter()
            .map(|stored| {
                let d = stored.rows;
                let rows = &self.rows[stored.first..stored.first + 3 * d];
                ConstraintReport {
                    constraint: stored.constraint,
                    gap: stored.gap,
                    begin: &rows[..d],
                    end: &rows[d..2 * d],
                    impulse: &rows[2 * d..],
                    projection_impulse: &[],
                    status: stored.status,
                }
            })
    }

    /// All events in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events of the step that ended in a state.
    pub fn events_of(&self, state: usize) -> &[Event] {
        let first = state
            .checked_sub(1)
            .map_or(0, |before| self.event_ends[before]);
        &self.events[first..self.event_ends[state]]
    }

    /// Mean force of a row of a constraint over the step that ended in a state; for the initial
    /// state over the first step. 0 where the constraint was not active.
    pub fn force(&self, state: usize, constraint: usize, row: usize) -> f64 {
        // The initial state has no step: the first one stands for it.
        let state = state.max(1);
        if state >= self.len() {
            return 0.0;
        }
        let h = self.t[state] - self.t[state - 1];
        let touch = self
            .constraint_reports(state)
            .find(|touch| touch.constraint == constraint);
        let impulse = touch.and_then(|touch| touch.impulse.get(row).copied());
        impulse.map_or(0.0, |impulse| mean_force(impulse, self.t[state], h))
    }

    /// The state in which the step that contains `t` ends: t_{k−1} < t ≤ t_k; 0 at or before the
    /// start. An instant within 1e-9 of a step from a state is that state.
    pub fn state_at(&self, t: f64) -> usize {
        // The first state at or after t.
        let last = self.len().saturating_sub(1);
        let k = self.t.partition_point(|&instant| instant < t).min(last);
        if k > 0 && t - self.t[k - 1] <= 1e-9 * (self.t[k] - self.t[k - 1]) {
            return k - 1;
        }
        k
    }

    /// Positions and right-continuous velocities at `t`, clamped to the computed time span; returns
    /// the state in which that step ends. Nothing is written when there is no state.
    pub fn sample(&self, t: f64, q: &mut Vec<f64>, v: &mut Vec<f64>) -> usize {
        if self.is_empty() {
            return 0;
        }
        let k = self.state_at(t);
        // States themselves are copied, without the rounding of an interpolation.
        let near = k == 0 || self.t[k] - t <= 1e-9 * (self.t[k] - self.t[k - 1]);
        if near {
            q.clear();
            v.clear();
            q.extend_from_slice(self.position(k));
            v.extend_from_slice(self.velocity(k));
        } else {
            self.segment(k).sample(&self.chart, self.between, t, q, v);
        }
        k
    }

    /// As [`Trajectory::sample`], with velocities linear in time within a step of time stepping in which none jumps, and of
    /// the midpoint scheme positions quadratic: under constant forces as exact between two states as at a state. Findings
    /// do not depend on whether an instant ends a step.
    pub fn sample_linear(&self, t: f64, q: &mut Vec<f64>, v: &mut Vec<f64>) -> usize {
        let k = self.sample(t, q, v);
        if k == 0 || k >= self.len() || self.between == Interpolation::Smooth {
            return k;
        }
        let segment = self.segment(k);
        let (begin, end) = (self.t[k - 1], self.t[k]);
        let inside = t > begin && end - t > 1e-9 * (end - begin);
        if inside && !segment.has_jump() {
            let share = (t - begin) / (end - begin);
            for (v, (a, b)) in v.iter_mut().zip(segment.begin.2.iter().zip(segment.end.2)) {
                *v = a + share * (b - a);
            }
            if self.between == Interpolation::PiecewiseConstant(0.5) {
                segment.quadratic(&self.chart, t, q);
            }
        }
        k
    }

    /// The step that ends in state `k` > 0.
    pub fn segment(&self, k: usize) -> Segment<'_> {
        Segment {
            begin: (self.t[k - 1], self.position(k - 1), self.velocity(k - 1)),
            end: (self.t[k], self.position(k), self.velocity(k)),
            events: self.events_of(k),
        }
    }
}

impl Observer for Trajectory {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        // A trajectory is that of a mechanism.
        if let Some(m) = step.mechanism() {
            self.push(m.state, m.report, &m.constraint_reports, m.events);
        }
        Ok(())
    }
}
