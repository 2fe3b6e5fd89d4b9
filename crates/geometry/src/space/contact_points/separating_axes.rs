//! Separating axes of two convex polyhedra (SAT), face normals and edge–edge axes.
//!
//! ```text
//! s(n) = min_{y∈B} n·y − max_{x∈A} n·x,   separation = max_{|n|=1} s(n)
//! ```
//!
//! B − A is a polyhedron whose faces are spanned by a face of A and a vertex of B, a vertex and a face, or two edges.
//! If the origin is inside, the maximum (minus the penetration depth) is attained at one of their normals; if it is
//! outside, some of them have s(n) > 0.
//!
//! With few directions of edges (boxes have three) the normals of all pairs of directions are tested. Otherwise, with
//! n on the arc of an edge of A on the Gauss map and p a point of that edge,
//!
//! ```text
//! s(n) = f(n)/|n|,   f(n) = min_{y∈B} n·(y − p)
//! ```
//!
//! f is concave and piecewise linear; its kinks are the normals of pairs of edges, where two vertices y tie. The
//! vertices that are lowest at the two ends of a piece of the arc bound f from above; if the bound is below the best
//! separation known, the piece is discarded, else the lowest vertex at the tie decides or divides it (branch and
//! bound). Once the bodies are known to overlap, an edge of A that spans the penetration depth d has a point no
//! farther than d from B, hence no farther than d outside any face of B: with the best face this leaves a handful of
//! edges.

use glam::DVec3;

use super::gjk::SupportMap;
use super::pair::{LocalPolyhedron, PolyhedronPair};

/// Number of pairs of edge directions up to which all are tested.
const FEW: usize = 36;

/// Sine of the angle between edges below which they span no axis. The face of B − A that is left out is narrower than
/// this fraction of the size, and depths change by less.
const PARALLEL: f64 = 1e-12;

/// Largest depth of the division of an arc: each level takes one more vertex, and an arc passes only some dozens.
const DEEPEST: u32 = 1000;

/// A unit normal from a to b, and the separation along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeparatingAxis {
    pub separation: f64,
    pub normal: DVec3,
    /// Face of the body that it is taken from; for two edges, the edge of a.
    pub first: usize,
    /// Support vertex of the other body; for two edges, the edge of b.
    pub second: usize,
}

/// The best face normals of either body.
pub(super) struct FaceAxes {
    pub a: SeparatingAxis,
    pub b: SeparatingAxis,
}

impl FaceAxes {
    pub(super) fn separation(&self) -> f64 {
        self.a.separation.max(self.b.separation)
    }
}

/// Best face normals; `None` if one of them separates the bodies by more than the contact margin.
pub(super) fn of_faces(pair: &PolyhedronPair) -> Option<FaceAxes> {
    let (a, b) = (pair.a, &pair.b);
    let none = SeparatingAxis {
        separation: f64::NEG_INFINITY,
        normal: DVec3::Z,
        first: 0,
        second: 0,
    };
    let mut best = FaceAxes { a: none, b: none };
    let mut vertex = 0;
    // Faces of a against the support vertices of b.
    for (f, face) in a.faces.iter().enumerate() {
        let local = b.back * face.normal;
        vertex = b.body.support(-local, vertex);
        let low = b.body.vertices[vertex as usize].dot(local);
        let separation = face.normal.dot(b.shift) + low - face.offset;
        if separation > pair.contact_margin {
            return None;
        }
        if separation > best.a.separation + pair.bias {
            best.a = SeparatingAxis {
                separation,
                normal: face.normal,
                first: f,
                second: vertex as usize,
            };
        }
    }
    // Faces of b against the support vertices of a.
    let origin = b.back * b.shift;
    let mut vertex = 0;
    for (f, face) in b.body.faces.iter().enumerate() {
        let normal = b.turn * face.normal;
        vertex = a.support(-normal, vertex);
        let low = a.vertices[vertex as usize].dot(normal);
        let separation = low - face.normal.dot(origin) - face.offset;
        if separation > pair.contact_margin {
            return None;
        }
        if separation > best.b.separation + pair.bias {
            best.b = SeparatingAxis {
                separation,
                normal: -normal,
                first: f,
                second: vertex as usize,
            };
        }
    }
    Some(best)
}

