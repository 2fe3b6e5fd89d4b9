//! Coulomb friction in space, D = disc of radius mu.
//!
//! Unknown r = (r_n, r_1, r_2), given H (3 x 3) and q:
//!
//! ```text
//! u = H r + q,   0 <= u_n ⊥ r_n >= 0,   -u_t ∈ N_{mu r_n D}(r_t)                         (M88 12.2)
//! ```
//!
//! Method (multiplier of Bonnefon and Daviet 2011). q_n >= 0 is open. Otherwise u_n = 0 eliminates r_n and leaves
//! u_t = B r_t + b; sticking is r_t = -B⁻¹b when that lies in the cone; sliding is u_t = -λ r_t with λ > 0, hence
//! r_t = -(B + λI)⁻¹ b. With c = adj(B) b and D(λ) = det(B + λI),
//!
//! ```text
//! r_t D = -(c + λb),   r_n D = N(λ) a quadratic,   ψ(λ) = |c + λb| - mu N(λ) = 0.
//! ```
//!
//! |c + λb| is convex: replacing it by its tangent gives a quadratic below ψ that touches it at the
//! iterate. Its positive root can therefore never pass the smallest root of ψ, so the iteration
//! increases monotonically to the smallest λ, with quadratic convergence and without a bracket. A Newton iteration
//! on r_t itself then removes the error of the adjugate for an ill-conditioned B.
//!
//! A rank-deficient B (the contact cannot move in every direction) is handled by `law::singular`:
//! the sticking impulse is then not unique (M88 §17).
//!
//! Limits: as in [`super::coulomb2`].

use super::{Status, singular};

/// Steps of the monotone iteration; 4 to 8 are usual. Near double roots each step halves the distance to the
/// root, and Newton's iteration takes over.
const MAX_LAMBDA_STEPS: usize = 40;
/// Steps of Newton's iteration on r_t; it stops earlier once it no longer improves.
const MAX_POLISH_STEPS: usize = 12;

/// Result of eliminating the normal row.
enum NormalElimination {
    /// Open, sticking or without a sliding direction: the impulse and the status.
    Done([f64; 3], Status),
    /// The contact slides: B, b, H_nt and 1/H_nn.
    Slides([[f64; 2]; 2], [f64; 2], [f64; 2], f64),
}

/// Eliminates the normal row by u_n = 0; answers open and sticking contacts, and those with mu = 0 or b = 0.
#[inline]
fn eliminate_normal(h: &[[f64; 3]; 3], q: &[f64; 3], mu: f64) -> NormalElimination {
    let hnn = h[0][0];
    // The negated comparison sends NaN to the open branch: the answer stays finite.
    if !(q[0] < 0.0 && hnn > 0.0) {
        return NormalElimination::Done([0.0; 3], Status::Open);
    }
    // Schur complement: u_t = B r_t + b on u_n = 0.
    let done = |(r, status)| NormalElimination::Done(r, status);
    let inv = 1.0 / hnn;
    let w = [h[0][1], h[0][2]];
    let (cx, cy) = (h[1][0] * inv, h[2][0] * inv);
    let b = [q[1] - cx * q[0], q[2] - cy * q[0]];
    let mut bm = [
        [h[1][1] - cx * w[0], h[1][2] - cx * w[1]],
        [h[2][1] - cy * w[0], h[2][2] - cy * w[1]],
    ];
    // A pivot of B below this is rounding of H; raising the diagonal by it changes u_t by less
    // than the rounding of H r and makes the tangential block definite. One floor per axis, since
    // the elliptic law scales the axes differently.
    let floor = [1, 2].map(|i| 8.0 * f64::EPSILON * h[i][i].abs() + 1e-40 * hnn);
    let (stick, definite) = solve2(&bm, &b, &floor);
    if singular::may_be_rank_deficient(&bm, h[1][1], h[2][2])
        && let Some((r, status)) = singular::disc(h, q, mu)
    {
        return done(finite(r, status, q[0] * inv));
    }
    if !definite {
        bm[0][0] += floor[0];
        bm[1][1] += floor[1];
    }
    let stick = if definite {
        stick
    } else {
        solve2(&bm, &b, &floor).0
    };
    // Sticking impulse inside the cone?
    let r_n = -(q[0] + w[0] * stick[0] + w[1] * stick[1]) * inv;
    if norm(stick) <= mu * r_n {
        return done(finite([r_n, stick[0], stick[1]], Status::Stick, q[0] * inv));
    }
    if mu == 0.0 || (b[0] == 0.0 && b[1] == 0.0) {
        return done(finite([-q[0] * inv, 0.0, 0.0], Status::Slip, q[0] * inv));
    }
    NormalElimination::Slides(bm, b, w, inv)
}

