//! Newton refinement on the optimality conditions of the conic projection, for the last digits.
//!
//! ```text
//! R₁ = (w, 0) − Gᵀ y = 0,        R₂ = y − proj_Q*(y − s) = 0,        s = G (w, λ) + h
//!
//! [   W        −Gᵀ        ] [dξ]     [R₁]
//! [ D G   I − D + δ D     ] [dy] = − [R₂]        D a derivative of proj_Q* at y − s
//! ```
//!
//! W is 1 on w and δ on λ; δ regularises the matrix when rows are dependent. It does not
//! change the residual, hence not the solution.

use super::solve::State;
use crate::dense::{axpy, dot, lu_in_place, lu_solve, max_abs, mul_transposed_into};

/// Regularisation: small against the unit rows, large against rounding.
const DELTA: f64 = 1e-9;
/// Newton steps; the active pieces are known at the start, three or four steps are usual.
const STEPS: usize = 12;

impl State<'_> {
    /// Best residual and w after Newton steps from the current iterate, which is not changed.
    pub(super) fn polished(&self) -> (f64, Vec<f64>) {
        let (mut xi, mut y) = (self.xi.clone(), self.y.clone());
        let mut best = (self.residual_at(&xi, &y), xi[..self.dim].to_vec());
        let mut misses = 0;
        for _ in 0..STEPS {
            let Some(step) = self.newton_step(&xi, &y) else {
                break;
            };
            axpy(1.0, &step[..self.cols], &mut xi);
            axpy(1.0, &step[self.cols..], &mut y);
            let residual = self.residual_at(&xi, &y);
            if residual < best.0 {
                best = (residual, xi[..self.dim].to_vec());
                misses = 0;
            } else {
                misses += 1;
            }
            if misses == 3 || residual.is_nan() {
                break;
            }
        }
        best
    }

    /// One Newton step (dξ, dy); `None` at a zero residual or for a singular matrix.
    fn newton_step(&self, xi: &[f64], y: &[f64]) -> Option<Vec<f64>> {
        let (cols, m) = (self.cols, self.h.len());
        let n = cols + m;
        let mut a = vec![0.0; n * n];
        let mut rhs = vec![0.0; n];
        // First block row: stationarity.
        mul_transposed_into(&self.g, y, &mut rhs[..cols]);
        for j in 0..cols {
            let on_w = j < self.dim;
            a[j * n + j] = if on_w { 1.0 } else { DELTA };
            if on_w {
                rhs[j] -= xi[j];
            }
            for i in 0..m {
                a[j * n + cols + i] = -self.g[i * cols + j];
            }
        }
        // Second block row: complementarity, cone by cone.
        let mut v = self.slack(xi);
        for (s, y) in v.iter_mut().zip(y) {
            *s = y - *s;
        }
        for b in &self.form.blocks {
            let len = b.len;
            let mut d = vec![0.0; len * len];
            b.derivative(&v[b.range()], &mut d);
            let mut p = v[b.range()].to_vec();
            b.project_dual(&mut p);
            let g = &self.g[b.start * cols..(b.start + len) * cols];
            for i in 0..len {
                let row = (cols + b.start + i) * n;
                rhs[cols + b.start + i] = p[i] - y[b.start + i];
                mul_transposed_into(g, &d[i * len..(i + 1) * len], &mut a[row..row + cols]);
                for j in 0..len {
                    let unit = f64::from(i == j);
                    a[row + cols + b.start + j] = unit - (1.0 - DELTA) * d[i * len + j];
                }
            }
        }
        // At a zero residual no step is needed, and the matrix may be singular.
        if max_abs(&rhs) == 0.0 {
            return None;
        }
        let mut pivots = vec![0; n];
        lu_in_place(&mut a, n, &mut pivots).ok()?;
        lu_solve(&a, n, &pivots, &mut rhs);
        dot(&rhs, &rhs).is_finite().then_some(rhs)
    }
}
