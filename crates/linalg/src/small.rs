//! Dense linear systems of a few rows.

/// Solves T X = R in place of R for two rows and three columns, by Cramer's rule; false where T is singular.
#[inline]
pub fn solve_2x2(t: &[f64], right: &mut [f64]) -> bool {
    let determinant = t[0] * t[3] - t[1] * t[2];
    if !(determinant.abs() > 0.0) {
        return false;
    }
    let inverse = 1.0 / determinant;
    for j in 0..3 {
        let (a, b) = (right[j], right[3 + j]);
        right[j] = (t[3] * a - t[1] * b) * inverse;
        right[3 + j] = (t[0] * b - t[2] * a) * inverse;
    }
    true
}

/// Solves T X = R in place of R (d × m, row-major) by Gaussian elimination with partial pivoting; false where T is
/// singular.
#[inline]
pub fn solve_small(t: &mut [f64], right: &mut [f64], d: usize) -> bool {
    let m = right.len() / d.max(1);
    for k in 0..d {
        // Partial pivoting.
        let mut pivot = k;
        for i in k + 1..d {
            if t[i * d + k].abs() > t[pivot * d + k].abs() {
                pivot = i;
            }
        }
        if !(t[pivot * d + k].abs() > 0.0) {
            return false;
        }
        if pivot != k {
            for j in 0..d {
                t.swap(k * d + j, pivot * d + j);
            }
            for j in 0..m {
                right.swap(k * m + j, pivot * m + j);
            }
        }
        // Elimination.
        for i in k + 1..d {
            let factor = t[i * d + k] / t[k * d + k];
            for j in k + 1..d {
                t[i * d + j] -= factor * t[k * d + j];
            }
            for j in 0..m {
                right[i * m + j] -= factor * right[k * m + j];
            }
        }
    }
    // Back-substitution.
    for k in (0..d).rev() {
        for j in 0..m {
            let mut x = right[k * m + j];
            for i in k + 1..d {
                x -= t[k * d + i] * right[i * m + j];
            }
            right[k * m + j] = x / t[k * d + k];
        }
    }
    true
}
