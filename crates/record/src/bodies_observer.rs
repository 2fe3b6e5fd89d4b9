//! Observer of a run of bodies: receives the end of every step and writes checkpoints.

use percuss_bodies::{Plane, Space, World};
use percuss_scene::SceneError;

use crate::checkpoint::{Restored, Snapshot};

/// A borrowed world at the end of a step, in its dimension.
#[derive(Debug, Clone, Copy)]
pub enum WorldRef<'a> {
    /// In the plane.
    Plane(&'a World<Plane>),
    /// In space.
    Space(&'a World<Space>),
}

/// Receives the steps of a run of bodies as they are computed.
///
/// Step 0 is the initial state: it has no contacts. Every step is given; an observer that needs only some of them
/// chooses itself. `last` marks the end of the run; the last step may be given a second time, with `last = true`,
/// when the run stops after it was given.
pub trait BodiesObserver {
    /// Called at the end of a step.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, for example); the run stops there.
    fn on_step(&mut self, step: usize, view: WorldRef<'_>, last: bool) -> Result<(), SceneError>;

    /// Called at the end of a step of a preparation; nothing is recorded of it.
    ///
    /// # Errors
    /// As [`BodiesObserver::on_step`].
    fn on_preparation_step(&mut self) -> Result<(), SceneError> {
        Ok(())
    }

    /// Counts a step, of a preparation or of the run, and says whether a checkpoint is to be written after it.
    fn checkpoint_due(&mut self) -> bool {
        false
    }

    /// Writes a checkpoint, from which an interrupted run is resumed.
    ///
    /// # Errors
    /// As [`BodiesObserver::on_step`].
    fn write_checkpoint(&mut self, _snapshot: Snapshot) -> Result<(), SceneError> {
        Ok(())
    }

    /// The checkpoint that an interrupted run is resumed from; asked for once, before the first step.
    fn take_checkpoint(&mut self) -> Option<Restored> {
        None
    }
}

/// The observer of bodies that does nothing.
impl BodiesObserver for crate::observer::NullObserver {
    fn on_step(
        &mut self,
        _step: usize,
        _view: WorldRef<'_>,
        _last: bool,
    ) -> Result<(), SceneError> {
        Ok(())
    }
}
