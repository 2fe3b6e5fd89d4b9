//! Proximal Newton method: full semismooth Newton steps with a small proximal term, without sweeps or line search.
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F(x, u),      x⁺ = x + dx
//! ```
//!
//! A structure of blocks that slides in many interfaces at once is nearly isostatic: the error that sweeps leave lies
//! in modes in which bodies move while gaps hardly change, with eigenvalues of Ŵ of 1e-4 and less. A hundred sweeps
//! then reduce the residual by a few per cent. A proximal term well above these eigenvalues makes the steps along them
//! too short; one below 1e-4 lets many contacts change their status at once, and the iteration does not converge. One
//! value in between serves; it is reduced only while every step more than halves the residual, when the contacts have
//! found their status and the rest is a linear system.
//!
//! The iterates are not projected: a Newton iterate outside the cones encodes which contacts are about to open or to
//! slide. With projections or sweeps in between the same steps do not converge. The residual is evaluated on a
//! projected copy. One iteration is one factorisation.

use percuss_contact::Problem;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::NewtonSystem;
use crate::methods::newton_system::alart_curnier::AlartCurnierJacobian;
use crate::methods::newton_system::planar_system::{PlanarNewton, PlanarVelocitySystem};

/// Parameters of [`ProximalNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct ProximalNewtonParams {
    /// Largest number of iterations if the goal does not say. Most walls need 5 to 20.
    pub max_iterations: usize,
    /// α, relative to the diagonal of Ŵ, which is about 1.
    pub proximal: f64,
    /// Factor of α after a step that more than halved the residual; after any other step α is reset.
    pub reduce: f64,
    /// Fraction of the tolerance down to which a few more steps are taken.
    pub target: f64,
}

impl Default for ProximalNewtonParams {
    fn default() -> Self {
        Self {
            max_iterations: 30,
            // 1e-3 to 1e-2 take about as many steps; 3e-2 converges slowly, 1e-4 not at all.
            proximal: 3e-3,
            reduce: 0.3,
            target: 1.0,
        }
    }
}

/// Multiple of the R2 target: an iterate whose own residual norm is above it is not evaluated.
const NEARLY: f64 = 1.5;

/// Smallest α: dependent contacts must stay factorisable.
const LEAST: f64 = 1e-9;

/// Factor on the residual F = −α B dx that the linear model of a step leaves: a residual below it says that no
/// important contact changed its status, and that the step was short because of α.
const FORESEEN: f64 = 1.5;

/// α is at most this times the square root of the residual. Friction is not monotone: along a mode in which Ŵ and the
/// laws together have a negative eigenvalue −λ a step multiplies the error by α/(α − λ), which grows unless α is
/// well below λ.
const NEARING: f64 = 0.1;

/// Largest number of steps beyond the tolerance.
const BEYOND: usize = 8;

/// Proximal Newton method; see the module.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    /// Proximal term, target and limits.
    pub params: ProximalNewtonParams,
    plane: PlanarVelocitySystem,
    flat: PlanarNewton,
    any: GeneralNewton,
    /// Copy of the iterate, projected into the cones.
    inside: Vec<f64>,
}

/// Newton steps for general problems, with the Alart–Curnier Jacobian of all contacts.
#[derive(Debug, Default)]
struct GeneralNewton {
    system: Option<NewtonSystem>,
    tangent: AlartCurnierJacobian,
    iterate: Vec<f64>,
    /// ‖F‖ that the linear model of the last step predicts.
    expected: f64,
}

impl GeneralNewton {
    fn begin(&mut self, problem: &Problem, impulse: &[f64]) {
        self.system = Some(NewtonSystem::reuse_or_new(self.system.take(), problem));
        self.tangent.fit(problem);
        self.iterate.clear();
        self.iterate.extend_from_slice(impulse);
        self.expected = 0.0;
    }

    /// See [`PlanarNewton::residual_norm`].
    fn residual_norm(&mut self, problem: &Problem) -> f64 {
        self.tangent.set(problem, &self.iterate);
        self.tangent.size(&self.iterate)
    }

