//! SOCP representation of sets, G ξ + h ∈ Q with ξ = (x, lifted variables) and Q a product of {0}, half-lines
//! and second-order cones, and the projection onto such sets in any metric.
//!
//! Every set of this crate has such a form, so that products, translates, images under scaling,
//! polars and intersections nest freely and share one projector. Polyhedral forms (no lifted
//! variable, no second-order block) are projected by the exact quadratic programme of [`crate::qp`]; the others
//! by the proximal method of multipliers in `solve`.

mod blocks;
mod polish;
mod solve;

pub(crate) use blocks::{ConeBlock, ConeKind};

use crate::error::Result;
use crate::metric::Metric;
use crate::qp::{LinearConstraints, ProxWorkspace};

/// The set { x : ∃ λ, G (x, λ) + h ∈ Q }.
#[derive(Debug, Clone, PartialEq)]
pub struct ConicForm {
    /// Dimension of x.
    pub(crate) dim: usize,
    /// Number of lifted variables λ.
    pub(crate) lifted: usize,
    /// Cone factors of Q, in the order of the rows.
    pub(crate) blocks: Vec<ConeBlock>,
    /// G, row-major with dim + lifted columns.
    pub(crate) g: Vec<f64>,
    /// Offsets h.
    pub(crate) h: Vec<f64>,
}

impl ConicForm {
    /// The whole space.
    pub(crate) fn whole(dim: usize, lifted: usize) -> Self {
        Self {
            dim,
            lifted,
            blocks: Vec::new(),
            g: Vec::new(),
            h: Vec::new(),
        }
    }

    /// Number of columns of G.
    pub(crate) fn columns(&self) -> usize {
        self.dim + self.lifted
    }

    /// Appends a block of rows with their offsets.
    pub(crate) fn push(&mut self, kind: ConeKind, rows: &[f64], offsets: &[f64]) {
        if offsets.is_empty() {
            return;
        }
        self.blocks.push(ConeBlock {
            kind,
            start: self.h.len(),
            len: offsets.len(),
        });
        self.g.extend_from_slice(rows);
        self.h.extend_from_slice(offsets);
    }

    /// Appends one row s·e_column + offset.
    pub(crate) fn push_axis(&mut self, kind: ConeKind, column: usize, s: f64, offset: f64) {
        let mut row = vec![0.0; self.columns()];
        row[column] = s;
        self.push(kind, &row, &[offset]);
    }

    /// Whether the form consists of linear rows in x alone.
    pub(crate) fn is_polyhedral(&self) -> bool {
        self.lifted == 0 && self.blocks.iter().all(|b| b.kind != ConeKind::SecondOrder)
    }

    /// The set translated by t.
    pub(crate) fn translated(mut self, t: &[f64]) -> Self {
        let cols = self.columns();
        for (row, h) in self.g.chunks_exact(cols.max(1)).zip(&mut self.h) {
            *h -= crate::dense::dot(&row[..t.len()], t);
        }
        self
    }

    /// The set multiplied by s ≠ 0.
    pub(crate) fn scaled(mut self, s: f64) -> Self {
        let (cols, dim) = (self.columns(), self.dim);
        for row in self.g.chunks_exact_mut(cols.max(1)) {
            for v in &mut row[..dim] {
                *v /= s;
            }
        }
        self
    }

    /// The intersection of sets of equal dimension.
    pub(crate) fn intersection(forms: &[ConicForm]) -> Self {
        let dim = forms.first().map_or(0, |f| f.dim);
        let mut out = Self::whole(dim, forms.iter().map(|f| f.lifted).sum());
        // All forms act on the same x, each on its own lifted variables.
        let mut lift = dim;
        for f in forms {
            out.embed(f, 0, lift);
            lift += f.lifted;
        }
        out
    }

    /// The Cartesian product of the sets, coordinates one after the other.
    pub(crate) fn product(forms: &[ConicForm]) -> Self {
        let dim = forms.iter().map(|f| f.dim).sum();
        let mut out = Self::whole(dim, forms.iter().map(|f| f.lifted).sum());
        // Each form has its own part of x and of the lifted variables.
        let (mut at, mut lift) = (0, dim);
        for f in forms {
            out.embed(f, at, lift);
            at += f.dim;
            lift += f.lifted;
        }
        out
    }

    /// Appends the rows of `f`, acting on x[at..] and λ[lift..] of this form.
    fn embed(&mut self, f: &ConicForm, at: usize, lift: usize) {
        let cols = self.columns();
        for b in &f.blocks {
            let mut rows = vec![0.0; b.len * cols];
            for (k, out) in rows.chunks_exact_mut(cols.max(1)).enumerate() {
                let i = (b.start + k) * f.columns();
                out[at..at + f.dim].copy_from_slice(&f.g[i..i + f.dim]);
                out[lift..lift + f.lifted].copy_from_slice(&f.g[i + f.dim..i + f.columns()]);
            }
            self.push(b.kind, &rows, &f.h[b.start..b.start + b.len]);
        }
    }

    /// The polar cone of a form with h = 0: { −G_xᵀ y : y ∈ Q*, G_λᵀ y = 0 }, y as lifted variable.
    pub(crate) fn polar(&self) -> Self {
        let (dim, cols, m) = (self.dim, self.columns(), self.h.len());
        let mut out = Self::whole(dim, m);
        // Equations x + G_xᵀ y = 0 and G_λᵀ y = 0.
        for j in 0..cols {
            let mut row = vec![0.0; dim + m];
            if j < dim {
                row[j] = 1.0;
            }
            for i in 0..m {
                row[dim + i] = self.g[i * cols + j];
            }
            out.push(ConeKind::Zero, &row, &[0.0]);
        }
        // y ∈ Q*; the dual of {0} is the whole space and needs no row.
        for b in self.blocks.iter().filter(|b| b.kind != ConeKind::Zero) {
            let mut rows = vec![0.0; b.len * (dim + m)];
            for k in 0..b.len {
                rows[k * (dim + m) + dim + b.start + k] = 1.0;
            }
            out.push(b.kind, &rows, &vec![0.0; b.len]);
        }
        out
    }

    /// Rows in the layout of [`crate::qp`]: equalities first, then inequalities g·x ≤ c.
    pub(crate) fn linear_rows(&self) -> (Vec<f64>, Vec<f64>, usize) {
        let n = self.dim;
        let (mut matrix, mut bounds) = (Vec::new(), Vec::new());
        let mut equalities = 0;
        // G x + h ≥ 0 becomes −G x ≤ h.
        for kind in [ConeKind::Zero, ConeKind::NonNegative] {
            for b in self.blocks.iter().filter(|b| b.kind == kind) {
                for i in b.start..b.start + b.len {
                    matrix.extend(self.g[i * n..(i + 1) * n].iter().map(|v| -v));
                    bounds.push(self.h[i]);
                }
            }
            if kind == ConeKind::Zero {
                equalities = bounds.len();
            }
        }
        (matrix, bounds, equalities)
    }

    /// Projection of z in the metric.
    pub(crate) fn project(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        if !self.is_polyhedral() {
            return solve::project(self, metric, z);
        }
        // Polyhedral: exact quadratic programme.
        let (matrix, bounds, equalities) = self.linear_rows();
        let rows = LinearConstraints {
            matrix: &matrix,
            bounds: &bounds,
            equalities,
        };
        let mut ws = ProxWorkspace::new();
        ws.solve(metric, rows, z)?;
        Ok(ws.point().to_vec())
    }
}