/// Solves one contact in space; returns the impulse and the status.
#[inline]
pub fn solve(h: &[[f64; 3]; 3], q: &[f64; 3], mu: f64) -> ([f64; 3], Status) {
    let (bm, b, w, inv) = match eliminate_normal(h, q, mu) {
        NormalElimination::Done(r, status) => return (r, status),
        NormalElimination::Slides(bm, b, w, inv) => (bm, b, w, inv),
    };
    // Slip multiplier, then Newton.
    let start = slide(&bm, &b, &w, q[0], inv, mu);
    let kappa = 1.0 / (bm[0][0] + bm[1][1]);
    let t = polish(&bm, &b, &w, q[0], inv, mu, kappa, start);
    let r_n = -(q[0] + w[0] * t[0] + w[1] * t[1]) * inv;
    // Put the last rounding error into r_t, so that the cone's equation holds exactly.
    let c = mu * r_n / norm(t);
    finite([r_n, c * t[0], c * t[1]], Status::Slip, q[0] * inv)
}

/// The status that [`solve`] returns; a sliding impulse is not computed.
#[inline]
pub fn status(h: &[[f64; 3]; 3], q: &[f64; 3], mu: f64) -> Status {
    let [[n, a, b], [c, s, d], [e, f, t]] = *h;
    let apart = [a, b, c, d, e, f].iter().all(|entry| *entry == 0.0);
    // Spheres: H is diagonal. Same numbers as in `eliminate_normal`, provided that no product of entries over- or
    // underflows.
    let usual = n.min(s).min(t) > 1e-100 && n.max(s).max(t) < 1e100;
    if apart && q[0] < 0.0 && usual && s.min(t) > 1e-30 * n {
        let (r_n, stick) = (-q[0] * (1.0 / n), [-q[1] / s, -q[2] / t]);
        if (r_n + stick[0] + stick[1]).is_finite() {
            let sticks = norm(stick) <= mu * r_n;
            return if sticks { Status::Stick } else { Status::Slip };
        }
    }
    match eliminate_normal(h, q, mu) {
        NormalElimination::Done(_, status) => status,
        // An overflowed impulse is replaced by the frictionless one, which slides as well.
        NormalElimination::Slides(_, _, _, inv) if (q[0] * inv).is_finite() => Status::Slip,
        NormalElimination::Slides(..) => solve(h, q, mu).1,
    }
}

