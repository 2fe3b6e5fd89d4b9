//! Friction with rolling and spinning resistance (M99 §7.2).
//!
//! ```text
//! u = H r + q,   0 <= u_n ⊥ r_n >= 0,   -u_i ∈ N_{mu_i r_n D_i}(r_i)   for i = sliding, rolling, spin
//! ```
//!
//! Unknowns in space (n, t1, t2, roll1, roll2[, spin]), in the plane (n, t, moment). Each part has
//! its own disc; all share r_n and are coupled through H. In the plane the section is a rectangle
//! and the polygon's enumeration is exact; in space the reduced problem of [`super::reduced`] is
//! solved to rounding.

use super::reduced::Reduced;
use super::{Status, coulomb2, polygon};

/// Solves a contact in space with the given radii and sizes of the discs.
pub(super) fn solve(h: &[f64], q: &[f64], radii: &[f64], sizes: &[usize], r: &mut [f64]) -> Status {
    if !(q[0] < 0.0 && h[0] > 0.0) {
        r.fill(0.0);
        return Status::Open;
    }
    let sticks = Reduced::new(h, q, 1, radii, sizes).solve(r);
    if r.iter().any(|x| !x.is_finite()) {
        r.fill(0.0);
        return Status::Open;
    }
    // A disc of radius zero carries no impulse, so its rows are free to move.
    let held = radii.iter().zip(sizes).all(|(&mu, _)| mu > 0.0);
    if sticks && held {
        Status::Stick
    } else {
        Status::Slip
    }
}

/// Solves a planar contact (n, t, moment).
pub(super) fn solve_plane(
    h: &[[f64; 3]; 3],
    q: &[f64; 3],
    mu: f64,
    mu_roll: f64,
) -> ([f64; 3], Status) {
    if mu > 0.0 && mu_roll > 0.0 {
        let (a, b) = (mu, mu_roll);
        return polygon::solve(h, q, &[[a, b], [-a, b], [-a, -b], [a, -b]]);
    }
    // One side of the rectangle vanishes: that row is free.
    let (kept, mu) = if mu > 0.0 { (1, mu) } else { (2, mu_roll) };
    let h2 = [[h[0][0], h[0][kept]], [h[kept][0], h[kept][kept]]];
    let (r2, status) = coulomb2::solve(&h2, &[q[0], q[kept]], mu, mu);
    let mut r = [0.0; 3];
    (r[0], r[kept]) = (r2[0], r2[1]);
    match status {
        Status::Open => (r, Status::Open),
        _ => (r, Status::Slip),
    }
}
