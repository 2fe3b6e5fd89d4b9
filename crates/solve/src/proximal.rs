//! Proximal Newton: full semismooth steps with a small proximal term, nothing in between.
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F(x, u),      x⁺ = x + dx
//! ```
//!
//! A structure of blocks that slides in many joints at once is nearly isostatic: what sweeps leave behind
//! lies in modes in which bodies move while gaps hardly change, eigenvalues of Ŵ of 1e-4 and less. Sweeps
//! then lose a few per cent of the residual in a hundred. A proximal term well above these eigenvalues only
//! creeps along them; one below 1e-4 changes the status of many contacts at once and wanders. Between the
//! two one value serves; it falls only while every step more than halves the residual, when the contacts have
//! found their status and the rest is a linear system.
//!
//! The iterates are left as they are, outside the cones where Newton's method puts them: that is where
//! it keeps which contacts are about to open or to slide. Projected or swept in between, the same steps
//! do not arrive. What is judged is a projected copy. One iteration is one factorisation.

use contact::Problem;

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::linear::System;
use crate::tangent::Tangent;

/// How it proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct ProximalParams {
    /// Largest number of iterations if the goal does not say. Most walls need 5 to 20.
    pub max_iterations: usize,
    /// α, relative to the diagonal of Ŵ, which is about 1.
    pub proximal: f64,
    /// Factor of α after a step that more than halved the residual; any other puts it back.
    pub reduce: f64,
}

impl Default for ProximalParams {
    fn default() -> Self {
        Self {
            max_iterations: 30,
            // 3e-4 to 3e-3 take about as many steps; 1e-2 creeps, 1e-4 wanders.
            proximal: 1e-3,
            reduce: 0.3,
        }
    }
}

/// α never falls below this: dependent contacts must stay factorable.
const LEAST: f64 = 1e-9;

/// See the module.
#[derive(Debug, Default)]
pub struct Proximal {
    /// How it proceeds.
    pub params: ProximalParams,
    system: Option<System>,
    tangent: Tangent,
    /// The iterate, and its copy in the cones.
    iterate: Vec<f64>,
    inside: Vec<f64>,
}

impl Proximal {
    /// With the given parameters.
    pub fn new(params: ProximalParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// One step; false if the system could not be solved.
    fn advance(&mut self, problem: &Problem, system: &mut System, alpha: f64) -> bool {
        self.tangent.set(problem, &self.iterate);
        let Tangent {
            root,
            step,
            df_dx,
            df_du,
            ..
        } = &mut self.tangent;
        if !system.solve(df_dx, df_du, alpha, step) {
            return false;
        }
        for ((x, step), root) in self.iterate.iter_mut().zip(step).zip(root) {
            *x += *step * *root;
        }
        self.inside.clone_from(&self.iterate);
        for a in 0..problem.num_contacts() {
            problem.law(a).project(&mut self.inside[problem.rows(a)]);
        }
        true
    }
}

impl Solver for Proximal {
    fn name(&self) -> &'static str {
        "proximal"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = Best::new(problem, impulse, goal);
        let limit = goal.max_iterations.unwrap_or(self.params.max_iterations);
        let limit = limit.min(self.params.max_iterations);
        let mut system = System::again(self.system.take(), problem);
        self.tangent.fit(problem);
        self.iterate.clear();
        self.iterate.extend_from_slice(impulse);
        let (mut iterations, mut outcome) = (0, Outcome::Exhausted);
        let (mut alpha, mut residual) = (self.params.proximal, best.residual());
        while iterations < limit && !best.reached() {
            iterations += 1;
            if !self.advance(problem, &mut system, alpha) {
                outcome = Outcome::Stalled;
                break;
            }
            let next = best.offer(problem, &self.inside, iterations);
            alpha = if next <= 0.5 * residual {
                (self.params.reduce * alpha).max(LEAST)
            } else {
                self.params.proximal
            };
            residual = next;
        }
        self.system = Some(system);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}
