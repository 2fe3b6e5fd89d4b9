//! Convex bodies without curvature that a cylinder or a triangle is tested against: a segment (of a capsule), a
//! triangle (of a mesh), a polyhedron; all in the axes of the caller.

use glam::DVec3;

use crate::dim::{Pose, Space};
use crate::space::polyhedron::ConvexPolyhedron;

/// Sine of the tilt up to which a face or an edge counts as parallel to a contact plane. Beyond it only the deepest
/// point of the pair counts: others would touch only at depths of a tenth of the size.
pub(crate) const TILT: f64 = 0.1;

/// Cosine that belongs to [`TILT`].
pub(crate) const FACING: f64 = 0.995;

/// A segment, a triangle or a polyhedron.
pub(crate) enum ConvexCore<'a> {
    /// A segment (two points) or a triangle (three).
    Simplex {
        points: [DVec3; 3],
        count: usize,
        /// Normal of a triangle.
        normal: DVec3,
        /// Internal sides and corners of a triangle, which lie inside a flat part of a surface: a contact region does
        /// not end there.
        mute: [[bool; 3]; 2],
    },
    Hull {
        hull: &'a ConvexPolyhedron,
        pose: Pose<Space>,
    },
}

/// The feature of a body that is parallel to a contact plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ContactFeature {
    Face(usize),
    Edge(u32),
    Vertex(u32),
}

impl<'a> ConvexCore<'a> {
    pub fn segment(p: DVec3, q: DVec3) -> Self {
        Self::Simplex {
            points: [p, q, q],
            count: 2,
            normal: DVec3::ZERO,
            mute: [[false; 3]; 2],
        }
    }

    /// Position, in the axes of the caller, of a point given in the body's own axes.
    fn place(pose: &Pose<Space>, x: DVec3) -> DVec3 {
        pose.position + pose.rotation * x
    }

    /// A lowest vertex along n and its height.
    pub fn low(&self, n: DVec3) -> (u32, f64) {
        match self {
            Self::Simplex { points, count, .. } => {
                let mut best = (0, points[0].dot(n));
                for i in 1..*count {
                    let value = points[i].dot(n);
                    if value < best.1 {
                        best = (i as u32, value);
                    }
                }
                best
            }
            Self::Hull { hull, pose } => {
                let i = hull.support(-(pose.rotation.conjugate() * n), 0);
                (i, self.vertex(i).dot(n))
            }
        }
    }

    pub fn vertices(&self) -> usize {
        match self {
            Self::Simplex { count, .. } => *count,
            Self::Hull { hull, .. } => hull.vertices.len(),
        }
    }

    pub fn vertex(&self, i: u32) -> DVec3 {
        match self {
            Self::Simplex { points, .. } => points[i as usize],
            Self::Hull { hull, pose } => Self::place(pose, hull.vertices[i as usize]),
        }
    }

    pub fn edges(&self) -> usize {
        match self {
            Self::Simplex { count, .. } => [0, 0, 1, 3][*count],
            Self::Hull { hull, .. } => hull.edges.len(),
        }
    }

    pub fn edge(&self, j: u32) -> [u32; 2] {
        match self {
            Self::Simplex { .. } => [j, (j + 1) % 3],
            Self::Hull { hull, .. } => {
                let e = hull.edges[j as usize];
                [e.from, e.to]
            }
        }
    }

    pub fn ends(&self, j: u32) -> [DVec3; 2] {
        self.edge(j).map(|i| self.vertex(i))
    }

    /// Whether −n, orthogonal to edge j, may be an outward normal there: the image of the edge on the Gauss map is the
    /// arc between the normals of its faces. Generous by rounding.
    pub fn in_arc(&self, j: u32, n: DVec3) -> bool {
        match self {
            Self::Simplex { .. } => true,
            Self::Hull { hull, pose } => {
                let e = hull.edges[j as usize];
                // The normal in the axes of the polyhedron, and those of the adjacent faces.
                let m = -(pose.rotation.conjugate() * n);
                let (l, r) = (
                    hull.faces[e.left as usize].normal,
                    hull.faces[e.right as usize].normal,
                );
                let (from, to) = hull.edge_ends(j as usize);
                let t = (to - from).normalize_or_zero();
                // l × t points from the edge into the left face, t × r into the right one.
                let slack = 1e-7;
                m.dot(l.cross(t)) <= slack && m.dot(t.cross(r)) <= slack
            }
        }
    }

