//! Small dense linear algebra on flat row-major slices.
//!
//! A matrix with r rows and c columns is a slice of length r·c with entry (i, j) at i·c + j.
//! Sizes are those of one mechanism or one contact (up to a few hundred), so the loops are
//! simple; factorisations work in place on storage owned by the caller.
//!
//! Limits: no cache blocking; the symmetric factorisations do not pivot.

mod cholesky;
mod eigen;
mod lu;
mod qr;

pub use cholesky::{
    cholesky_in_place, ldlt_in_place, ldlt_solve, solve_lower, solve_lower_transposed, solve_spd,
};
pub use eigen::symmetric_eigen;
pub use lu::{lu_in_place, lu_solve};
pub use qr::{RowSpace, givens, rotate_rows, row_space};

pub(crate) use crate::cone::norm;

/// Inner product.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y ← y + s x.
#[inline]
pub fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
    for (b, a) in y.iter_mut().zip(x) {
        *b += s * a;
    }
}

/// y ← M x for a matrix with `x.len()` columns and `y.len()` rows.
pub fn mul_into(m: &[f64], x: &[f64], y: &mut [f64]) {
    if x.is_empty() {
        return y.fill(0.0);
    }
    for (row, out) in m.chunks_exact(x.len()).zip(y) {
        *out = dot(row, x);
    }
}

/// y ← Mᵀ x for a matrix with `x.len()` rows and `y.len()` columns.
pub fn mul_transposed_into(m: &[f64], x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    if y.is_empty() {
        return;
    }
    for (row, &s) in m.chunks_exact(y.len()).zip(x) {
        axpy(s, row, y);
    }
}

/// a − b as a new vector.
pub(crate) fn sub(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Largest absolute entry.
pub(crate) fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}
