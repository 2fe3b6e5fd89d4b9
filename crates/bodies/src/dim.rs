//! The two dimensions: what differs between the plane and space, and nothing else.
//!
//! ```text
//!            position   rotation     velocity                     plain contact
//! plane      ℝ²         angle        (v, ω) ∈ ℝ³                  (n, t) ∈ ℝ²
//! space      ℝ³         quaternion   (v, Ω) ∈ ℝ⁶, Ω in body axes   (n, t1, t2) ∈ ℝ³
//! ```
//!
//! Body axes are principal axes with their origin at the centre of mass, so that the mass matrix is
//! diagonal and constant.

mod three;

use std::fmt::Debug;

use contact::{ProblemBuilder, Law, ProblemError};
use glam::DVec2;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compound::Compound;
use crate::plane::{self, Angle};
use crate::pose::{Aabb, MassProperties, Pose, ContactPoint};
use crate::vector::Vector;

/// The plane or space.
pub trait Dim: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Its name in messages.
    const NAME: &'static str;
    /// Number of coordinates of a point, and of rows of a plain contact.
    const N: usize;
    /// Number of velocity components of a body.
    const DOF: usize;
    /// Points and directions.
    type Vector: Vector;
    /// Body axes to space axes.
    type Rotation: Copy + Debug + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// Moment of inertia, or principal moments.
    type Inertia: Copy + Debug + PartialEq + Send + Sync;
    /// The rows of a contact for one body: `[Dofs; N]`.
    type JacobianBlock: Copy + AsRef<[Self::Dofs]> + AsMut<[Self::Dofs]>;
    /// A block of zeros.
    const ZERO_BLOCK: Self::JacobianBlock;
    /// Velocity components: `[f64; DOF]`.
    type Dofs: Copy
        + Debug
        + PartialEq
        + Send
        + Sync
        + AsRef<[f64]>
        + AsMut<[f64]>
        + Serialize
        + DeserializeOwned;
    /// Axes of a contact, normal first: `[Vector; N]`.
    type Frame: Copy + Debug + PartialEq + Send + Sync + AsRef<[Self::Vector]>;
    /// What a body may look like.
    type Shape: Clone + Debug + PartialEq + Send + Sync;

    /// No velocity.
    const ZERO_VELOCITY: Self::Dofs;

    /// Rotates a vector from body axes to space axes.
    fn rotate(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Rotates a vector from space axes to body axes.
    fn rotate_back(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// The angle of the plane, not reduced; 0 in space, where a rotation is none.
    fn plane_angle(rotation: &Self::Rotation) -> f64;
    /// The pose after moving for a time h with a constant velocity. In space the rotation is
    /// Cayley's, cay(hΩ), with which the free step keeps angular momentum (see `space::spin`).
    fn advance_pose(pose: &Pose<Self>, velocity: &Self::Dofs, h: f64) -> Pose<Self>;
    /// Change of the spin entries of `velocity` over a free step of length h under a moment given
    /// in body axes (one entry in the plane, three in space): the gyroscopic terms, implicit.
    fn advance_free_spin(inertia: &Self::Inertia, velocity: &mut Self::Dofs, moment: &[f64], h: f64);
    /// Whether every axis through the centre of mass is a principal one, so that a spin may as well
    /// be taken about space axes (space; in the plane there is only one axis).
    fn has_isotropic_inertia(inertia: &Self::Inertia) -> bool;
    /// Whether the shape is a ball of space: its levers are along the normals.
    fn is_sphere(shape: &Self::Shape) -> bool;
    /// The velocity with its spin about space axes instead of body axes.
    fn spin_to_world(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// The velocity with its spin about body axes instead of space axes.
    fn spin_to_body(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// Mass and moments by velocity component: the diagonal of the mass matrix.
    fn mass_diagonal(mass: &MassProperties<Self>) -> Self::Dofs;
    /// Velocity of the point `at` (in space) of a body.
    fn point_velocity(pose: &Pose<Self>, velocity: &Self::Dofs, at: Self::Vector) -> Self::Vector;
    /// The frame with these axes.
    fn frame_of(axis: impl Fn(usize) -> Self::Vector) -> Self::Frame;
    /// A direct orthonormal frame whose first vector is `normal`.
    fn contact_frame(normal: Self::Vector) -> Self::Frame;
    /// The same with the first tangent along the projection of a direction (space; in the plane the
    /// tangent is the normal turned by a right angle). Where that has no projection, any tangent.
    fn contact_frame_along(
        normal: Self::Vector,
        along: &[f64; 3],
        rotation: &Self::Rotation,
    ) -> Self::Frame;
    /// The row of G of a body for the velocity at `lever` (from the centre of mass, space axes) in
    /// direction `direction`, DOF entries.
    fn linear_jacobian_row(
        rotation: &Self::Rotation,
        lever: Self::Vector,
        direction: Self::Vector,
        out: &mut [f64],
    );
    /// Force and moment about the centre of mass, space axes, of a force that acts at `lever`.
    fn wrench(lever: Self::Vector, force: Self::Vector) -> Self::Dofs;
    /// The row of G for the angular velocity about `axis` (space axes; ignored in the plane).
    fn angular_jacobian_row(rotation: &Self::Rotation, axis: Self::Vector, out: &mut [f64]);

    /// Adds a contact with a row for each axis, between the groups with these blocks; W and ρ U_I by
    /// row.
    ///
    /// # Errors
    /// What the builder refuses.
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &Self::JacobianBlock)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError>;

    /// The smallest axis-parallel box around a shape.
    fn aabb(shape: &Self::Shape, pose: &Pose<Self>) -> Aabb<Self>;
    /// Whether a shape can only bound the others and not move under forces (half-space, mesh, chain).
    fn boundary_only(shape: &Self::Shape) -> bool;
    /// Largest distance of a point of the shape from the origin of body axes; infinite if unbounded.
    fn bounding_radius(shape: &Self::Shape) -> f64;
    /// Mass properties for a density per area (plane) or volume (space); `None` for boundaries.
    fn mass_properties(shape: &Self::Shape, density: f64) -> Option<MassProperties<Self>>;
    /// The parts of a shape that is not convex.
    fn compound(shape: &Self::Shape) -> Option<&Compound<Self>>;
    /// A placement within a placement.
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self>;
    /// The placement `pose` seen from `from`: compose(from, relative) = pose.
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self>;
    /// The whole of placed masses by the parallel-axis theorem, and the placement of its axes.
    fn combine_masses(parts: &[(MassProperties<Self>, Pose<Self>)]) -> (MassProperties<Self>, Pose<Self>);
    /// The inverse of [`Dim::masses`].
    fn from_mass_diagonal(masses: &Self::Dofs) -> MassProperties<Self>;
    /// Largest distance of a point of a placed shape from the origin.
    fn farthest(shape: &Self::Shape, pose: &Pose<Self>) -> f64;
    /// max n·x over a convex shape; infinite for others.
    fn support(shape: &Self::Shape, n: Self::Vector) -> f64;
    /// Calls `visit` with the normal of every side of a convex shape and how deep x is behind it.
    fn visit_face_depths(shape: &Self::Shape, x: Self::Vector, visit: &mut dyn FnMut(Self::Vector, f64));
    /// Calls `visit` with the direction of every straight line of the surface of a convex shape that
    /// passes within `near` of x: edges, and lines along round sides.
    fn visit_straight_lines(shape: &Self::Shape, x: Self::Vector, near: f64, visit: &mut dyn FnMut(Self::Vector));
    /// Whether a boundary has no edge or corner within `step` of x.
    fn is_smooth_near(shape: &Self::Shape, x: Self::Vector, step: f64) -> bool;
    /// Whether a pose is finite.
    fn is_finite_pose(pose: &Pose<Self>) -> bool;
    /// The radius of a disc or a sphere.
    fn sphere_radius(shape: &Self::Shape) -> Option<f64>;
    /// What [`Dim::touch`] finds between two discs or two spheres, whose poses are finite.
    fn sphere_contact_point(a: (f64, &Pose<Self>), b: (f64, &Pose<Self>), reach: f64)
    -> Option<ContactPoint<Self>>;
    /// Appends every point where b touches a with gap ≤ `reach` (≥ 0), in a fixed order. Depends on
    /// nothing but the arguments and allocates only if `out` must grow. Two boundaries never touch.
    fn contact_points(
        a: (&Self::Shape, &Pose<Self>),
        b: (&Self::Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    );
}

/// The plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plane;

/// Space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Space;

impl Dim for Plane {
    const NAME: &'static str = "plane";
    const N: usize = 2;
    const DOF: usize = 3;
    type Vector = DVec2;
    type Rotation = Angle;
    type Inertia = f64;
    type JacobianBlock = [[f64; 3]; 2];
    const ZERO_BLOCK: [[f64; 3]; 2] = [[0.0; 3]; 2];
    type Dofs = [f64; 3];
    type Frame = [DVec2; 2];
    type Shape = plane::Shape;
    const ZERO_VELOCITY: [f64; 3] = [0.0; 3];

    #[inline]
    fn rotate(rotation: &Angle, v: DVec2) -> DVec2 {
        rotation.rotate(v)
    }

    #[inline]
    fn rotate_back(rotation: &Angle, v: DVec2) -> DVec2 {
        rotation.rotate_back(v)
    }

    fn plane_angle(rotation: &Angle) -> f64 {
        rotation.angle()
    }

    #[inline]
    fn advance_pose(pose: &Pose<Self>, velocity: &[f64; 3], h: f64) -> Pose<Self> {
        Pose {
            position: pose.position + DVec2::new(velocity[0], velocity[1]) * h,
            rotation: Angle::new(pose.rotation.angle() + h * velocity[2]),
        }
    }

    #[inline]
    fn advance_free_spin(inertia: &f64, velocity: &mut [f64; 3], moment: &[f64], h: f64) {
        velocity[2] += h * moment[0] / inertia;
    }

    fn has_isotropic_inertia(_inertia: &f64) -> bool {
        false
    }

    fn is_sphere(_shape: &plane::Shape) -> bool {
        false
    }

    #[inline]
    fn spin_to_world(_rotation: &Angle, velocity: &[f64; 3]) -> [f64; 3] {
        *velocity
    }

    #[inline]
    fn spin_to_body(_rotation: &Angle, velocity: &[f64; 3]) -> [f64; 3] {
        *velocity
    }

    #[inline]
    fn mass_diagonal(mass: &MassProperties<Self>) -> [f64; 3] {
        [mass.mass, mass.mass, mass.inertia]
    }

    #[inline]
    fn point_velocity(pose: &Pose<Self>, velocity: &[f64; 3], at: DVec2) -> DVec2 {
        let lever = at - pose.position;
        DVec2::new(velocity[0], velocity[1]) + lever.perp() * velocity[2]
    }

    #[inline]
    fn contact_frame(normal: DVec2) -> [DVec2; 2] {
        [normal, normal.perp()]
    }

    fn frame_of(axis: impl Fn(usize) -> DVec2) -> [DVec2; 2] {
        std::array::from_fn(axis)
    }

    #[inline]
    fn contact_frame_along(normal: DVec2, _along: &[f64; 3], _rotation: &Angle) -> [DVec2; 2] {
        Self::contact_frame(normal)
    }

    #[inline]
    fn linear_jacobian_row(_rotation: &Angle, lever: DVec2, direction: DVec2, out: &mut [f64]) {
        out[0] = direction.x;
        out[1] = direction.y;
        out[2] = lever.perp_dot(direction);
    }

    #[inline]
    fn wrench(lever: DVec2, force: DVec2) -> [f64; 3] {
        [force.x, force.y, lever.perp_dot(force)]
    }

    #[inline]
    fn angular_jacobian_row(_rotation: &Angle, _axis: DVec2, out: &mut [f64]) {
        out[0] = 0.0;
        out[1] = 0.0;
        out[2] = 1.0;
    }

    #[inline]
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &[[f64; 3]; 2])],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        let two = |rows: &[f64; 3]| [rows[0], rows[1]];
        builder.add_body_contact(law, touches, &two(boundary), &two(rebound))
    }

    fn aabb(shape: &plane::Shape, pose: &Pose<Self>) -> Aabb<Self> {
        shape.aabb(pose)
    }

    fn boundary_only(shape: &plane::Shape) -> bool {
        shape.boundary_only()
    }

    fn bounding_radius(shape: &plane::Shape) -> f64 {
        shape.bounding_radius()
    }

    fn mass_properties(shape: &plane::Shape, density: f64) -> Option<MassProperties<Self>> {
        shape.mass_properties(density)
    }

    fn compound(shape: &plane::Shape) -> Option<&Compound<Self>> {
        match shape {
            plane::Shape::Compound(compound) => Some(compound),
            _ => None,
        }
    }

    #[inline]
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self> {
        Pose {
            position: outer.position + outer.rotation.rotate(inner.position),
            rotation: outer.rotation.after(&inner.rotation),
        }
    }

    #[inline]
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self> {
        Pose {
            position: from.rotation.rotate_back(pose.position - from.position),
            rotation: from.rotation.inverse().after(&pose.rotation),
        }
    }

    fn combine_masses(parts: &[(MassProperties<Self>, Pose<Self>)]) -> (MassProperties<Self>, Pose<Self>) {
        plane::convex::combine_masses(parts)
    }

    fn from_mass_diagonal(masses: &[f64; 3]) -> MassProperties<Self> {
        MassProperties {
            mass: masses[0],
            inertia: masses[2],
        }
    }

    fn farthest(shape: &plane::Shape, pose: &Pose<Self>) -> f64 {
        plane::convex::farthest(shape, pose)
    }

    fn support(shape: &plane::Shape, n: DVec2) -> f64 {
        plane::convex::support(shape, n)
    }

    fn visit_face_depths(shape: &plane::Shape, x: DVec2, visit: &mut dyn FnMut(DVec2, f64)) {
        plane::convex::visit_face_depths(shape, x, visit);
    }

    fn visit_straight_lines(shape: &plane::Shape, x: DVec2, near: f64, visit: &mut dyn FnMut(DVec2)) {
        plane::convex::visit_straight_lines(shape, x, near, visit);
    }

    fn is_smooth_near(shape: &plane::Shape, x: DVec2, step: f64) -> bool {
        match shape {
            plane::Shape::Chain(chain) => chain.is_smooth_near(x, step),
            _ => true,
        }
    }

    #[inline]
    fn is_finite_pose(pose: &Pose<Self>) -> bool {
        pose.position.is_finite() && pose.rotation.angle().is_finite()
    }

    #[inline]
    fn sphere_radius(shape: &plane::Shape) -> Option<f64> {
        match shape {
            plane::Shape::Disc { radius } => Some(*radius),
            _ => None,
        }
    }

    #[inline]
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>> {
        plane::disc_contact_point(a, b, reach)
    }

    fn contact_points(
        a: (&plane::Shape, &Pose<Self>),
        b: (&plane::Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    ) {
        plane::contact_points(a, b, reach, out);
    }
}
