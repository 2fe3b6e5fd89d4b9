//! The two dimensions, [`Plane`] and [`Space`]. The trait [`Dim`] contains everything that differs between
//! them; all other modules are generic.
//!
//! ```text
//!            position   rotation     velocity                     rows of a contact without rolling resistance
//! plane      ℝ²         angle        (v, ω) ∈ ℝ³                  (n, t) ∈ ℝ²
//! space      ℝ³         quaternion   (v, Ω) ∈ ℝ⁶, Ω in body axes   (n, t1, t2) ∈ ℝ³
//! ```
//!
//! Body axes are principal axes with their origin at the centre of mass, so that the mass matrix is
//! diagonal and constant.

mod three;

use std::fmt::Debug;

use glam::DVec2;
use percuss_contact::{Law, ProblemBuilder, ProblemError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compound::Compound;
use crate::plane::{self, Angle};
use crate::pose::{Aabb, ContactPoint, MassProperties, Pose};
use crate::vector::Vector;

/// The plane or space: types, kinematics, Jacobian rows and geometry of bodies.
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
    /// Jacobian rows of a contact for one body: `[Dofs; N]`.
    type JacobianBlock: Copy + AsRef<[Self::Dofs]> + AsMut<[Self::Dofs]>;
    /// Jacobian block of zeros.
    const ZERO_BLOCK: Self::JacobianBlock;
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
    /// Shapes of this dimension.
    type Shape: Clone + Debug + PartialEq + Send + Sync;

    /// Velocity zero.
    const ZERO_VELOCITY: Self::Dofs;

    /// Rotates a vector from body axes to world axes.
    fn rotate(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Rotates a vector from world axes to body axes.
    fn rotate_back(rotation: &Self::Rotation, vector: Self::Vector) -> Self::Vector;
    /// Angle of a rotation of the plane, not reduced modulo 2π; 0 in space.
    fn plane_angle(rotation: &Self::Rotation) -> f64;
    /// Pose after a time h with constant velocity. In space the rotation is updated by the Cayley map cay(hΩ),
    /// with which the free step conserves angular momentum (see `space::spin`).
    fn advance_pose(pose: &Pose<Self>, velocity: &Self::Dofs, h: f64) -> Pose<Self>;
    /// Updates the spin entries of `velocity` over a free step of length h under a moment given in body axes (one
    /// entry in the plane, three in space): Euler's equations, gyroscopic terms implicit.
    fn advance_free_spin(
        inertia: &Self::Inertia,
        velocity: &mut Self::Dofs,
        moment: &[f64],
        h: f64,
    );
    /// Whether every axis through the centre of mass is a principal axis, so that the spin may be taken about
    /// world axes (space; in the plane there is only one axis and the answer is `false`).
    fn has_isotropic_inertia(inertia: &Self::Inertia) -> bool;
    /// Whether the shape is a sphere of space, whose lever arms are parallel to the contact normals.
    fn is_sphere(shape: &Self::Shape) -> bool;
    /// Velocity with the spin converted from body axes to world axes.
    fn spin_to_world(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// Velocity with the spin converted from world axes to body axes.
    fn spin_to_body(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// Diagonal of the mass matrix: mass and moments of inertia by velocity component.
    fn mass_diagonal(mass: &MassProperties<Self>) -> Self::Dofs;
    /// Velocity of the point `at` (world coordinates) of a body.
    fn point_velocity(pose: &Pose<Self>, velocity: &Self::Dofs, at: Self::Vector) -> Self::Vector;
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
    /// Jacobian row of a body for the velocity, along `direction`, of the point at `lever` from the centre of mass
    /// (world axes); DOF entries.
    fn linear_jacobian_row(
        rotation: &Self::Rotation,
        lever: Self::Vector,
        direction: Self::Vector,
        out: &mut [f64],
    );
    /// Force and moment about the centre of mass (world axes) of a force that acts at `lever`.
    fn wrench(lever: Self::Vector, force: Self::Vector) -> Self::Dofs;
    /// Jacobian row for the angular velocity about `axis` (world axes; ignored in the plane).
    fn angular_jacobian_row(rotation: &Self::Rotation, axis: Self::Vector, out: &mut [f64]);

    /// Adds a contact with one row for each axis of the frame: the groups of the bodies with their Jacobian
    /// blocks, the boundary velocity W and the restitution term ρ U_I by row.
    ///
    /// # Errors
    /// Those of the problem builder.
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &Self::JacobianBlock)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError>;

    /// Smallest axis-aligned bounding box of a placed shape.
    fn aabb(shape: &Self::Shape, pose: &Pose<Self>) -> Aabb<Self>;
    /// Whether a shape can only be a boundary and cannot move under forces (half-space, mesh, chain).
    fn boundary_only(shape: &Self::Shape) -> bool;
    /// Bounding radius: largest distance of a point of the shape from the origin of body axes; infinite if
    /// unbounded.
    fn bounding_radius(shape: &Self::Shape) -> f64;
    /// Mass properties for a density per area (plane) or volume (space); `None` for boundaries.
    fn mass_properties(shape: &Self::Shape, density: f64) -> Option<MassProperties<Self>>;
    /// The convex parts of a compound; `None` for other shapes.
    fn compound(shape: &Self::Shape) -> Option<&Compound<Self>>;
    /// Composition of poses: the pose `inner`, given in the axes of `outer`, in world axes.
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self>;
    /// The pose `pose` in the axes of `from`: compose(from, relative) = pose.
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self>;
    /// Total mass properties of placed bodies by the parallel-axis theorem, and the pose of their principal axes.
    fn combine_masses(
        parts: &[(MassProperties<Self>, Pose<Self>)],
    ) -> (MassProperties<Self>, Pose<Self>);
    /// The inverse of [`Dim::mass_diagonal`].
    fn from_mass_diagonal(masses: &Self::Dofs) -> MassProperties<Self>;
    /// Largest distance of a point of a placed shape from the origin.
    fn farthest(shape: &Self::Shape, pose: &Pose<Self>) -> f64;
    /// Support function max n·x of a convex shape; infinite for others.
    fn support(shape: &Self::Shape, n: Self::Vector) -> f64;
    /// Calls `visit` with the normal of every face of a convex shape and the depth of x behind it.
    fn visit_face_depths(
        shape: &Self::Shape,
        x: Self::Vector,
        visit: &mut dyn FnMut(Self::Vector, f64),
    );
    /// Calls `visit` with the direction of every straight line in the surface of a convex shape that passes
    /// within `near` of x: edges, and generators of cylindrical faces.
    fn visit_straight_lines(
        shape: &Self::Shape,
        x: Self::Vector,
        near: f64,
        visit: &mut dyn FnMut(Self::Vector),
    );
    /// Whether a boundary has no edge or corner within the distance `step` of x.
    fn is_smooth_near(shape: &Self::Shape, x: Self::Vector, step: f64) -> bool;
    /// Whether all numbers of a pose are finite.
    fn is_finite_pose(pose: &Pose<Self>) -> bool;
    /// Radius of a disc or a sphere; `None` for other shapes.
    fn sphere_radius(shape: &Self::Shape) -> Option<f64>;
    /// What [`Dim::contact_points`] finds between two discs or two spheres whose poses are finite.
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>>;
    /// Appends every contact point of b with a whose gap is at most `reach` (the contact margin, ≥ 0), in a fixed
    /// order. Depends on the arguments alone and allocates only if `out` must grow. Two boundaries have no contact.
    fn contact_points(
        a: (&Self::Shape, &Pose<Self>),
        b: (&Self::Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    );
}

/// The plane: velocity (v, ω), one angle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plane;

/// Space: velocity (v, Ω) with Ω in body axes, unit quaternion.
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
            // Explicit step of the position; the angle is not reduced modulo 2π.
            position: pose.position + DVec2::new(velocity[0], velocity[1]) * h,
            rotation: Angle::new(pose.rotation.angle() + h * velocity[2]),
        }
    }

    #[inline]
    fn advance_free_spin(inertia: &f64, velocity: &mut [f64; 3], moment: &[f64], h: f64) {
        // No gyroscopic term in the plane.
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
        // v + ω × ℓ, with ω × ℓ = ω times ℓ turned by a right angle.
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
        // Moment arm ℓ × d.
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
        // The builder wants as many entries as the contact has rows.
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
            // Position in the outer axes, then the product of the rotations.
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

    fn combine_masses(
        parts: &[(MassProperties<Self>, Pose<Self>)],
    ) -> (MassProperties<Self>, Pose<Self>) {
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

    fn visit_straight_lines(
        shape: &plane::Shape,
        x: DVec2,
        near: f64,
        visit: &mut dyn FnMut(DVec2),
    ) {
        plane::convex::visit_straight_lines(shape, x, near, visit);
    }

    fn is_smooth_near(shape: &plane::Shape, x: DVec2, step: f64) -> bool {
        match shape {
            // Only chains have edges and corners; a half-plane is smooth.
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
