//! LU factorisation P A = L U with partial pivoting.

use crate::error::{ConvexError, Result};

/// Replaces `a` (n×n) by its factors (unit L below the diagonal, U on and above) and writes
/// the row exchanged with row k at step k to `pivots[k]`.
pub fn lu_in_place(a: &mut [f64], n: usize, pivots: &mut [usize]) -> Result<()> {
    for k in 0..n {
        // Pivot: largest entry of the column.
        let mut p = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[p * n + k].abs() {
                p = i;
            }
        }
        pivots[k] = p;
        let pivot = a[p * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(ConvexError::Singular {
                what: "matrix",
                column: k,
            });
        }
        if p != k {
            for j in 0..n {
                a.swap(k * n + j, p * n + j);
            }
        }
        // Eliminate below the pivot.
        for i in k + 1..n {
            let f = a[i * n + k] / pivot;
            a[i * n + k] = f;
            for j in k + 1..n {
                a[i * n + j] -= f * a[k * n + j];
            }
        }
    }
    Ok(())
}

/// x ← A⁻¹ x with the factors of [`lu_in_place`].
pub fn lu_solve(lu: &[f64], n: usize, pivots: &[usize], x: &mut [f64]) {
    // Permutation, then L, then U.
    for k in 0..n {
        x.swap(k, pivots[k]);
    }
    for i in 0..n {
        let s: f64 = (0..i).map(|j| lu[i * n + j] * x[j]).sum();
        x[i] -= s;
    }
    for i in (0..n).rev() {
        let s: f64 = (i + 1..n).map(|j| lu[i * n + j] * x[j]).sum();
        x[i] = (x[i] - s) / lu[i * n + i];
    }
}
