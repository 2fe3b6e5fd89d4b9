//! `Dim` for [`Space`]: vectors are `DVec3`, rotations unit quaternions, the spin is taken about the body axes.
//!
//! ```text
//! v = (ẋ, Ω),   ω = R Ω,   velocity of a point p:  ẋ + ω × (p − x)
//! row of G in direction d at lever l:  (d, Rᵀ(l × d))
//! ```
//!
//! The geometry is that of [`crate::space`]; this file only forwards to it.

use glam::{DQuat, DVec3};
use percuss_contact::{Law, ProblemBuilder, ProblemError};

use super::{Dim, Space};
use crate::compound::Compound;
use crate::pose::{Aabb, ContactPoint, MassProperties, Pose};
use crate::space;

impl Dim for Space {
    const NAME: &'static str = "space";
    const N: usize = 3;
    const DOF: usize = 6;
    type Vector = DVec3;
    type Rotation = DQuat;
    type Inertia = DVec3;
    type JacobianBlock = [[f64; 6]; 3];
    const ZERO_BLOCK: [[f64; 6]; 3] = [[0.0; 6]; 3];
    type Dofs = [f64; 6];
    type Frame = [DVec3; 3];
    type Shape = space::Shape;
    const ZERO_VELOCITY: [f64; 6] = [0.0; 6];

    #[inline]
    fn rotate(rotation: &DQuat, v: DVec3) -> DVec3 {
        *rotation * v
    }

    #[inline]
    fn rotate_back(rotation: &DQuat, v: DVec3) -> DVec3 {
        rotation.conjugate() * v
    }

    fn plane_angle(_rotation: &DQuat) -> f64 {
        0.0
    }

    #[inline]
    fn advance_pose(pose: &Pose<Self>, velocity: &[f64; 6], h: f64) -> Pose<Self> {
        let [x, y, z, a, b, c] = *velocity;
        Pose {
            // Position by the end velocity, orientation by Cayley's map of the spin about body axes.
            position: pose.position + DVec3::new(x, y, z) * h,
            rotation: space::spin::cayley_update(pose.rotation, DVec3::new(a, b, c) * h),
        }
    }

    #[inline]
    fn advance_free_spin(inertia: &DVec3, velocity: &mut [f64; 6], moment: &[f64], h: f64) {
        let spin = DVec3::new(velocity[3], velocity[4], velocity[5]);
        let moment = DVec3::new(moment[0], moment[1], moment[2]);
        let end = space::spin::free_spin(*inertia, spin, moment, h);
        velocity[3..6].copy_from_slice(&end.to_array());
    }

    fn has_isotropic_inertia(inertia: &DVec3) -> bool {
        inertia.x == inertia.y && inertia.y == inertia.z
    }

    fn is_sphere(shape: &space::Shape) -> bool {
        matches!(shape, space::Shape::Sphere { .. })
    }

    #[inline]
    fn spin_to_world(rotation: &DQuat, velocity: &[f64; 6]) -> [f64; 6] {
        let [x, y, z, a, b, c] = *velocity;
        let spin = *rotation * DVec3::new(a, b, c);
        [x, y, z, spin.x, spin.y, spin.z]
    }

    #[inline]
    fn spin_to_body(rotation: &DQuat, velocity: &[f64; 6]) -> [f64; 6] {
        Self::spin_to_world(&rotation.conjugate(), velocity)
    }

    #[inline]
    fn mass_diagonal(mass: &MassProperties<Self>) -> [f64; 6] {
        let (m, i) = (mass.mass, mass.inertia);
        [m, m, m, i.x, i.y, i.z]
    }

    #[inline]
    fn point_velocity(pose: &Pose<Self>, velocity: &[f64; 6], at: DVec3) -> DVec3 {
        let [x, y, z, a, b, c] = *velocity;
        // Spin in world axes.
        let spin = pose.rotation * DVec3::new(a, b, c);
        DVec3::new(x, y, z) + spin.cross(at - pose.position)
    }

    #[inline]
    fn contact_frame(normal: DVec3) -> [DVec3; 3] {
        let (t1, t2) = normal.any_orthonormal_pair();
        [normal, t1, t2]
    }

    fn frame_of(axis: impl Fn(usize) -> DVec3) -> [DVec3; 3] {
        std::array::from_fn(axis)
    }

