//! Sparse matrices in canonical compressed-row form.
//!
//! A matrix A (rows x cols) is stored as three lists: row i has the entries `row_ptr[i] ..
//! row_ptr[i + 1]` of `col` and `val`. Canonical: columns strictly increasing inside a row, so that
//! duplicates of a file are summed (in file order) and equal matrices have equal lists. Explicit
//! zeros are **kept**: files store whole 3x3 blocks, and dropping zeros would hide the block
//! structure that solvers use.
//!
//! Sorting is two transpositions by counting sort, O(rows + cols + entries) and stable.

/// A sparse matrix in canonical compressed-row form.
///
/// `row_ptr` has `rows + 1` increasing entries from 0 to `val.len()`; inside a row the columns are
/// strictly increasing; explicit zeros are kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseMatrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Start of each row in `col` and `val`, with one entry more than there are rows.
    pub row_ptr: Vec<usize>,
    /// Column of each stored entry.
    pub col: Vec<usize>,
    /// Value of each stored entry, in the unit of the matrix.
    pub val: Vec<f64>,
}

impl SparseMatrix {
    /// The matrix without stored entries.
    #[must_use]
    pub fn zero(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            row_ptr: vec![0; rows + 1],
            col: Vec::new(),
            val: Vec::new(),
        }
    }

    /// The matrix with the given (row, column, value) entries in any order; duplicates are summed
    /// in the order given. `None` when an index is out of range.
    #[must_use]
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        entries: &[(usize, usize, f64)],
    ) -> Option<Self> {
        if entries.iter().any(|&(i, j, _)| i >= rows || j >= cols) {
            return None;
        }
        Some(Self::from_entries(
            rows,
            cols,
            entries.len(),
            |k| entries[k].0,
            |k| entries[k].1,
            |k| entries[k].2,
        ))
    }

    /// Number of stored entries, explicit zeros included.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.val.len()
    }

    /// Columns and values of row `i`.
    ///
    /// # Panics
    /// When `i` is not below `rows` or the lists are not canonical.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[usize], &[f64]) {
        let span = self.row_ptr[i]..self.row_ptr[i + 1];
        (&self.col[span.clone()], &self.val[span])
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        // Counting sort by column.
        let mut next = vec![0usize; self.cols + 1];
        for &j in &self.col {
            next[j + 1] += 1;
        }
        for j in 0..self.cols {
            next[j + 1] += next[j];
        }
        // `next` is the next free slot of each row of the transpose.
        let row_ptr = next.clone();
        let mut col = vec![0usize; self.col.len()];
        let mut val = vec![0.0; self.col.len()];
        for i in 0..self.rows {
            for k in self.row_ptr[i]..self.row_ptr[i + 1] {
                let slot = &mut next[self.col[k]];
                col[*slot] = i;
                val[*slot] = self.val[k];
                *slot += 1;
            }
        }
        Self {
            rows: self.cols,
            cols: self.rows,
            row_ptr,
            col,
            val,
        }
    }

    /// Canonical matrix of `count` entries given by position; indices must be in range.
    pub(crate) fn from_entries(
        rows: usize,
        cols: usize,
        count: usize,
        row_of: impl Fn(usize) -> usize,
        col_of: impl Fn(usize) -> usize,
        val_of: impl Fn(usize) -> f64,
    ) -> Self {
        // Counting sort by row.
        let mut next = vec![0usize; rows + 1];
        // Entries per row.
        for k in 0..count {
            next[row_of(k) + 1] += 1;
        }
        for i in 0..rows {
            next[i + 1] += next[i];
        }
        let row_ptr = next.clone();
        // Place the entries.
        let mut col = vec![0usize; count];
        let mut val = vec![0.0; count];
        for k in 0..count {
            let slot = &mut next[row_of(k)];
            col[*slot] = col_of(k);
            val[*slot] = val_of(k);
            *slot += 1;
        }
        Self {
            rows,
            cols,
            row_ptr,
            col,
            val,
        }
        .into_canonical()
    }

    /// Sorts the columns and sums duplicates; pointers and indices must be in range.
    pub(crate) fn into_canonical(self) -> Self {
        let sorted = |m: &Self| {
            (0..m.rows).all(|i| {
                let columns = &m.col[m.row_ptr[i]..m.row_ptr[i + 1]];
                columns.windows(2).all(|pair| pair[0] < pair[1])
            })
        };
        // Already canonical: nothing to do.
        if sorted(&self) {
            return self;
        }
        // Two transpositions sort the columns stably; then sum neighbours.
        let mut m = self.transposed().transposed();
        let mut kept = 0;
        let mut start = 0;
        for i in 0..m.rows {
            let end = m.row_ptr[i + 1];
            let first = kept;
            for k in start..end {
                // Same column: add to the entry before.
                if kept > first && m.col[kept - 1] == m.col[k] {
                    m.val[kept - 1] += m.val[k];
                } else {
                    m.col[kept] = m.col[k];
                    m.val[kept] = m.val[k];
                    kept += 1;
                }
            }
            start = end;
            m.row_ptr[i + 1] = kept;
        }
        m.col.truncate(kept);
        m.val.truncate(kept);
        m
    }
}
