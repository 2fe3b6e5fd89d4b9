//! GMRES with left preconditioning, without restart.
//!
//! Made for matrices close to the factorised preconditioner, where a few dozen iterations are enough. Left
//! preconditioning measures the residual in the units of the solution, in which stiff rows do not dominate.

use crate::dense::norm;

/// Solves P⁻¹ M x = P⁻¹ b with `apply` = P⁻¹ M (in place on its argument); `x` holds P⁻¹ b on
/// entry. Returns whether the residual fell below `tolerance` times its start within `limit`
/// iterations (no restart).
pub fn gmres(
    mut apply: impl FnMut(&[f64], &mut [f64]),
    x: &mut [f64],
    tolerance: f64,
    limit: usize,
) -> bool {
    let n = x.len();
    let norm0 = norm(x);
    if !(norm0 > 0.0) || !norm0.is_finite() {
        return norm0 == 0.0;
    }
    // Orthonormal basis of the Krylov space, from P⁻¹ b.
    let mut basis: Vec<Vec<f64>> = vec![x.iter().map(|v| v / norm0).collect()];
    // Hessenberg columns after the rotations, the rotations, and the rotated right-hand side.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut rhs = vec![norm0];
    let mut converged = false;
    for k in 0..limit.min(n) {
        // Arnoldi step.
        let mut w = vec![0.0; n];
        apply(&basis[k], &mut w);
        let mut column = orthogonalise(&basis, &mut w);
        let next = norm(&w);
        column.push(next);
        // Givens rotations: old ones on the new column, then a new one.
        for (i, &(c, s)) in rotations.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let radius = column[k].hypot(column[k + 1]);
        if !(radius > 0.0) || !radius.is_finite() {
            return false;
        }
        let (c, s) = (column[k] / radius, column[k + 1] / radius);
        rotations.push((c, s));
        column[k] = radius;
        column.pop();
        columns.push(column);
        rhs.push(-s * rhs[k]);
        rhs[k] *= c;
        // The last entry of the rotated right-hand side is the residual.
        converged = rhs[k + 1].abs() <= tolerance * norm0;
        if converged || next <= f64::EPSILON * radius {
            break;
        }
        w.iter_mut().for_each(|v| *v /= next);
        basis.push(w);
    }
    combine(&basis, &columns, rhs, x);
    converged
}

/// Gram–Schmidt, twice (once is not orthogonal enough when the operator is close to the identity); returns the
/// coefficients.
fn orthogonalise(basis: &[Vec<f64>], w: &mut [f64]) -> Vec<f64> {
    let mut column = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (h, v) in column.iter_mut().zip(basis) {
            let dot: f64 = v.iter().zip(w.iter()).map(|(a, b)| a * b).sum();
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= dot * v);
            *h += dot;
        }
    }
    column
}

/// x = Σ y_k basis_k after back-substitution in the triangular system.
fn combine(basis: &[Vec<f64>], columns: &[Vec<f64>], mut y: Vec<f64>, x: &mut [f64]) {
    // Back-substitution.
    for k in (0..columns.len()).rev() {
        y[k] /= columns[k][k];
        for i in 0..k {
            y[i] -= columns[k][i] * y[k];
        }
    }
    // Linear combination of the basis.
    x.fill(0.0);
    for (v, y) in basis.iter().zip(&y).take(columns.len()) {
        x.iter_mut().zip(v).for_each(|(x, v)| *x += y * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonally dominant unsymmetric system against its known solution.
    #[test]
    fn solves_an_unsymmetric_system() {
        let n = 40;
        let entry = |i: usize, j: usize| {
            if i == j {
                3.0
            } else {
                ((i * 7 + j * 13) % 11) as f64 / 60.0 - 0.08
            }
        };
        let product = |x: &[f64], y: &mut [f64]| {
            for i in 0..n {
                y[i] = (0..n).map(|j| entry(i, j) * x[j]).sum();
            }
        };
        let exact: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x = vec![0.0; n];
        product(&exact, &mut x);
        assert!(gmres(product, &mut x, 1e-13, n));
        // Condition number below 10: an order above the requested 1e-13 is the most it can lose.
        for (a, b) in x.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn says_when_it_did_not_converge() {
        // A cyclic shift is the worst case of GMRES: no progress before step n.
        let n = 20;
        let shift = |x: &[f64], y: &mut [f64]| {
            for i in 0..n {
                y[(i + 1) % n] = x[i];
            }
        };
        let mut x = vec![0.0; n];
        x[0] = 1.0;
        assert!(!gmres(shift, &mut x, 1e-10, n - 2));
    }
}
