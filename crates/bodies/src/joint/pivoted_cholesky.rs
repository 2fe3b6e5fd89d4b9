//! Cholesky factorisation with diagonal pivoting of the Gram matrix Ĝ Ĝᵀ of the held rows of one component.
//!
//! ```text
//! P A Pᵀ = L Lᵀ,   A = Ĝ Ĝᵀ with unit diagonal
//! ```
//!
//! Rows that depend on the others get no pivot and are left out: for a right side in the range of A the
//! displacement Ĝᵀ A⁺ b is the same without them. Dense, O(n³).

/// Rank tolerance: a pivot below this belongs to a dependent row. The pivot is the squared sine of the row's
/// angle to the span of the others; rounding leaves 1e-15.
const RANK: f64 = 1e-12;

/// The factorisation; its memory is reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct PivotedCholesky {
    n: usize,
    rank: usize,
    /// A, then L by rows in pivot order.
    entries: Vec<f64>,
    order: Vec<usize>,
    scale: Vec<f64>,
    scratch: Vec<f64>,
}

impl PivotedCholesky {
    /// Factors the matrix with the entries `entry(i, j)`, j ≤ i.
    pub fn factor(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) {
        self.n = n;
        self.order.clear();
        self.order.extend(0..n);
        self.scale.clear();
        // Scaling to unit diagonal.
        self.scale.extend((0..n).map(|i| {
            let size = entry(i, i).sqrt();
            if size > 0.0 { 1.0 / size } else { 0.0 }
        }));
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                let value = entry(i, j) * self.scale[i] * self.scale[j];
                self.entries[i * n + j] = value;
                self.entries[j * n + i] = value;
            }
        }
        self.rank = 0;
        while self.rank < n && self.eliminate(self.rank) {
            self.rank += 1;
        }
    }

    /// One step of the factorisation with the largest remaining pivot; false if all remaining rows are dependent.
    fn eliminate(&mut self, k: usize) -> bool {
        let n = self.n;
        let a = &mut self.entries;
        let mut best = k;
        for i in k + 1..n {
            // The first of the largest up to 1e-9: the pivot order does not depend on the rounding of ties.
            if a[i * n + i] > a[best * n + best] * (1.0 + 1e-9) {
                best = i;
            }
        }
        if !(a[best * n + best] > RANK) {
            return false;
        }
        // Symmetric exchange of rows and columns.
        if best != k {
            self.order.swap(best, k);
            for j in 0..n {
                a.swap(best * n + j, k * n + j);
            }
            for i in 0..n {
                a.swap(i * n + best, i * n + k);
            }
        }
        // Column of L, then the update of the remaining matrix.
        let root = a[k * n + k].sqrt();
        a[k * n + k] = root;
        for i in k + 1..n {
            a[i * n + k] /= root;
        }
        for i in k + 1..n {
            let l = a[i * n + k];
            if l == 0.0 {
                continue;
            }
            for j in k + 1..=i {
                let change = l * a[j * n + k];
                a[i * n + j] -= change;
            }
            // The upper half is kept up to date for later exchanges.
            for j in k + 1..i {
                a[j * n + i] = a[i * n + j];
            }
        }
        true
    }

    /// The dependent rows.
    pub fn dependent(&self) -> &[usize] {
        &self.order[self.rank..]
    }

    /// Replaces b by a solution x of A x = b that is 0 in the dependent rows.
    pub fn solve(&mut self, b: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        let x = &mut self.scratch;
        x.clear();
        x.extend(self.order[..rank].iter().map(|&i| b[i] * self.scale[i]));
        // Forward and back substitution.
        for i in 0..rank {
            let done: f64 = (0..i).map(|k| self.entries[i * n + k] * x[k]).sum();
            x[i] = (x[i] - done) / self.entries[i * n + i];
        }
        for i in (0..rank).rev() {
            let done: f64 = (i + 1..rank).map(|k| self.entries[k * n + i] * x[k]).sum();
            x[i] = (x[i] - done) / self.entries[i * n + i];
        }
        b.fill(0.0);
        for (x, &i) in x.iter().zip(&self.order) {
            b[i] = x * self.scale[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_row_changes_nothing_of_the_displacement() {
        // Rows (1, 0), (1, 1), (2, 1): the third is the sum of the others.
        let rows = [[1.0, 0.0], [1.0, 1.0], [2.0, 1.0]];
        let entry = |i: usize, j: usize| rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
        let mut gram = PivotedCholesky::default();
        gram.factor(3, entry);
        assert_eq!(gram.dependent().len(), 1);
        // The displacement (3, −5) has the values (3, −2, 1) in the three rows.
        let mut x = [3.0, -2.0, 1.0];
        gram.solve(&mut x);
        for (k, wanted) in [3.0, -5.0].into_iter().enumerate() {
            let found: f64 = (0..3).map(|i| rows[i][k] * x[i]).sum();
            // Rounding of a 2 × 2 solve.
            assert!((found - wanted).abs() < 1e-13, "{found} {wanted}");
        }
    }
}
