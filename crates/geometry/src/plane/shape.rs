//! Shapes of bodies of the plane: bounding boxes, bounding radii, mass properties.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::DVec2;

use super::chain::Chain;
use super::polygon::ConvexPolygon;
use crate::dim::{Aabb, MassProperties, Plane, Pose};
use crate::error::ShapeError;
use crate::shape::Compound;

/// A half-plane whose normal is within this of an axis counts as parallel to it in its bounding box: π/2 in floating
/// point has the cosine 6·10⁻¹⁷, and 0 is meant.
const UPRIGHT: f64 = 1e-15;

/// The shape of a body, in body axes, origin at the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A disc.
    Disc {
        /// Its radius.
        radius: f64,
    },
    /// A convex polygon (a rectangle is one).
    Polygon(Arc<ConvexPolygon>),
    /// All points within `radius` of a segment on the x axis.
    Capsule {
        /// Half the length of the segment.
        half_length: f64,
        /// The radius.
        radius: f64,
    },
    /// The half-plane y ≤ 0: a boundary.
    HalfPlane,
    /// A polygonal chain, solid on the right when walking along it: a boundary.
    Chain(Arc<Chain>),
    /// A union of convex parts.
    Compound(Arc<Compound<Plane>>),
}

fn length(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ShapeError::Length { what, value })
    }
}

impl Shape {
    /// A disc.
    ///
    /// # Errors
    /// A radius that is not a positive, finite length.
    pub fn disc(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::Disc {
            radius: length("radius", radius)?,
        })
    }

    /// A capsule along the x axis; `length` is the length of its segment.
    ///
    /// # Errors
    /// Lengths that are not positive and finite.
    pub fn capsule(length: f64, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::Capsule {
            half_length: self::length("length", length)? / 2.0,
            radius: self::length("radius", radius)?,
        })
    }

    /// Axis-aligned bounding box in world axes, the smallest one.
    pub fn aabb(&self, pose: &Pose<Plane>) -> Aabb<Plane> {
        // Box by its half extents about the position.
        let around = |half: DVec2| Aabb {
            low: pose.position - half,
            high: pose.position + half,
        };
        match self {
            Self::Disc { radius } => around(DVec2::splat(*radius)),
            Self::Capsule {
                half_length,
                radius,
            } => around(pose.rotation.axis().abs() * *half_length + DVec2::splat(*radius)),
            Self::Polygon(polygon) => spanned(&polygon.vertices, pose),
            Self::Chain(chain) => spanned(&chain.vertices, pose),
            Self::HalfPlane => below(pose),
            Self::Compound(compound) => compound.aabb(pose),
        }
    }

    /// Whether it can only be a boundary: it has no mass of its own.
    pub fn boundary_only(&self) -> bool {
        matches!(self, Self::HalfPlane | Self::Chain(_))
    }

    /// Largest distance of a point from the origin of the body axes.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Disc { radius } => *radius,
            Self::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Self::Polygon(polygon) => polygon.radius,
            Self::HalfPlane => f64::INFINITY,
            Self::Chain(chain) => chain.radius,
            Self::Compound(compound) => compound.bounding_radius(),
        }
    }

    /// Mass properties for a density per area; `None` for boundaries.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties<Plane>> {
        let (area, moment) = match self {
            Self::Disc { radius } => {
                let area = PI * radius * radius;
                (area, area * radius * radius / 2.0)
            }
            Self::Polygon(polygon) => (polygon.area, polygon.moment),
            Self::Capsule {
                half_length: h,
                radius: r,
            } => {
                // A rectangle 2h × 2r and two half discs, whose centroids are 4r/3π beyond its ends.
                let (rectangle, discs) = (4.0 * h * r, PI * r * r);
                let flat = rectangle * (h * h + r * r) / 3.0;
                let round = discs * (r * r / 2.0 + h * h + 2.0 * h * 4.0 * r / (3.0 * PI));
                (rectangle + discs, flat + round)
            }
            Self::Compound(compound) => return Some(compound.mass_properties(density)),
            Self::HalfPlane | Self::Chain(_) => return None,
        };
        Some(MassProperties {
            mass: density * area,
            inertia: density * moment,
        })
    }
}

fn spanned(vertices: &[DVec2], pose: &Pose<Plane>) -> Aabb<Plane> {
    let all = DVec2::splat(f64::INFINITY);
    let (low, high) = vertices.iter().fold((all, -all), |(low, high), v| {
        let v = pose.rotation.rotate(*v);
        (low.min(v), high.max(v))
    });
    Aabb {
        low: pose.position + low,
        high: pose.position + high,
    }
}

/// Bounding box of a half-plane: infinite except on the side of its normal, if that is along an axis.
fn below(pose: &Pose<Plane>) -> Aabb<Plane> {
    // The half-plane is y ≤ 0 in body axes: its normal is the image of the y axis.
    let normal = pose.rotation.axis().perp();
    let all = DVec2::splat(f64::INFINITY);
    let (mut low, mut high) = (-all, all);
    for (along, across) in [(0, 1), (1, 0)] {
        if normal[across].abs() <= UPRIGHT {
            if normal[along] > 0.0 {
                high[along] = pose.position[along];
            } else {
                low[along] = pose.position[along];
            }
        }
    }
    Aabb { low, high }
}
