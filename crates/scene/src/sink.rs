//! Where the steps of a run go.

use mechanism::{ConstraintReport, Event, State, StepReport};

use crate::error::SceneError;
use crate::record::{Restored, Snapshot};

/// Takes the steps of a run as they are computed: a record on disk, a sampler, nothing.
///
/// Step 0 is the initial state: its ledger has h = 0 and it has no touches and no events. Every step
/// is given; a sink that keeps only some of them chooses them itself.
pub trait MechanismObserver {
    /// Takes the state at the end of a step, its account and what happened in it.
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

    /// Counts a step: whether what the run would be continued from is to be kept after it.
    fn checkpoint_due(&mut self) -> bool {
        false
    }

    /// Keeps what the run would be continued from if it were interrupted.
    ///
    /// # Errors
    /// As [`Sink::step`].
    fn write_checkpoint(&mut self, _snapshot: Snapshot) -> Result<(), SceneError> {
        Ok(())
    }

    /// What an interrupted run is continued from; asked once, before the first step. Steps are then
    /// given from the one after it on.
    fn take_checkpoint(&mut self) -> Option<Restored> {
        None
    }
}

/// A sink that keeps nothing.
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
