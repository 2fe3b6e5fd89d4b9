//! Coulomb friction in space with a rank-deficient tangential block (wedging; M88 §17).
//!
//! Eliminating u_n = 0 gives
//!
//! ```text
//! u_t = B r_t + b,   r_n = -(q_n + H_nt·r_t) / H_nn,   -u_t ∈ N_{r_n D}(r_t),   B singular
//! ```
//!
//! Rest (u_t = 0) requires b in the range of B and leaves r_t free along the null space of B:
//! the contact sticks if *some* impulse r_t = t + λk of that line (of the whole plane when B = 0)
//! is in the cone. In the directions in which the contact can move this is the projected cone of
//! M88 §17: sticking bears more load than sliding, and any load when the line stays in the
//! cone for large λ (wedging).
//!
//! The impulse returned is the admissible one of least friction, |r_t| being measured in units of
//! the section's extent along each axis. It is unique (a strictly convex function on a convex
//! set), independent of units and of the order of the axes, and the limit of equal small tangential
//! compliances in both directions, so it continues the solution of a block of full rank. With B = 0 it
//! is the frictionless impulse.
//!
//! Sliding with b in the range is along the only possible direction and has a closed form. With b
//! outside the range (a boundary that moves where the contact cannot follow) u_t never vanishes and
//! the multiplier of [`super::coulomb3`] is used; if friction then jams, no impulse
//! obeys the law, and the frictionless one is returned; the residual shows it.
//!
//! Limits: rank is decided with [`RANK_TOLERANCE`]. Where rest and sliding are both possible, rest is taken.

use super::{Status, coulomb3};

/// The block counts as rank-deficient when the smaller eigenvalue of B relative to diag(H_11, H_22) is below
/// this, and b counts as in the range when the part that no impulse can stop is below this times the sizes
/// it was summed from. H = G A⁻¹ Gᵀ carries rounding errors of about n cond(A) ε, 1e-12 for n cond(A) of a few
/// thousand; no residual distinguishes a velocity this small, relative to H r and q, from rest.
pub(super) const RANK_TOLERANCE: f64 = 1e-12;
/// Steps of the descent to the largest multiplier; it converges linearly, Newton's iteration follows.
const MAX_DESCENT: usize = 200;

/// The tangential problem after eliminating r_n by u_n = 0.
pub(super) struct Tangential {
    b_mat: [[f64; 2]; 2],
    b: [f64; 2],
    w: [f64; 2],
    q_n: f64,
    inv: f64,
    /// H_11 and H_22.
    diagonal: [f64; 2],
    /// |q_i| + |H_in q_n / H_nn|: the sizes b_i was summed from.
    parts: [f64; 2],
}

/// The set of tangential impulses with u_t = 0.
enum Rest {
    /// Empty: part of b cannot be stopped.
    Never,
    /// The plane: B and b vanish.
    Always,
    /// The line t + λk, with t ⊥ k and |k| = 1. `slide`: the only direction of u_t, with either sign;
    /// `push`: the velocity along it without friction.
    Line {
        t: [f64; 2],
        k: [f64; 2],
        slide: [f64; 2],
        push: f64,
    },
}

/// Whether the smaller eigenvalue ν of B relative to diag(h1, h2) may be below [`RANK_TOLERANCE`]:
/// det B / (B_11 h2 + B_22 h1) = ν ν' / (ν + ν') lies between ν/2 and ν. True for NaN, and for
/// a B that is only rounding, whatever its signs.
#[inline]
pub(super) fn may_be_rank_deficient(b_mat: &[[f64; 2]; 2], h1: f64, h2: f64) -> bool {
    let det = b_mat[0][0] * b_mat[1][1] - (b_mat[0][1] * b_mat[1][0]).abs();
    let sum = (b_mat[0][0] * h2).abs() + (b_mat[1][1] * h1).abs();
    // The negated comparison sends NaN to the rank-deficient side.
    !matches!(
        det.partial_cmp(&(RANK_TOLERANCE * sum)),
        Some(std::cmp::Ordering::Greater)
    )
}

