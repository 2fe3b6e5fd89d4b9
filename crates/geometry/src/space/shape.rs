//! Shapes of bodies of space: bounding boxes, bounding radii, mass properties.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::mesh::Mesh;
use super::moments::VolumeMoments;
use super::polyhedron::{ConvexPolyhedron, length};
use crate::dim::{Aabb, MassProperties, Pose, Space};
use crate::error::ShapeError;
use crate::shape::Compound;

/// The shape of a body, in principal axes, origin at the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All points within `radius` of a segment on the z axis.
    Capsule {
        /// Half the length of the segment.
        half_length: f64,
        /// The radius.
        radius: f64,
    },
    /// A circular cylinder with its axis along z.
    Cylinder {
        /// Half its length.
        half_length: f64,
        /// Its radius.
        radius: f64,
    },
    /// A convex polyhedron (a box is one).
    Polyhedron(Arc<ConvexPolyhedron>),
    /// The half-space z ≤ 0: a boundary.
    HalfSpace,
    /// A surface of triangles: a boundary.
    Mesh(Arc<Mesh>),
    /// A union of convex parts.
    Compound(Arc<Compound<Space>>),
}

impl Shape {
    /// A sphere.
    ///
    /// # Errors
    /// A radius that is not a positive, finite length.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        length("radius of the sphere", radius)?;
        Ok(Self::Sphere { radius })
    }

    /// A capsule along the z axis; `length` is the length of its segment.
    ///
    /// # Errors
    /// Lengths that are not positive and finite.
    pub fn capsule(length: f64, radius: f64) -> Result<Self, ShapeError> {
        self::length("length of the capsule's segment", length)?;
        self::length("radius of the capsule", radius)?;
        let half_length = 0.5 * length;
        Ok(Self::Capsule {
            half_length,
            radius,
        })
    }

    /// A cylinder along the z axis.
    ///
    /// # Errors
    /// Lengths that are not positive and finite.
    pub fn cylinder(length: f64, radius: f64) -> Result<Self, ShapeError> {
        self::length("length of the cylinder", length)?;
        self::length("radius of the cylinder", radius)?;
        let half_length = 0.5 * length;
        Ok(Self::Cylinder {
            half_length,
            radius,
        })
    }

    /// Axis-aligned bounding box in world axes, the smallest one. That of a half-space is bounded on one side where its
    /// normal is exactly along an axis, and infinite otherwise.
    pub fn aabb(&self, pose: &Pose<Space>) -> Aabb<Space> {
        let centre = pose.position;
        let around = |reach: DVec3| Aabb {
            low: centre - reach,
            high: centre + reach,
        };
        let axis = pose.rotation * DVec3::Z;
        match self {
            Self::Sphere { radius } => around(DVec3::splat(*radius)),
            Self::Capsule {
                half_length,
                radius,
            } => around(*half_length * axis.abs() + DVec3::splat(*radius)),
            Self::Cylinder {
                half_length,
                radius,
            } => {
                // The half extent along axis i of a disc of radius r with axis u is r (1 − u_i²)^½.
                let across = (DVec3::ONE - axis * axis).max(DVec3::ZERO);
                let across = across.map(f64::sqrt);
                around(*half_length * axis.abs() + *radius * across)
            }
            Self::Polyhedron(p) => match p.half_extents {
                Some(half) => {
                    // A box: sum of the absolute values of its rotated half edges.
                    let m = DMat3::from_quat(pose.rotation);
                    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::abs);
                    around(x * half.x + y * half.y + z * half.z)
                }
                None => around_points(&p.vertices, pose),
            },
            Self::HalfSpace => half_space(axis, centre),
            Self::Mesh(m) => around_points(m.vertices(), pose),
            Self::Compound(compound) => compound.aabb(pose),
        }
    }

    /// Whether it can only be a boundary: it has no mass of its own.
    pub fn boundary_only(&self) -> bool {
        matches!(self, Self::HalfSpace | Self::Mesh(_))
    }

    /// Largest distance of a point from the origin of the body axes.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule {
                half_length,
                radius,
            } => half_length + radius,
            Self::Cylinder {
                half_length,
                radius,
            } => half_length.hypot(*radius),
            Self::Polyhedron(p) => p.radius,
            Self::HalfSpace => f64::INFINITY,
            Self::Mesh(m) => m
                .vertices()
                .iter()
                .fold(0.0, |most, v| most.max(v.length())),
            Self::Compound(compound) => compound.bounding_radius(),
        }
    }

    /// Mass properties for a density per volume; `None` for boundaries.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties<Space>> {
        let moments = match self {
            Self::Sphere { radius } => VolumeMoments::sphere(*radius),
            Self::Capsule {
                half_length,
                radius,
            } => VolumeMoments::capsule(*half_length, *radius),
            Self::Cylinder {
                half_length,
                radius,
            } => VolumeMoments::cylinder(*half_length, *radius),
            Self::Polyhedron(p) => p.moments,
            Self::Compound(compound) => return Some(compound.mass_properties(density)),
            Self::HalfSpace | Self::Mesh(_) => return None,
        };
        Some(moments.with_density(density))
    }
}

fn around_points(points: &[DVec3], pose: &Pose<Space>) -> Aabb<Space> {
    let m = DMat3::from_quat(pose.rotation);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for x in points {
        let x = m * *x;
        low = low.min(x);
        high = high.max(x);
    }
    Aabb {
        low: pose.position + low,
        high: pose.position + high,
    }
}

fn half_space(normal: DVec3, point: DVec3) -> Aabb<Space> {
    let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
    for i in 0..3 {
        // Bounded along axis i only if the normal is exactly along it.
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        if normal[j] == 0.0 && normal[k] == 0.0 {
            if normal[i] > 0.0 {
                high[i] = point[i];
            } else {
                low[i] = point[i];
            }
        }
    }
    Aabb { low, high }
}
