//! The model: bodies, materials, joints, prescribed motions and forces, constant during a run.

use std::fmt::Debug;

pub use crate::body::{Body, Freedom};
use crate::dynamics::Dynamics;
use crate::joint::Joint;
use crate::materials::Materials;
use crate::periodic_cell::PeriodicCell;
use percuss_geometry::Pose;

/// Prescribed motion of a kinematic body (a moving boundary, W_α in JM92 7.3).
pub trait PrescribedMotion<D: Dynamics>: Debug + Send {
    /// Pose and velocity at time t of a body whose pose was `anchor` when the run began.
    fn at(&mut self, anchor: &Pose<D>, t: f64) -> (Pose<D>, D::Dofs);
}

/// What a force field may depend on: the configuration at the midpoint of a step.
#[derive(Debug, Clone, Copy)]
pub struct ForceContext<'a, D: Dynamics> {
    /// Time of the midpoint.
    pub t: f64,
    /// Poses at the midpoint.
    pub poses: &'a [Pose<D>],
    /// Velocities at the beginning of the step.
    pub velocities: &'a [D::Dofs],
    /// The bodies of the model.
    pub bodies: &'a [Body<D>],
}

/// Given forces other than gravity and drag.
pub trait ForceField<D: Dynamics>: Debug + Send {
    /// Adds to the load of each body: the force in world axes, then the moment about the centre of mass (in
    /// space about body axes). Loads on bodies that are not movable have no effect.
    fn add_loads(&mut self, scenery: &ForceContext<'_, D>, loads: &mut [D::Dofs]);
}

/// Viscous drag of a fluid at rest: −c v on the translation, −c_spin Ω on the rotation. Taken implicitly.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drag {
    /// c, force over velocity.
    pub translation: f64,
    /// c_spin, moment over angular velocity.
    pub rotation: f64,
}

/// Everything that is constant during a run.
#[derive(Debug)]
pub struct Model<D: Dynamics> {
    /// The bodies; a body is identified by its index.
    pub bodies: Vec<Body<D>>,
    /// Contact laws by pair of materials.
    pub materials: Materials,
    /// Motions of the kinematic bodies.
    pub prescribed_motions: Vec<Box<dyn PrescribedMotion<D>>>,
    /// Acceleration of gravity.
    pub gravity: D::Vector,
    /// Given forces other than gravity and drag.
    pub force_fields: Vec<Box<dyn ForceField<D>>>,
    /// Drag by body; empty where there is none.
    pub drag: Vec<Drag>,
    /// Joints between bodies; a joint is identified by its index.
    pub joints: Vec<Joint<D>>,
    /// The periodic cell, if there is one; it excludes joints.
    pub cell: Option<PeriodicCell>,
}