    fn contact_frame_along(normal: DVec3, along: &[f64; 3], rotation: &DQuat) -> [DVec3; 3] {
        // The given direction in world axes, projected into the tangent plane.
        let along = *rotation * DVec3::from_array(*along);
        let t1 = along - normal * along.dot(normal);
        // Below this the projection of a unit vector is rounding and has no direction.
        if !(t1.length() > 1e-9 * along.length()) {
            return Self::contact_frame(normal);
        }
        let t1 = t1.normalize();
        [normal, t1, normal.cross(t1)]
    }

    #[inline]
    fn linear_jacobian_row(rotation: &DQuat, lever: DVec3, direction: DVec3, out: &mut [f64]) {
        // Moment of the direction about the centre of mass, in body axes like the spin it multiplies.
        let moment = rotation.conjugate() * lever.cross(direction);
        out[..3].copy_from_slice(&direction.to_array());
        out[3..6].copy_from_slice(&moment.to_array());
    }

    #[inline]
    fn wrench(lever: DVec3, force: DVec3) -> [f64; 6] {
        let moment = lever.cross(force);
        [force.x, force.y, force.z, moment.x, moment.y, moment.z]
    }

    #[inline]
    fn angular_jacobian_row(rotation: &DQuat, axis: DVec3, out: &mut [f64]) {
        // A row of pure rotation: no linear part.
        let axis = rotation.conjugate() * axis;
        out[..3].fill(0.0);
        out[3..6].copy_from_slice(&axis.to_array());
    }

    #[inline]
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &[[f64; 6]; 3])],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        builder.add_body_contact(law, touches, boundary, rebound)
    }

    fn aabb(shape: &space::Shape, pose: &Pose<Self>) -> Aabb<Self> {
        shape.aabb(pose)
    }

    fn boundary_only(shape: &space::Shape) -> bool {
        shape.boundary_only()
    }

    fn bounding_radius(shape: &space::Shape) -> f64 {
        shape.bounding_radius()
    }

    fn mass_properties(shape: &space::Shape, density: f64) -> Option<MassProperties<Self>> {
        shape.mass_properties(density)
    }

    fn compound(shape: &space::Shape) -> Option<&Compound<Self>> {
        match shape {
            space::Shape::Compound(compound) => Some(compound),
            _ => None,
        }
    }

    #[inline]
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self> {
        Pose {
            position: outer.position + outer.rotation * inner.position,
            rotation: (outer.rotation * inner.rotation).normalize(),
        }
    }

    #[inline]
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self> {
        let back = from.rotation.conjugate();
        Pose {
            position: back * (pose.position - from.position),
            rotation: (back * pose.rotation).normalize(),
        }
    }

    fn combine_masses(
        parts: &[(MassProperties<Self>, Pose<Self>)],
    ) -> (MassProperties<Self>, Pose<Self>) {
        space::convex::combine_masses(parts)
    }

    fn from_mass_diagonal(masses: &[f64; 6]) -> MassProperties<Self> {
        MassProperties {
            mass: masses[0],
            inertia: DVec3::new(masses[3], masses[4], masses[5]),
        }
    }

    fn farthest(shape: &space::Shape, pose: &Pose<Self>) -> f64 {
        space::convex::farthest(shape, pose)
    }

    fn support(shape: &space::Shape, n: DVec3) -> f64 {
        space::convex::support(shape, n)
    }

    fn visit_face_depths(shape: &space::Shape, x: DVec3, visit: &mut dyn FnMut(DVec3, f64)) {
        space::convex::visit_face_depths(shape, x, visit);
    }

    fn visit_straight_lines(
        shape: &space::Shape,
        x: DVec3,
        near: f64,
        visit: &mut dyn FnMut(DVec3),
    ) {
        space::convex::visit_straight_lines(shape, x, near, visit);
    }

    fn is_smooth_near(shape: &space::Shape, x: DVec3, step: f64) -> bool {
        match shape {
            space::Shape::Mesh(mesh) => mesh.is_smooth_near(x, step),
            _ => true,
        }
    }

    #[inline]
    fn is_finite_pose(pose: &Pose<Self>) -> bool {
        pose.position.is_finite() && pose.rotation.is_finite()
    }

    #[inline]
    fn sphere_radius(shape: &space::Shape) -> Option<f64> {
        match shape {
            space::Shape::Sphere { radius } => Some(*radius),
            _ => None,
        }
    }

    #[inline]
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>> {
        space::touch_spheres(a, b, reach)
    }

    fn contact_points(
        a: (&space::Shape, &Pose<Self>),
        b: (&space::Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    ) {
        space::contact_points(a, b, reach, out);
    }
}
