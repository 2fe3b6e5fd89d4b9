//! The default: starts cheap, hands over when a method stops paying, returns the best judged
//! iterate and says which way it went.
//!
//! ```text
//! bilateral rows eliminated
//!   → NNCG sweeps                    most dynamics ends here
//!   → smoothing Newton, adaptive     stacks, structures, packings to 1e-8 and below
//!   → semismooth Newton              polishes, and treats the laws without smoothing
//!   → smoothing Newton from zero     regular piles, where the sweeps led astray
//!   → interior point                 block structures, any mass ratio
//!   → smoothing Newton, fixed        depends less on the start; then semismooth Newton again
//!   → ADMM, guarded NNCG             slow but different
//! ```
//!
//! A method that has stopped halving the residual within its patience is left. Factorising methods
//! are not tried above `direct_limit` contacts, where their factors would not fit.

use contact::Problem;

use crate::admm::Admm;
use crate::bilateral;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::interior::Interior;
use crate::newton::{Newton, NewtonParams};
use crate::nncg::{Nncg, NncgParams, Sweeps};
use crate::smoothing::{Smoothing, SmoothingParams};

/// How the automatic solver chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoParams {
    /// Sweeps before a factorising method is tried.
    pub first_sweeps: usize,
    /// The first sweeps end early when the residual has not halved within this many.
    pub first_patience: usize,
    /// Iterations without progress that a first Newton polish of the smoothed solution may take.
    pub polish_patience: usize,
    /// Factorising methods are used up to this many contacts.
    pub direct_limit: usize,
}

impl Default for AutoParams {
    fn default() -> Self {
        Self {
            first_sweeps: 300,
            first_patience: 100,
            polish_patience: 20,
            direct_limit: 50_000,
        }
    }
}

/// The automatic solver.
#[derive(Debug, Default)]
pub struct Auto {
    /// How it chooses.
    pub params: AutoParams,
    chain: Chain,
}

impl Auto {
    /// With the given parameters.
    pub fn new(params: AutoParams) -> Self {
        Self {
            params,
            chain: Chain::default(),
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        self.chain.params = self.params.clone();
        bilateral::solve_with(&mut self.chain, problem, impulse, goal)
    }
}

/// The chain of methods, on a problem without bilateral rows.
#[derive(Debug, Default)]
struct Chain {
    params: AutoParams,
    nncg: Nncg,
}

impl Solver for Chain {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let direct = problem.num_contacts() <= self.params.direct_limit;
        self.nncg.params = if direct {
            NncgParams {
                max_sweeps: self.params.first_sweeps,
                patience: self.params.first_patience,
                sweeps: Sweeps::Exact,
                ..NncgParams::default()
            }
        } else {
            let usual = NncgParams::default();
            NncgParams {
                patience: usual.patience.max(self.params.first_patience),
                ..usual
            }
        };
        let first_goal = if direct {
            goal.at_most(self.params.first_sweeps)
        } else {
            goal.clone()
        };
        let mut total = self.nncg.solve(problem, impulse, &first_goal);
        if total.reached() || !direct {
            return total;
        }
        let first = impulse.to_vec();
        let mut trial = first.clone();
        for (mut method, from) in self.hand_over() {
            let left = goal
                .max_iterations
                .map(|n| n.saturating_sub(total.iterations));
            if left == Some(0) || total.reached() {
                break;
            }
            let inner = Goal {
                max_iterations: left,
                ..goal.clone()
            };
            match from {
                From::Best => trial.copy_from_slice(impulse),
                From::First => trial.copy_from_slice(&first),
                From::Zero => trial.fill(0.0),
            }
            let report = method.solve(problem, &mut trial, &inner);
            append(&mut total, report, impulse, &trial);
        }
        total
    }
}

/// Where a method of the chain starts.
enum From {
    /// At the best iterate so far.
    Best,
    /// Where the first sweeps ended.
    First,
    /// Cold.
    Zero,
}

impl Chain {
    /// The factorising methods in order, and what is left after them.
    fn hand_over(&self) -> Vec<(Box<dyn Solver>, From)> {
        let polish = NewtonParams {
            patience: self.params.polish_patience,
            ..NewtonParams::default()
        };
        let fixed = |reduce| Box::new(Smoothing::new(SmoothingParams::fixed(reduce)));
        vec![
            (Box::new(Smoothing::default()), From::Best),
            (Box::new(Newton::new(polish)), From::Best),
            (Box::new(Smoothing::default()), From::Zero),
            (Box::new(Interior::default()), From::Best),
            (fixed(0.95), From::First),
            (Box::new(Newton::default()), From::Best),
            (fixed(0.975), From::First),
            (Box::new(Newton::default()), From::Best),
            (Box::new(Admm::default()), From::Best),
            (Box::new(Nncg::default()), From::Best),
        ]
    }
}

/// Adds a stage to the report and keeps its impulses if they are better.
fn append(total: &mut Report, stage: Report, impulse: &mut [f64], trial: &[f64]) {
    if stage.outcome == Outcome::Unsuitable {
        return;
    }
    if stage.residual < total.residual {
        impulse.copy_from_slice(trial);
        total.residual = stage.residual;
    }
    total.outcome = stage.outcome;
    total.history.extend(
        stage
            .history
            .iter()
            .map(|(i, r)| (i + total.iterations, *r)),
    );
    total.iterations += stage.iterations;
    total.path.extend(stage.path);
}
