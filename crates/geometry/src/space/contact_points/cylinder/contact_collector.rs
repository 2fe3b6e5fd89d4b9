//! Collects the contact points of a pair with a cylinder, and encodes their features.
//!
//! ```text
//! feature = part of the cylinder · 2²⁷ + kind of the other's part · 2²⁵ + its index
//! ```

use glam::DVec3;

use crate::dim::{ContactPoint, Pose, Space};

/// Parts of the cylinder; below 16 the fixed points of the rims, 8 each, the upper rim first.
pub(crate) mod part {
    /// The point of a rim that is farthest along the normal: upper, lower.
    pub const LOWEST: u32 = 16;
    /// Caps: upper, lower.
    pub const CAP: u32 = 18;
    /// The lateral surface.
    pub const SIDE: u32 = 20;
    /// Ends of the lateral surface: upper, lower.
    pub const END: u32 = 21;
    /// Where an edge enters a cap: upper, lower.
    pub const ENTRY: u32 = 23;
    /// Where an edge leaves a cap: upper, lower.
    pub const EXIT: u32 = 25;
    /// Number of parts.
    pub const COUNT: u32 = 27;
}

/// Part of the other body in the feature of a contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OtherFeature {
    Any,
    Vertex(u32),
    Edge(u32),
    /// Part of another cylinder.
    Round(u32),
}

/// Feature of a pair of parts.
pub(crate) fn feature(part: u32, other: OtherFeature) -> u32 {
    let (sort, number) = match other {
        OtherFeature::Any => (0, 0),
        OtherFeature::Vertex(i) => (1, i),
        OtherFeature::Edge(j) => (2, j),
        OtherFeature::Round(k) => (3, k),
    };
    // Polyhedra have at most 16384 vertices and three times as many edges.
    part << 27 | sort << 25 | (number & ((1 << 25) - 1))
}

/// Decodes a feature: the part of the cylinder and of the other body.
pub(crate) fn parts(feature: u32) -> (u32, OtherFeature) {
    let number = feature & ((1 << 25) - 1);
    let other = match feature >> 25 & 3 {
        0 => OtherFeature::Any,
        1 => OtherFeature::Vertex(number),
        2 => OtherFeature::Edge(number),
        _ => OtherFeature::Round(number),
    };
    (feature >> 27, other)
}

/// Appends the contact points of one pair, each once.
pub(crate) struct ContactCollector<'a> {
    pub out: &'a mut Vec<ContactPoint<Space>>,
    /// Index of the first contact point of this pair.
    pub from: usize,
    pub pose: &'a Pose<Space>,
    pub contact_margin: f64,
    /// Points closer than this coincide.
    pub near: f64,
}

impl ContactCollector<'_> {
    /// Adds a pair of points given in the axes of the pose, unless it is beyond the contact margin or known.
    pub fn push(&mut self, a: DVec3, b: DVec3, normal: DVec3, feature: u32) {
        let gap = (b - a).dot(normal);
        if !(gap <= self.contact_margin) {
            return;
        }
        let place = |x: DVec3| self.pose.position + self.pose.rotation * x;
        let point_a = place(a);
        // The same feature or the same place: already there.
        let known = self.out[self.from..].iter().any(|t| {
            t.feature == feature || t.point_a.distance_squared(point_a) <= self.near * self.near
        });
        if !known {
            let normal = (self.pose.rotation * normal).normalize();
            self.out.push(ContactPoint {
                point_a,
                point_b: place(b),
                normal,
                gap,
                feature,
            });
        }
    }

    /// The smallest gap so far.
    pub fn least(&self) -> f64 {
        self.out[self.from..]
            .iter()
            .fold(f64::INFINITY, |m, t| m.min(t.gap))
    }
}
