//! `Geometry` for [`Plane`]: forwards to the shapes of the plane.

use glam::DVec2;

use super::{Shape, contact_points, convex};
use crate::dim::{Aabb, ContactPoint, MassProperties, Plane, Pose};
use crate::shape::forward::forward_to_shapes;
use crate::shape::{Compound, Geometry};

impl Geometry for Plane {
    type Shape = Shape;

    #[inline]
    fn is_sphere(_shape: &Shape) -> bool {
        false
    }

    forward_to_shapes!(DVec2);

    #[inline]
    fn is_smooth_near(shape: &Shape, x: DVec2, step: f64) -> bool {
        match shape {
            // Only chains have edges and corners; a half-plane is smooth.
            Shape::Chain(chain) => chain.is_smooth_near(x, step),
            _ => true,
        }
    }

    #[inline]
    fn sphere_radius(shape: &Shape) -> Option<f64> {
        match shape {
            Shape::Disc { radius } => Some(*radius),
            _ => None,
        }
    }

    #[inline]
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>> {
        super::disc_contact_point(a, b, reach)
    }
}
