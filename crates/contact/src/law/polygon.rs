//! Coulomb friction with a convex polygon D as section (M88 §12, P15 H3).
//!
//! ```text
//! u = H r + q,   0 <= u_n ⊥ r_n >= 0,   -u_t ∈ N_{r_n D}(r_t)
//! ```
//!
//! Method: q_n >= 0 is open. Otherwise u_n = 0 and the answer sticks (u_t = 0), slides at a vertex
//! (r_t = r_n v, -u_t in the vertex' normal cone) or on an edge (r_t = r_n v + σ e, u_t ⊥ e): a
//! finite enumeration of linear systems of at most three unknowns. Each candidate is rated by
//! the largest violation of its inequalities, in units of impulse; the smallest wins, and an exact solution
//! ends the search. Cost: linear in the number of vertices.
//!
//! Sticking with a singular tangential block is handled by `law::singular` (M88 §17).
//!
//! Limits: where several candidates solve the problem (strong normal–tangential coupling) the first in the order
//! stick, then vertex and edge by index is taken.

use std::sync::Arc;

use super::error::LawError;
use super::{Law, Status, singular, small};

/// A convex polygon that contains 0, counter-clockwise: the section D of the friction cone.
#[derive(Debug, Clone, PartialEq)]
pub struct PolygonSection {
    vertices: Box<[[f64; 2]]>,
}

impl PolygonSection {
    /// Takes the vertices of a strictly convex polygon in either sense of rotation.
    ///
    /// # Errors
    /// Fewer than three vertices, a non-finite coordinate, repeated or collinear vertices, a
    /// polygon that is not convex or winds more than once, or one without 0 inside or on its edge.
    pub fn new(vertices: &[[f64; 2]]) -> Result<Self, LawError> {
        let fail = |vertex: usize, why| {
            let [x, y] = vertices.get(vertex).copied().unwrap_or([f64::NAN; 2]);
            Err(LawError::Section { vertex, x, y, why })
        };
        let m = vertices.len();
        if m < 3 {
            return fail(0, "at least three vertices are needed");
        }
        if let Some(k) = vertices.iter().position(|v| !(v[0] + v[1]).is_finite()) {
            return fail(k, "every coordinate must be finite");
        }
        // Orientation: counter-clockwise from the signed area.
        let area: f64 = (0..m)
            .map(|k| cross(vertices[k], vertices[(k + 1) % m]))
            .sum();
        let mut ordered = vertices.to_vec();
        if area < 0.0 {
            ordered.reverse();
        }
        let original = |k: usize| if area < 0.0 { m - 1 - k } else { k };
        // Convexity at every vertex, 0 inside every edge, and the total turning angle.
        let mut turn = 0.0;
        for k in 0..m {
            let (v, w, z) = (ordered[k], ordered[(k + 1) % m], ordered[(k + 2) % m]);
            let (e, f) = (minus(w, v), minus(z, w));
            let corner = original((k + 1) % m);
            if cross(e, f) <= 0.0 {
                return fail(
                    corner,
                    "the vertices must form a strictly convex polygon, here it is flat or turns back",
                );
            }
            turn += cross(e, f).atan2(e[0] * f[0] + e[1] * f[1]);
            if cross(e, minus([0.0; 2], v)) < 0.0 {
                return fail(
                    original(k),
                    "0 must lie inside or on an edge of the polygon",
                );
            }
        }
        // One turn is 2π; a star polygon turns at least twice as much.
        if turn > 3.0 * std::f64::consts::PI {
            return fail(0, "the polygon winds more than once around its centre");
        }
        Ok(Self {
            vertices: ordered.into(),
        })
    }

    /// The law with this section.
    #[must_use]
    pub fn into_law(self) -> Law {
        Law::CoulombPolygon(Arc::new(self))
    }

