//! Primal-dual interior point method for structures of blocks.
//!
//! With y = u + g(u) eₙ, De Saxcé's shift g and scaled variables, the problem is
//!
//! ```text
//! K ∋ x ⊥ y ∈ K*,    y = Ŵ x + q̂ + g(Ŵ x + q̂) eₙ          (bilateral rows: u = 0)
//! ```
//!
//! Each cone is mapped onto a second-order cone (module `cone`). A Newton step on y and on the complementarity
//! a∘b = σγ e in Nesterov–Todd scaling, Θ = V⁻², is
//!
//! ```text
//! ( TᵀΘT + (I + G)(Ŵ + α) ) dx = Tᵀ V⁻¹ z − (u + g eₙ − y),    Gₙₜ = ∂g/∂u_t
//! ```
//!
//! with Mehrotra's predictor and corrector. g is smoothed over the speed 0.1 √γ (less at the end), γ the mean of a·b
//! (duality measure), so that its slope exists. The matrix is not symmetric, because friction is not associated: a
//! sparse LU, or in large and dense problems GMRES preconditioned by the Cholesky factor of TᵀΘT + Ŵ + α: the
//! preconditioned operator is the identity plus an operator on sliding contacts only (and the skew part of a stored W),
//! so that a few dozen iterations are enough. When step lengths collapse the method restarts, first with b refitted to the velocity at every iteration, then with G = 0: the
//! shift lags one iteration behind, the matrix is symmetric positive definite, and convergence is more robust though
//! slower.
//!
//! One iteration is one factorisation and two solves; their number hardly depends on the height of a stack or on mass
//! ratios. Limits: it starts from its own centre, so that a warm start gains nothing; it stalls at 1e-3 to 1e-6 on
//! jammed packings of spheres and rocks; at contacts with r = u = 0 the error falls only as the square root of γ, which
//! puts 1e-10 out of reach where there are many; it treats only the laws with a second-order cone (Coulomb,
//! static-dynamic, asymmetric in the plane, elliptic) and bilateral rows.

use percuss_contact::Problem;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::ScaledDelassus;
use crate::methods::newton_system::velocity_system::has_dense_delassus;

mod cone;
mod planar;
mod state;
#[cfg(test)]
mod tests;

use cone::AdmissibleSet;
pub use planar::{PlanarInteriorPoint, PlanarInteriorPointParams};
use state::{ATTEMPTS, Attempt, State};

/// Parameters of [`InteriorPoint`].
#[derive(Debug, Clone, PartialEq)]
pub struct InteriorPointParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Fraction of the step to the boundary of the cones that is taken.
    pub fraction: f64,
    /// Proximal term α in scaled variables, centred at the present iterate: keeps dependent
    /// bilateral rows and hyperstatic contacts factorisable.
    pub proximal: f64,
    /// A step length below this counts as collapsed.
    pub collapse: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for InteriorPointParams {
    fn default() -> Self {
        Self {
            max_iterations: 60,
            fraction: 0.99,
            proximal: 1e-12,
            collapse: 0.05,
            patience: 20,
        }
    }
}

/// The interior point method.
#[derive(Debug, Default)]
pub struct InteriorPoint {
    /// Step length, proximal term and limits.
    pub params: InteriorPointParams,
}

impl InteriorPoint {
    /// A solver with the given parameters.
    pub fn new(params: InteriorPointParams) -> Self {
        Self { params }
    }
}

impl Solver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        let n = problem.num_contacts();
        // All laws must have a second-order cone.
        let shapes: Option<Vec<AdmissibleSet>> = (0..n)
            .map(|a| AdmissibleSet::of(problem.law(a), problem.dim(a)))
            .collect();
        let Some(shapes) = shapes.filter(|_| !has_dense_delassus(problem)) else {
            return best.finish(self.name(), 0, Outcome::Unsuitable, impulse);
        };
        let (iterations, outcome) = self.iterate(problem, shapes, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

impl InteriorPoint {
    fn iterate(
        &self,
        problem: &Problem,
        shapes: Vec<AdmissibleSet>,
        goal: &Goal,
        best: &mut BestIterate,
    ) -> (usize, Outcome) {
        let p = &self.params;
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        if best.reached() {
            return (0, Outcome::Reached);
        }
        let mut scaled = ScaledDelassus::new(problem);
        let mut state = State::new(problem, &mut scaled, shapes);
        if state.size == 0.0 {
            // No free velocity and no impulse: the solution is zero.
            best.offer(problem, &state.impulse, 0);
            return (0, Outcome::Stalled);
        }
        let mut attempt = 0;
        let mut mark = (best.residual(), 0);
        let mut collapsed = 0;
        for iteration in 1..=limit {
            let lagged = ATTEMPTS[attempt] == Attempt::Lagged;
            // Linearise, factorise, predictor and corrector.
            let step = state
                .linearise(problem, &scaled, ATTEMPTS[attempt])
                .and_then(|()| state.factor(&mut scaled, lagged, p.proximal))
                .and_then(|system| state.advance(problem, &mut scaled, system, p));
            // Residual and stagnation check.
            best.offer(problem, &state.impulse, iteration);
            if best.reached() {
                return (iteration, Outcome::Reached);
            }
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            }
            collapsed = if step.is_some_and(|s| s >= p.collapse) {
                0
            } else {
                collapsed + 1
            };
            // On failure: next variant of the shift, from the centre.
            let stalled = step.is_none() || collapsed >= 3 || iteration - mark.1 >= p.patience;
            if stalled {
                if (attempt + 1) >= ATTEMPTS.len() {
                    return (iteration, Outcome::Stalled);
                }
                attempt += 1;
                collapsed = 0;
                mark = (best.residual(), iteration);
                state.centre(problem, &scaled, ATTEMPTS[attempt]);
            }
        }
        (limit, Outcome::Exhausted)
    }
}