    /// An upper bound of n·(x − t) for all x on edge j and all n that the edge allows ([`ConvexCore::in_arc`]), t a
    /// point below both faces of the edge (in the body's own axes); infinite otherwise.
    ///
    /// ```text
    /// n = −(α l + β r)/|α l + β r|, α + β = 1, |α l + β r| ≤ 1:
    /// n·(x − t) = (α vₗ + β vᵣ)/|·| ≤ max(vₗ, vᵣ)  for the heights vₗ, vᵣ ≤ 0 of t over the faces
    /// ```
    #[inline]
    pub fn arc_bound(&self, j: u32, t: DVec3) -> f64 {
        let Self::Hull { hull, .. } = self else {
            return f64::INFINITY;
        };
        let e = hull.edges[j as usize];
        // Heights of t over both faces.
        let [l, r] = [e.left, e.right].map(|f| {
            let face = &hull.faces[f as usize];
            face.normal.dot(t) - face.offset
        });
        if l <= 0.0 && r <= 0.0 {
            l.max(r)
        } else {
            f64::INFINITY
        }
    }

    /// A point in the body's own axes.
    pub fn own(&self, x: DVec3) -> DVec3 {
        match self {
            Self::Simplex { .. } => x,
            Self::Hull { pose, .. } => pose.rotation.conjugate() * (x - pose.position),
        }
    }

    pub fn faces(&self) -> usize {
        match self {
            Self::Simplex { count, .. } => {
                if *count == 3 {
                    2
                } else {
                    0
                }
            }
            Self::Hull { hull, .. } => hull.faces.len(),
        }
    }

    /// Outward normal of a face, and its height along it.
    pub fn face(&self, k: usize) -> (DVec3, f64) {
        match self {
            Self::Simplex { points, normal, .. } => {
                let n = if k == 0 { *normal } else { -*normal };
                (n, n.dot(points[0]))
            }
            Self::Hull { hull, pose } => {
                let f = hull.faces[k];
                let n = pose.rotation * f.normal;
                (n, f.offset + n.dot(pose.position))
            }
        }
    }

    /// Number of corners of a feature.
    pub fn corners(&self, facing: ContactFeature) -> usize {
        match (facing, self) {
            (ContactFeature::Vertex(_), _) => 1,
            (ContactFeature::Edge(_), _) => 2,
            (ContactFeature::Face(_), Self::Simplex { count, .. }) => *count,
            (ContactFeature::Face(k), Self::Hull { hull, .. }) => hull.face_loop(k).len(),
        }
    }

    /// The vertex at corner c and the edge from there to the next corner.
    pub fn corner(&self, facing: ContactFeature, c: usize) -> (u32, u32) {
        match (facing, self) {
            (ContactFeature::Vertex(v), _) => (v, 0),
            (ContactFeature::Edge(j), _) => (self.edge(j)[c % 2], j),
            (ContactFeature::Face(0), Self::Simplex { .. }) => ([0, 1, 2][c % 3], [0, 1, 2][c % 3]),
            (ContactFeature::Face(_), Self::Simplex { .. }) => ([0, 2, 1][c % 3], [2, 1, 0][c % 3]),
            (ContactFeature::Face(k), Self::Hull { hull, .. }) => {
                let corners = hull.face_loop(k);
                let c = c % corners.len();
                (corners[c], hull.face_edges(k)[c])
            }
        }
    }

    /// Number of sides: a closed loop for a face, one for an edge.
    pub fn sides(&self, facing: ContactFeature) -> usize {
        match facing {
            ContactFeature::Vertex(_) => 0,
            ContactFeature::Edge(_) => 1,
            ContactFeature::Face(_) => self.corners(facing),
        }
    }

    pub fn is_internal_edge(&self, j: u32) -> bool {
        matches!(self, Self::Simplex { mute, .. } if mute[0][j as usize])
    }

    pub fn is_internal_vertex(&self, i: u32) -> bool {
        matches!(self, Self::Simplex { mute, .. } if mute[1][i as usize])
    }

