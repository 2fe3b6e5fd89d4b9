//! The observer of a run of a mechanism (callback, output writer): [`MechanismObserver`].

use percuss_mechanism::{ConstraintReport, Event, State, StepReport};
use percuss_scene::SceneError;

use crate::checkpoint::{Restored, Snapshot};

/// Observes the steps of a run as they are computed: writes a record, samples, or does nothing.
///
/// Step 0 is the initial state: its step report has h = 0 and it has no constraint reports and no
/// events. Every step is given; an observer that keeps only some of them chooses them itself.
pub trait MechanismObserver {
    /// Takes the state at the end of a step, the step report, the reports of the active constraints
    /// and the events of the step.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, say); the run stops there.
    fn on_step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &StepReport,
        touches: &[ConstraintReport<'_>],
        events: &[Event],
    ) -> Result<(), SceneError>;

    /// Called once after every step: whether a checkpoint is to be written after it.
    fn checkpoint_due(&mut self) -> bool {
        false
    }

    /// Writes a checkpoint, from which the run is resumed if it is interrupted.
    ///
    /// # Errors
    /// As [`MechanismObserver::on_step`].
    fn write_checkpoint(&mut self, _snapshot: Snapshot) -> Result<(), SceneError> {
        Ok(())
    }

    /// The checkpoint from which an interrupted run is resumed; asked once, before the first step.
    /// Steps are then given from the one after the checkpoint on.
    fn take_checkpoint(&mut self) -> Option<Restored> {
        None
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullObserver;

impl MechanismObserver for NullObserver {
    fn on_step(
        &mut self,
        _step: usize,
        _state: &State,
        _ledger: &StepReport,
        _touches: &[ConstraintReport<'_>],
        _events: &[Event],
    ) -> Result<(), SceneError> {
        Ok(())
    }
}
