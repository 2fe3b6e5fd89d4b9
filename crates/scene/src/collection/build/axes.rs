//! What differs between the plane and space when bodies are made from text.

use bodies::{Compound, Dim, Plane, Pose, PrescribedMotion, Space, Vector};

use super::super::spec::TurnSpec;
use super::context::Context;
use super::form::Form;
use super::guide::ExpressionMotion;
use super::structure::SpatialStructure;
use crate::error::{InputError, SceneError};
use crate::generate::{Arch, GenerateError, GeneratedBody, Prism};

/// Vectors of the plane.
pub(super) type Vec2 = <Plane as Dim>::Vector;
/// Vectors of space.
pub(super) type Vec3 = <Space as Dim>::Vector;
/// Rotations of space.
pub(super) type Quat = <Space as Dim>::Rotation;

/// A shape and the placement of its body axes in the axes it was described in.
pub(super) type Placed<D> = (<D as Dim>::Shape, Pose<D>);

/// The plane or space.
pub(super) trait SceneDim: Prism {
    /// What loads may depend on: time, place, velocity, mass.
    const VARIABLES: &'static [&'static str];

    /// The shape of a body.
    fn shape(context: &mut Context<'_>, form: &Form<'_>) -> Result<Placed<Self>, SceneError>;

    /// How a body is turned.
    fn rotation(
        context: &mut Context<'_>,
        part: &str,
        turn: &TurnSpec,
    ) -> Result<Self::Rotation, Box<InputError>>;

    /// A body of parts as a shape.
    fn joined(compound: Compound<Self>) -> Self::Shape;

    /// A rotation from the entries of a quaternion; there is none in the plane.
    fn quaternion(entries: &[f64]) -> Self::Rotation;

    /// One rotation after another.
    fn after(outer: &Self::Rotation, inner: &Self::Rotation) -> Self::Rotation;

    /// Moments of inertia from numbers: one in the plane, three in space.
    fn inertia(moments: &[f64]) -> Self::Inertia;

    /// Velocity components from the velocity and the spin, in space about space axes.
    fn velocity(rotation: &Self::Rotation, velocity: &[f64], spin: &[f64]) -> Self::Dofs;

    /// Values of the variables of loads.
    fn observe(t: f64, pose: &Pose<Self>, velocity: &Self::Dofs, mass: f64, out: &mut [f64]);

    /// The voussoirs of an arch, which there is in the plane.
    fn arch(arch: &Arch) -> Result<Vec<GeneratedBody<Self>>, GenerateError>;

    /// The blocks of a structure that there is in space.
    fn solid(solid: &SpatialStructure) -> Result<Vec<GeneratedBody<Self>>, GenerateError>;

    /// A given motion.
    fn prescribed_motion(given: ExpressionMotion) -> Box<dyn PrescribedMotion<Self>>;
}

/// A placement within a placement.
pub(super) fn compose<D: SceneDim>(outer: &Pose<D>, inner: &Pose<D>) -> Pose<D> {
    Pose {
        position: outer.position + D::rotate(&outer.rotation, inner.position),
        rotation: D::after(&outer.rotation, &inner.rotation),
    }
}

/// Body axes that are those the shape is described in.
pub(super) fn in_place<D: Dim>() -> Pose<D> {
    Pose {
        position: D::Vector::splat(0.0),
        rotation: D::Rotation::default(),
    }
}
