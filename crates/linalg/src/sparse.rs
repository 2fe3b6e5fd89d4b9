//! Sparse Cholesky and LU factorisation (faer) of matrices with one pattern.
//!
//! The symbolic factorisations depend on the pattern only and are kept. Factorisations are sequential: the same input
//! gives the same bits for any number of threads.

use faer::Side;
use faer::prelude::*;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};

/// A sparsity pattern in compressed columns, with its symbolic factorisations once they are computed.
pub struct SparsePattern {
    pattern: SymbolicSparseColMat<usize>,
    llt: Option<SymbolicLlt<usize>>,
    lu: Option<SymbolicLu<usize>>,
}

/// A sparse factorisation.
pub struct SparseFactor(Factor);

enum Factor {
    Cholesky(Llt<usize, f64>),
    Lu(Box<Lu<usize, f64>>),
}

impl SparsePattern {
    /// The pattern of an n × n matrix: `col_ptr` says where each column begins (n + 1 entries), `rows` the row of each
    /// entry, ascending in a column.
    ///
    /// # Panics
    /// Where the lists do not describe such a pattern.
    pub fn new(n: usize, col_ptr: Vec<usize>, rows: Vec<usize>) -> Self {
        Self {
            pattern: SymbolicSparseColMat::new_checked(n, n, col_ptr, None, rows),
            llt: None,
            lu: None,
        }
    }

    /// Cholesky factor of the symmetric matrix with these values, of which the lower triangle is read; `None` where it
    /// is not positive definite.
    pub fn cholesky(&mut self, values: Vec<f64>) -> Option<SparseFactor> {
        let matrix = SparseColMat::new(self.pattern.clone(), values);
        // The symbolic factorisation is computed once.
        if self.llt.is_none() {
            self.llt = Some(SymbolicLlt::try_new(matrix.symbolic(), Side::Lower).ok()?);
        }
        let llt = Llt::try_new_with_symbolic(self.llt.clone()?, matrix.as_ref(), Side::Lower);
        llt.ok().map(|llt| SparseFactor(Factor::Cholesky(llt)))
    }

    /// LU factor, with pivoting, of the matrix with these values; `None` where no pivot is found because of the structure.
    /// Singular values need not be noticed: check that a solution is finite.
    pub fn lu(&mut self, values: Vec<f64>) -> Option<SparseFactor> {
        let matrix = SparseColMat::new(self.pattern.clone(), values);
        // The symbolic factorisation is computed once.
        if self.lu.is_none() {
            self.lu = Some(SymbolicLu::try_new(matrix.symbolic()).ok()?);
        }
        let lu = Lu::try_new_with_symbolic(self.lu.clone()?, matrix.as_ref());
        lu.ok().map(|lu| SparseFactor(Factor::Lu(Box::new(lu))))
    }
}

impl SparseFactor {
    /// Solves in place.
    pub fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let x = faer::MatMut::from_column_major_slice_mut(x, n, 1);
        match &self.0 {
            Factor::Cholesky(llt) => llt.solve_in_place(x),
            Factor::Lu(lu) => lu.solve_in_place(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (4 1 0; 1 5 2; 0 2 6) x = (6, 17, 22) has x = (1, 2, 3).
    #[test]
    fn both_factors_solve_a_small_system() {
        let mut pattern = SparsePattern::new(3, vec![0, 2, 5, 7], vec![0, 1, 0, 1, 2, 1, 2]);
        let values = vec![4.0, 1.0, 1.0, 5.0, 2.0, 2.0, 6.0];
        let factors = [pattern.cholesky(values.clone()), pattern.lu(values)];
        for factor in factors {
            let mut x = [6.0, 17.0, 22.0];
            factor.expect("regular").solve(&mut x);
            for (x, exact) in x.iter().zip([1.0, 2.0, 3.0]) {
                assert!((x - exact).abs() < 1e-14, "{x}");
            }
        }
        let indefinite = vec![1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 1.0];
        assert!(pattern.cholesky(indefinite).is_none());
    }
}
