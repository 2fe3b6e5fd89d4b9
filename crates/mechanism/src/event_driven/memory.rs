//! What the event-driven integrator remembers beside its state: its part of a checkpoint.

use serde::{Deserialize, Serialize};

use super::{EventDriven, MotionMemory};
use crate::error::MechanismError;
use crate::modes::contact_mode::{ContactMode, PartMode};
use crate::state::{Event, State, StepReport};
use crate::system::System;

/// What the event-driven integrator remembers beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventDrivenMemory {
    now: MotionMemory,
    events: Vec<Event>,
    /// Whether the first interval is still to come: events at the start belong to it, and a motion from the same
    /// initial state has them.
    before_first_interval: bool,
}

impl<S: System> EventDriven<S> {
    /// What this integrator remembers beside state and report.
    pub(crate) fn memory(&self) -> EventDrivenMemory {
        EventDrivenMemory {
            now: self.now.clone(),
            events: self.events.clone(),
            before_first_interval: self.initial_sums.is_some(),
        }
    }

    /// Continues from a state with its report and memory; refuses a memory of another system.
    pub(crate) fn continue_from(
        &mut self,
        state: State,
        report: StepReport,
        memory: EventDrivenMemory,
    ) -> Result<(), MechanismError> {
        if !self.matches(&memory) {
            return Err(MechanismError::CheckpointMismatch);
        }
        (self.state, self.report) = (state, report);
        self.now = memory.now;
        self.events = memory.events;
        self.traces.clear();
        if !memory.before_first_interval {
            self.initial_sums = None;
        }
        Ok(())
    }

    /// Whether the memory belongs to this system.
    fn matches(&self, remembered: &EventDrivenMemory) -> bool {
        let (now, mine) = (&remembered.now, &self.now);
        // Same numbers of positions, velocities and constraints.
        let lengths = |n: &MotionMemory| {
            let (speed, reach) = (n.speed.len(), n.length_scale.len());
            [
                n.q.len(),
                n.v.len(),
                n.modes.len(),
                speed,
                reach,
                n.impact_times.len(),
            ]
        };
        let count = mine.modes.len();
        let events = remembered.events.iter().chain(&now.pending);
        lengths(now) == lengths(mine)
            && events.map(|e| e.constraint).all(|c| c < count)
            && (0..count).all(|i| self.mode_fits(i, &now.modes[i]))
            && (!remembered.before_first_interval || self.initial_sums.is_some())
    }

    /// Whether a constraint can be in a mode at all: sliding directions have no more entries than it has rows.
    fn mode_fits(&self, constraint: usize, mode: &ContactMode) -> bool {
        let rows = self.system.constraints()[constraint].rows;
        let ContactMode::Closed { grips, .. } = mode else {
            return true;
        };
        // Directions of at most as many entries as rows.
        let short = |grip: &PartMode| match grip {
            PartMode::Slide(e) | PartMode::SlideOnset(e) => e.len() <= rows,
            _ => true,
        };
        grips.len() <= rows && grips.iter().all(short)
    }
}