    /// The face, else the edge, else the vertex at the lowest vertex that is parallel to the plane with normal n.
    pub fn facing(&self, n: DVec3) -> ContactFeature {
        let (v, _) = self.low(n);
        // Candidates must pass the tolerances of tilt.
        let mut face = (FACING, None);
        let mut edge = (TILT, None);
        match self {
            Self::Simplex { count, .. } => {
                for k in 0..self.faces() {
                    let c = -self.face(k).0.dot(n);
                    if c >= face.0 {
                        face = (c, Some(k));
                    }
                }
                for j in 0..self.edges() as u32 {
                    if self.edge(j).contains(&v) || *count == 2 {
                        self.more_level(j, n, &mut edge);
                    }
                }
            }
            Self::Hull { hull, pose } => {
                let m = -(pose.rotation.conjugate() * n);
                // The face most parallel to the plane; edges only while no face qualifies.
                for &k in hull.faces_around(v as usize) {
                    let c = hull.faces[k as usize].normal.dot(m);
                    if c >= face.0 {
                        face = (c, Some(k as usize));
                    }
                    if face.1.is_none() {
                        let sides = hull.face_edges(k as usize);
                        for &j in sides.iter().filter(|j| self.edge(**j).contains(&v)) {
                            self.more_level(j, n, &mut edge);
                        }
                    }
                }
            }
        }
        match (face.1, edge.1) {
            (Some(k), _) => ContactFeature::Face(k),
            (None, Some(j)) => ContactFeature::Edge(j),
            (None, None) => ContactFeature::Vertex(v),
        }
    }

    /// Keeps the edge with the smallest slope against the plane.
    fn more_level(&self, j: u32, n: DVec3, best: &mut (f64, Option<u32>)) {
        let [p, q] = self.ends(j);
        let slope = (q - p).normalize_or_zero().dot(n).abs();
        if slope < best.0 {
            *best = (slope, Some(j));
        }
    }

    /// The edge with the smallest slope at the lowest vertex, though a face may be parallel to the plane as well.
    pub fn level_edge(&self, n: DVec3) -> Option<u32> {
        let (v, _) = self.low(n);
        let mut edge = (TILT, None);
        match self {
            Self::Simplex { .. } => {
                for j in (0..self.edges() as u32).filter(|j| self.edge(*j).contains(&v)) {
                    self.more_level(j, n, &mut edge);
                }
            }
            Self::Hull { hull, .. } => {
                for &k in hull.faces_around(v as usize) {
                    let sides = hull.face_edges(k as usize);
                    for &j in sides.iter().filter(|j| self.edge(**j).contains(&v)) {
                        self.more_level(j, n, &mut edge);
                    }
                }
            }
        }
        edge.1
    }

    /// The lowest surface point at vertex i, the core widened by the radius `round` and n pointing up.
    pub fn corner_point(&self, i: u32, n: DVec3, round: f64) -> DVec3 {
        let v = self.vertex(i);
        if round == 0.0 {
            return v;
        }
        // Only a segment is widened: its direction, away from the vertex.
        let e = self.vertex(1) - self.vertex(0);
        let outward = if i == 0 { -e } else { e };
        // At the lower end the surface is a hemisphere, at the other one the cylindrical part of the capsule.
        if outward.dot(n) <= 0.0 {
            v - n * round
        } else {
            self.line_point(i, n, round)
        }
    }

    /// The point at vertex i of the line along which an edge of the widened core touches.
    pub fn line_point(&self, i: u32, n: DVec3, round: f64) -> DVec3 {
        let v = self.vertex(i);
        if round == 0.0 {
            return v;
        }
        let e = (self.vertex(1) - self.vertex(0)).normalize_or_zero();
        v - (n - e * e.dot(n)).normalize_or_zero() * round
    }

    /// Whether the point x of the plane of a face, projected there along n, lies on the face.
    pub fn inside(&self, k: usize, x: DVec3, n: DVec3, slack: f64) -> bool {
        let facing = ContactFeature::Face(k);
        (0..self.corners(facing)).all(|c| {
            let p = self.vertex(self.corner(facing, c).0);
            let q = self.vertex(self.corner(facing, c + 1).0);
            // Seen along n, which is opposite to the face normal.
            (q - p).cross(x - p).dot(-n) >= -slack * (q - p).length()
        })
    }
}
