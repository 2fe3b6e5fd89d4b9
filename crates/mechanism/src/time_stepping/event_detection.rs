//! Event detection for time-stepping schemes: impacts, touch, detachment, stick and slip, locking, Painlevé.
//!
//! A time-stepping scheme computes impulses, not events; this module reads the events off successive steps. A contact
//! on a curved surface may be open for a step or two and close again with the speed that one step of the forces gives:
//! that is persistent contact at finite step length. A contact has detached when it stays open for more than
//! [`MAX_OPEN_STEPS`] steps; a contact that closes faster than the forces explain is an impact.

use percuss_contact::law::Status;
use serde::{Deserialize, Serialize};

use super::gamma::SlidingAnalysis;
use crate::state::{Event, EventKind, State};
use crate::step_problem::StepProblem;
use crate::system::System;

/// Number of steps for which a contact may be open without having detached.
const MAX_OPEN_STEPS: usize = 4;

/// A contact that closes within [`MAX_OPEN_STEPS`] has no impact if it approaches with less than this many times the
/// speed that one step of the forces makes, or the approach of its last step (which the curvature of its surface makes
/// in every step).
const SPEED: f64 = 4.0;

/// History of one constraint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct ConstraintHistory {
    /// Steps since it last carried an impulse; `None` before the first time.
    open: Option<usize>,
    /// Time at which it last carried an impulse.
    last: f64,
    /// Its status then.
    #[serde(with = "crate::state::status")]
    status: Status,
    /// Whether it counts as closed: persistent contact, possibly open for a few steps.
    closed: bool,
    /// Whether γ was positive in the last step.
    regular: bool,
    /// Approach speed in the last step in which it carried an impulse; infinite for a contact that was closed and at
    /// rest when the motion began.
    approach: f64,
}

/// Event detector: history by constraint, and the events of the last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StepEventDetector {
    seen: Vec<ConstraintHistory>,
    pub(super) events: Vec<Event>,
}

impl StepEventDetector {
    pub(super) fn new(constraints: usize) -> Self {
        let seen = ConstraintHistory {
            open: None,
            last: 0.0,
            status: Status::Open,
            closed: false,
            regular: true,
            approach: 0.0,
        };
        Self {
            seen: vec![seen; constraints],
            events: Vec::new(),
        }
    }

    /// Whether it belongs to a system of this many constraints.
    pub(super) fn matches(&self, constraints: usize) -> bool {
        self.seen.len() == constraints && self.events.iter().all(|e| e.constraint < constraints)
    }

    /// Whether a contact that approaches with this speed strikes, where the forces make `forced` in a step: faster than
    /// the curvature of its surface explains, by the approach in its last step.
    pub(super) fn is_impact(&self, i: usize, speed: f64, forced: f64) -> bool {
        speed > SPEED * forced.max(self.seen[i].approach)
    }

    /// Marks a contact as closed and at rest when the motion began.
    pub(super) fn mark_closed(&mut self, i: usize, t: f64) {
        let seen = &mut self.seen[i];
        (seen.closed, seen.open, seen.last) = (true, Some(0), t);
        seen.approach = f64::INFINITY;
    }

    /// Updates the history by the accepted step and writes its events, in order of time.
    pub(super) fn update<S: System>(
        &mut self,
        system: &S,
        stage: &StepProblem,
        before: &State,
        after: &State,
        sliding: &SlidingAnalysis,
    ) {
        self.events.clear();
        // Contacts by their impulse, joints by status, both by γ.
        for i in 0..self.seen.len() {
            let k = stage.active.iter().position(|&c| c == i);
            if system.constraints()[i].is_contact() {
                let carries = k.filter(|&k| stage.impulse[stage.offset[k]] > 0.0);
                match carries {
                    Some(k) => self.update_closed(i, stage, k, before, after),
                    None => self.update_open(i),
                }
            } else if let Some(k) = k {
                if sliding.locked.get(k) == Some(&true) {
                    self.push(after.t, i, EventKind::Locked);
                }
                self.detect_stick_slip(i, after.status[i], before.t);
            }
            if let Some(&gamma) = k.and_then(|k| sliding.gamma.get(k)) {
                self.detect_painleve(i, gamma, after.t);
            }
        }
        self.events.sort_by(|a, b| a.t.total_cmp(&b.t));
    }

    /// Contact that carries an impulse in this step: impact, touch, or a change between stick and slip.
    fn update_closed(
        &mut self,
        i: usize,
        stage: &StepProblem,
        k: usize,
        before: &State,
        after: &State,
    ) {
        let row = stage.offset[k];
        let (speed, end) = (stage.begin[row], stage.end[row]);
        // Change of the normal velocity by the forces alone in one step.
        let forced = stage.force_velocity_change(row).abs();
        // Brief: closed in the history, open for a few steps at most.
        let seen = self.seen[i];
        let brief = seen.closed && seen.open.is_some_and(|n| n <= MAX_OPEN_STEPS);
        let fast = self.is_impact(i, -speed, forced);
        let middle = 0.5 * (before.t + after.t);
        // First impulse of a contact that was closed at the start; persistent contact; or a new contact.
        if brief && seen.approach.is_infinite() {
            self.push(before.t, i, EventKind::Touch);
            self.seen[i].status = after.status[i];
        } else if brief && !fast {
            self.detect_stick_slip(i, after.status[i], middle);
        } else {
            if seen.closed && seen.open.is_some_and(|n| n > 0) {
                self.push(seen.last, i, EventKind::Detach);
            }
            // An approach above rounding is an impact.
            let size = f64::EPSILON * (speed.abs() + stage.boundary[row].abs() + forced + 1.0);
            let kind = if -speed > 8.0 * size {
                let after = end;
                EventKind::Impact {
                    before: speed,
                    after,
                }
            } else {
                EventKind::Touch
            };
            self.push(middle, i, kind);
            self.seen[i].status = after.status[i];
        }
        let seen = &mut self.seen[i];
        seen.closed = true;
        seen.open = Some(0);
        seen.last = after.t;
        seen.approach = (-speed).max(0.0);
    }

    /// Contact that carries no impulse in this step: detached once it has been open for long enough.
    fn update_open(&mut self, i: usize) {
        let seen = &mut self.seen[i];
        let Some(open) = &mut seen.open else { return };
        *open += 1;
        if seen.closed && *open > MAX_OPEN_STEPS {
            seen.closed = false;
            seen.status = Status::Open;
            let last = seen.last;
            self.push(last, i, EventKind::Detach);
        }
    }

    /// Records a change between stick and slip.
    fn detect_stick_slip(&mut self, i: usize, status: Status, t: f64) {
        let kind = match (self.seen[i].status, status) {
            (Status::Stick, Status::Slip) => Some(EventKind::Slip),
            (Status::Slip, Status::Stick) => Some(EventKind::Stick),
            _ => None,
        };
        if status != Status::Open {
            self.seen[i].status = status;
        }
        if let Some(kind) = kind {
            self.push(t, i, kind);
        }
    }

    /// Records that γ ≤ 0 begins at a sliding contact. A contact that is open in this step keeps its last value.
    fn detect_painleve(&mut self, i: usize, gamma: f64, t: f64) {
        let regular = gamma > 0.0;
        if self.seen[i].regular && !regular {
            self.push(t, i, EventKind::Painleve { gamma });
        }
        self.seen[i].regular = regular;
    }

    /// Appends an event.
    fn push(&mut self, t: f64, constraint: usize, kind: EventKind) {
        self.events.push(Event {
            t,
            constraint,
            kind,
        });
    }
}
