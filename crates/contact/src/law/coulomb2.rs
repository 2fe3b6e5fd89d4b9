//! Coulomb friction in the plane, with a coefficient for each sense of sliding.
//!
//! Unknown r = (r_n, r_t), given H (2 x 2) and q:
//!
//! ```text
//! u = H r + q,   0 <= u_n ⊥ r_n >= 0,   -u_t ∈ N_{r_n D}(r_t),   D = [-minus, plus]      (M88 §13)
//! ```
//!
//! Method (M88 §14): q_n >= 0 takes r = 0, even where Painlevé's other solutions exist. Otherwise
//! u_n = 0 restricts r to a straight line which enters the cone at r_t = 0; the law selects the
//! point of that line inside the cone closest to the sticking point. A convex set
//! leaves a line once, so the answer is the sticking point if it is inside and the exit point
//! otherwise: no iteration, and no case that can fail. If B = H_tt - H_tn H_nt/H_nn vanishes,
//! r_t at rest is undetermined and 0 is taken; if moreover b does not vanish and friction jams,
//! no impulse obeys the law and the frictionless one is returned.
//!
//! Limits: H_nn > 0 and a positive semi-definite H are expected; anything else still gives finite
//! numbers. H need not be symmetric.

use super::Status;
use super::singular::RANK_TOLERANCE;

/// Solves one planar contact: `-minus r_n <= r_t <= plus r_n`; returns the impulse and the status.
#[inline]
pub fn solve(h: &[[f64; 2]; 2], q: &[f64; 2], plus: f64, minus: f64) -> ([f64; 2], Status) {
    let hnn = h[0][0];
    // The negated comparisons send NaN to the open branch: the answer stays finite.
    if !(q[0] < 0.0 && hnn > 0.0) {
        return ([0.0; 2], Status::Open);
    }
    // Eliminate the normal row: u_t = b_mat r_t + b along the line u_n = 0.
    let c = h[1][0] / hnn;
    let b_mat = h[1][1] - c * h[0][1];
    let b = q[1] - c * q[0];
    // If nothing moves along t (to the rounding of H) and b is rounding, no friction is needed: the planar case of
    // `super::singular`.
    let still = b_mat.abs() <= RANK_TOLERANCE * h[1][1]
        && b.abs() <= RANK_TOLERANCE * (q[1].abs() + (c * q[0]).abs());
    if b == 0.0 || still {
        return finite([-q[0] / hnn, 0.0], Status::Stick, q[0] / hnn);
    }
    // Friction opposes b: the active bound of the section is `w`.
    let w = if b < 0.0 { plus } else { -minus };
    let den = hnn + w * h[0][1];
    // Sticking point, kept finite when the tangential part is singular to rounding.
    let floor = 4.0 * f64::EPSILON * h[1][1].abs() + 1e-40 * hnn;
    let stick = -b / b_mat.max(floor);
    // The line is inside the cone as long as |r_t| <= |w| r_n, that is |r_t| den <= -|w| q_n.
    if den <= 0.0 && b_mat.abs() <= floor {
        // Friction jams at a velocity that no impulse stops: no impulse obeys the law.
        return finite([-q[0] / hnn, 0.0], Status::Slip, q[0] / hnn);
    }
    if den <= 0.0 || stick.abs() * den <= -w.abs() * q[0] {
        let r_n = -(q[0] + h[0][1] * stick) / hnn;
        return finite([r_n.max(0.0), stick], Status::Stick, q[0] / hnn);
    }
    // Exit point of the line: sliding at the bound w.
    let r_n = -q[0] / den;
    finite([r_n, w * r_n], Status::Slip, q[0] / hnn)
}