/// Solves a rank-deficient block with a disc of radius `mu`; `None` when the regular method applies:
/// the block has full rank after all, or H belongs to no mechanical system.
#[cold]
#[inline(never)]
pub(super) fn disc(h: &[[f64; 3]; 3], q: &[f64; 3], mu: f64) -> Option<([f64; 3], Status)> {
    let block = Tangential::new(h, q)?;
    match block.rest() {
        Rest::Always => Some((block.impulse([0.0; 2]), Status::Stick)),
        Rest::Line { t, k, slide, push } => {
            if let Some(t) = block.least_in_disc(t, k, mu) {
                return Some((block.impulse(t), Status::Stick));
            }
            // Sliding along the only direction, in closed form.
            let sense = [slide[0] * push.signum(), slide[1] * push.signum()];
            let den = 1.0 - mu * block.inv * dot(block.w, sense);
            let r_n = -block.q_n * block.inv / den;
            // With den <= 0 the line stays in the cone: rest was missed only by rounding.
            (den > 0.0).then(|| {
                let t = [-mu * r_n * sense[0], -mu * r_n * sense[1]];
                (block.polished(t, mu), Status::Slip)
            })
        }
        Rest::Never if block.definite() => None,
        Rest::Never => Some((block.unstoppable(mu), Status::Slip)),
    }
}

/// The sticking impulse of a rank-deficient block whose section has the given counter-clockwise
/// vertices: `None` when the regular method applies, `Some(None)` when no impulse sticks.
#[cold]
#[inline(never)]
pub(super) fn stick_in_polygon(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    vertices: &[[f64; 2]],
) -> Option<Option<[f64; 3]>> {
    // Measure r_t in units of the section's extent along each axis.
    let extent = [0, 1].map(|i| {
        let a = vertices.iter().fold(0.0_f64, |m, v| m.max(v[i].abs()));
        if a > 0.0 && a.is_finite() { a } else { 1.0 }
    });
    let p = [1.0, extent[0], extent[1]];
    let scaled = std::array::from_fn(|i| std::array::from_fn(|j| p[i] * p[j] * h[i][j]));
    let block = Tangential::new(&scaled, &[q[0], p[1] * q[1], p[2] * q[2]])?;
    let t = match block.rest() {
        Rest::Always => Some([0.0; 2]),
        Rest::Line { t, k, .. } => block.least_in_polygon(t, k, vertices, extent),
        Rest::Never if block.definite() => return None,
        Rest::Never => None,
    };
    Some(t.map(|t| {
        let r = block.impulse(t);
        [r[0], p[1] * r[1], p[2] * r[2]]
    }))
}

impl Tangential {
    /// Eliminates the normal row; `None` unless the block is rank-deficient and H belongs to a mechanical system.
    fn new(h: &[[f64; 3]; 3], q: &[f64; 3]) -> Option<Self> {
        let inv = 1.0 / h[0][0];
        let w = [h[0][1], h[0][2]];
        let c = [h[1][0] * inv, h[2][0] * inv];
        let out = Self {
            b_mat: [0, 1].map(|i| [0, 1].map(|j| h[i + 1][j + 1] - c[i] * w[j])),
            b: [0, 1].map(|i| q[i + 1] - c[i] * q[0]),
            w,
            q_n: q[0],
            inv,
            diagonal: [h[1][1], h[2][2]],
            parts: [0, 1].map(|i| q[i + 1].abs() + (c[i] * q[0]).abs()),
        };
        let [[a, f], [g, d]] = out.b_mat;
        let [h1, h2] = out.diagonal;
        let semidefinite = a >= -RANK_TOLERANCE * h1 && d >= -RANK_TOLERANCE * h2;
        let lost = (a * d - f * g).abs() <= RANK_TOLERANCE * (a.abs() * h2 + d.abs() * h1);
        ((lost || out.vanishes()) && semidefinite && inv > 0.0).then_some(out)
    }

    /// Whether all of B is rounding: no tangential motion is possible with u_n = 0.
    fn vanishes(&self) -> bool {
        let [[a, f], [g, d]] = self.b_mat;
        let [h1, h2] = self.diagonal;
        let mixed = RANK_TOLERANCE * (h1 * h2).sqrt();
        a.abs() <= RANK_TOLERANCE * h1
            && d.abs() <= RANK_TOLERANCE * h2
            && f.abs() <= mixed
            && g.abs() <= mixed
    }

    /// Whether the smaller eigenvalue is above the rounding of B itself. If so, an impulse of ordinary size may
    /// still stop a b outside the range of the larger part.
    fn definite(&self) -> bool {
        let [[a, f], [g, d]] = self.b_mat;
        let [h1, h2] = self.diagonal;
        let noise = 8.0 * f64::EPSILON;
        a > noise * h1 && d > noise * h2 && a * d - f * g > noise * (a * h2 + d * h1)
    }

    /// r of a tangential impulse t, with u_n = 0.
    fn impulse(&self, t: [f64; 2]) -> [f64; 3] {
        [-(self.q_n + dot(self.w, t)) * self.inv, t[0], t[1]]
    }

