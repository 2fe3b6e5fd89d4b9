//! Nonlinear Gauss–Seidel (NLGS): the relaxation of JM92 §7, also called projected Gauss–Seidel; the reference method.
//!
//! One iteration is one sweep: every contact in order, an exact local solve with all other impulses fixed. Robust and
//! cheap to a residual of about 1e-4; the number of sweeps grows with the height of a stack and with mass ratios.
//! [`Solver::solve`] uses the scalar sweep, [`Nlgs::sweep`] the SIMD sweep where the problem allows it.

use percuss_contact::Problem;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::scalar_sweep::{LocalStep, ScalarSweeper};
use crate::simd::{CgStep, SimdSweeper};

/// Parameters of [`Nlgs`].
#[derive(Debug, Clone, PartialEq)]
pub struct NlgsParams {
    /// Largest number of sweeps if the goal does not say.
    pub max_sweeps: usize,
    /// Sweeps between two evaluations of the residual. An evaluation costs about half a scalar sweep.
    pub residual_interval: usize,
    /// Sweeps between two recomputations of the velocities from the impulses, against accumulated rounding.
    pub refresh_every: usize,
}

impl Default for NlgsParams {
    fn default() -> Self {
        Self {
            max_sweeps: 20_000,
            residual_interval: 10,
            refresh_every: 100,
        }
    }
}

/// Nonlinear Gauss–Seidel, with the buffers it keeps between solves.
#[derive(Debug, Default)]
pub struct Nlgs {
    /// Limits and intervals.
    pub params: NlgsParams,
    scalar_sweeper: ScalarSweeper,
    simd_sweeper: SimdSweeper,
    best: Option<BestIterate>,
}

impl Nlgs {
    /// A solver with the given parameters.
    pub fn new(params: NlgsParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Sweeps `count` times in place without evaluating the residual: the inner loop, which allocates nothing once the
    /// buffers have their size.
    pub fn sweep(&mut self, problem: &Problem, impulse: &mut [f64], count: usize) {
        // SIMD sweeps where the groups are bodies, scalar sweeps otherwise.
        if self.simd_sweeper.fit(problem) {
            self.simd_sweeper.load(problem, impulse);
            for _ in 0..count {
                self.simd_sweeper.sweep(problem, CgStep::PLAIN);
            }
            self.simd_sweeper.store(problem, impulse);
            return;
        }
        self.scalar_sweeper.fit(problem);
        self.scalar_sweeper.refresh(problem, impulse);
        for _ in 0..count {
            self.scalar_sweeper
                .sweep(problem, impulse, LocalStep::Exact);
        }
    }
}

impl Solver for Nlgs {
    fn name(&self) -> &'static str {
        "nlgs"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let limit = goal.max_iterations.unwrap_or(self.params.max_sweeps);
        // Evaluate the warm start.
        let mut best = BestIterate::reuse(self.best.take(), problem, impulse, goal);
        self.scalar_sweeper.fit(problem);
        // Velocities of the warm start.
        self.scalar_sweeper.refresh(problem, impulse);
        let mut sweeps = 0;
        while sweeps < limit && !best.reached() {
            self.scalar_sweeper
                .sweep(problem, impulse, LocalStep::Exact);
            sweeps += 1;
            if sweeps.is_multiple_of(self.params.refresh_every) {
                self.scalar_sweeper.refresh(problem, impulse);
            }
            // Evaluate at intervals, and after the first and the last sweep.
            if sweeps.is_multiple_of(self.params.residual_interval)
                || sweeps == limit
                || sweeps == 1
            {
                best.offer(problem, impulse, sweeps);
            }
        }
        let report = best.finish(self.name(), sweeps, Outcome::Exhausted, impulse);
        self.best = Some(best);
        report
    }
}
