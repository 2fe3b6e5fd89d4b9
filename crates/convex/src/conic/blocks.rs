//! The three cone factors of Q, their projections and generalised derivatives.

use crate::cone::project_circular;
use crate::dense::{axpy, mul_transposed_into, norm};

/// Kind of a cone factor of Q.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConeKind {
    /// {0}: equations. Dual: the whole space.
    Zero,
    /// Half-lines, one per row. Self-dual.
    NonNegative,
    /// { (n, t) : |t| ≤ n }. Self-dual.
    SecondOrder,
}

/// A cone factor of Q, on the rows start..start + len.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConeBlock {
    pub(crate) kind: ConeKind,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl ConeBlock {
    /// Rows of the block.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }

    /// v ← projection onto the dual cone.
    pub(super) fn project_dual(&self, v: &mut [f64]) {
        match self.kind {
            ConeKind::Zero => {}
            ConeKind::NonNegative => v.iter_mut().for_each(|x| *x = x.max(0.0)),
            ConeKind::SecondOrder => project_circular(v, 1.0),
        }
    }

    /// v ← projection onto the cone itself.
    pub(super) fn project_primal(&self, v: &mut [f64]) {
        match self.kind {
            ConeKind::Zero => v.fill(0.0),
            _ => self.project_dual(v),
        }
    }

    /// d ← an element of the generalised derivative of the projection onto the dual at v (len×len, symmetric).
    ///
    /// For a second-order cone and v outside the cone and its polar, with e = v_t/|v_t| and
    /// ρ = v_n/|v_t|: D = ½ (1, e)(1, e)ᵀ + ½ (1 + ρ) (0 ⊕ (I − e eᵀ)).
    pub(super) fn derivative(&self, v: &[f64], d: &mut [f64]) {
        let n = self.len;
        d.fill(0.0);
        match self.kind {
            ConeKind::Zero => (0..n).for_each(|i| d[i * n + i] = 1.0),
            ConeKind::NonNegative => (0..n).for_each(|i| d[i * n + i] = f64::from(v[i] > 0.0)),
            ConeKind::SecondOrder => {
                let t = norm(&v[1..]);
                // Inside the cone: identity. Inside the polar: zero.
                if t <= v[0] {
                    (0..n).for_each(|i| d[i * n + i] = 1.0);
                } else if t > -v[0] {
                    let along = |i: usize| if i == 0 { 1.0 } else { v[i] / t };
                    let across = 0.5 * (1.0 + v[0] / t);
                    for i in 0..n {
                        for j in 0..n {
                            let outer = along(i) * along(j);
                            let tangent = i > 0 && j > 0;
                            let unit = f64::from(i == j);
                            let side = if tangent {
                                across * (unit - outer)
                            } else {
                                0.0
                            };
                            d[i * n + j] = 0.5 * outer + side;
                        }
                    }
                }
            }
        }
    }

    /// hess ← hess + σ G_bᵀ D G_b, with the rows of this block and D its derivative at v.
    pub(super) fn add_curvature(&self, v: &[f64], sigma: f64, g: &[f64], hess: &mut [f64]) {
        let (n, cols) = (self.len, g.len() / self.len);
        let mut d = vec![0.0; n * n];
        self.derivative(v, &mut d);
        // Rank-one updates with the rows of D G_b.
        let mut row = vec![0.0; cols];
        for i in 0..n {
            mul_transposed_into(g, &d[i * n..(i + 1) * n], &mut row);
            for k in 0..cols {
                let gik = sigma * g[i * cols + k];
                if gik != 0.0 {
                    axpy(gik, &row, &mut hess[k * cols..(k + 1) * cols]);
                }
            }
        }
    }
}
