//! Functions c_k(t, x) whose sublevel sets are intersected, and their derivatives by finite differences.

use crate::lane_sums::axpy;

/// Functions c_k(t, x), convex in x, whose sublevel sets are intersected.
pub trait Inequalities {
    /// Dimension n of x.
    fn dim(&self) -> usize;
    /// Number of functions.
    fn count(&self) -> usize;
    /// c_k(t, x).
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]);
    /// ∇c_k(t, x), one row of length n per function.
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]);
    /// Σ w_k ∇²c_k(t, x), n×n; by finite differences of the gradients unless given.
    fn hessian(&self, t: f64, x: &[f64], weights: &[f64], out: &mut [f64]) {
        differenced_hessian(self, t, x, weights, out);
    }
    /// ∂c_k/∂t(t, x); by finite differences unless given (not across kinks of the motion).
    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        difference(t, self.count(), out, |t, c| self.values(t, x, c));
    }
}

/// Σ w_k ∇²c_k by central differences of the gradients, symmetrised.
fn differenced_hessian<I: Inequalities + ?Sized>(
    functions: &I,
    t: f64,
    x: &[f64],
    weights: &[f64],
    out: &mut [f64],
) {
    let (n, m) = (functions.dim(), functions.count());
    let mut g = vec![0.0; n * m];
    let mut at = x.to_vec();
    out.fill(0.0);
    for j in 0..n {
        // Balances the rounding of a gradient against the truncation error.
        let step = 1e-5 * x[j].abs().max(1.0);
        // Central difference of the gradients along coordinate j.
        for sign in [1.0, -1.0] {
            at[j] = x[j] + sign * step;
            functions.gradients(t, &at, &mut g);
            for k in 0..m {
                for i in 0..n {
                    out[i * n + j] += sign * weights[k] * g[k * n + i] / (2.0 * step);
                }
            }
        }
        at[j] = x[j];
    }
    // Symmetrise.
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i * n + j] + out[j * n + i]);
            out[i * n + j] = mean;
            out[j * n + i] = mean;
        }
    }
}

/// ∂/∂t of a vector function by central differences of sixth order.
pub(crate) fn difference(
    t: f64,
    count: usize,
    out: &mut [f64],
    mut values: impl FnMut(f64, &mut [f64]),
) {
    // h = 1e-3 leaves a truncation error of 1e-18 f⁽⁷⁾ beside 1e-13 of rounding.
    let h = 1e-3 * t.abs().max(1.0);
    let mut c = vec![0.0; count];
    out.fill(0.0);
    for (k, weight) in [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)] {
        for sign in [1.0, -1.0] {
            values(t + sign * k * h, &mut c);
            axpy(sign * weight / h, &c, out);
        }
    }
}
