//! Sequential quadratic programming for min ½|x − z|_A² subject to c_k(x) ≤ 0.
//!
//! ```text
//! H = A + Σ λ_k ∇²c_k          min ½ dᵀHd + ⟨A(x − z), d⟩   with   c_k + ∇c_k·d ≤ 0
//! ```
//!
//! The subproblem is a projection in the metric H of the point −H⁻¹A(x − z), solved exactly. Quadratic convergence near
//! the solution; a step must reduce either the residual of the optimality conditions (KKT) or the merit function ½|x −
//! z|² + ν Σ c_k⁺, else it is halved.

use super::{InequalitySet, Linearisation};
use crate::error::{Result, SweepingError, at};
use crate::inequalities::Inequalities;
use crate::lane_sums::{axpy, dot, norm, sub};
use percuss_convex::ConvexError;
use percuss_convex::qp::LinearConstraints;

/// Maximum number of iterations before cutting planes take over; regular problems need four to ten.
const ITERATIONS: usize = 40;

/// Relative residual at which the iteration ends, and one that is accepted when it cannot be reduced further.
const SHARP: f64 = 1e-14;
const FAIR: f64 = 1e-11;

/// A Hessian with an eigenvalue below this share of the metric is taken for singular; those of convex functions are above 1.
const SINGULAR: f64 = 1e-6;

impl<I: Inequalities> InequalitySet<I> {
    /// SQP from the last point visited; `None` where it does not converge.
    pub(super) fn solve_sqp(
        &mut self,
        t: f64,
        z: &[f64],
        visited: &mut Vec<Linearisation>,
    ) -> Result<Option<Linearisation>> {
        let Some(mut here) = visited.last().cloned() else {
            return Ok(None);
        };
        let mut lambda = self.multipliers.clone();
        let mut best: Option<(f64, Linearisation, Vec<f64>)> = None;
        let mut residual = f64::INFINITY;
        for _ in 0..ITERATIONS {
            // Quadratic programme, then line search.
            let Some((step, next_lambda)) = self.subproblem(t, z, &here, &lambda)? else {
                return Ok(None);
            };
            let Some((next, next_residual)) =
                self.line_search(t, z, &here, &step, &next_lambda, residual)?
            else {
                break;
            };
            visited.push(next.clone());
            // No further progress at an acceptable residual.
            let settled = next_residual >= 0.5 * residual && next_residual <= FAIR;
            residual = next_residual;
            (here, lambda) = (next, next_lambda);
            if best.as_ref().is_none_or(|b| residual < b.0) {
                best = Some((residual, here.clone(), lambda.clone()));
            }
            if residual <= SHARP || settled {
                break;
            }
        }
        Ok(match best {
            Some((residual, tangent, lambda)) if residual <= FAIR => {
                self.multipliers = lambda;
                Some(tangent)
            }
            _ => None,
        })
    }

