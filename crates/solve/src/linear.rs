//! Sparse factorisations around W, in the scaled variables x = r / √κ.
//!
//! Scaling each contact by √κ_α makes every diagonal block of Ŵ = √κ W √κ of the order of the
//! identity whatever the masses, which is what makes one proximal parameter fit all contacts.
//! Factorisations are sequential, so the same input gives the same bits for any thread count.

use contact::{BlockSparse, Problem};
use faer::Side;
use faer::prelude::*;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};

mod blocks;

/// W is taken as symmetric below this relative skew part: rounding in G A⁻¹ Gᵀ.
const SYMMETRIC: f64 = 1e-12;

/// The scaled matrix Ŵ with the pattern of its columns.
pub(crate) struct Scaled {
    /// Ŵ by block rows.
    matrix: BlockSparse,
    /// Pattern by columns.
    pattern: SymbolicSparseColMat<usize>,
    /// Where each value of `matrix` stands in the columns.
    place: Vec<usize>,
    /// √κ by row.
    pub root: Vec<f64>,
    /// Whether Ŵ is symmetric to rounding.
    pub symmetric: bool,
    llt: Option<SymbolicLlt<usize>>,
    lu: Option<SymbolicLu<usize>>,
}

/// A factorisation that can be solved with.
pub(crate) enum Factor {
    Symmetric(Llt<usize, f64>),
    General(Box<Lu<usize, f64>>),
}

