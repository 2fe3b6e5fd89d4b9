//! Block-sparse matrices over contacts (block compressed rows): W as read from a file, or assembled for a
//! factorisation.
//!
//! Rows and columns are grouped by contact; block (α, β) is d_α × d_β, row-major. The matrix need
//! not be symmetric: an iteration matrix with gyroscopic terms gives W a skew part, and the problem
//! is then solved as stored.

use crate::error::ProblemError;

/// A square block-compressed-row matrix whose block rows are contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSparseMatrix {
    /// First row of each contact; one more entry than contacts.
    offset: Vec<usize>,
    /// First block of each block row; one more entry than contacts.
    row_ptr: Vec<usize>,
    /// Column (contact) of each block, ascending within a row.
    col: Vec<u32>,
    /// First value of each block; one more entry than blocks.
    val_ptr: Vec<usize>,
    /// Values, block by block.
    val: Vec<f64>,
}

impl BlockSparseMatrix {
    /// Groups a scalar compressed-row matrix into blocks by contact. `offset` gives the first row of each
    /// contact; the diagonal block of every contact is always stored.
    pub fn from_rows(
        offset: Vec<usize>,
        row_ptr: &[usize],
        col: &[usize],
        val: &[f64],
    ) -> Result<Self, ProblemError> {
        // Sizes and column range.
        let rows = *offset.last().unwrap_or(&0);
        if row_ptr.len() != rows + 1 {
            return Err(ProblemError::Size {
                what: "the row pointer of W".into(),
                found: row_ptr.len(),
                expected: rows + 1,
                why: "one more than the rows of all contacts".into(),
            });
        }
        let contact_of = contact_of_rows(&offset);
        if let Some(&c) = col.iter().find(|&&c| c >= rows) {
            return Err(ProblemError::Size {
                what: "a column index of W".into(),
                found: c,
                expected: rows,
                why: "W is square, so columns stay below its number of rows".into(),
            });
        }
        // Symbolic phase: block columns of each block row.
        let n = offset.len() - 1;
        let mut pattern: Vec<Vec<u32>> = Vec::with_capacity(n);
        for a in 0..n {
            let entries = &col[row_ptr[offset[a]]..row_ptr[offset[a + 1]]];
            let mut cols: Vec<u32> = entries.iter().map(|&c| contact_of[c]).collect();
            cols.dedup();
            cols.push(a as u32);
            cols.sort_unstable();
            cols.dedup();
            pattern.push(cols);
        }
        // Numeric phase: every scalar entry goes into its block.
        let mut matrix = Self::with_pattern(offset, &pattern);
        for row in 0..rows {
            let a = contact_of[row] as usize;
            // Neighbouring entries mostly share a block: search only when the block changes.
            let mut last = (usize::MAX, 0);
            for k in row_ptr[row]..row_ptr[row + 1] {
                let b = contact_of[col[k]] as usize;
                if b != last.0 {
                    last = (b, matrix.position(a, b));
                }
                let position = last.1;
                let width = matrix.dim(b);
                let at = matrix.val_ptr[position]
                    + (row - matrix.offset[a]) * width
                    + (col[k] - matrix.offset[b]);
                matrix.val[at] += val[k];
            }
        }
        Ok(matrix)
    }

    /// A zero matrix with the given block pattern (ascending columns, one list per contact).
    pub(crate) fn with_pattern(offset: Vec<usize>, pattern: &[Vec<u32>]) -> Self {
        let blocks: usize = pattern.iter().map(Vec::len).sum();
        let mut row_ptr = Vec::with_capacity(pattern.len() + 1);
        let mut col = Vec::with_capacity(blocks);
        let mut val_ptr = Vec::with_capacity(blocks + 1);
        let mut length = 0;
        row_ptr.push(0);
        val_ptr.push(0);
        for (a, cols) in pattern.iter().enumerate() {
            let height = offset[a + 1] - offset[a];
            for &b in cols {
                let width = offset[b as usize + 1] - offset[b as usize];
                length += height * width;
                col.push(b);
                val_ptr.push(length);
            }
            row_ptr.push(col.len());
        }
        Self {
            offset,
            row_ptr,
            col,
            val_ptr,
            val: vec![0.0; length],
        }
    }

    /// Number of contacts.
    pub fn num_contacts(&self) -> usize {
        self.offset.len() - 1
    }

    /// Number of scalar rows.
    pub fn num_rows(&self) -> usize {
        *self.offset.last().unwrap_or(&0)
    }

    /// Number of stored blocks.
    pub fn num_blocks(&self) -> usize {
        self.col.len()
    }

    /// First row of each contact; one more entry than contacts.
    pub fn offset(&self) -> &[usize] {
        &self.offset
    }

    /// Number of rows of contact `a`.
    pub fn dim(&self, a: usize) -> usize {
        self.offset[a + 1] - self.offset[a]
    }