    /// Step and multipliers of the quadratic programme. Tangents that contradict each other prove C(t) empty, since
    /// each of their half-spaces contains it.
    fn subproblem(
        &mut self,
        t: f64,
        z: &[f64],
        here: &Linearisation,
        lambda: &[f64],
    ) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let n = z.len();
        // Hessian of the Lagrangian.
        let mut hessian = vec![0.0; n * n];
        self.functions.hessian(t, &here.x, lambda, &mut hessian);
        let mut h = self.white.clone();
        let regular = hessian.iter().all(|v| v.is_finite());
        if regular && hessian.iter().any(|v| *v != 0.0) {
            axpy(1.0, self.white.matrix(), &mut hessian);
            // Indefinite or singular only through rounding or functions that are not convex (z at a centre of curvature):
            // the plain metric still gives a descent step, and the tangent test finds the latter.
            let mut less = hessian.clone();
            axpy(-SINGULAR, self.white.matrix(), &mut less);
            if percuss_convex::Metric::new(n, &less).is_ok()
                && let Ok(metric) = percuss_convex::Metric::new(n, &hessian)
            {
                h = metric;
            }
        }
        // Minimiser of the model without constraints: H⁻¹A(z − x).
        let mut goal = sub(z, &here.x);
        self.metric.lower(&mut goal);
        h.solve(&mut goal);
        let bounds: Vec<f64> = here.values.iter().map(|c| -c).collect();
        let rows = LinearConstraints::inequalities(&here.gradients, &bounds);
        let warm: Vec<usize> = (0..lambda.len()).filter(|&k| lambda[k] > 0.0).collect();
        match self.prox.solve_warm(&h, rows, &goal, &warm) {
            Ok(_) => {}
            Err(ConvexError::Inconsistent { rows, combined, .. }) => {
                // Nearly parallel tangents far out contradict by rounding; the gap must be larger.
                if -combined > 1e-10 * (1.0 + norm(&here.x)) {
                    let reason = format!(
                        "the tangents of constraints {rows:?} at {:?} contradict each other by {:e}",
                        here.x, -combined
                    );
                    return Err(SweepingError::Empty {
                        time: t,
                        rows,
                        reason,
                    });
                }
                return Ok(None);
            }
            Err(ConvexError::NotConverged { .. }) => return Ok(None),
            Err(other) => return Err(at(t)(other)),
        }
        Ok(Some((
            self.prox.point().to_vec(),
            self.prox.multipliers().to_vec(),
        )))
    }

    /// Line search: the full step, or a shorter one that reduces the merit function; `None` where none does.
    fn line_search(
        &self,
        t: f64,
        z: &[f64],
        here: &Linearisation,
        step: &[f64],
        lambda: &[f64],
        residual: f64,
    ) -> Result<Option<(Linearisation, f64)>> {
        let penalty = 2.0 * lambda.iter().fold(0.0_f64, |m, l| m.max(*l));
        let merit = |point: &Linearisation| -> f64 {
            let far = self.metric.norm(&sub(&point.x, z));
            let over: f64 = point.values.iter().map(|c| c.max(0.0)).sum();
            0.5 * far * far + penalty * over
        };
        let before = merit(here);
        let mut length = 1.0;
        // Thirty halvings reach the rounding of the step itself.
        for _ in 0..30 {
            let mut x = here.x.clone();
            axpy(length, step, &mut x);
            let next = match self.tangent(t, &x) {
                Ok(next) => next,
                Err(error) if length < 1e-8 => return Err(error),
                // Outside the domain of a function: shorten the step.
                Err(_) => {
                    length *= 0.5;
                    continue;
                }
            };
            let next_residual = self.optimality(z, &next, lambda);
            let full = length == 1.0 && (next_residual < 0.5 * residual || residual <= FAIR);
            if full || merit(&next) < before {
                return Ok(Some((next, next_residual)));
            }
            length *= 0.5;
        }
        Ok(None)
    }

    /// KKT residual |A(x − z) + Σ λ∇c| + Σ λ|c| + Σ c⁺ with functions scaled to unit gradients, relative to the data.
    fn optimality(&self, z: &[f64], here: &Linearisation, lambda: &[f64]) -> f64 {
        let mut rest = sub(&here.x, z);
        self.metric.lower(&mut rest);
        let pull = norm(&rest);
        let (mut feasibility, mut slackness) = (0.0_f64, 0.0_f64);
        // Stationarity, feasibility and complementarity.
        for (k, &c) in here.values.iter().enumerate() {
            axpy(lambda[k], here.row(k), &mut rest);
            let length = dot(here.row(k), here.row(k)).sqrt().max(f64::MIN_POSITIVE);
            feasibility = feasibility.max(c / length);
            if lambda[k] > 0.0 {
                slackness = slackness.max((c / length).abs());
            }
        }
        let size = norm(&here.x) + norm(z);
        norm(&rest) / (pull + self.scale() * size) + feasibility.max(slackness) / size.max(1e-300)
    }

    /// Largest entry of the metric: scale factor from lengths to covectors.
    fn scale(&self) -> f64 {
        let a = self.white.matrix();
        a.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
    }
}
