//! Two polyhedra in the axes of the first, with their tolerances and features.

use glam::{DMat3, DVec3};

use super::gjk::SupportMap;
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::ConvexPolyhedron;

/// Cosine of the tilt up to which two faces are clipped against each other along a normal that is neither's.
pub(super) const STEEP: f64 = 0.9;

/// By how much a separation must be larger to be preferred, for bodies of a smaller and a summed size: more than
/// rounding, less than any relevant length.
pub(super) fn bias(small: f64, size: f64) -> f64 {
    1e-12 * small + 1e-14 * size
}

/// Sine of the angle up to which two edges count as parallel.
pub(super) const ALONG: f64 = 1e-2;

/// A polyhedron in its own axes.
pub(super) struct LocalPolyhedron<'a>(pub &'a ConvexPolyhedron);

impl SupportMap for LocalPolyhedron<'_> {
    #[inline]
    fn support(&self, d: DVec3, hint: u32) -> u32 {
        self.0.support(d, hint)
    }
    #[inline]
    fn at(&self, i: u32) -> DVec3 {
        self.0.vertices[i as usize]
    }
}

/// A polyhedron placed in the axes of another body.
#[derive(Clone, Copy)]
pub(super) struct PlacedPolyhedron<'a> {
    pub body: &'a ConvexPolyhedron,
    pub turn: DMat3,
    pub back: DMat3,
    pub shift: DVec3,
}

impl SupportMap for PlacedPolyhedron<'_> {
    #[inline]
    fn support(&self, d: DVec3, hint: u32) -> u32 {
        self.body.support(self.back * d, hint)
    }
    #[inline]
    fn at(&self, i: u32) -> DVec3 {
        self.turn * self.body.vertices[i as usize] + self.shift
    }
}

impl PlacedPolyhedron<'_> {
    /// Outward normal of a face.
    #[inline]
    pub(super) fn normal(&self, face: usize) -> DVec3 {
        self.turn * self.body.faces[face].normal
    }
}

/// Transformation from the axes of the pair to world axes.
#[derive(Clone, Copy)]
pub(super) struct PairFrame {
    pub rotation: DMat3,
    pub position: DVec3,
}

impl PairFrame {
    pub(super) fn new(pose: &Pose<Space>) -> Self {
        Self {
            rotation: DMat3::from_quat(pose.rotation),
            position: pose.position,
        }
    }

    #[inline]
    pub(super) fn touch(
        &self,
        (x, y): (DVec3, DVec3),
        n: DVec3,
        gap: f64,
        feature: u32,
    ) -> ContactPoint<Space> {
        ContactPoint {
            point_a: self.position + self.rotation * x,
            point_b: self.position + self.rotation * y,
            normal: self.rotation * n,
            gap,
            feature,
        }
    }
}

/// Two polyhedra whose bounding spheres are within the contact margin.
pub(super) struct PolyhedronPair<'a> {
    pub a: &'a ConvexPolyhedron,
    pub b: PlacedPolyhedron<'a>,
    pub home: PairFrame,
    pub contact_margin: f64,
    /// Scale of the rounding errors of positions.
    pub size: f64,
    /// A separation must be larger by this much to be preferred: ties, as between the two faces of bodies at rest or
    /// between a face and its edges, are then decided by order and not by rounding. Depths exceed the least one by at
    /// most three times this.
    pub bias: f64,
    /// Points closer than this coincide.
    pub same: f64,
    /// Tolerance of the depth: the deepest point must be as deep as the axis says up to this, as axes are chosen
    /// within the bias.
    pub exact: f64,
}