    /// See [`PlanarNewton::advance`].
    fn advance(&mut self, problem: &Problem, alpha: f64) -> bool {
        let AlartCurnierJacobian {
            root,
            step,
            df_dx,
            df_du,
            ..
        } = &mut self.tangent;
        let system = self.system.as_mut();
        if !system.is_some_and(|system| system.solve(df_dx, df_du, alpha, step)) {
            return false;
        }
        for ((x, step), root) in self.iterate.iter_mut().zip(step).zip(root) {
            *x += *step * *root;
        }
        self.expected = alpha * self.tangent.df_du_step_norm(problem);
        true
    }

    /// Whether the residual is what the linear model of the last step predicted: it is then due to α.
    fn as_expected(&self) -> bool {
        self.tangent.norm() <= FORESEEN * self.expected
    }

    fn inside(&self, problem: &Problem, impulse: &mut [f64]) {
        // Project a copy; the iterate itself stays as it is.
        impulse.copy_from_slice(&self.iterate);
        for a in 0..problem.num_contacts() {
            problem.law(a).project(&mut impulse[problem.rows(a)]);
        }
    }
}

impl ProximalNewton {
    /// A solver with the given parameters.
    pub fn new(params: ProximalNewtonParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Linearises at the iterate and returns the norm of its residual.
    fn look(&mut self, problem: &Problem, flat: bool) -> f64 {
        match flat {
            true => self.flat.residual_norm(&self.plane),
            false => self.any.residual_norm(problem),
        }
    }

    fn advance(&mut self, problem: &Problem, flat: bool, alpha: f64) -> bool {
        match flat {
            true => self.flat.advance(&mut self.plane, alpha),
            false => self.any.advance(problem, alpha),
        }
    }

    fn set_inside(&mut self, problem: &Problem, flat: bool) {
        match flat {
            true => self.flat.inside(&self.plane, &mut self.inside),
            false => self.any.inside(problem, &mut self.inside),
        }
    }
}

impl Solver for ProximalNewton {
    fn name(&self) -> &'static str {
        "proximal"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        let limit = goal.max_iterations.unwrap_or(self.params.max_iterations);
        let limit = limit.min(self.params.max_iterations);
        // Planar problems of Coulomb contacts have their own velocity system.
        let flat = self.plane.fit(problem);
        if flat {
            self.flat.begin(&self.plane, impulse);
        } else {
            self.any.begin(problem, impulse);
        }
        self.inside.resize(impulse.len(), 0.0);
        let (mut iterations, mut outcome) = (0, Outcome::Exhausted);
        let (mut alpha, mut last, mut beyond) = (self.params.proximal, f64::INFINITY, 0);
        loop {
            // Evaluate a projected copy where the residual norm predicts convergence.
            let size = self.look(problem, flat);
            let judged = size <= NEARLY * best.r2_target() || best.keeps_history();
            if iterations > 0 && (judged || iterations == limit) {
                self.set_inside(problem, flat);
                best.offer(problem, &self.inside, iterations);
            }
            // Stop at the limit or at the target.
            if iterations == limit || best.within_fraction(self.params.target) {
                break;
            }
            beyond += usize::from(best.reached());
            if beyond > BEYOND {
                break;
            }
            // α: reduced while the steps do what their linear model says, reset otherwise.
            let foreseen = !flat && self.any.as_expected();
            alpha = if (size <= 0.5 * last || foreseen) && last.is_finite() {
                (self.params.reduce * alpha).max(LEAST)
            } else {
                self.params.proximal
            };
            // General laws: α also falls with the residual.
            if !flat {
                alpha = alpha.min(NEARING * size.sqrt()).max(LEAST);
            }
            // Newton step.
            last = size;
            iterations += 1;
            if !self.advance(problem, flat, alpha) {
                outcome = Outcome::Stalled;
                break;
            }
        }
        best.finish(self.name(), iterations, outcome, impulse)
    }
}
