//! Anisotropic Coulomb friction, D an ellipse with semi-axes (mu1, mu2) along (t1, t2).
//!
//! ```text
//! u = H r + q,   0 <= u_n ⊥ r_n >= 0,   -u_t ∈ N_{r_n D}(r_t),   D = {(w1/mu1)² + (w2/mu2)² <= 1}
//! ```
//!
//! (M88 §12, associated sliding.) With P = diag(1, mu1, mu2), r = P r', u' = P u the section
//! becomes the unit disc and the normal cones correspond, so this is the isotropic problem with
//! H' = P H P, q' = P q, mu = 1. An axis of length zero carries no impulse and leaves the planar
//! problem on the other one.

use super::{Status, coulomb2, coulomb3};

/// Solves one contact with elliptic section; returns the impulse and the status.
#[inline]
pub fn solve(h: &[[f64; 3]; 3], q: &[f64; 3], mu1: f64, mu2: f64) -> ([f64; 3], Status) {
    if mu1 == 0.0 || mu2 == 0.0 {
        return degenerate(h, q, mu1, mu2);
    }
    // H' = P H P, q' = P q: the isotropic problem with mu = 1.
    let p = [1.0, mu1, mu2];
    let mut hp = *h;
    for i in 0..3 {
        for j in 0..3 {
            hp[i][j] *= p[i] * p[j];
        }
    }
    let (r, status) = coulomb3::solve(&hp, &[q[0], mu1 * q[1], mu2 * q[2]], 1.0);
    ([r[0], mu1 * r[1], mu2 * r[2]], status)
}

/// One axis (or both) of length zero.
fn degenerate(h: &[[f64; 3]; 3], q: &[f64; 3], mu1: f64, mu2: f64) -> ([f64; 3], Status) {
    // Planar problem on the remaining axis.
    let (kept, dropped, mu) = if mu2 == 0.0 { (1, 2, mu1) } else { (2, 1, mu2) };
    let h2 = [[h[0][0], h[0][kept]], [h[kept][0], h[kept][kept]]];
    let (r2, status) = coulomb2::solve(&h2, &[q[0], q[kept]], mu, mu);
    let mut r = [0.0; 3];
    (r[0], r[kept]) = (r2[0], r2[1]);
    // The frictionless axis slides unless its velocity vanishes to the rounding of its own sum.
    let parts = [h[dropped][0] * r[0], h[dropped][kept] * r[kept], q[dropped]];
    let size = parts.iter().map(|v| v.abs()).sum::<f64>();
    let slides = parts.iter().sum::<f64>().abs() > 4.0 * f64::EPSILON * size;
    match status {
        Status::Stick if slides => (r, Status::Slip),
        _ => (r, status),
    }
}
