//! `Geometry` for [`Space`]: forwards to the shapes of space.

use glam::DVec3;

use super::{Shape, contact_points, convex};
use crate::dim::{Aabb, ContactPoint, MassProperties, Pose, Space};
use crate::shape::forward::forward_to_shapes;
use crate::shape::{Compound, Geometry};

impl Geometry for Space {
    type Shape = Shape;

    #[inline]
    fn is_sphere(shape: &Shape) -> bool {
        matches!(shape, Shape::Sphere { .. })
    }

    forward_to_shapes!(DVec3);

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
}
