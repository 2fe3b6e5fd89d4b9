//! Nonlinear Gauss–Seidel: the relaxation of JM92 §7, the reference method.
//!
//! Robust and cheap to a residual of about 1e-4; the number of sweeps grows with the height of a
//! stack and with mass ratios. One iteration is one sweep.

use contact::Problem;

use crate::batch::{Batch, Lead};
use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::sweep::{Flow, LocalStep};

/// How the relaxation proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct RelaxationParams {
    /// Largest number of sweeps if the goal does not say.
    pub max_sweeps: usize,
    /// Sweeps between two judgements. A judgement costs about half a sweep.
    pub judge_every: usize,
    /// Sweeps between two recomputations of the velocities from the impulses.
    pub refresh_every: usize,
}

impl Default for RelaxationParams {
    fn default() -> Self {
        Self {
            max_sweeps: 20_000,
            judge_every: 10,
            refresh_every: 100,
        }
    }
}

/// The relaxation, with the buffers it keeps between solves.
#[derive(Debug, Default)]
pub struct Relaxation {
    /// How it proceeds.
    pub params: RelaxationParams,
    flow: Flow,
    batch: Batch,
    best: Option<Best>,
}

impl Relaxation {
    /// With the given parameters.
    pub fn new(params: RelaxationParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Sweeps `count` times in place without judging: the inner loop, which allocates nothing once
    /// the buffers fit.
    pub fn sweep(&mut self, problem: &Problem, impulse: &mut [f64], count: usize) {
        if self.batch.fit(problem) {
            self.batch.load(problem, impulse);
            for _ in 0..count {
                self.batch.sweep(problem, Lead::STILL);
            }
            self.batch.store(problem, impulse);
            return;
        }
        self.flow.fit(problem);
        self.flow.refresh(problem, impulse);
        for _ in 0..count {
            self.flow.sweep(problem, impulse, LocalStep::Exact);
        }
    }
}

impl Solver for Relaxation {
    fn name(&self) -> &'static str {
        "nlgs"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let limit = goal.max_iterations.unwrap_or(self.params.max_sweeps);
        let mut best = Best::renew(self.best.take(), problem, impulse, goal);
        self.flow.fit(problem);
        self.flow.refresh(problem, impulse);
        let mut sweeps = 0;
        while sweeps < limit && !best.reached() {
            self.flow.sweep(problem, impulse, LocalStep::Exact);
            sweeps += 1;
            if sweeps.is_multiple_of(self.params.refresh_every) {
                self.flow.refresh(problem, impulse);
            }
            if sweeps.is_multiple_of(self.params.judge_every) || sweeps == limit || sweeps == 1 {
                best.offer(problem, impulse, sweeps);
            }
        }
        let report = best.finish(self.name(), sweeps, Outcome::Exhausted, impulse);
        self.best = Some(best);
        report
    }
}
