//! Eigenvalues and eigenvectors of symmetric matrices by cyclic Jacobi rotations.

/// Replaces the symmetric `a` (n×n) by a diagonal matrix of its eigenvalues and fills `vectors`
/// (n×n) with the eigenvectors as rows, in the order of the diagonal.
///
/// Jacobi's method gives small eigenvalues of well-scaled positive definite matrices with
/// high relative accuracy. Convergence is quadratic; 60 sweeps are far more than any case has needed.
pub fn symmetric_eigen(a: &mut [f64], n: usize, vectors: &mut [f64]) {
    vectors.fill(0.0);
    for i in 0..n {
        vectors[i * n + i] = 1.0;
    }
    for _ in 0..60 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p * n + q];
                let (dp, dq) = (a[p * n + p], a[q * n + q]);
                // Relative test of Demmel and Veselić: keeps small eigenvalues accurate.
                if off == 0.0 || off.abs() <= f64::EPSILON * (dp.abs() * dq.abs()).sqrt() * 0.5 {
                    continue;
                }
                rotated = true;
                // Rotation that annihilates entry (p, q).
                let theta = (dq - dp) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate_symmetric(a, n, p, q, c, t * c);
                super::rotate_rows(vectors, n, p, q, c, -t * c);
            }
        }
        if !rotated {
            break;
        }
    }
    // Remove the off-diagonal rounding.
    for i in 0..n {
        for j in 0..n {
            if i != j {
                a[i * n + j] = 0.0;
            }
        }
    }
}

/// A ← Jᵀ A J with J the rotation by (c, s) in the (p, q) plane that annihilates A(p, q).
fn rotate_symmetric(a: &mut [f64], n: usize, p: usize, q: usize, c: f64, s: f64) {
    let off = a[p * n + q];
    let t = s / c;
    a[p * n + p] -= t * off;
    a[q * n + q] += t * off;
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
    // Rows and columns p and q of the rest.
    for k in 0..n {
        if k == p || k == q {
            continue;
        }
        let (akp, akq) = (a[k * n + p], a[k * n + q]);
        let (np, nq) = (c * akp - s * akq, s * akp + c * akq);
        a[k * n + p] = np;
        a[p * n + k] = np;
        a[k * n + q] = nq;
        a[q * n + k] = nq;
    }
}
