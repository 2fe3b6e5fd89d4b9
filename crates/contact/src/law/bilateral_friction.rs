//! Bilateral rows with friction (B02 §6): a joint that carries load of either sign, with Coulomb friction.
//!
//! ```text
//! u = H r + q,   u_n = 0 (one or two rows, r_n of either sign),   -u_t ∈ N_{mu |r_n| D}(r_t)
//! ```
//!
//! One normal row: q_n < 0 is Coulomb's problem, whose answer has r_n > 0; q_n > 0 is its mirror
//! image; q_n = 0 leaves r = 0, u_t = q_t. Two normal rows: the reduced problem with s = |r_n|.
//!
//! Limits: with strong normal–tangential coupling a solution of the other sign may
//! exist as well (as in Painlevé's example); the one whose normal impulse opposes q_n is taken.

use super::reduced::Reduced;
use super::{Status, coulomb2, coulomb3};

/// Solves a joint of `k` bilateral rows followed by one or two frictional ones.
pub(super) fn solve(h: &[f64], q: &[f64], k: usize, mu: f64, r: &mut [f64]) -> Status {
    let d = q.len();
    r.fill(0.0);
    // No normal load: no friction.
    if q[..k].iter().all(|&x| x == 0.0) {
        return if q[k..].iter().all(|&x| x == 0.0) {
            Status::Stick
        } else {
            Status::Slip
        };
    }
    if k == 1 {
        return solve_one(h, q, mu, r);
    }
    let sizes = [d - k];
    let sticks = Reduced::new(h, q, k, &[mu], &sizes).solve(r);
    if r.iter().any(|x| !x.is_finite()) {
        r.fill(0.0);
    }
    if sticks && mu > 0.0 {
        Status::Stick
    } else {
        Status::Slip
    }
}

/// One bilateral row: Coulomb's problem, mirrored in n when q_n > 0.
fn solve_one(h: &[f64], q: &[f64], mu: f64, r: &mut [f64]) -> Status {
    let d = q.len();
    let sign = |i: usize| if i == 0 && q[0] > 0.0 { -1.0 } else { 1.0 };
    let entry = |i: usize, j: usize| sign(i) * sign(j) * h[i * d + j];
    let status = if d == 3 {
        let block = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        let free = std::array::from_fn(|i| sign(i) * q[i]);
        super::store(r, coulomb3::solve(&block, &free, mu))
    } else {
        let block = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        let free = std::array::from_fn(|i| sign(i) * q[i]);
        super::store(r, coulomb2::solve(&block, &free, mu, mu))
    };
    r[0] *= sign(0);
    status
}
