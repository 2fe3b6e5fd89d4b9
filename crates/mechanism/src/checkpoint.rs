//! Checkpoint of a motion: all that it is continued from, to the bit.
//!
//! Beside the state an integrator remembers: the count of steps that makes t = start + k h exact, the trial length of
//! an adaptive step, the history that events are detected from, and, event-driven, the contact modes and recent
//! impacts. Everything else is scratch. The format (postcard) stores the order of fields and variants, not their names.

use serde::{Deserialize, Serialize};

use crate::event_driven::EventDrivenMemory;
use crate::state::{State, StepReport};
use crate::time_stepping::TimeSteppingMemory;

/// Checkpoint of a motion, continued by [`crate::Integrator::restore`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionCheckpoint {
    pub(crate) state: State,
    pub(crate) report: StepReport,
    pub(crate) memory: IntegratorMemory,
}

/// What an integrator remembers beside state and report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum IntegratorMemory {
    /// Of a [`crate::TimeStepper`].
    TimeStepping(TimeSteppingMemory),
    /// Of [`crate::EventDriven`].
    EventDriven(EventDrivenMemory),
}

impl MotionCheckpoint {
    /// Time of the checkpoint.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// Whether it has the numbers of positions, velocities, rows and constraints of `state`.
    pub(crate) fn fits(&self, state: &State) -> bool {
        let lengths = |s: &State| [s.q.len(), s.v.len(), s.impulse.len(), s.status.len()];
        lengths(&self.state) == lengths(state)
    }
}
