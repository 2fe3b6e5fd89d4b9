//! Rigid bodies: shape, mass, material and degrees of freedom.

use percuss_geometry::MassProperties;

use crate::dynamics::Dynamics;

/// Degrees of freedom of a body: which components of its velocity are unknowns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// All components follow forces and impulses.
    Free,
    /// Locked degrees of freedom: only the components whose bit is set follow forces, the others are zero; for
    /// example a servo-controlled wall with one degree of freedom (JM92 example 2). Bit k is component k of the
    /// velocity.
    Partial(u8),
    /// Kinematic body: all components are given by the prescribed motion with this index in the model.
    Kinematic(u32),
    /// At rest throughout the run.
    Fixed,
}

impl Freedom {
    /// Whether impulses can move the body, that is, whether it has a group of kinetic coordinates.
    #[inline]
    pub fn movable(self) -> bool {
        match self {
            Self::Free => true,
            Self::Partial(mask) => mask != 0,
            Self::Kinematic(_) | Self::Fixed => false,
        }
    }

    /// Whether component `k` of the velocity is an unknown.
    #[inline]
    pub fn is_free(self, k: usize) -> bool {
        match self {
            Self::Free => true,
            Self::Partial(mask) => mask >> k & 1 == 1,
            Self::Kinematic(_) | Self::Fixed => false,
        }
    }
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body<D: Dynamics> {
    /// Its shape, in body axes (principal axes, origin at the centre of mass).
    pub shape: D::Shape,
    /// Its mass and moments of inertia; ignored where the body is not movable.
    pub mass: MassProperties<D>,
    /// Index of its material.
    pub material: u16,
    /// Which components of its velocity are unknowns.
    pub freedom: Freedom,
}