/// Whether all pairs of edge directions are to be tested.
pub(super) fn few(pair: &PolyhedronPair) -> bool {
    pair.a.axes.len() * pair.b.body.axes.len() <= FEW
}

/// The best edge–edge axis better than `least`, from all pairs of directions.
pub(super) fn of_directions(pair: &PolyhedronPair, least: f64) -> Option<SeparatingAxis> {
    let (a, b) = (pair.a, &pair.b);
    let mut best: Option<(f64, DVec3, usize, usize)> = None;
    let mut most = least + pair.bias;
    for (j, v) in b.body.axes.iter().enumerate() {
        let v = b.turn * *v;
        for (i, u) in a.axes.iter().enumerate() {
            // Nearly parallel directions span no axis.
            let cross = u.cross(v);
            let square = cross.length_squared();
            if square <= PARALLEL * PARALLEL {
                continue;
            }
            let n = cross / square.sqrt();
            let (separation, n) = both_ways(pair, n);
            if separation > most {
                most = separation + pair.bias;
                best = Some((separation, n, i, j));
            }
        }
    }
    // Of the parallel edges with these directions, the outermost ones span the axis.
    let (separation, normal, i, j) = best?;
    let first = outermost(a.edges.iter().map(|e| e.axis), i, |e| {
        let (p, q) = a.edge_ends(e);
        (p + q).dot(normal)
    })?;
    let local = b.back * normal;
    let second = outermost(b.body.edges.iter().map(|e| e.axis), j, |e| {
        let (p, q) = b.body.edge_ends(e);
        -(p + q).dot(local)
    })?;
    Some(SeparatingAxis {
        separation,
        normal,
        first,
        second,
    })
}

/// The separation along n or −n, whichever is larger.
fn both_ways(pair: &PolyhedronPair, n: DVec3) -> (f64, DVec3) {
    let (a, b) = (pair.a, &pair.b);
    let (along, local) = (n.dot(b.shift), b.back * n);
    if a.half_extents.is_some() && b.body.half_extents.is_some() {
        let n = if along < 0.0 { -n } else { n };
        return (
            along.abs() - a.support_value(n) - b.body.support_value(local),
            n,
        );
    }
    let forth = along - a.support_value(n) - b.body.support_value(-local);
    let back = -along - a.support_value(-n) - b.body.support_value(local);
    if back > forth { (back, -n) } else { (forth, n) }
}

fn outermost(
    axes: impl Iterator<Item = u32>,
    axis: usize,
    height: impl Fn(usize) -> f64,
) -> Option<usize> {
    let alike = axes
        .enumerate()
        .filter(|(_, k)| *k as usize == axis)
        .map(|(e, _)| e);
    alike.max_by(|e, f| height(*e).total_cmp(&height(*f)))
}

/// The best edge–edge axis better than `faces`, for bodies that overlap. The arcs are those of the body with fewer
/// edges.
pub(super) fn of_edges(pair: &PolyhedronPair, faces: &FaceAxes) -> Option<SeparatingAxis> {
    let (a, b) = (pair.a, &pair.b);
    let mut search = ArcSearch {
        most: faces.separation() + pair.bias,
        bias: pair.bias,
        rounding: 1e-15 * pair.size,
        best: None,
    };
    let near = -faces.separation() + 1e-12 * pair.size;
    if a.edges.len() <= b.body.edges.len() {
        // Only edges near the best face of b: height over it.
        let n = -faces.b.normal;
        let level = b.body.faces[faces.b.first].offset + n.dot(b.shift);
        for (i, arc) in a.edge_face_normals.iter().enumerate() {
            let (p, q) = a.edge_ends(i);
            if p.dot(n).min(q.dot(n)) - level <= near {
                search.edge(i, p, *arc, b);
            }
        }
    } else {
        // The same with the roles exchanged.
        let (n, level) = (faces.a.normal, a.faces[faces.a.first].offset);
        for (j, arc) in b.body.edge_face_normals.iter().enumerate() {
            let e = &b.body.edges[j];
            let (p, q) = (b.at(e.from), b.at(e.to));
            if p.dot(n).min(q.dot(n)) - level <= near {
                search.edge(j, p, arc.map(|m| b.turn * m), &LocalPolyhedron(a));
            }
        }
    }
    let EdgePair { own, ends, normal } = search.best?;
    let (normal, first, second) = if a.edges.len() <= b.body.edges.len() {
        (normal, own, b.body.edge_between(ends[0], ends[1])? as usize)
    } else {
        (-normal, a.edge_between(ends[0], ends[1])? as usize, own)
    };
    // Rounding may have tilted the normal of nearly parallel edges: the separation is that of the whole bodies along
    // it.
    let separation =
        normal.dot(b.shift) - a.support_value(normal) - b.body.support_value(-(b.back * normal));
    let better = separation > faces.separation() + pair.bias;
    better.then_some(SeparatingAxis {
        separation,
        normal,
        first,
        second,
    })
}

