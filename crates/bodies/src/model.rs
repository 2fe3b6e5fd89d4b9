//! What a collection of bodies consists of: all that stays the same during a run.

use std::fmt::Debug;

use crate::cell::PeriodicCell;
use crate::dim::Dim;
use crate::joint::Joint;
use crate::materials::Materials;
use crate::pose::{MassProperties, Pose};

/// What a velocity component of a body obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// All components follow forces.
    Free,
    /// Only the components whose bit is set follow forces, the others are held at rest: a servo wall
    /// with one degree of freedom (JM92 example 2). Bit k is component k of the velocity.
    Partial(u8),
    /// All components are given by the guide with this number in the model.
    Kinematic(u32),
    /// At rest for ever.
    Fixed,
}

impl Freedom {
    /// Whether contacts can move the body.
    #[inline]
    pub fn movable(self) -> bool {
        match self {
            Self::Free => true,
            Self::Partial(mask) => mask != 0,
            Self::Kinematic(_) | Self::Fixed => false,
        }
    }

    /// Whether component `k` of the velocity follows forces.
    #[inline]
    pub fn is_free(self, k: usize) -> bool {
        match self {
            Self::Free => true,
            Self::Partial(mask) => mask >> k & 1 == 1,
            Self::Kinematic(_) | Self::Fixed => false,
        }
    }
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body<D: Dim> {
    /// Its shape, in body axes.
    pub shape: D::Shape,
    /// Its mass; without meaning where it is not movable.
    pub mass: MassProperties<D>,
    /// Number of its material.
    pub material: u16,
    /// What its motion obeys.
    pub freedom: Freedom,
}

/// A given motion.
pub trait PrescribedMotion<D: Dim>: Debug + Send {
    /// Placement and velocity at time t of a body that was at `anchor` when the run began.
    fn at(&mut self, anchor: &Pose<D>, t: f64) -> (Pose<D>, D::Dofs);
}

/// Where all bodies are when forces are asked for: the midpoint of a step.
#[derive(Debug, Clone, Copy)]
pub struct ForceContext<'a, D: Dim> {
    /// Time.
    pub t: f64,
    /// Placements at that time.
    pub poses: &'a [Pose<D>],
    /// Velocities at the beginning of the step.
    pub velocities: &'a [D::Dofs],
    /// The bodies.
    pub bodies: &'a [Body<D>],
}

/// Given forces beyond gravity and drag.
pub trait ForceField<D: Dim>: Debug + Send {
    /// Adds to the load of each body: the force in space axes, then the moment about the centre of
    /// mass (in space about body axes). Loads of bodies that are not movable have no effect.
    fn add_loads(&mut self, scenery: &ForceContext<'_, D>, loads: &mut [D::Dofs]);
}

/// Resistance of a fluid at rest: −c v on the translation, −c_spin Ω on the rotation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drag {
    /// c, force over velocity.
    pub translation: f64,
    /// c_spin, moment over angular velocity.
    pub rotation: f64,
}

/// All that stays the same during a run.
#[derive(Debug)]
pub struct Model<D: Dim> {
    /// The bodies; their order is their identity.
    pub bodies: Vec<Body<D>>,
    /// Laws by pair of materials.
    pub materials: Materials,
    /// Given motions.
    pub prescribed_motions: Vec<Box<dyn PrescribedMotion<D>>>,
    /// Acceleration of gravity.
    pub gravity: D::Vector,
    /// Other given forces.
    pub force_fields: Vec<Box<dyn ForceField<D>>>,
    /// Resistance of a fluid by body; empty where there is none.
    pub drag: Vec<Drag>,
    /// Joints between bodies; their order is their identity.
    pub joints: Vec<Joint<D>>,
    /// The periodic cell, if there is one.
    pub cell: Option<PeriodicCell>,
}
