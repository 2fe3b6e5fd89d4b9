//! GJK in double-double arithmetic: closest points of convex bodies that are almost in contact.
//!
//! ```text
//! min |w|,   w ∈ B − A
//! ```
//!
//! as in `gjk`, with simplices in double-double numbers. Here |w| may be 1e-12 of the size of the vertices it is made
//! of, triangles may be slivers, and in double precision the side of them on which the origin lies is lost in
//! rounding: the method then ends with a vector that separates nothing. In double-double the vertices are differences
//! without error and each closest point is that of its simplex, so that only the choice of the support vertex is
//! rounded: the result is a vector along which the bodies are separated by its length, up to that rounding, or a
//! simplex with the origin inside. Some ten times slower, and called only where the faster method proved nothing.

use glam::DVec3;

use super::double_double::{DoubleDouble, DoubleDouble3};
use super::gjk::{ClosestFeatures, GjkResult, ITERATIONS, SupportMap, TOUCHING};

#[derive(Clone, Copy)]
struct Vertex {
    a: u32,
    b: u32,
    w: DoubleDouble3,
}

/// A simplex by its vertices, with the barycentric coordinates of its point v closest to the origin.
#[derive(Clone, Copy)]
struct Simplex {
    vertices: [Vertex; 4],
    weight: [f64; 4],
    count: usize,
    v: DoubleDouble3,
    square: DoubleDouble,
}

impl Simplex {
    fn point(vertex: Vertex) -> Self {
        Self {
            vertices: [vertex; 4],
            weight: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            v: vertex.w,
            square: vertex.w.dot(&vertex.w),
        }
    }

    /// The point of the open segment closest to the origin, if it is not an end.
    fn segment(p: Vertex, q: Vertex) -> Option<Self> {
        let u = q.w.minus(&p.w);
        // Parameter of the foot of the origin on the line.
        let t = p.w.dot(&u).negated().over(u.dot(&u));
        if !(t.positive() && t.less(DoubleDouble::ONE)) {
            return None;
        }
        let v = p.w.moved(t, &u);
        let mut simplex = Self::point(p);
        simplex.vertices[1] = q;
        simplex.weight = [1.0 - t.value(), t.value(), 0.0, 0.0];
        Some(Self {
            count: 2,
            v,
            square: v.dot(&v),
            ..simplex
        })
    }

    /// The point of the open triangle closest to the origin, if it is not on the border: v = (n·p) n/n², whose
    /// direction is accurate however close the plane is.
    fn triangle(p: Vertex, q: Vertex, r: Vertex) -> Option<Self> {
        // Barycentric coordinates times n².
        let n = q.w.minus(&p.w).cross(&r.w.minus(&p.w));
        let square = n.dot(&n);
        let weight = [(q, r), (r, p), (p, q)].map(|(x, y)| n.dot(&x.w.cross(&y.w)));
        if !(square.positive() && weight.iter().all(|x| x.positive())) {
            return None;
        }
        let v = n.scaled(n.dot(&p.w).over(square));
        let [x, y, z] = weight.map(|x| x.over(square).value());
        Some(Self {
            vertices: [p, q, r, r],
            weight: [x, y, z, 0.0],
            count: 3,
            v,
            square: v.dot(&v),
        })
    }

    /// The simplex with one more vertex, reduced to the face that carries its point closest to the origin. Faces
    /// without the new vertex are no closer than before. `None`: the origin is inside.
    fn with(&self, new: Vertex) -> Option<Self> {
        let old = &self.vertices[..self.count];
        if let [p, q, r] = *old
            && inside([p, q, r, new])
        {
            return None;
        }
        // The new vertex, its edges and its triangles: the shortest v.
        let mut best = Self::point(new);
        let mut take = |found: Option<Self>| {
            if let Some(found) = found
                && found.square.less(best.square)
            {
                best = found;
            }
        };
        for (i, p) in old.iter().enumerate() {
            take(Self::segment(*p, new));
            for q in &old[..i] {
                take(Self::triangle(*p, *q, new));
            }
        }
        Some(best)
    }
}

/// Whether the origin is strictly inside a tetrahedron: on the same side of every face as the fourth vertex.
fn inside(v: [Vertex; 4]) -> bool {
    [(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0)]
        .into_iter()
        .all(|(i, j, k, l)| {
            let n = v[j].w.minus(&v[i].w).cross(&v[k].w.minus(&v[i].w));
            let origin = v[i].w.dot(&n).negated();
            let other = v[l].w.minus(&v[i].w).dot(&n);
            origin.times(other).positive()
        })
}

/// As `gjk::closest_features`; `start` is a direction from a to b.
pub(super) fn closest_features(
    a: &impl SupportMap,
    b: &impl SupportMap,
    start: DVec3,
    reach: f64,
    size: f64,
) -> GjkResult {
    let vertex = |d: DVec3, hint: [u32; 2]| {
        let (i, j) = (a.support(d, hint[0]), b.support(-d, hint[1]));
        Vertex {
            a: i,
            b: j,
            w: DoubleDouble3::difference(b.at(j), a.at(i)),
        }
    };
    let mut simplex = Simplex::point(vertex(start, [0, 0]));
    // Verified separation: the support bound along the current direction.
    let mut proven = f64::NEG_INFINITY;
    for _ in 0..ITERATIONS {
        let length = simplex.square.value().sqrt();
        if !(length > TOUCHING * size) {
            return GjkResult::Touching;
        }
        let normal = simplex.v.value() / length;
        // Support vertex towards the origin.
        let last = simplex.vertices[0];
        let next = vertex(normal, [last.a, last.b]);
        proven = normal.dot(next.w.value());
        if proven > reach {
            return GjkResult::Beyond;
        }
        let mut known = simplex.vertices[..simplex.count].iter();
        if proven >= length || known.any(|x| x.a == next.a && x.b == next.b) {
            break;
        }
        let Some(smaller) = simplex.with(next) else {
            return GjkResult::Touching;
        };
        if !smaller.square.less(simplex.square) {
            break;
        }
        simplex = smaller;
    }
    // Nothing separates the bodies, up to rounding.
    if !(proven > 0.0) {
        return GjkResult::Touching;
    }
    let distance = simplex.square.value().sqrt();
    let three = |f: fn(&Vertex) -> u32| [0, 1, 2].map(|i| f(&simplex.vertices[i]));
    GjkResult::Separated(ClosestFeatures {
        a: three(|x| x.a),
        b: three(|x| x.b),
        weight: [0, 1, 2].map(|i| simplex.weight[i]),
        count: simplex.count,
        normal: simplex.v.value() / distance,
        distance,
    })
}
