//! Where the steps of a run of bodies go.

use bodies::{Plane, Space, World};

use crate::error::SceneError;
use crate::record::{Restored, Snapshot};

/// A collection at the end of a step.
#[derive(Debug, Clone, Copy)]
pub enum WorldRef<'a> {
    /// In the plane.
    Plane(&'a World<Plane>),
    /// In space.
    Space(&'a World<Space>),
}

/// Takes the steps of a run of bodies as they are computed.
///
/// Step 0 is the initial state: it has no contacts. Every step is given; a sink that keeps only some
/// of them chooses them itself; `last` is the end of the run.
pub trait BodiesObserver {
    /// Takes the end of a step.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, say); the run stops there.
    fn on_step(&mut self, step: usize, view: WorldRef<'_>, last: bool) -> Result<(), SceneError>;

    /// Hears that a step of a preparation is computed; nothing is recorded of it.
    ///
    /// # Errors
    /// As [`Steps::step`].
    fn on_preparation_step(&mut self) -> Result<(), SceneError> {
        Ok(())
    }

    /// Counts a step, of a preparation or of the run: whether what the run would be continued from is
    /// to be kept after it.
    fn checkpoint_due(&mut self) -> bool {
        false
    }

    /// Keeps what the run would be continued from if it were interrupted.
    ///
    /// # Errors
    /// As [`Steps::step`].
    fn write_checkpoint(&mut self, _snapshot: Snapshot) -> Result<(), SceneError> {
        Ok(())
    }

    /// What an interrupted run is continued from; asked once, before the first step.
    fn take_checkpoint(&mut self) -> Option<Restored> {
        None
    }
}
