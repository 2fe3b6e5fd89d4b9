//! Projection onto a conic form by the proximal method of multipliers.
//!
//! ```text
//! min ½|w|²   subject to   s = G (w, λ) + h ∈ Q           (white coordinates, z at the origin)
//!
//! (w, τ(λ − λ_k)) = Gᵀ y⁺,     y⁺ = proj_Q*(y_k − σ s)     (one outer step, Rockafellar)
//! ```
//!
//! Each outer step minimises a strongly convex C¹ function of (w, λ) by a semismooth Newton
//! method with line search; its Hessian I + σ Gᵀ D G is positive definite whatever the rows, so
//! dependent constraints, apices and tangencies need no special case. Since y carries σ times
//! the rounding of s, the last digits come from Newton's method on the optimality conditions
//! (`polish`), accepted only where it lowers the residual.
//!
//! Accuracy: natural residual |s − proj_Q(s − y)| and stationarity at most [`ACCEPT`] of the
//! data, usually 1e-15. Otherwise the result is an error ([`ConvexError::NotConverged`]); an empty
//! set is detected by multipliers that separate ([`ConvexError::Empty`]). Sets that touch in one point
//! without interior have no bounded multipliers and may give an error.

use super::{ConeKind, ConicForm};
use crate::dense::{axpy, cholesky_in_place, dot, mul_into, mul_transposed_into, norm, solve_spd};
use crate::error::{ConvexError, Result};
use crate::metric::Metric;

/// Largest relative residual of an accepted answer.
pub(super) const ACCEPT: f64 = 1e-12;
/// Residual at which the iteration stops at once: a few roundings.
const TARGET: f64 = 1e-15;
/// Residual below which Newton's method on the optimality conditions is tried.
const POLISH: f64 = 1e-4;
/// Number of outer steps. σ grows tenfold from 10 to 1e9, where rounding of the Hessian is still harmless;
/// beyond that, to 1e13, only while the constraints are far from satisfied, as for an empty set.
const OUTER: usize = 60;
const SIGMA_START: f64 = 10.0;
const SIGMA_MAX: f64 = 1e9;
const SIGMA_EMPTY: f64 = 1e13;
/// Weight of the proximal term on lifted variables: small against 1 so that they move freely.
const TAU: f64 = 1e-4;
/// A separating multiplier must exclude all points within this multiple of the data's size.
const EMPTY_REACH: f64 = 1e4;

/// The form with white, equilibrated rows, and the iterate.
pub(super) struct State<'a> {
    pub(super) form: &'a ConicForm,
    pub(super) dim: usize,
    pub(super) cols: usize,
    pub(super) g: Vec<f64>,
    pub(super) h: Vec<f64>,
    /// Magnitude of the data of each row, for relative residuals.
    size: Vec<f64>,
    /// Iterate (w, λ), multipliers y, and the proximal centre of λ.
    pub(super) xi: Vec<f64>,
    pub(super) y: Vec<f64>,
    center: Vec<f64>,
    /// Length of z in the metric.
    reach: f64,
}

/// Projection of z onto the form in the metric.
pub(super) fn project(form: &ConicForm, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
    let mut state = State::new(form, metric, z);
    let mut best = (f64::INFINITY, vec![0.0; form.dim]);
    let mut sigma = SIGMA_START;
    let mut stalled = 0;
    let mut outer = 0;
    while outer < OUTER {
        outer += 1;
        // One step of the method of multipliers.
        state.minimise(sigma);
        state.update_multipliers(sigma);
        let residual = state.residual();
        stalled = if residual < 0.5 * best.0 {
            0
        } else {
            stalled + 1
        };
        if residual < best.0 {
            best = (residual, state.xi[..form.dim].to_vec());
        }
        // Newton refinement once the active pieces are known.
        if best.0 > TARGET && residual <= POLISH {
            let polished = state.polished();
            if polished.0 < best.0 {
                best = polished;
            }
        }
        if best.0 <= TARGET || (stalled >= 4 && best.0 <= ACCEPT) {
            break;
        }
        if let Some(gap) = state.separation() {
            return Err(ConvexError::Empty { what: "set", gap });
        }
        // Increase the penalty.
        let cap = if residual > 1e-7 {
            SIGMA_EMPTY
        } else {
            SIGMA_MAX
        };
        sigma = if sigma < cap { 10.0 * sigma } else { sigma };
    }
    if best.0.is_nan() || best.0 > ACCEPT {
        return Err(ConvexError::NotConverged {
            what: "conic projection",
            iterations: outer,
            residual: best.0,
        });
    }
    // Back to the caller's coordinates.
    let mut p = best.1;
    metric.unwhiten(&mut p);
    axpy(1.0, z, &mut p);
    Ok(p)
}

