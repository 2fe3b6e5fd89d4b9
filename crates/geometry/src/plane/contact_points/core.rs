//! Rounded polygons: every bounded convex shape of the plane is the Minkowski sum of a convex polygon, of one vertex
//! (disc), two (capsule) or more, and a disc.
//!
//! ```text
//! signed distance of A ⊕ rB and C ⊕ sB  =  signed distance of A and C − r − s        (B unit disc)
//! ```
//!
//! for separated and for overlapping shapes, whose signed distance is minus the least translation that separates them:
//! a radius moves the boundary of the Minkowski difference by itself.

use glam::DVec2;

use crate::dim::{Plane, Pose};
use crate::plane::ConvexPolygon;
use crate::plane::small_polygon::{Points4, SmallPolygon};

/// A convex polygon, anticlockwise, with a rounding radius, in body axes.
pub(super) struct RoundedPolygon<'a> {
    pub(super) vertices: &'a [DVec2],
    /// Outward normal of the edge from vertex i to vertex i + 1; as many as vertices.
    pub(super) normals: &'a [DVec2],
    /// The same in SIMD layout, for a triangle or a quadrilateral.
    pub(super) few: Option<&'a SmallPolygon>,
    /// Which edges are internal (cuts of a decomposition); empty if none is.
    pub(super) cuts: &'a [bool],
    pub(super) radius: f64,
    /// Largest distance of its points from the origin, radius included.
    pub(super) extent: f64,
}

/// A segment as a polygon of two vertices and two edges, with a rounding radius.
pub(super) struct RoundedSegment {
    vertices: [DVec2; 2],
    normals: [DVec2; 2],
    radius: f64,
    extent: f64,
}

impl RoundedSegment {
    /// Segment and radius of a capsule.
    pub(super) fn capsule(half_length: f64, radius: f64) -> Self {
        // Two edges of opposite normals over the same segment.
        let end = DVec2::new(half_length, 0.0);
        Self {
            vertices: [-end, end],
            normals: [DVec2::NEG_Y, DVec2::Y],
            radius,
            extent: half_length + radius,
        }
    }

    /// A segment whose first edge goes from `from` to `to` and has the given normal, to the right.
    pub(super) fn edge(from: DVec2, to: DVec2, normal: DVec2) -> Self {
        Self {
            vertices: [from, to],
            normals: [normal, -normal],
            radius: 0.0,
            extent: from.length().max(to.length()),
        }
    }

    pub(super) fn core(&self) -> RoundedPolygon<'_> {
        RoundedPolygon {
            vertices: &self.vertices,
            normals: &self.normals,
            few: None,
            cuts: &[],
            radius: self.radius,
            extent: self.extent,
        }
    }
}

impl<'a> RoundedPolygon<'a> {
    pub(super) fn polygon(polygon: &'a ConvexPolygon) -> Self {
        Self {
            vertices: &polygon.vertices,
            normals: &polygon.normals,
            few: polygon.small.as_ref(),
            cuts: &polygon.cuts,
            radius: 0.0,
            extent: polygon.radius,
        }
    }

    /// Whether an edge is internal: a cut, no part of the surface of its body.
    #[inline]
    pub(super) fn is_cut(&self, edge: usize) -> bool {
        self.cuts.get(edge).copied().unwrap_or(false)
    }

    /// Half extents of a rectangle along the axes.
    #[inline]
    pub(super) fn half(&self) -> Option<DVec2> {
        self.few.and_then(|few| few.half)
    }

    /// The vertex after vertex i.
    #[inline]
    pub(super) fn next(&self, i: usize) -> usize {
        if i + 1 == self.vertices.len() {
            0
        } else {
            i + 1
        }
    }

    /// The vertex before vertex i.
    #[inline]
    pub(super) fn previous(&self, i: usize) -> usize {
        if i == 0 {
            self.vertices.len() - 1
        } else {
            i - 1
        }
    }

    /// Support vertex along −direction: its index and the least value of direction · x.
    #[inline]
    pub(super) fn lowest(&self, direction: DVec2) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (i, v) in self.vertices.iter().enumerate() {
            let value = direction.dot(*v);
            if value < best.1 {
                best = (i, value);
            }
        }
        best
    }
}

/// Pose of one body relative to another: x ↦ turn x + shift, turn a unit complex number.
#[derive(Clone, Copy)]
pub(super) struct RelativePose {
    pub(super) turn: DVec2,
    pub(super) shift: DVec2,
}

impl RelativePose {
    /// Pose of b relative to a. The difference of the positions is taken first, so that there is no cancellation far
    /// from the origin.
    pub(super) fn new(a: &Pose<Plane>, b: &Pose<Plane>) -> Self {
        // Rotation of b relative to a as a quotient of unit complex numbers.
        let (p, q) = (a.rotation.axis(), b.rotation.axis());
        Self {
            turn: DVec2::new(p.dot(q), p.perp_dot(q)),
            shift: a.rotation.rotate_back(b.position - a.position),
        }
    }

    #[inline]
    pub(super) fn point(&self, x: DVec2) -> DVec2 {
        self.vector(x) + self.shift
    }

    /// [`RelativePose::point`] of four points.
    #[inline(always)]
    pub(super) fn points(&self, four: &Points4) -> Points4 {
        // Four lanes at once.
        let (c, d) = (self.turn, self.shift);
        let mut out = *four;
        for k in 0..4 {
            let (x, y) = (four.x[k], four.y[k]);
            out.x[k] = c.x * x - c.y * y + d.x;
            out.y[k] = c.y * x + c.x * y + d.y;
        }
        out
    }

    #[inline]
    pub(super) fn vector(&self, x: DVec2) -> DVec2 {
        self.turn.rotate(x)
    }

    #[inline]
    pub(super) fn vector_back(&self, x: DVec2) -> DVec2 {
        let c = self.turn;
        DVec2::new(c.x * x.x + c.y * x.y, c.x * x.y - c.y * x.x)
    }

    #[inline]
    pub(super) fn point_back(&self, x: DVec2) -> DVec2 {
        self.vector_back(x - self.shift)
    }

    pub(super) fn inverse(&self) -> Self {
        Self {
            turn: DVec2::new(self.turn.x, -self.turn.y),
            shift: -self.vector_back(self.shift),
        }
    }
}
