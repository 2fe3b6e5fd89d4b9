//! QR factorisation N = Q R of the active normals with updates and downdates.
//!
//! Qᵀ is kept by rows: the first q rows span the active normals, the others the directions that
//! remain free. Givens rotations add or remove one normal in O(n²).

use crate::dense::{dot, givens, norm, rotate_rows};

/// Factors of the matrix whose columns are the active normals.
#[derive(Debug, Clone, Default)]
pub(super) struct ActiveFactor {
    n: usize,
    count: usize,
    /// Qᵀ, n×n.
    qt: Vec<f64>,
    /// R by columns: entry (i, j), i ≤ j, at j·n + i.
    r: Vec<f64>,
    /// Coordinates Qᵀ g of the last normal decomposed.
    d: Vec<f64>,
}

impl ActiveFactor {
    /// Empties the factor for vectors of length n; allocates only when n grows.
    pub(super) fn reset(&mut self, n: usize) {
        self.n = n;
        self.count = 0;
        self.qt.clear();
        self.qt.resize(n * n, 0.0);
        for i in 0..n {
            self.qt[i * n + i] = 1.0;
        }
        self.r.clear();
        self.r.resize(n * n, 0.0);
        self.d.clear();
        self.d.resize(n, 0.0);
    }

    /// Decomposes g: the part outside the active span goes to `free`, its coefficients on the
    /// active normals to `coef`. Returns the length of the free part.
    pub(super) fn decompose(&mut self, g: &[f64], free: &mut [f64], coef: &mut [f64]) -> f64 {
        let (n, q) = (self.n, self.count);
        // d = Qᵀ g: the first q entries are in the active span.
        for (k, row) in self.qt.chunks_exact(n.max(1)).enumerate() {
            self.d[k] = dot(row, g);
        }
        free.fill(0.0);
        for k in q..n {
            crate::dense::axpy(self.d[k], &self.qt[k * n..(k + 1) * n], free);
        }
        coef[..q].copy_from_slice(&self.d[..q]);
        self.solve_upper(&mut coef[..q]);
        norm(&self.d[q..n])
    }

    /// Appends the normal last given to [`Self::decompose`].
    pub(super) fn push(&mut self) {
        let (n, q) = (self.n, self.count);
        // Givens rotations of the free directions leave one entry below R.
        for i in (q + 1..n).rev() {
            let (c, s, r) = givens(self.d[i - 1], self.d[i]);
            self.d[i - 1] = r;
            self.d[i] = 0.0;
            rotate_rows(&mut self.qt, n, i - 1, i, c, s);
        }
        self.r[q * n..q * n + q + 1].copy_from_slice(&self.d[..=q]);
        self.count += 1;
    }

    /// Removes the normal at position j.
    pub(super) fn remove(&mut self, j: usize) {
        let n = self.n;
        // Shift the columns of R; the result is upper Hessenberg.
        for col in j + 1..self.count {
            let (left, right) = self.r.split_at_mut(col * n);
            left[(col - 1) * n..(col - 1) * n + col + 1].copy_from_slice(&right[..=col]);
        }
        self.count -= 1;
        // Givens rotations restore the triangle.
        for k in j..self.count {
            let (c, s, r) = givens(self.r[k * n + k], self.r[k * n + k + 1]);
            self.r[k * n + k] = r;
            self.r[k * n + k + 1] = 0.0;
            for col in k + 1..self.count {
                let (a, b) = (self.r[col * n + k], self.r[col * n + k + 1]);
                self.r[col * n + k] = c * a + s * b;
                self.r[col * n + k + 1] = c * b - s * a;
            }
            rotate_rows(&mut self.qt, n, k, k + 1, c, s);
        }
    }

    /// Shortest w with ⟨active normal_k, w⟩ = rhs_k, and the u with w = Σ u_k normal_k.
    /// `u` holds rhs on entry.
    pub(super) fn least_norm(&self, u: &mut [f64], w: &mut [f64]) {
        let (n, q) = (self.n, self.count);
        // Rᵀ y = rhs, w = Q y, R u = y.
        for k in 0..q {
            let s: f64 = (0..k).map(|i| self.r[k * n + i] * u[i]).sum();
            u[k] = (u[k] - s) / self.r[k * n + k];
        }
        w.fill(0.0);
        for k in 0..q {
            crate::dense::axpy(u[k], &self.qt[k * n..(k + 1) * n], w);
        }
        self.solve_upper(&mut u[..q]);
    }

    /// x ← R⁻¹ x (back substitution).
    fn solve_upper(&self, x: &mut [f64]) {
        let n = self.n;
        for i in (0..x.len()).rev() {
            x[i] /= self.r[i * n + i];
            for k in 0..i {
                x[k] -= self.r[i * n + k] * x[i];
            }
        }
    }
}
