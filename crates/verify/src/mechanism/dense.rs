//! Small dense linear systems.

/// Solves M x = b by Gaussian elimination with pivoting, M stored row by row; `None` where it is singular.
pub(super) fn solve(matrix: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let (mut m, mut x) = (matrix.to_vec(), right.to_vec());
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| m[a * n + k].abs().total_cmp(&m[b * n + k].abs()))?;
        if !(m[pivot * n + k].abs() > 0.0) {
            return None;
        }
        for j in 0..n {
            m.swap(k * n + j, pivot * n + j);
        }
        x.swap(k, pivot);
        for i in k + 1..n {
            let factor = m[i * n + k] / m[k * n + k];
            for j in k..n {
                m[i * n + j] -= factor * m[k * n + j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| m[k * n + j] * x[j]).sum();
        x[k] = (x[k] - known) / m[k * n + k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Matrix–vector product M v.
pub(super) fn times(matrix: &[f64], v: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks(v.len().max(1));
    rows.map(|row| dot(row, v)).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Kinetic energy ½ v·M v.
pub(super) fn energy(matrix: &[f64], v: &[f64]) -> f64 {
    0.5 * dot(&times(matrix, v), v)
}