/// Euclidean norm.
#[inline]
fn norm(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

/// -B⁻¹ b, eliminating on the larger diagonal entry; false if a pivot is below `floor`.
#[inline]
fn solve2(m: &[[f64; 2]; 2], b: &[f64; 2], floor: &[f64; 2]) -> ([f64; 2], bool) {
    let i = usize::from(m[1][1] > m[0][0]);
    let j = 1 - i;
    let f = m[j][i] / m[i][i];
    let p = m[j][j] - f * m[i][j];
    let definite = m[i][i] > floor[i] && p > floor[j];
    let xj = -(b[j] - f * b[i]) / p;
    let xi = -(b[i] + m[i][j] * xj) / m[i][i];
    (if i == 0 { [xi, xj] } else { [xj, xi] }, definite)
}

/// r_t at the smallest λ with ψ(λ) = 0 (module head).
#[inline]
pub(super) fn slide(
    bm: &[[f64; 2]; 2],
    b: &[f64; 2],
    w: &[f64; 2],
    q_n: f64,
    inv: f64,
    mu: f64,
) -> [f64; 2] {
    // c = adj(B) b and the coefficients of N(λ) = n0 + n1 λ + n2 λ².
    let c = [
        bm[1][1] * b[0] - bm[0][1] * b[1],
        bm[0][0] * b[1] - bm[1][0] * b[0],
    ];
    let det = bm[0][0] * bm[1][1] - bm[0][1] * bm[1][0];
    let n2 = -q_n * inv;
    let n1 = n2 * (bm[0][0] + bm[1][1]) + inv * (w[0] * b[0] + w[1] * b[1]);
    let n0 = n2 * det + inv * (w[0] * c[0] + w[1] * c[1]);
    // Monotone iteration to the smallest root.
    let mut lam = 0.0_f64;
    for _ in 0..MAX_LAMBDA_STEPS {
        let e = [c[0] + lam * b[0], c[1] + lam * b[1]];
        let ne = norm(e);
        let slope = if ne > 0.0 {
            (e[0] * b[0] + e[1] * b[1]) / ne
        } else {
            norm(*b)
        };
        // a2 d² + a1 d = psi: the quadratic that supports ψ from below at this λ.
        let psi = ne - mu * (n0 + lam * (n1 + lam * n2));
        if psi <= 0.0 {
            break;
        }
        let a2 = mu * n2;
        let a1 = mu * (n1 + 2.0 * lam * n2) - slope;
        let root = (a1 * a1 + 4.0 * a2 * psi).sqrt();
        let step = if a1 > 0.0 {
            2.0 * psi / (a1 + root)
        } else {
            (root - a1) / (2.0 * a2)
        };
        lam += step;
        // The error left is of the order of the square of the last relative step.
        if step <= 1e-7 * lam {
            break;
        }
    }
    // r_t = -(B + λI)⁻¹ b.
    let shifted = [[bm[0][0] + lam, bm[0][1]], [bm[1][0], bm[1][1] + lam]];
    solve2(&shifted, b, &[0.0; 2]).0
}

/// Newton's method on |r_t| = mu r_n, p·u_t = 0 with t = r_t/|r_t|, p ⊥ t, in the unknown r_t.
///
/// The angle alone would suffice with r_n = -q_n / (H_nn + mu H_nt·t), but where that denominator nearly
/// vanishes one rounding of the angle changes r_n by many digits; r_t has no such sensitivity.
/// `kappa` converts velocities to impulses, so that both equations have one unit.
#[allow(clippy::too_many_arguments)]
#[inline]
pub(super) fn polish(
    bm: &[[f64; 2]; 2],
    b: &[f64; 2],
    w: &[f64; 2],
    q_n: f64,
    inv: f64,
    mu: f64,
    kappa: f64,
    start: [f64; 2],
) -> [f64; 2] {
    let mut r = start;
    let mut best = (f64::INFINITY, start);
    for _ in 0..MAX_POLISH_STEPS {
        // Both equations at r_t.
        let len = norm(r);
        let t = [r[0] / len, r[1] / len];
        let p = [-t[1], t[0]];
        let u = [
            bm[0][0] * r[0] + bm[0][1] * r[1] + b[0],
            bm[1][0] * r[0] + bm[1][1] * r[1] + b[1],
        ];
        let f = len + mu * inv * (q_n + w[0] * r[0] + w[1] * r[1]);
        let g = p[0] * u[0] + p[1] * u[1];
        let miss = f.abs().max(kappa * g.abs());
        // Go on only after an improvement; NaN ends here too.
        if miss.is_nan() || miss >= best.0 {
            break;
        }
        best = (miss, r);
        if miss <= f64::EPSILON * len {
            break;
        }
        // Newton step by Cramer's rule.
        let lam = -(t[0] * u[0] + t[1] * u[1]) / len;
        let df = [t[0] + mu * inv * w[0], t[1] + mu * inv * w[1]];
        let dg = [
            bm[0][0] * p[0] + bm[1][0] * p[1] + lam * p[0],
            bm[0][1] * p[0] + bm[1][1] * p[1] + lam * p[1],
        ];
        let det = df[0] * dg[1] - df[1] * dg[0];
        r[0] -= (f * dg[1] - g * df[1]) / det;
        r[1] -= (g * df[0] - f * dg[0]) / det;
    }
    best.1
}

/// Replaces an overflowed impulse by the frictionless one, so that no caller sees NaN.
#[inline]
fn finite(r: [f64; 3], status: Status, minus_r_n: f64) -> ([f64; 3], Status) {
    if (r[0] + r[1] + r[2]).is_finite() {
        (r, status)
    } else if minus_r_n.is_finite() {
        ([-minus_r_n, 0.0, 0.0], Status::Slip)
    } else {
        ([0.0; 3], Status::Open)
    }
}
