//! Velocity of a step: fixed-point iteration over the forces, with one contact solve per iteration.
//!
//! ```text
//! A (v_F − v_I) = h K(v_F) + Gᵀ S
//! ```
//!
//! K at the mean velocity, or implicit in the θ-method, makes this an equation for v_F. Each iteration linearises K and
//! solves the contact problem: with v_k the last iterate and Â a symmetric approximation of A − h ∂K/∂v_F,
//!
//! ```text
//! Â (v_{k+1} − v_k) = hK(v_k) − A(v_k − v_I) + Gᵀ S.
//! ```
//!
//! Â = A is the plain fixed-point iteration, a contraction while h‖A⁻¹∂K/∂v‖ is small. The θ-method takes the symmetric
//! part of A − hθ ∂K/∂v − h²θ² ∂K/∂q (a quasi-Newton iteration) and so converges for stiff springs and dampers. At most
//! 60 iterations; a step that does not converge is reported, not refused.

use convex::dense;

use super::TimeStepper;
use crate::error::MechanismError;
use crate::inertia::cholesky;
use crate::settings::{ForceEvaluation, Scheme};
use crate::system::System;

/// Maximum number of iterations over the forces.
const ITERATIONS: usize = 60;

/// Convergence tolerance: the iteration stops when v changes by less than this share of the velocities. Rounding of the
/// contact problem is of the order 1e-15.
const SETTLED: f64 = 1e-13;

impl<S: System> TimeStepper<S> {
    /// Solves for v_F, into `self.next.v`; impulses and velocities of the contacts into `scratch.problem`.
    pub(super) fn solve_velocity(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        let work = &mut self.scratch;
        self.next.v.copy_from_slice(&work.v_begin);
        // Schemes with K at v_I need one contact solve.
        let once = match self.settings.scheme {
            Scheme::Midpoint | Scheme::Event => {
                self.settings.force_evaluation == ForceEvaluation::Begin
            }
            Scheme::Paoli => true,
            Scheme::Theta(theta) => {
                self.factor_effective_inertia(theta, h, end)?;
                false
            }
        };
        let work = &mut self.scratch;
        work.forces_converged = once;
        let mut last = f64::INFINITY;
        for k in 0..ITERATIONS {
            let changed = self.evaluate_forces(k, h, end)?;
            if k > 0 && !changed {
                // K did not change: neither does the solution.
                self.scratch.forces_converged = true;
                break;
            }
            let change = self.solve_contacts()?;
            if once {
                break;
            }
            let scale = self.velocity_scale();
            // The change cannot fall below the error of the contact solve; a change near it that no longer falls is
            // accepted.
            let enough = (SETTLED + 10.0 * self.scratch.solve_summary.residual) * scale;
            if change <= enough || (change <= 50.0 * enough && change >= last) {
                self.scratch.forces_converged = true;
                break;
            }
            last = change;
        }
        self.require_finite()
    }

    /// Evaluates hK at the iterate `self.next.v` into `scratch.force_impulse`. Returns whether it changed.
    fn evaluate_forces(&mut self, k: usize, h: f64, end: f64) -> Result<bool, MechanismError> {
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        match self.settings.scheme {
            Scheme::Midpoint | Scheme::Event | Scheme::Paoli => {
                if k == 0 {
                    // In the first velocity solve A and K at v_I are those of `evaluate_midpoint`; in a second one
                    // (common restitution) K is that of the last iterate. An impact applied before the step changed
                    // v_I: evaluate again.
                    if work.separate_impact_energy.0 != 0.0 {
                        let (t, q, v) = (work.t_eval, &work.q_eval, &work.v_begin);
                        let inertia = &mut work.inertia;
                        self.system
                            .dynamics(t, q, v, &mut inertia.mass, &mut inertia.force)?;
                    }
                } else {
                    for i in 0..n {
                        // Mean velocity ½(v_I + v_F).
                        work.buffer[i] = 0.5 * (work.v_begin[i] + self.next.v[i]);
                    }
                    let inertia = &mut work.inertia;
                    let (t, q, v) = (work.t_eval, &work.q_eval, &work.buffer);
                    self.system
                        .dynamics(t, q, v, &mut inertia.mass, &mut inertia.force)?;
                }
                let mut changed = false;
                // hK, and whether it changed.
                for i in 0..n {
                    let impulse = h * work.inertia.force[i];
                    changed |= impulse != work.force_impulse[i];
                    work.force_impulse[i] = impulse;
                }
                Ok(changed)
            }
            Scheme::Theta(theta) => self.evaluate_theta_forces(k, theta, h, end),
        }
    }

