//! What a time stepper remembers beside its state: its part of a checkpoint.

use serde::{Deserialize, Serialize};

use super::TimeStepper;
use super::event_detection::StepEventDetector;
use super::layout::{StepClock, StepInterval};
use crate::error::MechanismError;
use crate::state::{State, StepReport};
use crate::system::System;

/// What a time stepper remembers beside its state. Stored by position: the order of fields is the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimeSteppingMemory {
    event_detector: StepEventDetector,
    step_clock: StepClock,
    trial_step: f64,
    second_half: Option<StepInterval>,
    persistent: Vec<bool>,
}

impl<S: System> TimeStepper<S> {
    /// What this stepper remembers beside state and report.
    pub(crate) fn memory(&self) -> TimeSteppingMemory {
        TimeSteppingMemory {
            event_detector: self.event_detector.clone(),
            step_clock: self.step_clock,
            trial_step: self.trial_step,
            second_half: self.second_half,
            persistent: self.persistent.clone(),
        }
    }

    /// Continues from a state with its report and memory; refuses a memory of another system.
    pub(crate) fn continue_from(
        &mut self,
        state: State,
        report: StepReport,
        memory: TimeSteppingMemory,
    ) -> Result<(), MechanismError> {
        let constraints = state.status.len();
        if !memory.event_detector.matches(constraints) || memory.persistent.len() != constraints {
            return Err(MechanismError::CheckpointMismatch);
        }
        self.next.clone_from(&state);
        (self.state, self.report) = (state, report);
        self.event_detector = memory.event_detector;
        self.step_clock = memory.step_clock;
        self.trial_step = memory.trial_step;
        self.second_half = memory.second_half;
        self.persistent = memory.persistent;
        // The constraint reports of the last step are not part of a checkpoint.
        self.scratch.problem.clear();
        Ok(())
    }
}