    /// The vertices, counter-clockwise.
    #[must_use]
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Support function of D at `d`: max over D of w·d.
    #[inline]
    pub(super) fn support(&self, d: [f64; 2]) -> f64 {
        self.vertices
            .iter()
            .map(|v| v[0] * d[0] + v[1] * d[1])
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Cross product in the plane.
#[inline]
fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// a - b.
#[inline]
fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// Scalar product.
#[inline]
fn dot2(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Solves one contact whose section has the given counter-clockwise vertices (at least three).
pub fn solve(h: &[[f64; 3]; 3], q: &[f64; 3], vertices: &[[f64; 2]]) -> ([f64; 3], Status) {
    let trace = h[0][0] + h[1][1] + h[2][2];
    if !(q[0] < 0.0 && h[0][0] > 0.0 && trace > 0.0) {
        return ([0.0; 3], Status::Open);
    }
    if let Some(answer) = lost_rank(h, q, vertices, 3.0 / trace) {
        return answer;
    }
    let mut best = enumerate(h, q, vertices, 3.0 / trace, None);
    if best.miss > 1e-12 {
        // A singular tangential block has sticking solutions on a line or none; raising its
        // diagonal by rounding selects one and changes u by no more than rounding.
        let mut raised = *h;
        for i in 1..3 {
            raised[i][i] += 64.0 * f64::EPSILON * h[i][i].abs();
        }
        let again = enumerate(&raised, q, vertices, 3.0 / trace, None);
        if again.miss < best.miss {
            best = again;
        }
    }
    if best.r.iter().all(|v| v.is_finite()) {
        (best.r, best.status)
    } else {
        ([0.0; 3], Status::Open)
    }
}

/// The answer for a rank-deficient tangential block (see `law::singular`): rest if some
/// impulse sticks, else sliding; the frictionless impulse if friction jams and neither exists.
#[inline]
fn lost_rank(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    vertices: &[[f64; 2]],
    kappa: f64,
) -> Option<([f64; 3], Status)> {
    let inv = 1.0 / h[0][0];
    let c = [h[1][0] * inv, h[2][0] * inv];
    let b_mat = [0, 1].map(|i| [0, 1].map(|j| h[i + 1][j + 1] - c[i] * h[0][j + 1]));
    if !singular::may_be_rank_deficient(&b_mat, h[1][1], h[2][2]) {
        return None;
    }
    if let Some(r) = singular::stick_in_polygon(h, q, vertices)? {
        return Some((r, Status::Stick)).filter(|_| r.iter().all(|v| v.is_finite()));
    }
    let best = enumerate(h, q, vertices, kappa, Some(singular::RANK_TOLERANCE));
    // Each candidate solves its equations to a few roundings of |r|: a larger violation is no solution.
    if best.miss <= 1e-13 {
        Some((best.r, best.status))
    } else {
        let r_n = -q[0] / h[0][0];
        r_n.is_finite().then_some(([r_n, 0.0, 0.0], Status::Slip))
    }
}

/// A candidate impulse with the largest violation of its inequalities, relative to |r| and κ|q|.
struct Candidate {
    miss: f64,
    r: [f64; 3],
    status: Status,
}

/// The candidate with the smallest violation. `lost` is the relative size below which a pivot counts as rank
/// deficiency: then only sliding is tried, and no impulse is computed from such a pivot.
fn enumerate(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    vertices: &[[f64; 2]],
    kappa: f64,
    lost: Option<f64>,
) -> Candidate {
    // The frictionless impulse remains if every candidate fails (H of no mechanical system).
    let mut best = Candidate {
        miss: f64::INFINITY,
        r: [-q[0] / h[0][0], 0.0, 0.0],
        status: Status::Slip,
    };
    let scale = kappa * small::norm(q);
    // Keeps a better candidate; true when it is exact.
    let mut take = |(r, miss): ([f64; 3], f64), status| {
        let miss = miss / (small::norm(&r) + scale);
        if miss < best.miss && r.iter().all(|v| v.is_finite()) {
            best = Candidate { miss, r, status };
        }
        miss == 0.0
    };
    if lost.is_none() && take(stick(h, q, vertices), Status::Stick) {
        return best;
    }
    // Sliding at every vertex and on every edge.
    let m = vertices.len();
    let least = lost.unwrap_or(0.0);
    for k in 0..m {
        let (before, v, after) = (
            vertices[(k + m - 1) % m],
            vertices[k],
            vertices[(k + 1) % m],
        );
        if take(
            at_vertex(h, q, [before, v, after], kappa, least),
            Status::Slip,
        ) || take(on_edge(h, q, [v, after], kappa, least), Status::Slip)
        {
            break;
        }
    }
    best
}

/// u_t of r.
#[inline]
fn tangential_velocity(h: &[[f64; 3]; 3], q: &[f64; 3], r: &[f64; 3]) -> [f64; 2] {
    [
        h[1][0] * r[0] + h[1][1] * r[1] + h[1][2] * r[2] + q[1],
        h[2][0] * r[0] + h[2][1] * r[1] + h[2][2] * r[2] + q[2],
    ]
}

/// Sticking: H r = -q; its violation is the distance of r_t from r_n D.
fn stick(h: &[[f64; 3]; 3], q: &[f64; 3], vertices: &[[f64; 2]]) -> ([f64; 3], f64) {
    let mut a = [0.0; 9];
    for i in 0..3 {
        a[i * 3..i * 3 + 3].copy_from_slice(&h[i]);
    }
    let mut r = [-q[0], -q[1], -q[2]];
    small::solve_any_rank(&mut a, 3, &mut r);
    let m = vertices.len();
    let mut miss = (-r[0]).max(0.0);
    for k in 0..m {
        let e = minus(vertices[(k + 1) % m], vertices[k]);
        let z = [r[1] - r[0] * vertices[k][0], r[2] - r[0] * vertices[k][1]];
        miss = miss.max(-cross(e, z) / small::norm(&e));
    }
    // A singular block may have dropped a row: then u does not vanish and counts as violation.
    let kappa = 3.0 / (h[0][0] + h[1][1] + h[2][2]);
    let u = tangential_velocity(h, q, &r);
    let noise = 16.0 * f64::EPSILON * (small::norm(&r) + kappa * small::norm(q));
    let moving = kappa * small::norm(&u);
    (
        r,
        if moving > noise {
            miss.max(moving)
        } else {
            miss
        },
    )
}

/// Sliding at a vertex: -u_t in the normal cone of the vertex.
fn at_vertex(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    [before, v, after]: [[f64; 2]; 3],
    kappa: f64,
    least: f64,
) -> ([f64; 3], f64) {
    let lean = dot2([h[0][1], h[0][2]], v);
    let den = h[0][0] + lean;
    if den <= least * (h[0][0] + lean.abs()) {
        return ([0.0; 3], f64::INFINITY);
    }
    let r_n = -q[0] / den;
    let r = [r_n, r_n * v[0], r_n * v[1]];
    let u = tangential_velocity(h, q, &r);
    let (e, f) = (minus(v, before), minus(after, v));
    let miss = (dot2(u, e) / small::norm(&e)).max(-dot2(u, f) / small::norm(&f));
    (r, kappa * miss.max(0.0))
}

/// Sliding on the edge from v to w: unknowns (r_n, σ), r_t = r_n v + σ e, 0 <= σ <= r_n.
fn on_edge(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    [v, w]: [[f64; 2]; 2],
    kappa: f64,
    least: f64,
) -> ([f64; 3], f64) {
    let e = minus(w, v);
    let len = small::norm(&e);
    // Columns of H applied to (1, v) and (0, e).
    let column = |a: f64, t: [f64; 2]| {
        let row = |i: usize| h[i][0] * a + h[i][1] * t[0] + h[i][2] * t[1];
        [row(0), dot2([row(1), row(2)], e)]
    };
    let (a, b) = (column(1.0, v), column(0.0, e));
    // Equations u_n = 0 and u_t·e = 0.
    let mut m = [a[0], b[0], a[1], b[1]];
    let mut x = [-q[0], -dot2([q[1], q[2]], e)];
    let (product, other) = (m[0] * m[3], m[1] * m[2]);
    let flat = (product - other).abs() < least * (product.abs() + other.abs());
    if flat || !small::solve(&mut m, 2, &mut x) || x[0] <= 0.0 {
        return ([0.0; 3], f64::INFINITY);
    }
    let (r_n, sigma) = (x[0], x[1]);
    let outside = (-sigma).max(sigma - r_n).max(0.0) * len;
    let r = [r_n, r_n * v[0] + sigma * e[0], r_n * v[1] + sigma * e[1]];
    let u = tangential_velocity(h, q, &r);
    // Outward normal of a counter-clockwise edge; u_t must point inwards.
    let outward = dot2(u, [e[1], -e[0]]) / len;
    (r, outside.max(kappa * outward.max(0.0)))
}
