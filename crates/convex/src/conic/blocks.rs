//! The three factors of Q, their projections and the derivatives of these.

use crate::cone::project_circular;
use crate::dense::{axpy, norm};

/// Kind of a factor of Q.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// {0}: equations. Dual: the whole space.
    Zero,
    /// Half-lines, one per row. Self-dual.
    NonNegative,
    /// { (n, t) : |t| ≤ n }. Self-dual.
    SecondOrder,
}

/// A factor of Q occupying the rows start..start + len.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Block {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }

    /// v ← nearest point of the dual cone.
    pub(super) fn project_dual(&self, v: &mut [f64]) {
        match self.kind {
            Kind::Zero => {}
            Kind::NonNegative => v.iter_mut().for_each(|x| *x = x.max(0.0)),
            Kind::SecondOrder => project_circular(v, 1.0),
        }
    }

    /// v ← nearest point of the cone itself.
    pub(super) fn project_primal(&self, v: &mut [f64]) {
        match self.kind {
            Kind::Zero => v.fill(0.0),
            _ => self.project_dual(v),
        }
    }

    /// hess ← hess + σ G_bᵀ D G_b with D a derivative of the projection onto the dual at v.
    ///
    /// On the second-order cone between the cone and its polar, with e = v_t/|v_t| and
    /// ρ = v_n/|v_t|: D = ½ (1, e)(1, e)ᵀ + ½ (1 + ρ) (0 ⊕ (I − e eᵀ)).
    pub(super) fn add_curvature(&self, v: &[f64], sigma: f64, g: &[f64], hess: &mut [f64]) {
        let cols = g.len() / self.len;
        let row = |i: usize| &g[i * cols..(i + 1) * cols];
        match self.kind {
            Kind::Zero => (0..self.len).for_each(|i| add_outer(hess, sigma, row(i))),
            Kind::NonNegative => (0..self.len)
                .filter(|&i| v[i] > 0.0)
                .for_each(|i| add_outer(hess, sigma, row(i))),
            Kind::SecondOrder => {
                let t = norm(&v[1..]);
                if t <= v[0] {
                    (0..self.len).for_each(|i| add_outer(hess, sigma, row(i)));
                } else if t > -v[0] {
                    let rho = v[0] / t;
                    let mut along = vec![0.0; cols];
                    for i in 1..self.len {
                        axpy(v[i] / t, row(i), &mut along);
                        add_outer(hess, 0.5 * sigma * (1.0 + rho), row(i));
                    }
                    add_outer(hess, -0.5 * sigma * (1.0 + rho), &along);
                    axpy(1.0, row(0), &mut along);
                    add_outer(hess, 0.5 * sigma, &along);
                }
            }
        }
    }
}

/// m ← m + s r rᵀ.
fn add_outer(m: &mut [f64], s: f64, r: &[f64]) {
    let n = r.len();
    for i in 0..n {
        if r[i] != 0.0 {
            axpy(s * r[i], r, &mut m[i * n..(i + 1) * n]);
        }
    }
}
