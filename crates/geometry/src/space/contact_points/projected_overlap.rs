//! Overlap of two convex polygons projected along a normal (polygon clipping with persistent features).
//!
//! Both polygons are projected along n on a plane orthogonal to it, with the heights along n kept. The overlap of the
//! projections is a convex polygon; its corners are corners of b inside a, corners of a inside b, and crossings of
//! edges. Each is found independently, from the edges of b clipped by the sides of a and from the corners of a inside
//! b, so that no list of corners is kept and a corner lost to rounding does not affect the others.
//!
//! The feature of a point must persist while rounding moves it back and forth over an edge. A corner no farther than
//! `same` outside the other polygon counts as inside, and the other body's point is then the closest one of its
//! polygon; a crossing within `same` of a corner is that corner, and a corner of a within `same` of one of b is the
//! latter. So flush sides make no crossings.

use glam::{DVec2, DVec3};

/// A right-handed orthonormal frame whose third axis is the normal.
#[derive(Clone, Copy)]
pub(crate) struct ProjectionFrame {
    t1: DVec3,
    t2: DVec3,
    n: DVec3,
}

impl ProjectionFrame {
    pub(crate) fn new(n: DVec3) -> Self {
        let (t1, t2) = n.any_orthonormal_pair();
        Self { t1, t2, n }
    }

    /// Two coordinates orthogonal to the normal and the height along it.
    #[inline]
    pub(crate) fn local(&self, x: DVec3) -> DVec3 {
        DVec3::new(x.dot(self.t1), x.dot(self.t2), x.dot(self.n))
    }

    #[inline]
    pub(crate) fn back(&self, x: DVec3) -> DVec3 {
        x.x * self.t1 + x.y * self.t2 + x.z * self.n
    }
}

/// Height of a plane over a point of the projection: level + slope · (x, y).
#[derive(Clone, Copy)]
pub(crate) struct PlaneHeight {
    level: f64,
    slope: DVec2,
}

impl PlaneHeight {
    /// The plane through `point` with a normal that is not orthogonal to the frame's.
    pub(crate) fn new(normal: DVec3, point: DVec3) -> Self {
        let slope = -normal.truncate() / normal.z;
        let level = point.z - slope.dot(point.truncate());
        Self { level, slope }
    }

    #[inline]
    pub(crate) fn height(&self, x: DVec2) -> f64 {
        self.level + self.slope.dot(x)
    }
}

/// A convex polygon in a frame, anticlockwise seen against the normal, with at most N corners.
pub(crate) struct ProjectedPolygon<const N: usize> {
    count: usize,
    corners: [DVec3; N],
    /// Inward unit normal of the side from corner k to the next, and its offset.
    sides: [DVec3; N],
    /// Indices of the corners, and of the edges from them to the next.
    names: [(u32, u32); N],
}

/// Feature of a corner of the overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// A corner of a.
    A(u32),
    /// A corner of b.
    B(u32),
    /// An edge of a and one of b.
    Crossing(u32, u32),
}

/// A corner of the overlap: the points of a and b there, over each other within `same`.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    pub name: Name,
    pub a: DVec3,
    pub b: DVec3,
}

/// An end of a clipped segment: its parameter, and the side that clips it there.
pub(crate) type Cut = (f64, Option<usize>);

impl<const N: usize> ProjectedPolygon<N> {
    pub(crate) fn new() -> Self {
        Self {
            count: 0,
            corners: [DVec3::ZERO; N],
            sides: [DVec3::ZERO; N],
            names: [(0, 0); N],
        }
    }

    /// Adds a corner and the edge to the next one; beyond N nothing is added.
    #[inline]
    pub(crate) fn push(&mut self, corner: DVec3, name: u32, edge: u32) {
        if self.count < N {
            self.corners[self.count] = corner;
            self.names[self.count] = (name, edge);
            self.count += 1;
        }
    }

    /// Its first corner.
    pub(crate) fn first(&self) -> DVec3 {
        self.corners[0]
    }

    /// Index of the end of side k at which a point is, if it is at one.
    pub(crate) fn end_of(&self, k: usize, x: DVec2, same: f64) -> Option<u32> {
        Some(self.names[self.end_at(k, x, same)?].0)
    }

    /// The end of side k at which a point is, if it is at one.
    fn end_at(&self, k: usize, x: DVec2, same: f64) -> Option<usize> {
        let across = |c: usize| (self.corners[c].truncate() - x).length();
        [k, self.next(k)].into_iter().find(|c| across(*c) <= same)
    }

    /// Index of the edge from corner k to the next.
    pub(crate) fn edge(&self, k: usize) -> u32 {
        self.names[k].1
    }

    #[inline]
    fn next(&self, k: usize) -> usize {
        if k + 1 < self.count { k + 1 } else { 0 }
    }

    /// Computes the sides, after all corners have been added.
    pub(crate) fn close(&mut self) {
        for k in 0..self.count {
            let (p, q) = (self.corners[k], self.corners[self.next(k)]);
            // An edge along the normal is a point of the projection and bounds nothing.
            let u = (q - p).truncate().normalize_or_zero();
            let inward = u.perp();
            self.sides[k] = inward.extend(inward.dot(p.truncate()));
        }
    }

    #[inline]
    fn inside(&self, k: usize, x: DVec2) -> f64 {
        let side = self.sides[k];
        side.x * x.x + side.y * x.y - side.z
    }

