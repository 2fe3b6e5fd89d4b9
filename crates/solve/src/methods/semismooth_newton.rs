//! Semismooth Newton method on Alart and Curnier's function, with a proximal term, for laws of any kind.
//!
//! In scaled variables the law of each contact is F(x, u) = 0 with Alart and Curnier's function,
//! u = Ŵ x + q̂. A Newton step with A = ∂F/∂x, B = ∂F/∂u of the generalised Jacobian and a proximal
//! term α that is centred at the present iterate,
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F(x, u)
//! ```
//!
//! leaves the solutions where they are and makes the matrix regular although Ŵ is singular (hyperstatic contacts). A
//! step that changes the status of many contacts raises the residual of a few by orders of magnitude; some
//! Gauss–Seidel sweeps repair that where a line search would stall. α follows the residual and a controller: an
//! iterate that gets worse makes it larger, one that gets better smaller, as in pseudo-transient continuation. One
//! iteration is one factorisation.

use percuss_contact::{Problem, ResidualEvaluator, ResidualMeasure};

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::NewtonSystem;
use crate::methods::newton_system::alart_curnier::AlartCurnierJacobian;
use crate::methods::scalar_sweep::{LocalStep, ScalarSweeper};

/// Parameters of [`SemismoothNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct SemismoothNewtonParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// α = `proximal` · m · residual^`power`, m the controller's multiplier.
    pub proximal: f64,
    /// See `proximal`.
    pub power: f64,
    /// Gauss–Seidel sweeps after a step that does not lower the residual tenfold.
    pub sweeps: usize,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for SemismoothNewtonParams {
    fn default() -> Self {
        Self {
            max_iterations: 400,
            proximal: 0.1,
            power: 0.5,
            sweeps: 30,
            patience: 100,
        }
    }
}

/// The semismooth Newton method.
#[derive(Debug, Default)]
pub struct SemismoothNewton {
    /// Proximal term, sweeps and limits.
    pub params: SemismoothNewtonParams,
}

impl SemismoothNewton {
    /// A solver with the given parameters.
    pub fn new(params: SemismoothNewtonParams) -> Self {
        Self { params }
    }
}

impl Solver for SemismoothNewton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        let mut state = State::new(problem, impulse);
        let (iterations, outcome) = state.iterate(&self.params, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

/// A step whose residual is this many times the lowest so far has failed: α is raised fourfold.
const FAILED: f64 = 30.0;

/// Largest α; a larger one gives no Newton step, since Ŵ is of order 1.
const LARGEST: f64 = 1.0;

/// The iterate and the controller of α.
struct State<'a> {
    problem: &'a Problem,
    system: NewtonSystem,
    tangent: AlartCurnierJacobian,
    scalar_sweeper: ScalarSweeper,
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
    residual: f64,
    lowest: f64,
    /// Multiplier of α.
    m: f64,
    trial: Vec<f64>,
    swept: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem, start: &[f64]) -> Self {
        // Buffers of the linearisation, and R2 of the start.
        let mut tangent = AlartCurnierJacobian::default();
        tangent.fit(problem);
        let mut evaluator = ResidualEvaluator::new(problem);
        let residual = evaluator.residual(problem, start, ResidualMeasure::Dimensionless);
        Self {
            problem,
            scalar_sweeper: ScalarSweeper::new(problem),
            evaluator,
            impulse: start.to_vec(),
            residual,
            lowest: residual,
            m: 1.0,
            trial: start.to_vec(),
            swept: start.to_vec(),
            tangent,
            system: NewtonSystem::new(problem),
        }
    }

    fn iterate(
        &mut self,
        p: &SemismoothNewtonParams,
        goal: &Goal,
        best: &mut BestIterate,
    ) -> (usize, Outcome) {
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        let mut mark = (best.residual(), 0);
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            // Linearise and solve the Newton system.
            let alpha = (self.m * p.proximal * self.residual.powf(p.power)).clamp(1e-9, LARGEST);
            self.tangent.set(self.problem, &self.impulse);
            let AlartCurnierJacobian {
                root,
                step,
                df_dx,
                df_du,
                ..
            } = &mut self.tangent;
            if self.system.solve(df_dx, df_du, alpha, step) {
                // Full step, then sweeps where it did not help.
                for i in 0..self.trial.len() {
                    self.trial[i] = self.impulse[i] + step[i] * root[i];
                }
                let next = self.smooth(p.sweeps);
                best.offer(self.problem, &self.trial, iteration);
                self.control(next, p.sweeps);
            } else if alpha < LARGEST {
                // Singular matrix: larger proximal term.
                self.m *= 10.0;
            } else {
                return (iteration, Outcome::Stalled);
            }
            // Stagnation check.
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            } else if iteration - mark.1 >= p.patience {
                return (iteration, Outcome::Stalled);
            }
        }
        (limit, Outcome::Exhausted)
    }

    /// Sweeps over the trial unless it has lowered the residual tenfold, and keeps the better of the two; returns its
    /// R2.
    fn smooth(&mut self, sweeps: usize) -> f64 {
        // Newton steps that reduce the residual tenfold need no sweeps.
        let raw =
            self.evaluator
                .residual(self.problem, &self.trial, ResidualMeasure::Dimensionless);
        if raw < 0.1 * self.residual {
            return raw;
        }
        // Gauss–Seidel sweeps repair contacts whose status has changed.
        self.swept.copy_from_slice(&self.trial);
        self.scalar_sweeper.refresh(self.problem, &self.swept);
        for _ in 0..sweeps {
            self.scalar_sweeper
                .sweep(self.problem, &mut self.swept, LocalStep::Exact);
        }
        let after =
            self.evaluator
                .residual(self.problem, &self.swept, ResidualMeasure::Dimensionless);
        if raw < after {
            return raw;
        }
        self.trial.copy_from_slice(&self.swept);
        after
    }

    /// Moves to the trial and adjusts the multiplier of α. A failed step is swept once more and then accepted: going
    /// back to the old iterate would only repeat it.
    fn control(&mut self, next: f64, sweeps: usize) {
        let failed = !next.is_finite() || (next > FAILED * self.lowest && next > self.residual);
        // Failed step: larger α, and more sweeps.
        if failed {
            self.m *= 4.0;
            if next.is_finite() {
                self.scalar_sweeper.refresh(self.problem, &self.trial);
                for _ in 0..sweeps {
                    self.scalar_sweeper
                        .sweep(self.problem, &mut self.trial, LocalStep::Exact);
                }
                self.residual = self.evaluator.residual(
                    self.problem,
                    &self.trial,
                    ResidualMeasure::Dimensionless,
                );
                self.impulse.copy_from_slice(&self.trial);
            }
        } else {
            // Worse: larger α. Hardly better: smaller α. Much better: unchanged.
            if next > 2.0 * self.residual {
                self.m *= 2.0;
            } else if next > 0.5 * self.residual {
                self.m *= 0.7;
            }
            self.impulse.copy_from_slice(&self.trial);
            self.residual = next;
            self.lowest = self.lowest.min(next);
        }
        self.m = self.m.clamp(1e-6, 1e4);
    }
}