impl<'a> PolyhedronPair<'a> {
    /// `None` if the bounding spheres are not within the contact margin.
    pub(super) fn new(
        a: (&'a ConvexPolyhedron, &Pose<Space>),
        b: (&'a ConvexPolyhedron, &Pose<Space>),
        reach: f64,
    ) -> Option<Self> {
        // Bounding spheres.
        let apart = b.1.position - a.1.position;
        let (ra, rb) = (a.0.radius, b.0.radius);
        let far = ra + rb + reach;
        if !(apart.length_squared() <= far * far) {
            return None;
        }
        // Pose of b in the axes of a.
        let home = PairFrame::new(a.1);
        let back = home.rotation.transpose();
        let turn = back * DMat3::from_quat(b.1.rotation);
        let (small, size) = (ra.min(rb), ra + rb);
        let bias = bias(small, size);
        Some(Self {
            a: a.0,
            b: PlacedPolyhedron {
                body: b.0,
                turn,
                back: turn.transpose(),
                shift: back * apart,
            },
            home,
            contact_margin: reach,
            size,
            bias,
            same: 1e-7 * small + 1e-12 * size,
            exact: 10.0 * bias,
        })
    }

    /// Feature of a contact at a vertex of a.
    pub(super) fn vertex_of_a(&self, i: u32) -> u32 {
        i
    }

    /// Feature of a contact at a vertex of b.
    pub(super) fn vertex_of_b(&self, j: u32) -> u32 {
        self.a.vertices.len() as u32 + j
    }

    /// Feature of a contact at the crossing of two edges. Below 2³², as no polyhedron has more than 3 · 16384 edges.
    pub(super) fn crossing(&self, i: u32, j: u32) -> u32 {
        let vertices = self.a.vertices.len() + self.b.body.vertices.len();
        vertices as u32 + i * self.b.body.edges.len() as u32 + j
    }

    /// The face of a at a vertex whose normal is most along n. Faces equal to 1e-9 are decided by order.
    pub(super) fn facing(&self, vertex: u32, n: DVec3) -> usize {
        most_along(self.a, vertex, n)
    }

    /// The face of b at a vertex whose normal is most along −n.
    pub(super) fn opposing(&self, vertex: u32, n: DVec3) -> usize {
        most_along(self.b.body, vertex, self.b.back * -n)
    }
}

fn most_along(body: &ConvexPolyhedron, vertex: u32, n: DVec3) -> usize {
    // Later faces must be better by 1e-9.
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for &face in body.faces_around(vertex as usize) {
        let value = body.faces[face as usize].normal.dot(n);
        if value > most + 1e-9 {
            (best, most) = (face as usize, value);
        }
    }
    best
}

/// Of the faces at the first vertex, the one that contains all vertices and whose normal is most along n.
pub(super) fn containing(body: &ConvexPolyhedron, vertices: &[u32], n: DVec3) -> usize {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for &f in body.faces_around(vertices[0] as usize) {
        let corners = body.face_loop(f as usize);
        let all = vertices.iter().all(|v| corners.contains(v));
        // Cosines are between −1 and 1: a face with all vertices is better than any without.
        let value = body.faces[f as usize].normal.dot(n) + if all { 4.0 } else { 0.0 };
        if value > most + 1e-9 {
            (best, most) = (f as usize, value);
        }
    }
    best
}

/// The neighbour of a vertex whose edge is most nearly orthogonal to n, if it is so within [`ALONG`].
pub(super) fn flattest(body: &ConvexPolyhedron, vertex: u32, n: DVec3) -> Option<u32> {
    let x = body.vertices[vertex as usize];
    // Cosine between the edge and n.
    let rise = |j: u32| {
        (body.vertices[j as usize] - x)
            .normalize_or_zero()
            .dot(n)
            .abs()
    };
    let beside = body.neighbours(vertex as usize).iter().copied();
    beside
        .min_by(|i, j| rise(*i).total_cmp(&rise(*j)))
        .filter(|j| rise(*j) <= ALONG)
}

/// Appends a contact within the margin; of two with the same feature the deeper one is kept.
pub(super) fn keep_deepest(
    touch: ContactPoint<Space>,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) {
    if !(touch.gap <= reach) {
        return;
    }
    match out[from..].iter_mut().find(|t| t.feature == touch.feature) {
        Some(known) if touch.gap < known.gap => *known = touch,
        Some(_) => {}
        None => out.push(touch),
    }
}