    /// The part of the segment from p to q inside the polygon, with the sides that clip it (`None`: its own ends).
    pub(crate) fn cut(&self, p: DVec2, q: DVec2, same: f64) -> Option<[Cut; 2]> {
        let (mut from, mut to) = ((0.0, None), (1.0, None));
        for k in 0..self.count {
            let (dp, dq) = (self.inside(k, p), self.inside(k, q));
            let (p_out, q_out) = (dp < -same, dq < -same);
            if p_out && q_out {
                return None;
            }
            // dp ≠ dq where only one of them is outside. An end just outside is where the clipped segment ends.
            let t = (dp / (dp - dq)).clamp(0.0, 1.0);
            if p_out && t >= from.0 {
                from = (t, Some(k));
            }
            if q_out && t <= to.0 {
                to = (t, Some(k));
            }
        }
        let length = (q - p).length();
        ((from.0 - to.0) * length <= same).then_some([from, to])
    }

    /// Least and largest coordinates of the corners.
    fn bounds(&self) -> [DVec3; 2] {
        let all = &self.corners[..self.count];
        [
            all.iter().fold(DVec3::INFINITY, |m, c| m.min(*c)),
            all.iter().fold(DVec3::NEG_INFINITY, |m, c| m.max(*c)),
        ]
    }

    /// Whether a point is inside, or no farther than `same` outside.
    fn holds(&self, x: DVec2, same: f64) -> bool {
        (0..self.count).all(|k| self.inside(k, x) >= -same)
    }

    /// The point itself, or, for one just outside, the closest point of the polygon.
    pub(crate) fn next_inside(&self, x: DVec2, same: f64) -> DVec2 {
        let mut moved = x;
        for k in 0..self.count {
            let d = self.inside(k, moved);
            if d < 0.0 {
                moved -= d * self.sides[k].truncate();
            }
        }
        // A hundred-thousandth of `same` is rounding.
        if !(0..self.count).any(|k| self.inside(k, moved) < -1e-5 * same) {
            return moved;
        }
        // Moved over one side and out over another: beyond a corner.
        let corners = self.corners[..self.count].iter().map(|c| c.truncate());
        let square = |c: &DVec2| (*c - x).length_squared();
        corners
            .min_by(|c, d| square(c).total_cmp(&square(d)))
            .unwrap_or(moved)
    }
}

/// Calls `emit` with every corner of the overlap of a (its outer side towards the normal) and b (towards the opposite;
/// its outline, too, must run anticlockwise). A corner may occur more than once with the same feature, and is then the
/// same: a crossing next to a corner is that corner, whichever edge led to it, so that mirrored polygons, whose edges
/// run the other way round, have mirrored corners. Lengths up to `same` count as zero.
pub(crate) fn overlap<const N: usize>(
    a: (&ProjectedPolygon<N>, PlaneHeight),
    b: (&ProjectedPolygon<N>, PlaneHeight),
    same: f64,
    emit: &mut impl FnMut(Corner),
) {
    let (pa, pb) = (a.0, b.0);
    // The projection of a steep polygon is a sliver, whose sides and heights are dominated by rounding: heights are
    // clamped to those of its corners.
    let (bounds_a, bounds_b) = (pa.bounds(), pb.bounds());
    let over =
        |outline: &ProjectedPolygon<N>, flat: &PlaneHeight, bounds: &[DVec3; 2], x: DVec3| {
            let y = outline.next_inside(x.truncate(), same);
            y.extend(flat.height(y).max(bounds[0].z).min(bounds[1].z))
        };
    let mut hand = |place: Place| {
        let (name, x, y) = match place {
            Place::A(i) => {
                let x = pa.corners[i];
                (Name::A(pa.names[i].0), x, over(pb, &b.1, &bounds_b, x))
            }
            Place::B(k) => {
                let y = pb.corners[k];
                (Name::B(pb.names[k].0), over(pa, &a.1, &bounds_a, y), y)
            }
            Place::Crossing(i, k, y) => {
                let name = Name::Crossing(pa.names[i].1, pb.names[k].1);
                (name, over(pa, &a.1, &bounds_a, y), y)
            }
        };
        if x.is_finite() && y.is_finite() {
            emit(Corner { name, a: x, b: y });
        }
    };
    // Edges of b clipped by a: corners of b inside a, and crossings.
    for k in 0..pb.count {
        let (p, q) = (pb.corners[k], pb.corners[pb.next(k)]);
        let Some(ends) = pa.cut(p.truncate(), q.truncate(), same) else {
            continue;
        };
        for (which, (t, side)) in ends.into_iter().enumerate() {
            match side {
                Some(i) => hand(crossing(pa, pb, (i, k), p + t * (q - p), same)),
                // The next edge emits its own first corner.
                None if which == 1 => {}
                None => hand(Place::B(k)),
            }
        }
    }
    let [low, high] = bounds_b;
    // Corners of a inside b.
    for i in 0..pa.count {
        let p = pa.corners[i];
        let beside = (p.max(low).min(high) - p).truncate().abs().max_element() > same;
        if beside || !pb.holds(p.truncate(), same) {
            continue;
        }
        let x = over(pb, &b.1, &bounds_b, p);
        let near = (0..pb.count).find(|k| (pb.corners[*k] - x).length() <= same);
        hand(near.map_or(Place::A(i), Place::B));
    }
}

/// Location of a corner of the overlap: a corner of a or of b, or the crossing of side i of a and edge k of b.
enum Place {
    A(usize),
    B(usize),
    Crossing(usize, usize, DVec3),
}

fn crossing<const N: usize>(
    a: &ProjectedPolygon<N>,
    b: &ProjectedPolygon<N>,
    (i, k): (usize, usize),
    x: DVec3,
    same: f64,
) -> Place {
    if let Some(c) = [k, b.next(k)]
        .into_iter()
        .find(|c| (b.corners[*c] - x).length() <= same)
    {
        return Place::B(c);
    }
    match a.end_at(i, x.truncate(), same) {
        Some(corner) => Place::A(corner),
        None => Place::Crossing(i, k, x),
    }
}
