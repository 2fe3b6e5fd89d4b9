//! The scalar product ⟨x, y⟩ = xᵀ A y of a symmetric positive definite matrix A.
//!
//! With A = L Lᵀ the map w = Lᵀ x turns the metric into the Euclidean one (whitening; w are the "white"
//! coordinates); projections in the kinetic metric (B02 §1) are Euclidean ones in them.

use crate::dense::{cholesky_in_place, dot, solve_lower, solve_lower_transposed};
use crate::error::{ConvexError, Result, check_finite, check_len};

/// A scalar product on Rⁿ, stored with its Cholesky factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    n: usize,
    matrix: Vec<f64>,
    factor: Vec<f64>,
    euclidean: bool,
}

impl Metric {
    /// The Euclidean metric of Rⁿ.
    pub fn euclidean(n: usize) -> Self {
        let mut eye = vec![0.0; n * n];
        for i in 0..n {
            eye[i * n + i] = 1.0;
        }
        Self {
            n,
            factor: eye.clone(),
            matrix: eye,
            euclidean: true,
        }
    }

    /// The metric of the n×n matrix `a`, row-major; it must be symmetric to 1e-10 of its largest
    /// entry and positive definite. The mean of `a` and its transpose is used.
    pub fn new(n: usize, a: &[f64]) -> Result<Self> {
        let mut metric = Self::euclidean(n);
        metric.reset(a)?;
        Ok(metric)
    }

    /// Replaces the matrix by another of the same size without allocating.
    ///
    /// On error the metric keeps its old value if the sizes or entries were invalid; after a
    /// matrix that is not positive definite it is the Euclidean metric.
    pub fn reset(&mut self, a: &[f64]) -> Result<()> {
        let n = self.n;
        check_len("metric", a.len(), n * n)?;
        check_finite("metric", a)?;
        let largest = crate::dense::max_abs(a);
        // Symmetric to rounding; the mean of both triangles is used.
        for i in 0..n {
            for j in 0..i {
                let (value, mirror) = (a[i * n + j], a[j * n + i]);
                if (value - mirror).abs() > 1e-10 * largest {
                    return Err(ConvexError::NotSymmetric {
                        what: "metric",
                        row: i,
                        col: j,
                        value,
                        mirror,
                    });
                }
                let mean = 0.5 * (value + mirror);
                self.matrix[i * n + j] = mean;
                self.matrix[j * n + i] = mean;
            }
            self.matrix[i * n + i] = a[i * n + i];
        }
        // A = L Lᵀ.
        self.factor.copy_from_slice(&self.matrix);
        self.euclidean = false;
        if let Err(error) = cholesky_in_place(&mut self.factor, n) {
            *self = Self::euclidean(n);
            return Err(match error {
                ConvexError::NotPositiveDefinite { pivot, value, .. } => {
                    ConvexError::NotPositiveDefinite {
                        what: "metric",
                        pivot,
                        value,
                    }
                }
                other => other,
            });
        }
        Ok(())
    }

    /// The metric with this positive diagonal.
    pub fn diagonal(d: &[f64]) -> Result<Self> {
        let n = d.len();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = d[i];
        }
        Self::new(n, &a)
    }

    /// Dimension n.
    pub fn dim(&self) -> usize {
        self.n
    }

    /// Whether this was constructed as the Euclidean metric.
    pub fn is_euclidean(&self) -> bool {
        self.euclidean
    }

    /// The matrix A, row-major.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The lower triangular factor L of A = L Lᵀ, row-major.
    pub fn factor(&self) -> &[f64] {
        &self.factor
    }

    /// The metric of A⁻¹, the one for covectors (impulses).
    pub fn inverse(&self) -> Result<Self> {
        let n = self.n;
        if self.euclidean {
            return Ok(self.clone());
        }
        // Columns of A⁻¹, then the mean with the transpose.
        let mut inv = vec![0.0; n * n];
        for (i, row) in inv.chunks_exact_mut(n.max(1)).enumerate() {
            row[i] = 1.0;
            self.solve(row);
        }
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (inv[i * n + j] + inv[j * n + i]);
                inv[i * n + j] = mean;
                inv[j * n + i] = mean;
            }
        }
        Self::new(n, &inv)
    }

    /// out ← A x.
    pub fn apply_into(&self, x: &[f64], out: &mut [f64]) {
        crate::dense::mul_into(&self.matrix, x, out);
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        if !self.euclidean {
            crate::dense::solve_spd(&self.factor, self.n, x);
        }
    }

    /// xᵀ A y.
    pub fn inner(&self, x: &[f64], y: &[f64]) -> f64 {
        if self.euclidean {
            return dot(x, y);
        }
        (0..self.n)
            .map(|i| x[i] * dot(&self.matrix[i * self.n..(i + 1) * self.n], y))
            .sum()
    }

    /// √(xᵀ A x).
    pub fn norm(&self, x: &[f64]) -> f64 {
        self.inner(x, x).max(0.0).sqrt()
    }

    /// x ← Lᵀ x: transforms to white coordinates.
    pub fn whiten(&self, x: &mut [f64]) {
        if self.euclidean {
            return;
        }
        let n = self.n;
        // Row i of Lᵀ uses entries i.. only: in place from the top.
        for i in 0..n {
            x[i] = (i..n).map(|k| self.factor[k * n + i] * x[k]).sum();
        }
    }

    /// x ← L⁻ᵀ x: transforms back from white coordinates.
    pub fn unwhiten(&self, x: &mut [f64]) {
        if !self.euclidean {
            solve_lower_transposed(&self.factor, self.n, x);
        }
    }

    /// g ← L⁻¹ g: a covector (constraint row) in white coordinates.
    pub fn whiten_covector(&self, g: &mut [f64]) {
        if !self.euclidean {
            solve_lower(&self.factor, self.n, g);
        }
    }
}
