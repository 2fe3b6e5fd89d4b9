//! Factorisations A = L Lᵀ (Cholesky) and A = L D Lᵀ of symmetric matrices, and the triangular solves.

use crate::error::{ConvexError, Result};

/// Replaces the symmetric positive definite `a` (n×n) by its Cholesky factor L.
///
/// Only the lower triangle is read; the strict upper triangle is set to zero. The error names
/// the first pivot that is not positive.
pub fn cholesky_in_place(a: &mut [f64], n: usize) -> Result<()> {
    for j in 0..n {
        for i in j..n {
            // Entry minus the product of the rows computed so far.
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if !(s > 0.0 && s.is_finite()) {
                    return Err(ConvexError::NotPositiveDefinite {
                        what: "matrix",
                        pivot: j,
                        value: s,
                    });
                }
                a[j * n + j] = s.sqrt();
            } else {
                a[i * n + j] = s / a[j * n + j];
            }
        }
        for i in 0..j {
            a[i * n + j] = 0.0;
        }
    }
    Ok(())
}

/// x ← L⁻¹ x, L lower triangular n×n.
pub fn solve_lower(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let s: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - s) / l[i * n + i];
    }
}

/// x ← L⁻ᵀ x, L lower triangular n×n.
pub fn solve_lower_transposed(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        for k in 0..i {
            x[k] -= l[i * n + k] * x[i];
        }
    }
}

/// x ← (L Lᵀ)⁻¹ x with L from [`cholesky_in_place`].
pub fn solve_spd(l: &[f64], n: usize, x: &mut [f64]) {
    solve_lower(l, n, x);
    solve_lower_transposed(l, n, x);
}

/// Replaces the symmetric `a` (n×n) by its L D Lᵀ factors: D on the diagonal, the unit lower
/// triangular L below it.
///
/// Without pivoting: for quasi-definite matrices and others whose leading minors are regular.
/// A zero or non-finite pivot is an error; negative pivots are allowed.
pub fn ldlt_in_place(a: &mut [f64], n: usize) -> Result<()> {
    for j in 0..n {
        // Pivot d_j.
        let mut d = a[j * n + j];
        for k in 0..j {
            d -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        }
        if d == 0.0 || !d.is_finite() {
            return Err(ConvexError::Singular {
                what: "matrix",
                column: j,
            });
        }
        a[j * n + j] = d;
        // Column j of L.
        for i in j + 1..n {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            }
            a[i * n + j] = s / d;
            a[j * n + i] = 0.0;
        }
    }
    Ok(())
}

/// x ← (L D Lᵀ)⁻¹ x with the factors of [`ldlt_in_place`].
pub fn ldlt_solve(f: &[f64], n: usize, x: &mut [f64]) {
    // L, then D, then Lᵀ.
    for i in 0..n {
        let s: f64 = (0..i).map(|k| f[i * n + k] * x[k]).sum();
        x[i] -= s;
    }
    for i in 0..n {
        x[i] /= f[i * n + i];
    }
    for i in (0..n).rev() {
        for k in 0..i {
            x[k] -= f[i * n + k] * x[i];
        }
    }
}
