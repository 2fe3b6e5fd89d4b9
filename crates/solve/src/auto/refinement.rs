//! A few Newton steps in space from where the sweeps ended.
//!
//! In a moving heap sweeps come within ten to a hundred times the tolerance and then stall, because a handful of contacts
//! change between stick and slip. From there Newton's methods need some steps, from elsewhere hundreds. Proximal Newton comes
//! first: of the methods that were measured on steps of falling and turning heaps it fails least (decision 56).

use percuss_contact::Problem;

use crate::goal::{Goal, Report, Solver};
use crate::methods::nncg::{Nncg, Sweeps};
use crate::methods::proximal_newton::ProximalNewton;
use crate::methods::semismooth_newton::{SemismoothNewton, SemismoothNewtonParams};

/// Largest number of steps of each method: where they converge, most need fewer than ten.
const STEPS: usize = 15;

/// Steps of semismooth Newton without halving the residual, and the sweeps after a step that does not lower it tenfold.
const PATIENCE: usize = 6;
const SWEEPS: usize = 10;

/// The methods, with the buffers they keep between solves.
#[derive(Debug)]
pub(super) struct Refinement {
    proximal: ProximalNewton,
    newton: SemismoothNewton,
    nncg: Nncg,
}

impl Default for Refinement {
    fn default() -> Self {
        Self {
            proximal: ProximalNewton::default(),
            nncg: Nncg::default(),
            newton: SemismoothNewton::new(SemismoothNewtonParams {
                patience: PATIENCE,
                sweeps: SWEEPS,
                ..SemismoothNewtonParams::default()
            }),
        }
    }
}

/// Where a round begins.
#[derive(Debug, Clone, Copy)]
enum RoundStart {
    /// At the best impulses so far.
    Best,
    /// At the impulses of the step before.
    WarmStart,
    /// At zero impulses.
    Zero,
}

/// The rounds: a start and the sweeps before the Newton methods. Where they fail from one point they often converge from
/// another that is no nearer.
const ROUNDS: [(RoundStart, Option<(Sweeps, usize)>); 4] = [
    (RoundStart::Best, None),
    (RoundStart::Best, Some((Sweeps::Projection, 100))),
    (RoundStart::Zero, Some((Sweeps::Exact, 300))),
    (RoundStart::WarmStart, Some((Sweeps::Exact, 30))),
];

impl Refinement {
    /// Runs the rounds until one reaches the tolerance; `warm` are the impulses of the step before.
    pub(super) fn run(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        warm: &[f64],
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        for (start, sweeps) in ROUNDS {
            if total.reached() {
                return;
            }
            match start {
                RoundStart::Best => trial.copy_from_slice(impulse),
                RoundStart::WarmStart => trial.copy_from_slice(warm),
                RoundStart::Zero => trial.fill(0.0),
            }
            if let Some((kind, number)) = sweeps {
                let left = goal.left_after(total.iterations);
                self.nncg.params.sweeps = kind;
                let report = self.nncg.solve(problem, trial, &left.at_most(number));
                total.append(report, impulse, trial);
            }
            self.newton_steps(problem, goal, impulse, trial, total);
        }
    }

    /// The Newton methods in order, each from `trial`, until one reaches the tolerance.
    fn newton_steps(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        let methods: [&mut dyn Solver; 2] = [&mut self.proximal, &mut self.newton];
        let start = trial.to_vec();
        for method in methods {
            let left = goal.left_after(total.iterations);
            if left.max_iterations == Some(0) || total.reached() {
                return;
            }
            trial.copy_from_slice(&start);
            let report = method.solve(problem, trial, &left.at_most(STEPS));
            total.append(report, impulse, trial);
        }
    }
}