    /// The blocks of row `a` as (column contact, values row-major).
    pub fn row(&self, a: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.row_ptr[a]..self.row_ptr[a + 1]).map(|k| {
            (
                self.col[k] as usize,
                &self.val[self.val_ptr[k]..self.val_ptr[k + 1]],
            )
        })
    }

    /// Block (a, b), which must be stored.
    pub(crate) fn block_mut(&mut self, a: usize, b: usize) -> &mut [f64] {
        let k = self.position(a, b);
        &mut self.val[self.val_ptr[k]..self.val_ptr[k + 1]]
    }

    /// The diagonal block of contact `a`.
    pub fn diagonal(&self, a: usize) -> &[f64] {
        let k = self.position(a, a);
        &self.val[self.val_ptr[k]..self.val_ptr[k + 1]]
    }

    /// Index of block (a, b) in `col`, by binary search.
    fn position(&self, a: usize, b: usize) -> usize {
        let range = self.row_ptr[a]..self.row_ptr[a + 1];
        let found = self.col[range.clone()].binary_search(&(b as u32));
        range.start + found.expect("the pattern was built from the same entries")
    }

    /// Adds (W r)_a to `u` (the rows of contact `a`).
    #[inline]
    pub fn add_row_product(&self, a: usize, r: &[f64], u: &mut [f64]) {
        for k in self.row_ptr[a]..self.row_ptr[a + 1] {
            let b = self.col[k] as usize;
            let first = self.offset[b];
            let block = &self.val[self.val_ptr[k]..self.val_ptr[k + 1]];
            // Nearly all blocks are 3 × 3 (space) or 2 × 2 (plane): fixed sizes, so the loops unroll.
            match block.len() {
                9 if u.len() == 3 => add_fixed::<3>(block, &r[first..first + 3], u),
                4 if u.len() == 2 => add_fixed::<2>(block, &r[first..first + 2], u),
                _ => {
                    let width = self.offset[b + 1] - first;
                    for (i, ui) in u.iter_mut().enumerate() {
                        for j in 0..width {
                            *ui += block[i * width + j] * r[first + j];
                        }
                    }
                }
            }
        }
    }

    /// Largest |W − Wᵀ| over largest |W|.
    pub fn asymmetry(&self) -> f64 {
        let mut skew = 0.0_f64;
        let mut largest = 0.0_f64;
        for a in 0..self.num_contacts() {
            for (b, block) in self.row(a) {
                // A missing transposed block counts as zero.
                let transposed = self.block(b, a);
                let (height, width) = (self.dim(a), self.dim(b));
                for i in 0..height {
                    for j in 0..width {
                        let here = block[i * width + j];
                        let there = transposed.map_or(0.0, |t| t[j * height + i]);
                        skew = skew.max((here - there).abs());
                        largest = largest.max(here.abs());
                    }
                }
            }
        }
        if largest > 0.0 { skew / largest } else { 0.0 }
    }

    /// Block (a, b), if it is stored.
    pub fn block(&self, a: usize, b: usize) -> Option<&[f64]> {
        let range = self.row_ptr[a]..self.row_ptr[a + 1];
        let k = range.start + self.col[range].binary_search(&(b as u32)).ok()?;
        Some(&self.val[self.val_ptr[k]..self.val_ptr[k + 1]])
    }

    /// Symmetric scaling: multiplies entry (i, j) by `root[i] root[j]`.
    pub fn scale(&mut self, root: &[f64]) {
        for a in 0..self.num_contacts() {
            for k in self.row_ptr[a]..self.row_ptr[a + 1] {
                let b = self.col[k] as usize;
                let (first, width) = (self.offset[b], self.offset[b + 1] - self.offset[b]);
                let block = &mut self.val[self.val_ptr[k]..self.val_ptr[k + 1]];
                for (i, v) in block.iter_mut().enumerate() {
                    *v *= root[self.offset[a] + i / width] * root[first + i % width];
                }
            }
        }
    }

    /// All stored values.
    pub fn values(&self) -> &[f64] {
        &self.val
    }
}

/// u += block · r for a D × D block.
#[inline(always)]
fn add_fixed<const D: usize>(block: &[f64], r: &[f64], u: &mut [f64]) {
    for i in 0..D {
        let mut sum = 0.0;
        for j in 0..D {
            sum += block[i * D + j] * r[j];
        }
        u[i] += sum;
    }
}

/// The contact of each row.
pub(crate) fn contact_of_rows(offset: &[usize]) -> Vec<u32> {
    let mut owner = vec![0; *offset.last().unwrap_or(&0)];
    for a in 0..offset.len().saturating_sub(1) {
        owner[offset[a]..offset[a + 1]].fill(a as u32);
    }
    owner
}
