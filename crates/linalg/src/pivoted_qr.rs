//! Rank-revealing QR factorisation with column pivoting, and solutions of least norm.
//!
//! ```text
//! A Pᵀ = [Q₁ Z] [ R₁ R₂ ]        T = R₁⁻¹ R₂,   Z spans the orthogonal complement of the range of A
//!               [ 0  0  ]
//! ```
//!
//! by Householder reflections (faer). The columns of A are scaled to unit length by the caller, so that the rank is
//! decided on numbers without units.

use faer::Mat;

use crate::dense::dot;

/// A column adds no rank when the remaining part of its unit length is below this: well above the rounding of the
/// factorisation (1e-14 for a thousand columns), well below any lever arm that is meant.
const RANK: f64 = 1e-10;

/// The factorisation, with the Cholesky factor for minimum-norm solutions.
#[derive(Debug, Clone)]
pub struct PivotedQr {
    /// Number of rows of A.
    height: usize,
    rank: usize,
    /// Q₁, column after column.
    range: Vec<f64>,
    /// Z row by row: `height` × (`height` − rank).
    null: Vec<f64>,
    /// R₁ by rows, full square.
    r1: Vec<f64>,
    /// R₂ by rows, rank × dependent.
    r2: Vec<f64>,
    /// T column by column.
    t: Vec<f64>,
    /// Lower Cholesky factor of I + TᵀT by rows.
    gram: Vec<f64>,
    /// Column of A at each pivot position.
    order: Vec<usize>,
}

impl PivotedQr {
    /// Factorises the matrix with entries `entry(i, j)`; `complement` says whether Z is computed.
    pub fn new(
        height: usize,
        width: usize,
        complement: bool,
        entry: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let a = Mat::from_fn(height, width, entry);
        let qr = a.col_piv_qr();
        let r = qr.R();
        let limit = height.min(width);
        // Numerical rank from the diagonal of R.
        let first = if limit > 0 { r[(0, 0)].abs() } else { 0.0 };
        let rank = (0..limit)
            .take_while(|&k| r[(k, k)].abs() > RANK * first)
            .count();
        let (forward, _) = qr.P().arrays();
        let dependent = width - rank;
        let q = if complement {
            qr.compute_Q()
        } else {
            qr.compute_thin_Q()
        };
        let mut pivoted = Self {
            height,
            rank,
            range: Vec::with_capacity(height * rank),
            null: Vec::new(),
            r1: vec![0.0; rank * rank],
            r2: vec![0.0; rank * dependent],
            t: vec![0.0; rank * dependent],
            gram: vec![0.0; dependent * dependent],
            order: forward.to_vec(),
        };
        // Q₁, Z, R₁ and R₂ in our own layout.
        for k in 0..rank {
            pivoted.range.extend((0..height).map(|i| q[(i, k)]));
        }
        if complement {
            for i in 0..height {
                pivoted.null.extend((rank..height).map(|k| q[(i, k)]));
            }
        }
        for i in 0..rank {
            for j in i..rank {
                pivoted.r1[i * rank + j] = r[(i, j)];
            }
            for j in 0..dependent {
                pivoted.r2[i * dependent + j] = r[(i, rank + j)];
            }
        }
        pivoted.relate();
        pivoted
    }

    /// Computes T and the Cholesky factor of I + TᵀT.
    fn relate(&mut self) {
        let (rank, dependent) = (self.rank, self.dependent());
        for j in 0..dependent {
            let mut column: Vec<f64> = (0..rank).map(|i| self.r2[i * dependent + j]).collect();
            self.backward(&mut column);
            self.t[j * rank..(j + 1) * rank].copy_from_slice(&column);
        }
        // Cholesky factorisation of I + TᵀT.
        for i in 0..dependent {
            for j in 0..=i {
                let dot = dot(
                    &self.t[i * rank..(i + 1) * rank],
                    &self.t[j * rank..(j + 1) * rank],
                );
                let mut rest = dot + f64::from(u8::from(i == j));
                for k in 0..j {
                    rest -= self.gram[i * dependent + k] * self.gram[j * dependent + k];
                }
                // Every pivot of I + TᵀT is at least one.
                self.gram[i * dependent + j] = if i == j {
                    rest.max(1.0).sqrt()
                } else {
                    rest / self.gram[j * dependent + j]
                };
            }
        }
    }

