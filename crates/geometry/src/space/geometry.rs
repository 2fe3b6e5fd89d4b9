//! `Geometry` for [`Space`]: forwards to the shapes of space.

use glam::DVec3;

use super::Shape;
use crate::dim::{Aabb, ContactPoint, MassProperties, Pose, Space};
use crate::shape::{Compound, Geometry};

impl Geometry for Space {
    type Shape = Shape;

    #[inline]
    fn is_sphere(shape: &Shape) -> bool {
        matches!(shape, Shape::Sphere { .. })
    }

    #[inline]
    fn aabb(shape: &Shape, pose: &Pose<Self>) -> Aabb<Self> {
        shape.aabb(pose)
    }

    #[inline]
    fn boundary_only(shape: &Shape) -> bool {
        shape.boundary_only()
    }

    #[inline]
    fn bounding_radius(shape: &Shape) -> f64 {
        shape.bounding_radius()
    }

    #[inline]
    fn mass_properties(shape: &Shape, density: f64) -> Option<MassProperties<Self>> {
        shape.mass_properties(density)
    }

    #[inline]
    fn compound(shape: &Shape) -> Option<&Compound<Self>> {
        match shape {
            Shape::Compound(compound) => Some(compound),
            _ => None,
        }
    }

    #[inline]
    fn combine_masses(
        parts: &[(MassProperties<Self>, Pose<Self>)],
    ) -> (MassProperties<Self>, Pose<Self>) {
        super::convex::combine_masses(parts)
    }

    #[inline]
    fn farthest(shape: &Shape, pose: &Pose<Self>) -> f64 {
        super::convex::farthest(shape, pose)
    }

    #[inline]
    fn support(shape: &Shape, n: DVec3) -> f64 {
        super::convex::support(shape, n)
    }

    #[inline]
    fn visit_face_depths(shape: &Shape, x: DVec3, visit: &mut dyn FnMut(DVec3, f64)) {
        super::convex::visit_face_depths(shape, x, visit);
    }

    #[inline]
    fn visit_straight_lines(shape: &Shape, x: DVec3, near: f64, visit: &mut dyn FnMut(DVec3)) {
        super::convex::visit_straight_lines(shape, x, near, visit);
    }

    #[inline]
    fn is_smooth_near(shape: &Shape, x: DVec3, step: f64) -> bool {
        match shape {
            Shape::Mesh(mesh) => mesh.is_smooth_near(x, step),
            _ => true,
        }
    }

    #[inline]
    fn sphere_radius(shape: &Shape) -> Option<f64> {
        match shape {
            Shape::Sphere { radius } => Some(*radius),
            _ => None,
        }
    }

    #[inline]
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>> {
        super::touch_spheres(a, b, reach)
    }

    #[inline]
    fn contact_points(
        a: (&Shape, &Pose<Self>),
        b: (&Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    ) {
        super::contact_points(a, b, reach, out);
    }
}