/// The status that [`solve`] returns for one coefficient, without divisions: with H_nn > 0 every
/// comparison is multiplied by it, b = β / H_nn and B = Β / H_nn.
#[inline]
pub fn status(h: &[[f64; 2]; 2], q: &[f64; 2], mu: f64) -> Status {
    let hnn = h[0][0];
    if !(q[0] < 0.0 && hnn > 0.0) {
        return Status::Open;
    }
    // β = H_nn b and H_nn B.
    let beta = hnn * q[1] - h[1][0] * q[0];
    let b_mat = hnn * h[1][1] - h[1][0] * h[0][1];
    let lean = if beta < 0.0 { h[0][1] } else { -h[0][1] };
    let den = hnn + mu * lean;
    // Singular to rounding, or out of range: let `solve` decide.
    let usual = b_mat > SMALL * hnn * h[1][1] && den > 0.0 && den < LARGE && b_mat < LARGE;
    if !usual || beta == 0.0 || !(beta.abs() < LARGE) {
        return solve(h, q, mu, mu).1;
    }
    match beta.abs() * den <= -mu * q[0] * b_mat {
        true => Status::Stick,
        false => Status::Slip,
    }
}

/// The natural residual r − proj_K(r − κ(u + μ|u_t| e_n)).
#[inline(always)]
pub fn natural_residual(mu: f64, kappa: f64, r: [f64; 2], u: [f64; 2]) -> [f64; 2] {
    let n = r[0] - kappa * (u[0] + mu * u[1].abs());
    let t = r[1] - kappa * u[1];
    let size = t.abs();
    // Polar cone first, as in `percuss_convex::cone`.
    if mu * size <= -n {
        return r;
    }
    // Inside the cone.
    if size <= mu * n {
        return [r[0] - n, r[1] - t];
    }
    // Nearest point on the edge.
    let edge = (n + mu * size) / (1.0 + mu * mu);
    [r[0] - edge, r[1] - (mu * edge).copysign(t)]
}

/// Below this share of H_tt the tangential entry is close to rounding.
const SMALL: f64 = 1e-9;

/// Numbers below this have finite squares.
const LARGE: f64 = 1e150;

/// Replaces an overflowed impulse by the frictionless one, so that no caller sees NaN.
#[inline]
fn finite(r: [f64; 2], status: Status, minus_r_n: f64) -> ([f64; 2], Status) {
    if (r[0] + r[1]).is_finite() {
        (r, status)
    } else if minus_r_n.is_finite() {
        ([-minus_r_n, 0.0], Status::Slip)
    } else {
        ([0.0; 2], Status::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_natural_residual_is_that_of_the_law() {
        let scatter = |k: usize, c: f64| 2.0 * (k as f64 * c).fract() - 1.0;
        for k in 0..20_000 {
            let (r, u) = (
                [scatter(k, 0.618_034), scatter(k, 0.754_878)],
                [scatter(k, 0.569_84), scatter(k, 0.414_214)],
            );
            let (mu, kappa) = (1.0 + scatter(k, 0.236_068), 1.5 + scatter(k, 0.732_051));
            let mut f = [0.0; 2];
            crate::law::Law::Coulomb { mu }.natural_residual(kappa, &r, &u, &mut f);
            let g = natural_residual(mu, kappa, r, u);
            assert!((f[0] - g[0]).abs() + (f[1] - g[1]).abs() < 1e-14, "{k}");
        }
    }

    #[test]
    fn a_status_alone_is_that_of_the_solution() {
        let scatter = |k: usize, c: f64| 2.0 * (k as f64 * c).fract() - 1.0;
        for k in 0..20_000 {
            let g = [0.618_034, 0.754_878, 0.569_84, 0.819_173].map(|c| scatter(k, c));
            // From well conditioned blocks to singular ones.
            let thin = if k % 7 == 0 { 0.0 } else { 1.0 };
            let (n, t) = ([g[0], g[1]], [g[2] * thin, g[3]]);
            let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
            let h = [[dot(n, n), dot(n, t)], [dot(n, t), dot(t, t)]];
            let q = [scatter(k, 0.414_214), scatter(k, 0.732_051)];
            let mu = 0.5 * (1.0 + scatter(k, 0.236_068));
            assert_eq!(status(&h, &q, mu), solve(&h, &q, mu, mu).1, "{k}");
        }
    }
}