    /// The numerical rank of A.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of columns that add no rank.
    pub fn dependent(&self) -> usize {
        self.order.len() - self.rank
    }

    /// Column of A at each pivot position; the first `rank` are independent.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Row `i` of Z.
    pub fn null_row(&self, i: usize) -> &[f64] {
        let width = self.height - self.rank;
        &self.null[i * width..(i + 1) * width]
    }

    /// Column `k` of Q₁.
    pub fn range_column(&self, k: usize) -> &[f64] {
        &self.range[k * self.height..(k + 1) * self.height]
    }

    /// Coefficients of the dependent column at position rank + `j` on the independent ones.
    pub fn combination(&self, j: usize) -> &[f64] {
        &self.t[j * self.rank..(j + 1) * self.rank]
    }

    /// Q₁ᵀ w.
    pub fn range_part(&self, w: &[f64]) -> Vec<f64> {
        self.range
            .chunks_exact(self.height.max(1))
            .map(|q| dot(q, w))
            .collect()
    }

    /// Q₁ c.
    pub fn range_combine(&self, c: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; self.height];
        for (q, c) in self.range.chunks_exact(self.height.max(1)).zip(c) {
            v.iter_mut().zip(q).for_each(|(v, q)| *v += c * q);
        }
        v
    }

    /// The ρ of least norm with A ρ = Q₁ c.
    pub fn solve(&self, c: &[f64]) -> Vec<f64> {
        let (rank, dependent) = (self.rank, self.dependent());
        // R₁⁻¹ c.
        let mut first = c.to_vec();
        self.backward(&mut first);
        // ρ₂ = (I + TᵀT)⁻¹ Tᵀ R₁⁻¹c,  ρ₁ = R₁⁻¹c − T ρ₂.
        let mut second: Vec<f64> = (0..dependent)
            .map(|j| dot(self.combination(j), &first))
            .collect();
        // Two triangular solves with the Cholesky factor.
        for i in 0..dependent {
            let done: f64 = (0..i)
                .map(|k| self.gram[i * dependent + k] * second[k])
                .sum();
            second[i] = (second[i] - done) / self.gram[i * dependent + i];
        }
        for i in (0..dependent).rev() {
            let done: f64 = (i + 1..dependent)
                .map(|k| self.gram[k * dependent + i] * second[k])
                .sum();
            second[i] = (second[i] - done) / self.gram[i * dependent + i];
        }
        for j in 0..dependent {
            let column = &self.t[j * rank..(j + 1) * rank];
            first
                .iter_mut()
                .zip(column)
                .for_each(|(x, t)| *x -= t * second[j]);
        }
        // Undo the column permutation.
        let mut rho = vec![0.0; rank + dependent];
        for (position, value) in first.iter().chain(&second).enumerate() {
            rho[self.order[position]] = *value;
        }
        rho
    }

    /// The c with (Q₁ c)·a_j = g_j for the independent columns a_j, and the residual of g_j for the dependent ones, by
    /// position.
    pub fn solve_transposed(&self, g: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (rank, dependent) = (self.rank, self.dependent());
        let mut c = vec![0.0; rank];
        for j in 0..rank {
            let done: f64 = (0..j).map(|i| self.r1[i * rank + j] * c[i]).sum();
            c[j] = (g[self.order[j]] - done) / self.r1[j * rank + j];
        }
        let left = (0..dependent)
            .map(|j| {
                let made: f64 = (0..rank).map(|i| self.r2[i * dependent + j] * c[i]).sum();
                g[self.order[rank + j]] - made
            })
            .collect();
        (c, left)
    }

    /// Solves R₁ x = b in place (back-substitution).
    fn backward(&self, x: &mut [f64]) {
        let n = self.rank;
        for i in (0..n).rev() {
            let done = dot(&self.r1[i * n + i + 1..(i + 1) * n], &x[i + 1..]);
            x[i] = (x[i] - done) / self.r1[i * n + i];
        }
    }
}