    /// u_t of a tangential impulse t.
    fn velocity(&self, t: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|i| dot(self.b_mat[i], t) + self.b[i])
    }

    /// Factors B = x yᵀ on its larger diagonal entry (relative to H) and solves u_t = 0.
    fn rest(&self) -> Rest {
        let [h1, h2] = self.diagonal;
        let (a, d) = (self.b_mat[0][0], self.b_mat[1][1]);
        // Pivot row; with none, B vanishes.
        let i = match (a > RANK_TOLERANCE * h1, d > RANK_TOLERANCE * h2) {
            (false, false) => {
                let still = |i: usize| self.b[i].abs() <= RANK_TOLERANCE * self.parts[i];
                return if still(0) && still(1) {
                    Rest::Always
                } else {
                    Rest::Never
                };
            }
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => usize::from(d * h1 > a * h2),
        };
        // Null direction k and the particular solution t ⊥ k.
        let y = self.b_mat[i];
        let size = norm(y);
        let k = [-y[1] / size, y[0] / size];
        let t = [-self.b[i] * k[1] / size, self.b[i] * k[0] / size];
        // Residual of the other row, against the terms of H t and of b.
        let j = 1 - i;
        let reach = self.diagonal[j].sqrt() * (h1.sqrt() * t[0].abs() + h2.sqrt() * t[1].abs());
        let left = self.velocity(t)[j].abs();
        // NaN fails the comparison: no rest.
        if left <= RANK_TOLERANCE * (self.parts[j] + reach) {
            let mut slide = [1.0; 2];
            slide[j] = self.b_mat[j][i] / y[i];
            let length = norm(slide);
            Rest::Line {
                t,
                k,
                slide: slide.map(|x| x / length),
                push: self.b[i],
            }
        } else {
            Rest::Never
        }
    }

    /// The point of least |t| on t + λk in the cone |t| <= mu r_n.
    ///
    /// |t + λk|² = |t|² + λ², so λ has the sign in which r_n grows, and is the smallest s >= 0 with
    /// |t|² + s² = mu² (n + a s)², n + a s >= 0; n is r_n at t and a its rate of growth.
    fn least_in_disc(&self, t: [f64; 2], k: [f64; 2], mu: f64) -> Option<[f64; 2]> {
        let n = self.impulse(t)[0];
        let length = norm(t);
        if length <= mu * n {
            return Some(t);
        }
        let slope = -dot(self.w, k) * self.inv;
        let (mn, ma) = (mu * n, mu * slope.abs());
        let open = (1.0 - ma) * (1.0 + ma);
        let (half, rest) = (ma * mn, (length - mn) * (length + mn));
        // half² - open rest, written without cancellation.
        let root = (mn * mn - open * length * length).sqrt();
        let s = if n > 0.0 && ma > 0.0 {
            rest / (half + root)
        } else if open < 0.0 {
            (half - root) / open
        } else {
            return None;
        };
        let s = s * slope.signum();
        // A complex root arrives here as NaN.
        s.is_finite().then(|| [t[0] + s * k[0], t[1] + s * k[1]])
    }

    /// The point of least |t| on t + λk in the cone over a polygon, axes in units of `extent`.
    fn least_in_polygon(
        &self,
        t: [f64; 2],
        k: [f64; 2],
        vertices: &[[f64; 2]],
        extent: [f64; 2],
    ) -> Option<[f64; 2]> {
        let n = self.impulse(t)[0];
        let slope = -dot(self.w, k) * self.inv;
        let unit = |v: [f64; 2]| [v[0] / extent[0], v[1] / extent[1]];
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        // Cuts the interval [low, high] of λ by at + λ growth >= 0.
        let mut cut = |at: f64, growth: f64, noise: f64| {
            if growth.abs() > 4.0 * f64::EPSILON {
                let bound = -at / growth;
                if growth > 0.0 {
                    low = low.max(bound);
                } else {
                    high = high.min(bound);
                }
            } else if at < -noise {
                high = f64::NEG_INFINITY;
            }
        };
        // r_n >= 0, then every edge.
        cut(n, slope, 0.0);
        for (i, &v) in vertices.iter().enumerate() {
            let (v, next) = (unit(v), unit(vertices[(i + 1) % vertices.len()]));
            let e = [next[0] - v[0], next[1] - v[1]];
            let length = norm(e);
            let inward = [-e[1] / length, e[0] / length];
            let at = dot(inward, t) - n * dot(inward, v);
            let noise = 8.0 * f64::EPSILON * (norm(t) + n.abs() * norm(v));
            cut(at, dot(inward, k) - slope * dot(inward, v), noise);
        }
        let s = if low > 0.0 { low } else { high.min(0.0) };
        (low <= high).then(|| [t[0] + s * k[0], t[1] + s * k[1]])
    }

    /// Sliding with a velocity that no impulse stops: r_t = -(B + λI)⁻¹ b at the smallest λ, or at the
    /// largest where friction would jam below it; the frictionless impulse if neither exists.
    fn unstoppable(&self, mu: f64) -> [f64; 3] {
        let plain = self.impulse([0.0; 2]);
        if mu == 0.0 {
            return plain;
        }
        let (b_mat, b, w) = (&self.b_mat, &self.b, &self.w);
        // Try both multipliers; keep the first that slides.
        let climbed = coulomb3::slide(b_mat, b, w, self.q_n, self.inv, mu);
        let starts = [Some(climbed), self.descend(mu)];
        for start in starts.into_iter().flatten() {
            let r = self.polished(start, mu);
            if self.slides([r[1], r[2]]) {
                return r;
            }
        }
        plain
    }

    /// The sliding impulse near t by Newton's method, with the rounding of B that a closed form neglected.
    fn polished(&self, t: [f64; 2], mu: f64) -> [f64; 3] {
        if mu == 0.0 {
            return self.impulse([0.0; 2]);
        }
        let (b_mat, b, w) = (&self.b_mat, &self.b, &self.w);
        // B may be only rounding: kappa also scales with the multiplier of u_t = -λ t.
        let lambda = norm(self.velocity(t)) / norm(t);
        let kappa = 1.0 / (b_mat[0][0].abs() + b_mat[1][1].abs() + lambda);
        let t = coulomb3::polish(b_mat, b, w, self.q_n, self.inv, mu, kappa, t);
        let r_n = self.impulse(t)[0];
        // Put the last rounding error into r_t, so that the cone's equation holds exactly.
        let c = mu * r_n / norm(t);
        [r_n, c * t[0], c * t[1]]
    }

    /// Whether -u_t is a positive multiple of t, above the threshold of rest, and r_n > 0.
    fn slides(&self, t: [f64; 2]) -> bool {
        let u = self.velocity(t);
        let (length, speed) = (norm(t), norm(u));
        let rest = RANK_TOLERANCE * self.diagonal[0].max(self.diagonal[1]);
        let across = (u[0] * t[1] - u[1] * t[0]).abs();
        // Half the digits distinguish a solution from an iteration that found none.
        dot(u, t) < 0.0
            && speed > rest * length
            && across <= 1e-8 * length * speed
            && self.impulse(t)[0] > 0.0
    }

    /// r_t at the largest root of ψ(λ) = |c + λb| - mu N(λ) (see [`super::coulomb3`]).
    ///
    /// On [0, λ] the convex |c + λb| is below its chord: the larger root of chord = mu N is never
    /// below the largest root of ψ, and decreases to it.
    fn descend(&self, mu: f64) -> Option<[f64; 2]> {
        let ([[a, f], [g, d]], b) = (self.b_mat, self.b);
        // Coefficients as in `coulomb3::slide`.
        let c = [d * b[0] - f * b[1], a * b[1] - g * b[0]];
        let n2 = -self.q_n * self.inv;
        let n1 = n2 * (a + d) + self.inv * dot(self.w, b);
        let n0 = n2 * (a * d - f * g) + self.inv * dot(self.w, c);
        let start = norm(c);
        let larger_root = |slope: f64| {
            let (a2, a1, a0) = (mu * n2, mu * n1 - slope, mu * n0 - start);
            let root = (a1 * a1 - 4.0 * a2 * a0).sqrt();
            if a1 > 0.0 {
                -2.0 * a0 / (a1 + root)
            } else {
                (root - a1) / (2.0 * a2)
            }
        };
        let mut lam = larger_root(norm(b));
        for _ in 0..MAX_DESCENT {
            // No root, or NaN: no solution.
            if lam.is_nan() || lam <= 0.0 {
                return None;
            }
            let chord = (norm([c[0] + lam * b[0], c[1] + lam * b[1]]) - start) / lam;
            let next = larger_root(chord);
            if next >= lam * (1.0 - 1e-9) {
                break;
            }
            lam = next;
        }
        let det = (a + lam) * (d + lam) - f * g;
        Some([0, 1].map(|i| -(c[i] + lam * b[i]) / det))
    }
}

/// Scalar product.
#[inline]
fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Euclidean norm.
#[inline]
fn norm(a: [f64; 2]) -> f64 {
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}
