//! GJK: closest points of convex bodies that are separated.
//!
//! ```text
//! min |w|,   w ∈ B − A
//! ```
//!
//! by the method of Gilbert, Johnson and Keerthi: a simplex of at most four vertices of B − A is kept; the support
//! vertex towards the origin joins it, vertices that do not carry the closest point leave it. The final simplex has at
//! most three vertices; as |w| decreases strictly no simplex occurs twice and the method terminates. Its vertices are
//! the closest features, from which normal and distance follow without the cancellation of a difference of near
//! points: from a triangle the normal is that of its plane.
//!
//! For bodies close to each other the barycentric coordinates of flat simplices are dominated by rounding, and the
//! method may end with a w that is not the shortest. The result is therefore verified by a bound valid for every
//! unit n:
//!
//! ```text
//! s(n) = min_{y∈B} n·y − max_{x∈A} n·x  ≤  min |w|  ≤  |w|
//! ```
//!
//! If s(n) along the normal is not the distance, `gjk_extended` computes it again in double-double arithmetic. That the
//! origin is inside a tetrahedron, or that a w is short, needs no verification.

use glam::DVec3;

use super::{closest_points as nearest, gjk_extended as careful};

/// Support map of a convex body given by its vertices, in the axes of the pair.
pub(super) trait SupportMap {
    /// A support vertex along d; `hint` starts the search.
    fn support(&self, d: DVec3, hint: u32) -> u32;
    /// Position of vertex i.
    fn at(&self, i: u32) -> DVec3;
}

/// Closest features: vertices of a and b whose convex combinations are the closest points.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClosestFeatures {
    pub a: [u32; 3],
    pub b: [u32; 3],
    pub weight: [f64; 3],
    pub count: usize,
    /// Unit normal from a to b.
    pub normal: DVec3,
    pub distance: f64,
}

/// Result of GJK.
pub(super) enum GjkResult {
    /// The distance is above the contact margin.
    Beyond,
    /// Not separated, up to rounding.
    Touching,
    Separated(ClosestFeatures),
}

/// Largest number of iterations. Bodies with some hundred vertices need about ten.
pub(super) const ITERATIONS: usize = 200;

/// Bodies closer than this fraction of their size count as touching: the direction would be one of rounding.
pub(super) const TOUCHING: f64 = 1e-13;

/// The distance may exceed the verified bound by this fraction of the size: a dozen roundings of positions and
/// products.
const PROVEN: f64 = 2e-15;

#[derive(Clone, Copy)]
struct Vertex {
    a: u32,
    b: u32,
    w: DVec3,
}

#[derive(Clone, Copy)]
struct Simplex {
    vertices: [Vertex; 4],
    weight: [f64; 4],
    count: usize,
}

impl Simplex {
    fn closest_features(&self) -> DVec3 {
        (0..self.count).fold(DVec3::ZERO, |sum, i| {
            sum + self.weight[i] * self.vertices[i].w
        })
    }

    fn of(vertices: &[Vertex], weight: &[f64]) -> Self {
        let mut part = Self {
            vertices: [vertices[0]; 4],
            weight: [0.0; 4],
            count: 0,
        };
        for (v, w) in vertices.iter().zip(weight) {
            if *w > 0.0 {
                part.vertices[part.count] = *v;
                part.weight[part.count] = *w;
                part.count += 1;
            }
        }
        part
    }

    /// The face of the simplex that carries its point closest to the origin; all four vertices if the origin is inside.
    fn reduced(&self) -> Self {
        let v = &self.vertices;
        match self.count {
            0 | 1 => Self::of(&v[..1], &[1.0]),
            2 => {
                let t = nearest::on_segment(DVec3::ZERO, v[0].w, v[1].w);
                Self::of(&v[..2], &[1.0 - t, t])
            }
            3 => Self::triangle([v[0], v[1], v[2]]),
            _ => self.tetrahedron(),
        }
    }

    fn triangle(v: [Vertex; 3]) -> Self {
        Self::of(
            &v,
            &nearest::on_triangle(DVec3::ZERO, v[0].w, v[1].w, v[2].w),
        )
    }

    fn tetrahedron(&self) -> Self {
        // Each face: is the origin beyond it, away from the fourth vertex?
        let v = self.vertices;
        let mut best: Option<(f64, Self)> = None;
        for (i, j, k, l) in [(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0)] {
            let (e, f, g) = (v[j].w - v[i].w, v[k].w - v[i].w, v[l].w - v[i].w);
            let n = e.cross(f);
            let (origin, other) = (-v[i].w.dot(n), g.dot(n));
            // The origin lies beyond this face, or rounding leaves it undecided.
            let error = 4.0 * f64::EPSILON * e.length() * f.length();
            let doubtful =
                origin.abs() <= error * v[i].w.length() || other.abs() <= error * g.length();
            if origin * other < 0.0 || doubtful {
                let part = Self::triangle([v[i], v[j], v[k]]);
                let square = part.closest_features().length_squared();
                if best.is_none_or(|(least, _)| square < least) {
                    best = Some((square, part));
                }
            }
        }
        // The closest of the faces that the origin is beyond; beyond none, the origin is inside.
        match best {
            Some((_, part)) => part,
            None => Self {
                weight: [0.25; 4],
                ..*self
            },
        }
    }
}

