//! The scaled (preconditioned) Delassus operator as a sparse matrix, with its factorisations.
//!
//! In the scaled variables x = r / √κ every diagonal block of Ŵ = √κ W √κ is of the order of the identity whatever the
//! masses (a block Jacobi preconditioner), so that one proximal parameter fits all contacts. Factorisations are
//! sequential: the same input gives the same bits for any number of threads.

use percuss_contact::{BlockSparseMatrix, Problem};
use percuss_linalg::{MultifrontalLu, SparseFactor, SparsePattern, largest_eigenvalue};

mod newton;

/// Relative skew part up to which W counts as symmetric: rounding of G A⁻¹ Gᵀ.
const SYMMETRIC: f64 = 1e-12;

/// The scaled Delassus operator Ŵ as a sparse matrix, with its symbolic factorisations.
pub(crate) struct ScaledDelassus {
    /// Ŵ by block rows.
    matrix: BlockSparseMatrix,
    /// Sparsity pattern in compressed columns, with its symbolic factorisations.
    pattern: SparsePattern,
    /// Index of each value of `matrix` in the compressed columns.
    place: Vec<usize>,
    /// √κ by row.
    pub root: Vec<f64>,
    /// Whether Ŵ is symmetric to rounding.
    pub symmetric: bool,
    /// Multifrontal factorisation of Newton matrices, once one was needed.
    fronts: Option<MultifrontalLu>,
}

impl ScaledDelassus {
    pub fn new(problem: &Problem) -> Self {
        let mut matrix = problem.matrix().into_owned();
        let symmetric = matrix.asymmetry() <= SYMMETRIC;
        // Scale rows and columns by √κ.
        let mut root = vec![0.0; problem.num_rows()];
        for a in 0..problem.num_contacts() {
            root[problem.rows(a)].fill(problem.kappa(a).sqrt());
        }
        matrix.scale(&root);
        let (pattern, place) = columns(&matrix);
        Self {
            matrix,
            pattern,
            place,
            root,
            symmetric,
            fronts: None,
        }
    }

    /// Factorises Ŵ + shift·I.
    pub fn factor(&mut self, shift: f64) -> Option<SparseFactor> {
        let zeros = vec![0.0; self.num_block_entries()];
        if self.symmetric {
            self.symmetric_factor(&zeros, shift)
        } else {
            self.general_factor(&zeros, shift)
        }
    }

    /// λ_max(Ŵ) to some per cent, by power iteration from a fixed start.
    pub fn largest_eigenvalue(&self) -> f64 {
        largest_eigenvalue(self.root.len(), |x, y| {
            y.fill(0.0);
            for a in 0..self.matrix.num_contacts() {
                let rows = self.matrix.offset()[a]..self.matrix.offset()[a + 1];
                self.matrix.add_row_product(a, x, &mut y[rows]);
            }
        })
    }

    /// Number of entries of all diagonal blocks.
    pub fn num_block_entries(&self) -> usize {
        (0..self.matrix.num_contacts())
            .map(|a| self.matrix.dim(a).pow(2))
            .sum()
    }

    /// Cholesky factor of sym(Ŵ) + shift + S, S block diagonal symmetric positive semidefinite.
    pub fn symmetric_factor(&mut self, blocks: &[f64], shift: f64) -> Option<SparseFactor> {
        let val = self.fill(blocks, shift, true);
        self.pattern.cholesky(val)
    }

    /// LU factor of Ŵ + shift + D, D block diagonal.
    pub fn general_factor(&mut self, blocks: &[f64], shift: f64) -> Option<SparseFactor> {
        let val = self.fill(blocks, shift, false);
        self.pattern.lu(val)
    }

    /// Values in compressed columns of Ŵ + shift + blocks; with `average`, Ŵ averaged with its transpose (only the
    /// lower triangle is then right, which is all that a Cholesky factorisation reads).
    fn fill(&self, blocks: &[f64], shift: f64, average: bool) -> Vec<f64> {
        let mut val = vec![0.0; self.place.len()];
        let (mut k, mut start) = (0, 0);
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            for (b, block) in self.matrix.row(a) {
                let width = block.len() / d;
                // The transposed block, where W is not symmetric.
                let mirror = (average && !self.symmetric)
                    .then(|| self.matrix.block(b, a))
                    .flatten();
                // Entry of Ŵ, the given diagonal block, and the shift.
                for (i, v) in block.iter().enumerate() {
                    let v = mirror.map_or(*v, |m| 0.5 * (v + m[(i % width) * d + i / width]));
                    let own = if a == b { blocks[start + i] } else { 0.0 };
                    let on_diagonal = a == b && i / width == i % width;
                    val[self.place[k]] = v + own + if on_diagonal { shift } else { 0.0 };
                    k += 1;
                }
            }
            start += d * d;
        }
        val
    }

    /// y = (A + B (Ŵ + shift)) x, A and B block diagonal.
    pub fn product_into(
        &self,
        a_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
        x: &[f64],
        y: &mut [f64],
    ) {
        let offset = self.matrix.offset();
        let mut start = 0;
        let mut w = [0.0; percuss_contact::law::MAX_ROWS];
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            let rows = offset[a]..offset[a + 1];
            let here = &x[rows.clone()];
            let w = &mut w[..d];
            // w = (Ŵ + shift) x at contact a, then A x + B w.
            for i in 0..d {
                w[i] = shift * here[i];
            }
            self.matrix.add_row_product(a, x, w);
            for (i, row) in rows.enumerate() {
                let at = start + i * d..start + (i + 1) * d;
                let own: f64 = a_blocks[at.clone()]
                    .iter()
                    .zip(here)
                    .map(|(b, x)| b * x)
                    .sum();
                let all: f64 = b_blocks[at].iter().zip(w.iter()).map(|(b, w)| b * w).sum();
                y[row] = own + all;
            }
            start += d * d;
        }
    }
}

/// Compressed-column pattern of a block matrix, and the index of each of its values there.
fn columns(w: &BlockSparseMatrix) -> (SparsePattern, Vec<usize>) {
    let n = w.num_rows();
    let offset = w.offset();
    let mut col_ptr = vec![0; n + 1];
    // Column counts and prefix sums.
    for a in 0..w.num_contacts() {
        for (b, _) in w.row(a) {
            for j in offset[b]..offset[b + 1] {
                col_ptr[j + 1] += w.dim(a);
            }
        }
    }
    for j in 0..n {
        col_ptr[j + 1] += col_ptr[j];
    }
    // Rows are visited in ascending order, so that the row indices of each column come out sorted.
    let mut next = col_ptr.clone();
    let mut row = vec![0; col_ptr[n]];
    let mut place = Vec::with_capacity(col_ptr[n]);
    for a in 0..w.num_contacts() {
        for (b, block) in w.row(a) {
            let width = w.dim(b);
            for k in 0..block.len() {
                let c = offset[b] + k % width;
                row[next[c]] = offset[a] + k / width;
                place.push(next[c]);
                next[c] += 1;
            }
        }
    }
    (SparsePattern::new(n, col_ptr, row), place)
}
