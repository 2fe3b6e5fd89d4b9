//! What depends on the dimension when bodies are built from a scene.

use percuss_bodies::{Compound, Dim, Plane, Pose, PrescribedMotion, Space, Vector};
use percuss_generate::{Arch, GenerateError, GeneratedBody, Prism};

use super::context::Context;
use super::form::Form;
use super::prescribed_motion::ExpressionMotion;
use super::structure::SpatialStructure;
use crate::error::SceneError;
use percuss_input::InputError;
use percuss_input::tables::bodies::spec::TurnSpec;

/// Vectors of the plane.
pub(super) type Vec2 = <Plane as percuss_bodies::geometry::Dim>::Vector;
/// Vectors of space.
pub(super) type Vec3 = <Space as percuss_bodies::geometry::Dim>::Vector;
/// Rotations of space.
pub(super) type Quat = <Space as percuss_bodies::geometry::Dim>::Rotation;

/// A shape, and the pose of its body axes in the axes of its description.
pub(super) type Placed<D> = (<D as percuss_bodies::Geometry>::Shape, Pose<D>);

/// The dimension as the builder of scenes sees it.
pub(super) trait SceneDim: Prism {
    /// Variables of given forces: time, position, velocity, mass.
    const VARIABLES: &'static [&'static str];

    /// Makes the shape of a body.
    fn shape(context: &mut Context<'_>, form: &Form<'_>) -> Result<Placed<Self>, SceneError>;

    /// The initial orientation of a body.
    fn rotation(
        context: &mut Context<'_>,
        part: &str,
        turn: &TurnSpec,
    ) -> Result<Self::Rotation, Box<InputError>>;

    /// The shape of a compound.
    fn joined(compound: Compound<Self>) -> Self::Shape;

    /// A rotation from the components of a quaternion; the identity in the plane.
    fn quaternion(entries: &[f64]) -> Self::Rotation;

    /// Composition of rotations.
    fn after(outer: &Self::Rotation, inner: &Self::Rotation) -> Self::Rotation;

    /// Moments of inertia from numbers: one in the plane, three in space.
    fn inertia(moments: &[f64]) -> Self::Inertia;

    /// Velocity components from velocity and spin; in space the spin is given in world axes.
    fn velocity(rotation: &Self::Rotation, velocity: &[f64], spin: &[f64]) -> Self::Dofs;

    /// Sets the variables of given forces.
    fn observe(t: f64, pose: &Pose<Self>, velocity: &Self::Dofs, mass: f64, out: &mut [f64]);

    /// The voussoirs of an arch; only in the plane.
    fn arch(arch: &Arch) -> Result<Vec<GeneratedBody<Self>>, GenerateError>;

    /// The blocks of a structure that exists only in space.
    fn solid(solid: &SpatialStructure) -> Result<Vec<GeneratedBody<Self>>, GenerateError>;

    /// A prescribed motion as a trait object of this dimension.
    fn prescribed_motion(given: ExpressionMotion) -> Box<dyn PrescribedMotion<Self>>;
}

/// Composition of poses.
pub(super) fn compose<D: SceneDim>(outer: &Pose<D>, inner: &Pose<D>) -> Pose<D> {
    Pose {
        position: outer.position + D::rotate(&outer.rotation, inner.position),
        rotation: D::after(&outer.rotation, &inner.rotation),
    }
}

/// The identity: body axes that are the axes of the description.
pub(super) fn in_place<D: Dim>() -> Pose<D> {
    Pose {
        position: D::Vector::splat(0.0),
        rotation: D::Rotation::default(),
    }
}