impl<'a> State<'a> {
    /// White coordinates centred at z, equilibrated rows.
    fn new(form: &'a ConicForm, metric: &Metric, z: &[f64]) -> Self {
        let (dim, cols, m) = (form.dim, form.columns(), form.h.len());
        let mut g = form.g.clone();
        let mut h = form.h.clone();
        let mut size = vec![0.0; m];
        for (i, row) in g.chunks_exact_mut(cols.max(1)).enumerate() {
            let terms: f64 = row.iter().zip(z).map(|(a, b)| (a * b).abs()).sum();
            size[i] = h[i].abs() + terms;
            h[i] += dot(&row[..dim], z);
            metric.whiten_covector(&mut row[..dim]);
        }
        let mut white = z.to_vec();
        metric.whiten(&mut white);
        let mut state = Self {
            form,
            dim,
            cols,
            g,
            h,
            size,
            xi: vec![0.0; cols],
            y: vec![0.0; m],
            center: vec![0.0; cols],
            reach: norm(&white),
        };
        state.equilibrate();
        state
    }

    /// Equilibration: lifted columns to unit size in the equations (so that they too measure lengths), then
    /// rows, or whole second-order blocks, to unit length.
    fn equilibrate(&mut self) {
        let cols = self.cols;
        for j in self.dim..cols {
            let mut len = 0.0_f64;
            for b in self.form.blocks.iter().filter(|b| b.kind == ConeKind::Zero) {
                for i in b.range() {
                    len = len.max(self.g[i * cols + j].abs());
                }
            }
            if len > 0.0 {
                for row in self.g.chunks_exact_mut(cols) {
                    row[j] /= len;
                }
            }
        }
        for b in &self.form.blocks {
            let row_len = |g: &[f64], i: usize| norm(&g[i * cols..(i + 1) * cols]);
            let whole = b.range().map(|i| row_len(&self.g, i)).fold(0.0, f64::max);
            for i in b.range() {
                let len = match b.kind {
                    ConeKind::SecondOrder => whole,
                    _ => row_len(&self.g, i),
                };
                if len > 0.0 {
                    self.g[i * cols..(i + 1) * cols]
                        .iter_mut()
                        .for_each(|v| *v /= len);
                    self.h[i] /= len;
                    self.size[i] /= len;
                }
            }
        }
    }

    /// s = G ξ + h.
    pub(super) fn slack(&self, xi: &[f64]) -> Vec<f64> {
        let mut s = vec![0.0; self.h.len()];
        mul_into(&self.g, xi, &mut s);
        axpy(1.0, &self.h, &mut s);
        s
    }

    /// y − σ s and its projection onto Q*.
    fn shifted(&self, xi: &[f64], sigma: f64) -> (Vec<f64>, Vec<f64>) {
        let mut v = self.slack(xi);
        for (a, y) in v.iter_mut().zip(&self.y) {
            *a = y - sigma * *a;
        }
        let mut p = v.clone();
        for b in &self.form.blocks {
            b.project_dual(&mut p[b.range()]);
        }
        (v, p)
    }

    /// Weight of the quadratic term: 1 on w, τ on λ.
    fn weight(&self, j: usize) -> f64 {
        if j < self.dim { 1.0 } else { TAU }
    }

    /// Value of the augmented Lagrangian, its gradient, and the point y − σ s.
    fn evaluate(&self, xi: &[f64], sigma: f64) -> (f64, Vec<f64>, Vec<f64>) {
        let (v, p) = self.shifted(xi, sigma);
        let mut grad = vec![0.0; self.cols];
        mul_transposed_into(&self.g, &p, &mut grad);
        let mut value = 0.5 * dot(&p, &p) / sigma;
        for j in 0..self.cols {
            let d = xi[j] - if j < self.dim { 0.0 } else { self.center[j] };
            value += 0.5 * self.weight(j) * d * d;
            grad[j] = self.weight(j) * d - grad[j];
        }
        (value, grad, v)
    }

