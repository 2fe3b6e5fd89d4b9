//! Chains of segments: one-sided boundaries.
//!
//! A chain is solid on the right when walking along its vertices. Its *sides* are its maximal runs of collinear
//! segments. Where two sides meet, the normal cone of the corner decides which contact normals it may give, so that a
//! body sliding over a flat or concave corner does not catch on it (ghost collisions at internal vertices):
//!
//! ```text
//! turn to the right   convex: normals between those of the two sides (a cone)
//! turn to the left    concave: none, only the faces of the sides give contacts
//! open end            the cone of a solid cut off at a right angle
//! ```
//!
//! A binary tree of bounding boxes over runs of consecutive sides, which are neighbours in the plane as well, finds
//! the sides near a box: O(log n + found), no allocation, in the order of the chain.

use glam::DVec2;

use crate::error::ShapeError;

/// Neighbouring vertices closer than this, relative to the size of the chain, are one point: coordinates are rounded
/// to 2·10⁻¹⁶ of the size, and the direction of so short a side would be one of rounding.
const SAME: f64 = 1e-12;

/// A vertex closer than this to the line of its run, relative to the size of the chain, is no corner. Some hundred
/// units of rounding: vertices that arithmetic placed on a line are recognised, and longer runs of fine arcs, where
/// such deviations add up, stay far below 10⁻⁹.
const STRAIGHT: f64 = 1e-13;

/// A polygonal chain, open or closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    pub(crate) vertices: Vec<DVec2>,
    pub(crate) closed: bool,
    /// Largest distance of a vertex from the origin.
    pub(crate) radius: f64,
    pub(super) sides: Vec<ChainSide>,
    /// Boxes (low, high) of a binary tree in heap order: node i has the children 2i and 2i + 1; the second half are the
    /// leaves, one per side, and leaves without a side are empty boxes.
    boxes: Vec<(DVec2, DVec2)>,
}

/// A side: a maximal run of collinear segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChainSide {
    pub(super) from: DVec2,
    pub(super) to: DVec2,
    /// Unit normal to the left, outward.
    pub(super) normal: DVec2,
    pub(super) before: ChainCorner,
    pub(super) after: ChainCorner,
}

/// The corner at one of the ends of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ChainCorner {
    /// Open end: the solid is cut off at a right angle.
    End,
    /// A concave corner; normal of the adjacent side.
    Concave(DVec2),
    /// A convex corner; normal of the adjacent side.
    Convex(DVec2),
}

/// Tolerance of the normal cone of a corner, as the sine of an angle: the normal of a body flat on a side equals that
/// of the side only up to some units of rounding, and must not be lost.
const CONE: f64 = 1e-12;

/// One of the two ends of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SideEnd {
    From,
    To,
}

impl ChainSide {
    /// Unit direction from `from` to `to`.
    pub(super) fn along(&self) -> DVec2 {
        -self.normal.perp()
    }

    pub(super) fn joint(&self, tip: SideEnd) -> ChainCorner {
        match tip {
            SideEnd::From => self.before,
            SideEnd::To => self.after,
        }
    }

    /// The bounding normal of the cone at an end, other than this side's own normal; `None` at a concave corner.
    pub(super) fn cone_limit(&self, tip: SideEnd) -> Option<DVec2> {
        match (self.joint(tip), tip) {
            (ChainCorner::Concave(_), _) => None,
            (ChainCorner::Convex(normal), _) => Some(normal),
            (ChainCorner::End, SideEnd::To) => Some(self.along()),
            (ChainCorner::End, SideEnd::From) => Some(-self.along()),
        }
    }

    /// Whether the normal cone of an end contains a direction, bounds included.
    pub(super) fn cone_contains(&self, tip: SideEnd, direction: DVec2) -> bool {
        let Some(limit) = self.cone_limit(tip) else {
            return false;
        };
        // Bounds of the cone, clockwise from the side before to the side after.
        let (first, second) = match tip {
            SideEnd::From => (limit, self.normal),
            SideEnd::To => (self.normal, limit),
        };
        // The bisector: the sum of the normals vanishes for a hairpin, the difference of the directions for a
        // straight corner; the two are parallel, so their sum never vanishes.
        let middle = first + second - (first - second).perp();
        first.perp_dot(direction) <= CONE
            && direction.perp_dot(second) <= CONE
            && middle.dot(direction) > 0.0
    }
}

