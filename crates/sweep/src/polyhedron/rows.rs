//! Constraint matrix by rows, dense or sparse (CSR).

use crate::error::{Result, SweepingError, check_len};
use crate::lane_sums::{axpy, dot};
use crate::metric::Metric;

/// Rows g_a of a polyhedron.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintRows {
    n: usize,
    count: usize,
    store: Store,
}

/// Storage of the rows.
#[derive(Debug, Clone, PartialEq)]
enum Store {
    Dense(Vec<f64>),
    Sparse {
        start: Vec<usize>,
        index: Vec<usize>,
        value: Vec<f64>,
    },
}

impl ConstraintRows {
    /// Dense rows of length n, row-major.
    pub fn dense(n: usize, matrix: &[f64]) -> Result<Self> {
        let count = matrix.len() / n.max(1);
        check_len("row matrix", matrix.len(), count * n)?;
        check_entries(matrix)?;
        Ok(Self {
            n,
            count,
            store: Store::Dense(matrix.to_vec()),
        })
    }

    /// Rows given by their entries (column, value); columns may come in any order, once each.
    pub fn sparse(n: usize, rows: &[Vec<(usize, f64)>]) -> Result<Self> {
        let (mut start, mut index, mut value) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            // Columns in ascending order, each once.
            let mut sorted = row.clone();
            sorted.sort_by_key(|e| e.0);
            for (k, &(column, entry)) in sorted.iter().enumerate() {
                if column >= n || (k > 0 && sorted[k - 1].0 == column) {
                    return Err(SweepingError::Invalid {
                        what: "column of a sparse row",
                        value: column as f64,
                        expected: "a number below the dimension, once per row",
                    });
                }
                index.push(column);
                value.push(entry);
            }
            start.push(index.len());
        }
        check_entries(&value)?;
        Ok(Self {
            n,
            count: rows.len(),
            store: Store::Sparse {
                start,
                index,
                value,
            },
        })
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Length of a row.
    pub fn dim(&self) -> usize {
        self.n
    }

    /// ⟨g_a, x⟩.
    pub(crate) fn dot(&self, a: usize, x: &[f64]) -> f64 {
        match &self.store {
            Store::Dense(m) => dot(&m[a * self.n..(a + 1) * self.n], x),
            Store::Sparse {
                start,
                index,
                value,
            } => {
                let range = start[a]..start[a + 1];
                let columns = index[range.clone()].iter();
                columns.zip(&value[range]).map(|(&j, v)| v * x[j]).sum()
            }
        }
    }

    /// y ← y + s g_a.
    pub(crate) fn add_to(&self, a: usize, s: f64, y: &mut [f64]) {
        match &self.store {
            Store::Dense(m) => axpy(s, &m[a * self.n..(a + 1) * self.n], y),
            Store::Sparse {
                start,
                index,
                value,
            } => {
                for k in start[a]..start[a + 1] {
                    y[index[k]] += s * value[k];
                }
            }
        }
    }

    /// The rows in whitened coordinates, L⁻¹ g_a, scaled to unit length; and their lengths before that (0 for a zero
    /// row).
    pub(crate) fn whitened(&self, metric: &Metric) -> Result<(Self, Vec<f64>)> {
        let mut rows = self.clone();
        match (metric, &mut rows.store) {
            (Metric::Euclidean, _) => {}
            // Divide columns by √d.
            (Metric::Diagonal(d), Store::Dense(m)) => {
                for row in m.chunks_exact_mut(self.n.max(1)) {
                    row.iter_mut().zip(d).for_each(|(g, d)| *g /= d.sqrt());
                }
            }
            (Metric::Diagonal(d), Store::Sparse { index, value, .. }) => {
                let columns = index.iter();
                value
                    .iter_mut()
                    .zip(columns)
                    .for_each(|(g, &j)| *g /= d[j].sqrt());
            }
            // L⁻¹ fills the rows: store them dense.
            (Metric::Full(m), _) => {
                let mut full = vec![0.0; self.n * self.count];
                for (a, row) in full.chunks_exact_mut(self.n.max(1)).enumerate() {
                    self.add_to(a, 1.0, row);
                    m.whiten_covector(row);
                }
                rows.store = Store::Dense(full);
            }
        }
        let lengths = (0..self.count).map(|a| rows.unit(a)).collect();
        Ok((rows, lengths))
    }

    /// Scales row a to unit length; returns its former length.
    fn unit(&mut self, a: usize) -> f64 {
        let n = self.n;
        let row = match &mut self.store {
            Store::Dense(m) => &mut m[a * n..(a + 1) * n],
            Store::Sparse { start, value, .. } => &mut value[start[a]..start[a + 1]],
        };
        // Divide by the largest entry first, so that squares neither overflow nor underflow.
        let most = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if most == 0.0 {
            return 0.0;
        }
        let length = most * row.iter().map(|v| (v / most).powi(2)).sum::<f64>().sqrt();
        row.iter_mut().for_each(|v| *v /= length);
        length
    }
}

/// Refuses entries that are not finite.
fn check_entries(values: &[f64]) -> Result<()> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(SweepingError::Invalid {
            what: "entry of the row matrix",
            value,
            expected: "a finite number",
        }),
    }
}
