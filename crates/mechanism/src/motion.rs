//! The trait of integrators, for time stepping and event-driven integration.

use crate::checkpoint::{IntegratorMemory, MotionCheckpoint};
use crate::error::MechanismError;
use crate::event_driven::EventDriven;
use crate::state::{ConstraintReport, Event, State, StepReport};
use crate::system::System;
use crate::time_stepping::TimeStepper;

/// An integrator of one motion: time stepping or event-driven.
pub trait Integrator {
    /// Advances by one step, or by one output interval.
    ///
    /// # Errors
    /// The motion cannot be continued; the state is that before.
    fn advance(&mut self) -> Result<(), MechanismError>;

    /// Current state.
    fn state(&self) -> &State;

    /// Report of the last step.
    fn step_report(&self) -> &StepReport;

    /// Reports of the constraints that were active in the last step.
    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>>;

    /// Events of the last step, in order of time.
    fn events(&self) -> &[Event];

    /// Checkpoint: all that the motion is continued from, to the bit. The constraint reports of the last step are not
    /// part of it. `None` for an integrator without checkpoints.
    fn save(&self) -> Option<MotionCheckpoint>;

    /// Restores a checkpoint of a motion of the same system, settings and initial state; this one must not have been
    /// advanced.
    ///
    /// # Errors
    /// The checkpoint is of another integrator or another system; the motion is unchanged.
    fn restore(&mut self, saved: MotionCheckpoint) -> Result<(), MechanismError>;
}

impl<S: System> Integrator for TimeStepper<S> {
    fn advance(&mut self) -> Result<(), MechanismError> {
        self.take_step()
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn step_report(&self) -> &StepReport {
        &self.report
    }

    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>> {
        self.active_reports()
    }

    fn events(&self) -> &[Event] {
        self.detected_events()
    }

    fn save(&self) -> Option<MotionCheckpoint> {
        Some(MotionCheckpoint {
            state: self.state.clone(),
            report: self.report,
            memory: IntegratorMemory::TimeStepping(self.memory()),
        })
    }

    fn restore(&mut self, saved: MotionCheckpoint) -> Result<(), MechanismError> {
        // Same integrator, same numbers of coordinates and constraints.
        let fits = saved.fits(&self.state);
        match saved.memory {
            IntegratorMemory::TimeStepping(memory) if fits => {
                self.continue_from(saved.state, saved.report, memory)
            }
            _ => Err(MechanismError::CheckpointMismatch),
        }
    }
}

impl<S: System> Integrator for EventDriven<S> {
    fn advance(&mut self) -> Result<(), MechanismError> {
        self.advance_interval()
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn step_report(&self) -> &StepReport {
        &self.report
    }

    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>> {
        self.active_reports()
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn save(&self) -> Option<MotionCheckpoint> {
        Some(MotionCheckpoint {
            state: self.state.clone(),
            report: self.report,
            memory: IntegratorMemory::EventDriven(self.memory()),
        })
    }

    fn restore(&mut self, saved: MotionCheckpoint) -> Result<(), MechanismError> {
        // Same integrator, same numbers of coordinates and constraints.
        let fits = saved.fits(&self.state);
        match saved.memory {
            IntegratorMemory::EventDriven(memory) if fits => {
                self.continue_from(saved.state, saved.report, memory)
            }
            _ => Err(MechanismError::CheckpointMismatch),
        }
    }
}