impl Chain {
    /// A chain from its vertices in order, in body axes as they are given.
    ///
    /// # Errors
    /// Fewer than two vertices, repeated neighbours, or vertices that are not finite.
    pub fn new(vertices: &[DVec2], closed: bool) -> Result<Self, ShapeError> {
        for (vertex, v) in vertices.iter().enumerate() {
            if let Some(value) = v.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(ShapeError::NotFinite { vertex, value });
            }
        }
        let n = vertices.len();
        if n < 2 {
            return Err(ShapeError::Degenerate(format!(
                "a chain of {n} vertices: at least 2 are needed"
            )));
        }
        // Neighbours that coincide to rounding have no direction between them.
        let size = size(vertices)?;
        let segments = if closed { n } else { n - 1 };
        for i in 0..segments {
            let (p, q) = (vertices[i], vertices[(i + 1) % n]);
            if !((q - p).length() > SAME * size) {
                return Err(ShapeError::Degenerate(format!(
                    "vertices {i} and {} of the chain are the same point ({}, {})",
                    (i + 1) % n,
                    p.x,
                    p.y
                )));
            }
        }
        let sides = sides(&joints(vertices, closed, size), closed);
        let boxes = boxes(&sides);
        Ok(Self {
            vertices: vertices.to_vec(),
            closed,
            radius: vertices.iter().fold(0.0_f64, |r, v| r.max(v.length())),
            sides,
            boxes,
        })
    }

    /// Its vertices in order.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Whether the last vertex is connected to the first.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Indices of the sides before and after side k, where they meet it in a convex corner.
    pub(super) fn neighbours(&self, k: usize) -> [Option<usize>; 2] {
        let (side, n) = (&self.sides[k], self.sides.len());
        let convex =
            |joint: ChainCorner, k: usize| matches!(joint, ChainCorner::Convex(_)).then_some(k);
        [
            convex(side.before, (k + n - 1) % n),
            convex(side.after, (k + 1) % n),
        ]
    }

    /// Whether no corner or end is within `step` of x.
    pub(crate) fn is_smooth_near(&self, x: DVec2, step: f64) -> bool {
        let mut smooth = true;
        let by = DVec2::splat(step);
        self.query(x - by, x + by, |k| {
            let side = &self.sides[k];
            smooth &= side.from.distance(x) > step && side.to.distance(x) > step;
        });
        smooth
    }

    /// Calls `visit` with the index of every side whose box overlaps the given one, in order.
    pub(super) fn query(&self, low: DVec2, high: DVec2, mut visit: impl FnMut(usize)) {
        let leaves = self.boxes.len() / 2;
        let mut node = 1;
        while node > 0 {
            let (l, h) = self.boxes[node];
            // Overlap: descend to the left child, or visit the leaf.
            if l.cmple(high).all() && low.cmple(h).all() {
                if node < leaves {
                    node *= 2;
                    continue;
                }
                visit(node - leaves);
            }
            // Next node in depth-first order: up from right children, then to the right sibling; above the root is 0.
            while node & 1 == 1 {
                node >>= 1;
            }
            if node > 0 {
                node += 1;
            }
        }
    }
}

/// Largest extent along an axis.
fn size(vertices: &[DVec2]) -> Result<f64, ShapeError> {
    let all = DVec2::splat(f64::INFINITY);
    let (low, high) = vertices
        .iter()
        .fold((all, -all), |(l, h), v| (l.min(*v), h.max(*v)));
    let size = (high - low).max_element();
    // Products of lengths must be finite, hence the square of the size.
    if !(size * size).is_finite() {
        return Err(ShapeError::Degenerate(format!(
            "the chain is too large: its extent is {size}"
        )));
    }
    Ok(size)
}

/// The vertices where the direction changes, and the ends of an open chain.
fn joints(vertices: &[DVec2], closed: bool, size: f64) -> Vec<DVec2> {
    let n = vertices.len();
    let straight = |before: DVec2, at: DVec2, after: DVec2| {
        let chord = after - before;
        (at - before).dot(after - at) > 0.0
            && chord.perp_dot(at - before).abs() <= STRAIGHT * size * chord.length()
    };
    // A closed chain starts at a vertex that is certainly a corner: one farthest from the first vertex.
    let start = if closed {
        let far = |i: &usize| (vertices[*i] - vertices[0]).length_squared();
        (0..n).max_by(|i, j| far(i).total_cmp(&far(j))).unwrap_or(0)
    } else {
        0
    };
    let mut kept = vec![vertices[start]];
    for k in 1..n {
        let at = vertices[(start + k) % n];
        let last = !closed && k == n - 1;
        let after = vertices[(start + k + 1) % n];
        if last || !straight(kept[kept.len() - 1], at, after) {
            kept.push(at);
        }
    }
    kept
}

fn sides(joints: &[DVec2], closed: bool) -> Vec<ChainSide> {
    let n = joints.len();
    let count = if closed { n } else { n - 1 };
    // A quotient is exact for sides along an axis, a product with the reciprocal is not.
    let direction = |i: usize| {
        let side = joints[(i + 1) % n] - joints[i % n];
        side / side.length()
    };
    let joint = |first: usize, second: usize, own: usize| {
        let (d, e) = (direction(first), direction(second));
        let other = if own == first { e } else { d };
        // A hairpin, which turns by π, is a thin plate: convex whatever the rounding of the turn.
        let turn = d.perp_dot(e);
        if turn < 0.0 || d.dot(e) < 0.0 && turn <= STRAIGHT {
            ChainCorner::Convex(other.perp())
        } else {
            ChainCorner::Concave(other.perp())
        }
    };
    (0..count)
        .map(|i| ChainSide {
            from: joints[i],
            to: joints[(i + 1) % n],
            normal: direction(i).perp(),
            before: match (closed, i) {
                (false, 0) => ChainCorner::End,
                _ => joint((i + count - 1) % count, i, i),
            },
            after: match closed {
                false if i + 1 == count => ChainCorner::End,
                _ => joint(i, (i + 1) % count, i),
            },
        })
        .collect()
}

fn boxes(sides: &[ChainSide]) -> Vec<(DVec2, DVec2)> {
    let leaves = sides.len().next_power_of_two();
    let all = DVec2::splat(f64::INFINITY);
    let mut boxes = vec![(all, -all); 2 * leaves];
    for (i, side) in sides.iter().enumerate() {
        boxes[leaves + i] = (side.from.min(side.to), side.from.max(side.to));
    }
    // Inner nodes bottom-up.
    for node in (1..leaves).rev() {
        let ((a, b), (c, d)) = (boxes[2 * node], boxes[2 * node + 1]);
        boxes[node] = (a.min(c), b.max(d));
    }
    boxes
}
