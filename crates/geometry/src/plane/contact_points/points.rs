//! The contact manifold of two polygons: at most two points.

use glam::DVec2;

/// A contact point in the axes of the reference, with its normal from the reference.
#[derive(Clone, Copy)]
pub(super) struct ManifoldPoint {
    /// Point on the surface of the reference.
    pub(super) at: DVec2,
    pub(super) normal: DVec2,
    pub(super) gap: f64,
    /// Vertex of the reference at this point, if there is one.
    pub(super) reference: Option<usize>,
    /// Vertex of the incident polygon at this point, if there is one.
    pub(super) incident: Option<usize>,
    /// Whether this is the near point.
    pub(super) near: bool,
    /// How it was clipped, if its vertex is beyond an end of the reference edge.
    pub(super) cut: Option<EndClipping>,
}

/// How a point was clipped to an end of the reference edge.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum EndClipping {
    /// The incident edge lies over the end, and its vertex is beyond by this fraction of its length.
    Across(f64),
    /// No edge of the lowest vertex lies over the reference edge.
    Beside,
}

/// At most two points. Filled in place: it is as large as two contact points, and returning it would copy it often.
pub(super) struct Manifold {
    points: [ManifoldPoint; 2],
    count: usize,
    /// Whether the second point comes first.
    turned: bool,
    /// Whether the roles of the two shapes were exchanged.
    pub(super) exchanged: bool,
    /// The end of the reference edge where vertex meets vertex along the direction between them.
    pub(super) corner: Option<usize>,
}

impl Default for Manifold {
    #[inline]
    fn default() -> Self {
        NOTHING
    }
}

/// A compile-time constant: built field by field and then copied in wide loads it would cause a store-forwarding stall.
const NOTHING: Manifold = Manifold {
    points: [ManifoldPoint {
        at: DVec2::ZERO,
        normal: DVec2::ZERO,
        gap: 0.0,
        reference: None,
        incident: None,
        near: false,
        cut: None,
    }; 2],
    count: 0,
    turned: false,
    exchanged: false,
    corner: None,
};

impl Manifold {
    /// Adds a point if it is within the contact margin.
    #[inline]
    pub(super) fn add(&mut self, point: ManifoldPoint, reach: f64) {
        if point.gap <= reach && self.count < 2 {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    /// Removes all points.
    #[inline]
    pub(super) fn clear(&mut self) {
        (self.count, self.turned) = (0, false);
        (self.exchanged, self.corner) = (false, None);
    }

    /// The points, in any order.
    #[inline]
    pub(super) fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// The points in order along the edge.
    #[inline]
    pub(super) fn in_order(&self) -> impl Iterator<Item = &ManifoldPoint> {
        // With two points, the exclusive or with 1 reverses their order.
        let turn = usize::from(self.turned && self.count == 2);
        (0..self.count).map(move |k| &self.points[k ^ turn])
    }

    /// Keeps the points for which `rule` holds.
    pub(super) fn retain(&mut self, rule: impl Fn(&ManifoldPoint) -> bool) {
        // Compacts in place from a copy.
        let points = self.points;
        let kept = points[..self.count].iter().filter(|p| rule(p));
        self.count = 0;
        for point in kept {
            self.points[self.count] = *point;
            self.count += 1;
        }
    }

    /// Reverses the order along the edge.
    #[inline]
    pub(super) fn reverse(&mut self) {
        self.turned = !self.turned;
    }
}