impl Scaled {
    pub fn new(problem: &Problem) -> Self {
        let mut matrix = problem.matrix().into_owned();
        let symmetric = matrix.asymmetry() <= SYMMETRIC;
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
            llt: None,
            lu: None,
        }
    }

    /// Factors Ŵ + shift·I.
    pub fn factor(&mut self, shift: f64) -> Option<Factor> {
        let zeros = vec![0.0; self.num_block_entries()];
        if self.symmetric {
            self.symmetric_factor(&zeros, shift)
        } else {
            self.general_factor(&zeros, shift)
        }
    }

    /// λ_max(Ŵ) to some percent, by power iteration from a fixed start.
    pub fn largest_eigenvalue(&self) -> f64 {
        let n = self.root.len();
        // A start without symmetry, so that no eigenvector is orthogonal to it by accident.
        let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
        let mut y = vec![0.0; n];
        let mut value = 1.0;
        for _ in 0..30 {
            y.fill(0.0);
            for a in 0..self.matrix.num_contacts() {
                let rows = self.matrix.offset()[a]..self.matrix.offset()[a + 1];
                self.matrix.add_row_product(a, &x, &mut y[rows]);
            }
            let size = y.iter().map(|v| v * v).sum::<f64>().sqrt();
            if !(size > 0.0) {
                break;
            }
            value = size / x.iter().map(|v| v * v).sum::<f64>().sqrt();
            x.iter_mut().zip(&y).for_each(|(x, y)| *x = y / size);
        }
        value
    }

    /// Entries of all diagonal blocks.
    pub fn num_block_entries(&self) -> usize {
        (0..self.matrix.num_contacts())
            .map(|a| self.matrix.dim(a).pow(2))
            .sum()
    }

    /// Solves the Newton system ( A + B (Ŵ + shift) ) dx = f for `step`, which holds f on entry; A
    /// and B are block diagonal (row-major blocks one after the other). Contacts with B = 0 and
    /// A = I (open ones) have dx = f and leave the matrix, which makes it small in loose packings.
    pub fn newton_step(
        &self,
        a_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
        step: &mut [f64],
    ) -> Option<()> {
        let active = Active::new(&self.matrix, a_blocks, b_blocks);
        let (matrix, mut rhs) = self.newton_matrix(&active, a_blocks, b_blocks, shift, step);
        let lu = matrix.sp_lu().ok()?;
        let n = rhs.len();
        lu.solve_in_place(faer::MatMut::from_column_major_slice_mut(&mut rhs, n, 1));
        let offset = self.matrix.offset();
        for (k, &a) in active.contacts.iter().enumerate() {
            let from = active.offset[k]..active.offset[k + 1];
            step[offset[a]..offset[a + 1]].copy_from_slice(&rhs[from]);
        }
        Some(())
    }

    /// The Newton matrix over the active contacts and its right-hand side.
    fn newton_matrix(
        &self,
        active: &Active,
        a_blocks: &[f64],
        b_blocks: &[f64],
        shift: f64,
        f: &[f64],
    ) -> (SparseColMat<usize, f64>, Vec<f64>) {
        let w = &self.matrix;
        let n = *active.offset.last().unwrap_or(&0);
        let (col_ptr, mut next) = active.column_pointers(w);
        let mut row = vec![0; col_ptr[n]];
        let mut val = vec![0.0; col_ptr[n]];
        let mut rhs = Vec::with_capacity(n);
        let mut product = vec![0.0; 64];
        for (k, &a) in active.contacts.iter().enumerate() {
            let d = w.dim(a);
            let start = active.block_ptr[a];
            let left = &b_blocks[start..start + d * d];
            let first = rhs.len();
            rhs.extend_from_slice(&f[w.offset()[a]..w.offset()[a + 1]]);
            for (b, block) in w.row(a) {
                let width = block.len() / d;
                product.resize(d * width, 0.0);
                multiply(left, block, d, width, &mut product);
                let Some(compact) = active.compact[b] else {
                    // A known step of an open contact goes to the right-hand side.
                    for (i, p) in product.iter().enumerate() {
                        rhs[first + i / width] -= p * f[w.offset()[b] + i % width];
                    }
                    continue;
                };
                for (i, p) in product.iter().enumerate() {
                    let c = active.offset[compact] + i % width;
                    row[next[c]] = active.offset[k] + i / width;
                    val[next[c]] = p + if a == b {
                        a_blocks[start + i] + shift * left[i]
                    } else {
                        0.0
                    };
                    next[c] += 1;
                }
            }
        }
        let pattern = SymbolicSparseColMat::new_checked(n, n, col_ptr, None, row);
        (SparseColMat::new(pattern, val), rhs)
    }

    /// Cholesky factor of sym(Ŵ) + shift + S, S block diagonal symmetric positive semidefinite.
    pub fn symmetric_factor(&mut self, blocks: &[f64], shift: f64) -> Option<Factor> {
        let val = self.fill(blocks, shift, true);
        let matrix = SparseColMat::new(self.pattern.clone(), val);
        if self.llt.is_none() {
            self.llt = Some(SymbolicLlt::try_new(matrix.symbolic(), Side::Lower).ok()?);
        }
        let llt = Llt::try_new_with_symbolic(self.llt.clone()?, matrix.as_ref(), Side::Lower);
        llt.ok().map(Factor::Symmetric)
    }

    /// LU factor of Ŵ + shift + D, D block diagonal.
    pub fn general_factor(&mut self, blocks: &[f64], shift: f64) -> Option<Factor> {
        let val = self.fill(blocks, shift, false);
        let matrix = SparseColMat::new(self.pattern.clone(), val);
        self.general(&matrix)
    }

    /// Values by columns of Ŵ + shift + blocks; Ŵ averaged with its transpose if asked (only the
    /// lower half is then right, which is all a Cholesky factorisation reads).
    fn fill(&self, blocks: &[f64], shift: f64, average: bool) -> Vec<f64> {
        let mut val = vec![0.0; self.place.len()];
        let (mut k, mut start) = (0, 0);
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            for (b, block) in self.matrix.row(a) {
                let width = block.len() / d;
                let mirror = (average && !self.symmetric)
                    .then(|| self.matrix.find(b, a))
                    .flatten();
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
        let mut w = [0.0; contact::law::MAX_ROWS];
        for a in 0..self.matrix.num_contacts() {
            let d = self.matrix.dim(a);
            let rows = offset[a]..offset[a + 1];
            let here = &x[rows.clone()];
            let w = &mut w[..d];
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

    fn general(&mut self, matrix: &SparseColMat<usize, f64>) -> Option<Factor> {
        if self.lu.is_none() {
            self.lu = Some(SymbolicLu::try_new(matrix.symbolic()).ok()?);
        }
        let lu = Lu::try_new_with_symbolic(self.lu.clone()?, matrix.as_ref());
        lu.ok().map(|lu| Factor::General(Box::new(lu)))
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

/// The contacts that stay in a Newton system.
struct Active {
    contacts: Vec<usize>,
    /// Position in `contacts`, if any.
    compact: Vec<Option<usize>>,
    /// First row of each active contact.
    offset: Vec<usize>,
    /// First entry of each contact's diagonal block.
    block_ptr: Vec<usize>,
}

impl Active {
    fn new(w: &BlockSparse, a_blocks: &[f64], b_blocks: &[f64]) -> Self {
        let mut active = Self {
            contacts: Vec::new(),
            compact: vec![None; w.num_contacts()],
            offset: vec![0],
            block_ptr: Vec::with_capacity(w.num_contacts()),
        };
        let (mut start, mut rows) = (0, 0);
        for a in 0..w.num_contacts() {
            let d = w.dim(a);
            let end = start + d * d;
            let identity = |(i, v): (usize, &f64)| *v == if i / d == i % d { 1.0 } else { 0.0 };
            let open = b_blocks[start..end].iter().all(|v| *v == 0.0)
                && a_blocks[start..end].iter().enumerate().all(identity);
            active.block_ptr.push(start);
            if !open {
                active.compact[a] = Some(active.contacts.len());
                active.contacts.push(a);
                rows += d;
                active.offset.push(rows);
            }
            start = end;
        }
        active
    }

    /// Column pointers of the matrix over the active contacts, and a copy to fill by.
    fn column_pointers(&self, w: &BlockSparse) -> (Vec<usize>, Vec<usize>) {
        let n = *self.offset.last().unwrap_or(&0);
        let mut col_ptr = vec![0; n + 1];
        for &a in &self.contacts {
            for (b, _) in w.row(a) {
                if let Some(k) = self.compact[b] {
                    for j in self.offset[k]..self.offset[k + 1] {
                        col_ptr[j + 1] += w.dim(a);
                    }
                }
            }
        }
        for j in 0..n {
            col_ptr[j + 1] += col_ptr[j];
        }
        let next = col_ptr.clone();
        (col_ptr, next)
    }
}

/// out = left · block, left d × d, block d × width.
fn multiply(left: &[f64], block: &[f64], d: usize, width: usize, out: &mut [f64]) {
    for i in 0..d {
        for j in 0..width {
            let mut sum = 0.0;
            for l in 0..d {
                sum += left[i * d + l] * block[l * width + j];
            }
            out[i * width + j] = sum;
        }
    }
}

/// The column pattern of a block matrix, and where each of its values goes.
fn columns(w: &BlockSparse) -> (SymbolicSparseColMat<usize>, Vec<usize>) {
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
    // Rows are visited in ascending order, so each column's row indices come out sorted.
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
    (
        SymbolicSparseColMat::new_checked(n, n, col_ptr, None, row),
        place,
    )
}
