//! Where the steps of a run of bodies go.

use bodies::{Plane, Space, World};

use crate::error::SceneError;

/// A collection at the end of a step.
#[derive(Debug, Clone, Copy)]
pub enum View<'a> {
    /// In the plane.
    Plane(&'a World<Plane>),
    /// In space.
    Space(&'a World<Space>),
}

/// Takes the steps of a run of bodies as they are computed.
///
/// Step 0 is the initial state: it has no contacts. Every step is given; a sink that keeps only some
/// of them chooses them itself; `last` is the end of the run.
pub trait Steps {
    /// Takes the end of a step.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, say); the run stops there.
    fn step(&mut self, step: usize, view: View<'_>, last: bool) -> Result<(), SceneError>;
}
