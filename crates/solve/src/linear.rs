//! Sparse factorisations of W + shift, in the scaled variables x = r / √κ.
//!
//! Scaling each contact by √κ_α makes every diagonal block of Ŵ = √κ W √κ of the order of the
//! identity whatever the masses, which is what makes one proximal parameter fit all contacts.
//! Factorisations are sequential, so the same input gives the same bits for any thread count.

use contact::{BlockSparse, Problem};
use faer::Side;
use faer::prelude::*;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};

/// W is taken as symmetric below this relative skew part: rounding in G A⁻¹ Gᵀ.
const SYMMETRIC: f64 = 1e-12;

/// The scaled matrix Ŵ with its pattern analysed once.
pub(crate) struct Scaled {
    /// Ŵ in compressed columns.
    col_ptr: Vec<usize>,
    row: Vec<usize>,
    val: Vec<f64>,
    /// Position of each diagonal entry in `val`.
    diagonal: Vec<usize>,
    /// √κ by row.
    pub root: Vec<f64>,
    symmetric: Option<SymbolicLlt<usize>>,
    general: Option<SymbolicLu<usize>>,
}

/// A factorisation that can be solved with.
pub(crate) enum Factor {
    Symmetric(Llt<usize, f64>),
    General(Lu<usize, f64>),
}

impl Scaled {
    pub fn new(problem: &Problem, w: &BlockSparse) -> Option<Self> {
        let n = problem.num_rows();
        let mut root = vec![0.0; n];
        for a in 0..problem.num_contacts() {
            root[problem.rows(a)].fill(problem.kappa(a).sqrt());
        }
        let (col_ptr, row, val) = columns(w, &root);
        let diagonal = (0..n)
            .map(|j| {
                let range = col_ptr[j]..col_ptr[j + 1];
                range.start + row[range].binary_search(&j).expect("diagonal blocks are stored")
            })
            .collect();
        let mut scaled = Self {
            col_ptr,
            row,
            val,
            diagonal,
            root,
            symmetric: None,
            general: None,
        };
        let pattern = scaled.pattern();
        if w.asymmetry() <= SYMMETRIC {
            scaled.symmetric = Some(SymbolicLlt::try_new(pattern.as_ref(), Side::Lower).ok()?);
        } else {
            scaled.general = Some(SymbolicLu::try_new(pattern.as_ref()).ok()?);
        }
        Some(scaled)
    }

    fn pattern(&self) -> SymbolicSparseColMat<usize> {
        let n = self.root.len();
        SymbolicSparseColMat::new_checked(n, n, self.col_ptr.clone(), None, self.row.clone())
    }

    /// Factors Ŵ + shift·I.
    pub fn factor(&self, shift: f64) -> Option<Factor> {
        let mut val = self.val.clone();
        for &k in &self.diagonal {
            val[k] += shift;
        }
        let matrix = SparseColMat::new(self.pattern(), val);
        if let Some(symbolic) = &self.symmetric {
            let llt = Llt::try_new_with_symbolic(symbolic.clone(), matrix.as_ref(), Side::Lower);
            return llt.ok().map(Factor::Symmetric);
        }
        let lu = Lu::try_new_with_symbolic(self.general.clone()?, matrix.as_ref());
        lu.ok().map(Factor::General)
    }

    /// y = Ŵ x.
    pub fn product_into(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for j in 0..x.len() {
            for k in self.col_ptr[j]..self.col_ptr[j + 1] {
                y[self.row[k]] += self.val[k] * x[j];
            }
        }
    }
}

impl Factor {
    /// Solves in place.
    pub fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let x = faer::MatMut::from_column_major_slice_mut(x, n, 1);
        match self {
            Factor::Symmetric(llt) => llt.solve_in_place(x),
            Factor::General(lu) => lu.solve_in_place(x),
        }
    }
}

/// Scaled compressed columns of a block matrix.
fn columns(w: &BlockSparse, root: &[f64]) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let n = w.num_rows();
    let offset = w.offset();
    let mut col_ptr = vec![0; n + 1];
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
    let mut next = col_ptr.clone();
    let (mut row, mut val) = (vec![0; col_ptr[n]], vec![0.0; col_ptr[n]]);
    for a in 0..w.num_contacts() {
        for (b, block) in w.row(a) {
            let width = w.dim(b);
            for i in 0..w.dim(a) {
                for j in 0..width {
                    let (r, c) = (offset[a] + i, offset[b] + j);
                    row[next[c]] = r;
                    val[next[c]] = root[r] * root[c] * block[i * width + j];
                    next[c] += 1;
                }
            }
        }
    }
    (col_ptr, row, val)
}
