//! Checkpoint of a time stepper: what it remembers beside its state.

use serde::{Deserialize, Serialize};

use super::TimeStepper;
use super::events::StepEventDetector;
use crate::error::MechanismError;
use crate::saved::{IntegratorMemory, MotionCheckpoint};
use crate::system::System;

/// What a time stepper remembers beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimeSteppingMemory {
    event_detector: StepEventDetector,
    /// Steps taken, and the instant they are counted from. Stored by position: the order of fields is the format.
    step_clock: (usize, f64),
    trial_step: f64,
    second_half: Option<(f64, f64)>,
}

impl<S: System> TimeStepper<S> {
    /// State, report and memory of this stepper.
    pub(super) fn checkpoint(&self) -> MotionCheckpoint {
        MotionCheckpoint {
            state: self.state.clone(),
            report: self.report,
            memory: IntegratorMemory::TimeStepping(TimeSteppingMemory {
                event_detector: self.event_detector.clone(),
                step_clock: self.step_clock,
                trial_step: self.trial_step,
                second_half: self.second_half,
            }),
        }
    }

    /// Continues from a checkpoint; refuses one of another integrator or of another system.
    pub(super) fn restore_checkpoint(
        &mut self,
        saved: MotionCheckpoint,
    ) -> Result<(), MechanismError> {
        // Same integrator, same numbers of coordinates and constraints.
        let fits = saved.fits(&self.state);
        let IntegratorMemory::TimeStepping(pending) = saved.memory else {
            return Err(MechanismError::CheckpointMismatch);
        };
        if !(fits && pending.event_detector.matches(saved.state.status.len())) {
            return Err(MechanismError::CheckpointMismatch);
        }
        self.next.clone_from(&saved.state);
        (self.state, self.report) = (saved.state, saved.report);
        self.event_detector = pending.event_detector;
        self.step_clock = pending.step_clock;
        self.trial_step = pending.trial_step;
        self.second_half = pending.second_half;
        // The constraint reports of the last step are not part of a checkpoint.
        self.scratch.problem.clear();
        Ok(())
    }
}
