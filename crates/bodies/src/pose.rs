//! Where a body is, what it weighs, and where two bodies touch.

use serde::{Deserialize, Serialize};

use crate::dim::Dim;

/// A placement: x = position + rotation · X for a point X of the body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Pose<D: Dim> {
    /// Centre of mass, in space.
    pub position: D::Vector,
    /// From body axes to space axes.
    pub rotation: D::Rotation,
}

/// A box with axes parallel to those of space. Unbounded shapes have infinite entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb<D: Dim> {
    /// Smallest coordinates.
    pub low: D::Vector,
    /// Largest coordinates.
    pub high: D::Vector,
}

/// Mass and principal moments of inertia at the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties<D: Dim> {
    /// Mass.
    pub mass: f64,
    /// Moment of inertia (plane) or principal moments in body axes (space).
    pub inertia: D::Inertia,
}

/// A point where body b touches, or nearly touches, body a.
///
/// ```text
/// gap = (point_b − point_a) · normal,   normal from a to b, both points on the true surfaces
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint<D: Dim> {
    /// On the surface of a, in space.
    pub point_a: D::Vector,
    /// On the surface of b, in space.
    pub point_b: D::Vector,
    /// Unit vector from a to b.
    pub normal: D::Vector,
    /// Positive when apart.
    pub gap: f64,
    /// Which point of the pair this is: the same number for the same features from step to step,
    /// different from those of the pair's other points.
    pub feature: u32,
}