/// The best pair of edges so far.
struct EdgePair {
    own: usize,
    /// Vertices of the other body's edge.
    ends: [u32; 2],
    /// Normal, outward from the body whose edge is `own`.
    normal: DVec3,
}

struct ArcSearch {
    most: f64,
    bias: f64,
    rounding: f64,
    best: Option<EdgePair>,
}

/// An end of a piece of an arc: the normal, not of unit length as points of a chord are, and the support vertex of the
/// other body along it, relative to p.
#[derive(Clone, Copy)]
struct End {
    n: DVec3,
    vertex: u32,
    y: DVec3,
}

impl ArcSearch {
    fn edge(&mut self, own: usize, p: DVec3, arc: [DVec3; 2], other: &impl SupportMap) {
        let end = |n: DVec3, hint: u32| {
            let vertex = other.support(-n, hint);
            let y = other.at(vertex) - p;
            End { n, vertex, y }
        };
        let first = end(arc[0], self.best.as_ref().map_or(0, |b| b.ends[0]));
        let last = end(arc[1], first.vertex);
        self.piece(own, first, last, &end, 0);
    }

    fn piece(
        &mut self,
        own: usize,
        first: End,
        last: End,
        end: &impl Fn(DVec3, u32) -> End,
        depth: u32,
    ) {
        if first.vertex == last.vertex || depth > DEEPEST {
            return;
        }
        // Heights of both vertices at both ends; between the ends they tie at t.
        let [a1, b1] = [first.n, last.n].map(|n| n.dot(first.y));
        let [a2, b2] = [first.n, last.n].map(|n| n.dot(last.y));
        let (left, right) = (a2 - a1, b1 - b2);
        let ends = [first.vertex, last.vertex];
        if !(left > 0.0 && right > 0.0) {
            // They tie at an end: where the arc was divided that may be the normal sought, as it is for bodies with
            // symmetries. At an end of the arc it is a face normal, and no better than that one.
            let (n, height) = if left > 0.0 {
                (last.n, b2)
            } else {
                (first.n, a1)
            };
            return self.take(own, ends, n, height);
        }
        let t = left / (left + right);
        let bound = a1 + t * (b1 - a1);
        // Points of a chord are no longer than 1, and normalising them increases depths.
        if bound <= self.most {
            return;
        }
        let middle = end(first.n + t * (last.n - first.n), first.vertex);
        let known = middle.vertex == first.vertex || middle.vertex == last.vertex;
        if known || middle.n.dot(middle.y) >= bound - self.rounding {
            return self.take(own, ends, middle.n, bound);
        }
        self.piece(own, first, middle, end, depth + 1);
        self.piece(own, middle, last, end, depth + 1);
    }

    /// Keeps an axis if it is better: n, not of unit length, along which the vertices `ends` are lowest.
    fn take(&mut self, own: usize, ends: [u32; 2], n: DVec3, height: f64) {
        let length = n.length();
        let separation = height / length;
        if length > 0.0 && separation > self.most {
            self.most = separation + self.bias;
            let normal = n / length;
            self.best = Some(EdgePair { own, ends, normal });
        }
    }
}
