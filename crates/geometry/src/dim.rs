//! The two dimensions, [`Plane`] and [`Space`], with their vectors, rotations and poses. The trait [`Dim`] contains the
//! algebra that differs between them; shapes are in [`Geometry`](crate::shape::Geometry).
//!
//! ```text
//!            position   rotation     velocity                     axes of a contact frame
//! plane      ℝ²         angle        (v, ω) ∈ ℝ³                  (n, t)
//! space      ℝ³         quaternion   (v, Ω) ∈ ℝ⁶, Ω in body axes   (n, t1, t2)
//! ```
//!
//! Body axes are principal axes with their origin at the centre of mass, so that the mass matrix is
//! diagonal and constant.

mod plane;
mod space;

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::vector::Vector;

/// The plane or space: points, rotations, poses, contact frames and masses.
pub trait Dim: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Name used in messages.
    const NAME: &'static str;
    /// Number of coordinates of a point, and of rows of a contact without rolling resistance.
    const N: usize;
    /// Number of velocity components of a body, 3 or 6.
    const DOF: usize;
    /// Points and directions.
    type Vector: Vector;
    /// Rotation from body axes to world axes: an angle, or a unit quaternion.
    type Rotation: Copy + Debug + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// Moment of inertia (plane), or the three principal moments (space).
    type Inertia: Copy + Debug + PartialEq + Send + Sync;
    /// Velocity of a body, translation then spin: `[f64; DOF]`.
    type Dofs: Copy
        + Debug
        + PartialEq
        + Send
        + Sync
        + AsRef<[f64]>
        + AsMut<[f64]>
        + Serialize
        + DeserializeOwned;
    /// Contact frame, normal first: `[Vector; N]`.
    type Frame: Copy + Debug + PartialEq + Send + Sync + AsRef<[Self::Vector]>;
    /// Velocity zero.
    const ZERO_VELOCITY: Self::Dofs;
    /// Rotates a vector from body axes to world axes.
    fn rotate(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Rotates a vector from world axes to body axes.
    fn rotate_back(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Angle of a rotation of the plane, not reduced modulo 2π; 0 in space.
    fn plane_angle(rotation: &Self::Rotation) -> f64;
    /// Diagonal of the mass matrix: mass and moments of inertia by velocity component.
    fn mass_diagonal(mass: &MassProperties<Self>) -> Self::Dofs;
    /// Contact frame from a function that returns each axis.
    fn frame_of(axis: impl Fn(usize) -> Self::Vector) -> Self::Frame;
    /// Right-handed orthonormal frame whose first vector is `normal`.
    fn contact_frame(normal: Self::Vector) -> Self::Frame;
    /// Right-handed contact frame whose first tangent is along the projection of the direction `along`, given in
    /// the axes of `rotation` (in the plane the tangent is the normal turned by a right angle). Any tangent where
    /// the projection vanishes.
    fn contact_frame_along(
        normal: Self::Vector,
        along: &[f64; 3],
        rotation: &Self::Rotation,
    ) -> Self::Frame;
    /// Composition of poses: the pose `inner`, given in the axes of `outer`, in world axes.
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self>;
    /// The pose `pose` in the axes of `from`: compose(from, relative) = pose.
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self>;
    /// The inverse of [`Dim::mass_diagonal`].
    fn from_mass_diagonal(masses: &Self::Dofs) -> MassProperties<Self>;
    /// Whether all numbers of a pose are finite.
    fn is_finite_pose(pose: &Pose<Self>) -> bool;
}

/// The plane: velocity (v, ω), one angle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plane;

/// Space: velocity (v, Ω) with Ω in body axes, unit quaternion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Space;

/// Pose of a body: x = position + rotation · X for a point X in body axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Pose<D: Dim> {
    /// Centre of mass, in world coordinates.
    pub position: D::Vector,
    /// Rotation from body axes to world axes.
    pub rotation: D::Rotation,
}

/// Axis-aligned bounding box (AABB). Unbounded shapes have infinite entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb<D: Dim> {
    /// Smallest coordinates.
    pub low: D::Vector,
    /// Largest coordinates.
    pub high: D::Vector,
}

/// Mass and principal moments of inertia about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties<D: Dim> {
    /// Mass.
    pub mass: f64,
    /// Moment of inertia (plane) or principal moments in body axes (space).
    pub inertia: D::Inertia,
}

/// Contact point of a pair of bodies a and b, also while they are still apart (a point of the contact manifold).
///
/// ```text
/// gap = (point_b − point_a) · normal,   normal from a to b, both points on the true surfaces
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint<D: Dim> {
    /// Closest or deepest point on the surface of a, in world coordinates.
    pub point_a: D::Vector,
    /// Closest or deepest point on the surface of b, in world coordinates.
    pub point_b: D::Vector,
    /// Unit normal, from a to b.
    pub normal: D::Vector,
    /// Signed distance along the normal, positive when apart.
    pub gap: f64,
    /// Feature number, the contact's identity within the pair: the same for the same geometric features from step
    /// to step, and different from those of the pair's other points.
    pub feature: u32,
}
