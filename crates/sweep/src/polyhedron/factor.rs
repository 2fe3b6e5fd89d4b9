//! Thin QR factors N = Q R of the active unit normals, updated from step to step.
//!
//! Q has as many columns as there are active rows, not n: adding a row costs two passes of Gram–Schmidt (the second
//! makes Q orthogonal to rounding, "twice is enough"), removing one a series of Givens rotations, both O(n q). Between
//! steps of a sweeping process only bounds change, so the factors stay valid and a step costs O(n q + q²).

use crate::lane_sums::{axpy, dot, norm};

/// QR factors of the matrix whose columns are the active normals.
#[derive(Debug, Clone, Default)]
pub(super) struct ThinFactor {
    n: usize,
    /// Columns of Q, one after the other.
    q: Vec<f64>,
    /// Columns of R, the k-th of length k + 1.
    r: Vec<Vec<f64>>,
    /// Coordinates Qᵀg of the normal last decomposed.
    d: Vec<f64>,
}

impl ThinFactor {
    /// Removes all columns; vectors have length n.
    pub(super) fn reset(&mut self, n: usize) {
        self.n = n;
        self.q.clear();
        self.r.clear();
        self.d.clear();
    }

    pub(super) fn count(&self) -> usize {
        self.r.len()
    }

    fn column(&self, k: usize) -> &[f64] {
        &self.q[k * self.n..(k + 1) * self.n]
    }

    /// Decomposes the normal in `free`: its part orthogonal to the active span stays there, its coefficients on the
    /// active normals go to `coef`. Returns the length of the orthogonal part.
    pub(super) fn decompose(&mut self, free: &mut [f64], coef: &mut Vec<f64>) -> f64 {
        let count = self.count();
        self.d.clear();
        self.d.resize(count, 0.0);
        let mut length = norm(free);
        for _ in 0..2 {
            // Gram–Schmidt pass.
            for k in 0..count {
                let part = dot(self.column(k), free);
                self.d[k] += part;
                axpy(-part, &self.q[k * self.n..(k + 1) * self.n], free);
            }
            let rest = norm(free);
            // More than half of the length is left: the first pass was accurate to two roundings.
            if rest > 0.5 * length {
                break;
            }
            length = rest;
        }
        coef.clear();
        coef.extend_from_slice(&self.d);
        self.solve_upper(coef);
        norm(free)
    }

    /// Appends the normal last decomposed; `free` is its orthogonal part of length `length`.
    pub(super) fn push(&mut self, free: &[f64], length: f64) {
        self.q.extend(free.iter().map(|v| v / length));
        let mut column = self.d.clone();
        column.push(length);
        self.r.push(column);
    }

    /// Removes the normal at position j by Givens rotations.
    pub(super) fn remove(&mut self, j: usize) {
        let n = self.n;
        self.r.remove(j);
        // Restore the triangle column by column, rotating Q along.
        for k in j..self.count() {
            let (c, s, length) = percuss_convex::dense::givens(self.r[k][k], self.r[k][k + 1]);
            self.r[k].truncate(k + 1);
            self.r[k][k] = length;
            for column in &mut self.r[k + 1..] {
                let (a, b) = (column[k], column[k + 1]);
                column[k] = c * a + s * b;
                column[k + 1] = c * b - s * a;
            }
            let (left, right) = self.q.split_at_mut((k + 1) * n);
            for (a, b) in left[k * n..].iter_mut().zip(&mut right[..n]) {
                (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
            }
        }
        let keep = self.count() * n;
        self.q.truncate(keep);
    }

    /// x ← x − N (NᵀN)⁻¹ rhs, u ← u + (NᵀN)⁻¹ rhs: the shortest step that lowers ⟨normal_k, x⟩ by rhs_k. `rhs` is
    /// overwritten.
    pub(super) fn correct(&self, rhs: &mut [f64], x: &mut [f64], u: &mut [f64]) {
        let count = self.count();
        // Rᵀ y = rhs, x ← x − Q y, then R w = y.
        for k in 0..count {
            let column = &self.r[k];
            let known = dot(&column[..k], &rhs[..k]);
            rhs[k] = (rhs[k] - known) / column[k];
        }
        for k in 0..count {
            axpy(-rhs[k], self.column(k), x);
        }
        self.solve_upper(rhs);
        axpy(1.0, rhs, u);
    }

    /// x ← R⁻¹ x.
    fn solve_upper(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            let column = &self.r[i];
            x[i] /= column[i];
            let value = x[i];
            axpy(-value, &column[..i], &mut x[..i]);
        }
    }
}
