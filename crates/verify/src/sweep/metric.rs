//! The scalar product ⟨x, y⟩ = x·A y of a sweeping process, with its own Cholesky factorisation.

/// A symmetric positive definite matrix; unit and diagonal matrices are not stored in full.
#[derive(Debug, Clone)]
pub(super) enum Metric {
    Unit,
    Diagonal(Vec<f64>),
    /// Row by row, with its Cholesky factor.
    Full(Vec<f64>, Vec<f64>),
}

impl Metric {
    /// From the numbers of a scene: none (unit), n (diagonal) or n² (full).
    pub fn new(n: usize, numbers: &[f64]) -> Option<Self> {
        match numbers.len() {
            0 => Some(Self::Unit),
            k if k == n => Some(Self::Diagonal(numbers.to_vec())),
            k if k == n * n => factor(n, numbers).map(|l| Self::Full(numbers.to_vec(), l)),
            _ => None,
        }
    }

    /// A x.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Self::Unit => x.to_vec(),
            Self::Diagonal(d) => x.iter().zip(d).map(|(x, d)| x * d).collect(),
            Self::Full(a, _) => a.chunks(x.len().max(1)).map(|row| dot(row, x)).collect(),
        }
    }

    /// |A| |x|, the absolute values of the terms of A x.
    pub fn sizes(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: &[f64]| row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum();
        match self {
            Self::Unit => x.iter().map(|x| x.abs()).collect(),
            Self::Diagonal(d) => x.iter().zip(d).map(|(x, d)| (x * d).abs()).collect(),
            Self::Full(a, _) => a.chunks(x.len().max(1)).map(row).collect(),
        }
    }

    /// A⁻¹ y.
    pub fn solve(&self, y: &[f64]) -> Vec<f64> {
        match self {
            Self::Unit => y.to_vec(),
            Self::Diagonal(d) => y.iter().zip(d).map(|(y, d)| y / d).collect(),
            Self::Full(_, l) => back(y.len(), l, y),
        }
    }

    /// Norm |x| in the metric A.
    pub fn norm(&self, x: &[f64]) -> f64 {
        dot(&self.apply(x), x).max(0.0).sqrt()
    }

    /// Dual norm |y| of a covector, in the metric A⁻¹.
    pub fn dual_norm(&self, y: &[f64]) -> f64 {
        dot(&self.solve(y), y).max(0.0).sqrt()
    }
}

/// Cholesky factor L of A = L Lᵀ; `None` where A is not positive definite.
pub(super) fn factor(n: usize, a: &[f64]) -> Option<Vec<f64>> {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let known = dot(&l[i * n..i * n + j], &l[j * n..j * n + j]);
            let rest = a[i * n + j] - known;
            if i == j {
                if !(rest > 0.0) {
                    return None;
                }
                l[i * n + i] = rest.sqrt();
            } else {
                l[i * n + j] = rest / l[j * n + j];
            }
        }
    }
    Some(l)
}

/// Solves L Lᵀ x = b by forward and back substitution.
pub(super) fn back(n: usize, l: &[f64], b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..n {
        x[i] = (x[i] - dot(&l[i * n..i * n + i], &x[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| l[j * n + i] * x[j]).sum();
        x[i] = (x[i] - known) / l[i * n + i];
    }
    x
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// x − y.
pub(super) fn sub(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// x + a y.
pub(super) fn plus(x: &[f64], a: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + a * y).collect()
}