    /// Evaluates h(θ K_F + (1−θ) K_I) at the iterate into `scratch.force_impulse`. Returns whether it changed.
    fn evaluate_theta_forces(
        &mut self,
        k: usize,
        theta: f64,
        h: f64,
        end: f64,
    ) -> Result<bool, MechanismError> {
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        let scratch = &mut work.effective_inertia;
        if k == 0 {
            // K_I, kept in `effective_inertia.force` for the whole step.
            let (t, q) = (self.state.t, &self.state.q);
            self.system
                .dynamics(t, q, &work.v_begin, &mut scratch.mass, &mut scratch.force)?;
        }
        for i in 0..n {
            // v_θ, for q_F of the iterate: q_I + h v_θ.
            work.buffer[i] = theta * self.next.v[i] + (1.0 - theta) * work.v_begin[i];
        }
        self.next.q.copy_from_slice(&self.state.q);
        self.system
            .configuration_space()
            .integrate(&mut self.next.q, &work.buffer, h);
        // K_F. A(q_F) is not needed; `effective_inertia.mass` takes it.
        let (q, v) = (&self.next.q, &self.next.v);
        self.system
            .dynamics(end, q, v, &mut scratch.mass, &mut work.buffer)?;
        let mut changed = false;
        for i in 0..n {
            let impulse = h * (theta * work.buffer[i] + (1.0 - theta) * scratch.force[i]);
            changed |= impulse != work.force_impulse[i];
            work.force_impulse[i] = impulse;
        }
        Ok(changed)
    }

    /// Factors Â of the θ-method into `effective_inertia.factor`; A itself where the system gives no force Jacobians or
    /// where Â is not positive definite.
    fn factor_effective_inertia(
        &mut self,
        theta: f64,
        h: f64,
        end: f64,
    ) -> Result<(), MechanismError> {
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        let (mut stiffness, mut damping) = (vec![0.0; n * n], vec![0.0; n * n]);
        let known = self.system.force_jacobians(
            end,
            &work.q_eval,
            &work.v_begin,
            &mut stiffness,
            &mut damping,
        )?;
        let factor = &mut work.effective_inertia.factor;
        factor.copy_from_slice(&work.inertia.mass);
        if known {
            // Â = A − sym(hθ ∂K/∂v + h²θ² ∂K/∂q).
            let slope = |i: usize, j: usize| {
                h * theta * damping[i * n + j] + h * h * theta * theta * stiffness[i * n + j]
            };
            for i in 0..n {
                for j in 0..n {
                    factor[i * n + j] -= 0.5 * (slope(i, j) + slope(j, i));
                }
            }
        }
        if !known || cholesky(factor, n).is_err() {
            work.effective_inertia
                .factor
                .copy_from_slice(&work.inertia.factor);
        }
        Ok(())
    }

    /// Solves the contact problem for the current hK. Returns the change of v in the kinetic norm.
    fn solve_contacts(&mut self) -> Result<f64, MechanismError> {
        let implicit = matches!(self.settings.scheme, Scheme::Theta(_));
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        let metric = if implicit {
            &work.effective_inertia
        } else {
            &work.inertia
        };
        // Free velocity v_k + Â⁻¹ (hK − A(v_k − v_I)); with Â = A the iterate drops out.
        if implicit {
            for i in 0..n {
                work.buffer[i] = self.next.v[i] - work.v_begin[i];
            }
            for i in 0..n {
                let row = &work.inertia.mass[i * n..(i + 1) * n];
                work.v_free[i] = work.force_impulse[i] - dense::dot(row, &work.buffer);
            }
            metric.solve(&mut work.v_free);
            (0..n).for_each(|i| work.v_free[i] += self.next.v[i]);
        } else {
            work.v_free.copy_from_slice(&work.force_impulse);
            metric.solve(&mut work.v_free);
            (0..n).for_each(|i| work.v_free[i] += work.v_begin[i]);
        }
        work.buffer.copy_from_slice(&self.next.v);
        let (t, tolerance) = (work.t_eval, self.settings.tolerance);
        work.solve_summary = work.problem.solve(
            &self.system,
            t,
            metric,
            &work.v_free,
            &mut self.next.v,
            tolerance,
        )?;
        for i in 0..n {
            work.buffer[i] -= self.next.v[i];
        }
        Ok(work.inertia.norm(&work.buffer))
    }

    /// Velocity scale of the convergence test: kinetic norms of v_I, v_F and hA⁻¹K.
    fn velocity_scale(&mut self) -> f64 {
        let work = &mut self.scratch;
        work.buffer.copy_from_slice(&work.force_impulse);
        let forced = work.inertia.dual_norm(&mut work.buffer);
        work.inertia.norm(&self.next.v) + work.inertia.norm(&work.v_begin) + forced
    }

    /// Refuses a velocity that is not finite.
    fn require_finite(&self) -> Result<(), MechanismError> {
        match self.next.v.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(i) => Err(MechanismError::BlowUp {
                t: self.state.t,
                what: format!("the velocity `{}`", self.system.velocity_name(i)),
            }),
        }
    }
}