    /// Semismooth Newton on the augmented Lagrangian.
    fn minimise(&mut self, sigma: f64) {
        let n = self.cols;
        let (mut value, mut grad, mut v) = self.evaluate(&self.xi, sigma);
        let mut hess = vec![0.0; n * n];
        // Active pieces settle within about ten steps; the cap only limits the effect of
        // rounding when σ is large, since the outer residual decides.
        for _ in 0..60 {
            let size = norm(&grad);
            if size <= f64::EPSILON * 0.1 * (norm(&self.xi) + f64::MIN_POSITIVE) {
                break;
            }
            // Hessian diag(1, τ) + σ Gᵀ D G.
            hess.fill(0.0);
            for j in 0..n {
                hess[j * n + j] = self.weight(j);
            }
            for b in &self.form.blocks {
                let rows = &self.g[b.start * n..(b.start + b.len) * n];
                b.add_curvature(&v[b.range()], sigma, rows, &mut hess);
            }
            if cholesky_in_place(&mut hess, n).is_err() {
                break;
            }
            // Newton direction.
            let mut step: Vec<f64> = grad.iter().map(|g| -g).collect();
            solve_spd(&hess, n, &mut step);
            let slope = dot(&grad, &step);
            let Some(next) = self.line_search(sigma, value, size, &step, slope) else {
                break;
            };
            (self.xi, value, grad, v) = next;
        }
    }

    /// Armijo condition, or a gradient norm halved (decisive once values agree to rounding).
    #[allow(clippy::type_complexity)] // (point, value, gradient, shifted): one evaluation
    fn line_search(
        &self,
        sigma: f64,
        value: f64,
        size: f64,
        step: &[f64],
        slope: f64,
    ) -> Option<(Vec<f64>, f64, Vec<f64>, Vec<f64>)> {
        let mut t = 1.0;
        for _ in 0..30 {
            let mut trial = self.xi.clone();
            axpy(t, step, &mut trial);
            let (f, g, v) = self.evaluate(&trial, sigma);
            if f <= value + 1e-4 * t * slope - 1e-15 * value.abs() || norm(&g) <= 0.5 * size {
                return Some((trial, f, g, v));
            }
            t *= 0.5;
        }
        None
    }

    /// y ← proj_Q*(y − σ s); the proximal centre moves to ξ.
    fn update_multipliers(&mut self, sigma: f64) {
        let (_, p) = self.shifted(&self.xi, sigma);
        self.y = p;
        self.center.copy_from_slice(&self.xi);
    }

    /// Worst of stationarity and natural residual, relative to the data.
    fn residual(&self) -> f64 {
        self.residual_at(&self.xi, &self.y)
    }

    /// The residual at any pair (ξ, y).
    pub(super) fn residual_at(&self, xi: &[f64], y: &[f64]) -> f64 {
        let s = self.slack(xi);
        let (mut worst, mut data) = (0.0_f64, 0.0_f64);
        // All of (w, λ) are lengths, and so is the data of the rows.
        let length = norm(xi) + self.reach;
        for b in &self.form.blocks {
            let mut q: Vec<f64> = b.range().map(|i| s[i] - y[i]).collect();
            b.project_primal(&mut q);
            let miss: Vec<f64> = b.range().zip(&q).map(|(i, q)| s[i] - q).collect();
            let size = crate::dense::max_abs(&self.size[b.range()]);
            worst = worst.max(norm(&miss) / (size + length).max(f64::MIN_POSITIVE));
            if y[b.range()].iter().any(|v| *v != 0.0) {
                data = data.max(size);
            }
        }
        // Stationarity (w, 0) − Gᵀ y.
        let mut grad = vec![0.0; self.cols];
        mul_transposed_into(&self.g, y, &mut grad);
        for j in 0..self.dim {
            grad[j] -= xi[j];
        }
        // The accuracy of multipliers is limited by the rounding of the rows that carry them.
        worst.max(norm(&grad) / (length + data).max(f64::MIN_POSITIVE))
    }

    /// Separation test: the distance to every feasible point is at least |ν·h|/|Gᵀν|, ν = y/|y|.
    fn separation(&self) -> Option<f64> {
        let size = norm(&self.y);
        let gap = -dot(&self.y, &self.h) / size;
        if gap.is_nan() || gap <= 0.0 {
            return None; // no multiplier yet, or one that separates nothing
        }
        let mut pull = vec![0.0; self.cols];
        mul_transposed_into(&self.g, &self.y, &mut pull);
        let pull = norm(&pull) / size;
        let data = crate::dense::max_abs(&self.size) + self.reach;
        // A gap must exceed the rounding of ν·h, and be large against |Gᵀν| times the size of the data.
        (gap > 1e-10 * data && gap > pull * EMPTY_REACH * data).then_some(gap)
    }
}