/// Closest points of two bodies, if they are within `reach`. `size` is the scale of rounding: bodies closer than 1e-13
/// of it count as touching. `start` is any direction from a to b.
pub(super) fn closest_features(
    a: &impl SupportMap,
    b: &impl SupportMap,
    start: DVec3,
    reach: f64,
    size: f64,
) -> GjkResult {
    match quick(a, b, start, reach, size) {
        GjkResult::Separated(near) if !near.proven(a, b, size) => {
            careful::closest_features(a, b, near.normal, reach, size)
        }
        GjkResult::Separated(near) if near.distance > reach => GjkResult::Beyond,
        answer => answer,
    }
}

/// GJK in floating-point arithmetic, not verified: the points may not be the closest.
fn quick(
    a: &impl SupportMap,
    b: &impl SupportMap,
    start: DVec3,
    reach: f64,
    size: f64,
) -> GjkResult {
    let vertex = |d: DVec3, last: Vertex| {
        let (i, j) = (a.support(d, last.a), b.support(-d, last.b));
        Vertex {
            a: i,
            b: j,
            w: b.at(j) - a.at(i),
        }
    };
    let first = vertex(
        start,
        Vertex {
            a: 0,
            b: 0,
            w: DVec3::ZERO,
        },
    );
    let mut simplex = Simplex::of(&[first], &[1.0]);
    let mut v = first.w;
    for _ in 0..ITERATIONS {
        let square = v.length_squared();
        if square <= (TOUCHING * size).powi(2) {
            return GjkResult::Touching;
        }
        // Support vertex towards the origin; the plane through it bounds the distance from below.
        let next = vertex(v, simplex.vertices[0]);
        let along = v.dot(next.w);
        if along > 0.0 && along * along > reach * reach * square {
            return GjkResult::Beyond;
        }
        // Converged: no progress along v, or a known vertex.
        let known = |x: &Vertex| x.a == next.a && x.b == next.b;
        if square - along <= 1e-15 * square || simplex.vertices[..simplex.count].iter().any(known) {
            break;
        }
        // Add the vertex and reduce the simplex.
        let mut larger = simplex;
        larger.vertices[larger.count] = next;
        larger.count += 1;
        let smaller = larger.reduced();
        if smaller.count == 4 {
            return GjkResult::Touching;
        }
        let nearer = smaller.closest_features();
        if !(nearer.length_squared() < square) {
            break;
        }
        (simplex, v) = (smaller, nearer);
    }
    GjkResult::Separated(named(&simplex, v, size))
}

/// Normal and distance from the features of the final simplex.
fn named(simplex: &Simplex, v: DVec3, size: f64) -> ClosestFeatures {
    // Of a triangle, the normal of its plane is more accurate than the direction of v.
    let w = simplex.vertices.map(|x| x.w);
    let distance = v.length();
    let mut normal = v / distance;
    if simplex.count == 3 {
        let plane = (w[1] - w[0]).cross(w[2] - w[0]).normalize_or_zero();
        let plane = if plane.dot(v) < 0.0 { -plane } else { plane };
        // Both agree up to the rounding of v, unless the plane is that of a sliver.
        if plane.cross(normal).length() <= 1e-9 + 1e-14 * size / distance {
            normal = plane;
        }
    }
    let three = |f: fn(&Vertex) -> u32| [0, 1, 2].map(|i| f(&simplex.vertices[i]));
    ClosestFeatures {
        a: three(|x| x.a),
        b: three(|x| x.b),
        weight: [0, 1, 2].map(|i| simplex.weight[i]),
        count: simplex.count,
        normal,
        distance: v.dot(normal),
    }
}

impl ClosestFeatures {
    /// Whether the support bound along the normal equals the distance: the bodies are as far apart as claimed.
    fn proven(&self, a: &impl SupportMap, b: &impl SupportMap, size: f64) -> bool {
        let n = self.normal;
        let (i, j) = (a.support(n, self.a[0]), b.support(-n, self.b[0]));
        n.dot(b.at(j) - a.at(i)) >= self.distance - PROVEN * size
    }

    /// The closest points.
    pub(super) fn points(&self, a: &impl SupportMap, b: &impl SupportMap) -> (DVec3, DVec3) {
        let (mut x, mut y) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..self.count {
            x += self.weight[i] * a.at(self.a[i]);
            y += self.weight[i] * b.at(self.b[i]);
        }
        (x, y)
    }
}
