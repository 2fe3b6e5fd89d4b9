//! Bilateral rows: u = H r + q = 0 (B02 §2, §4).
//!
//! Method: Gaussian elimination with complete pivoting on the equilibrated block. Dependent rows (a redundant
//! constraint) leave r undetermined; one of its values is returned and u = 0 holds as
//! long as the rows are consistent. If they are not, no impulse makes u vanish (B02
//! counter-example 3) and the residual shows it.

use super::small::{self, MAX_ROWS};

/// r = -H⁻¹ q for up to [`MAX_ROWS`] rows; a larger block is left at r = 0.
pub(super) fn solve(h: &[f64], q: &[f64], r: &mut [f64]) {
    let d = q.len();
    if d == 1 {
        let x = -q[0] / h[0];
        r[0] = if x.is_finite() { x } else { 0.0 };
        return;
    }
    for (ri, qi) in r.iter_mut().zip(q) {
        *ri = -qi;
    }
    if d > MAX_ROWS {
        r.fill(0.0);
        return;
    }
    small::with_buffer(d * d, |a| {
        a.copy_from_slice(h);
        small::solve_any_rank(a, d, r);
    });
}
