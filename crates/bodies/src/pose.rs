//! Poses, bounding boxes, mass properties and contact points.

use serde::{Deserialize, Serialize};

use crate::dim::Dim;

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
