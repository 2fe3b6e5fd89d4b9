//! NNCG: nonsmooth nonlinear conjugate gradients over Gauss–Seidel sweeps (Silcowitz, Niebe & Erleben).
//!
//! A sweep y = sweep(r) is taken as a gradient step along −g, g = r − y; search directions are combined with the β of
//! Fletcher and Reeves, in the metric 1/κ_α that makes impulses of different contacts comparable:
//!
//! ```text
//! β = ⟨g, g⟩ / ⟨g_prev, g_prev⟩;   β > 1: p = 0, r = y;   else r = y + β p, p = β p − g
//! ```
//!
//! There is no proof of convergence, so every evaluated iterate is the result of a sweep (inside the cones) and the
//! best one is kept. Exact sweeps cycle on regular piles with high friction; a stagnation guard then starts again from
//! the initial guess with projection sweeps, which do not cycle. In high piles a coarse correction is applied at
//! intervals.

use percuss_contact::Problem;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::coarse_correction::CoarseCorrection;
use crate::methods::residual_schedule::ResidualSchedule;
use crate::methods::scalar_sweep::{LocalStep, ScalarSweeper};
use crate::simd::{CgStep, SimdSweeper};

/// The sweep that is accelerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweeps {
    /// Exact local solves.
    Exact,
    /// Projected local steps.
    Projection,
    /// Exact first, projection from the initial guess once the exact ones stagnate.
    Guarded,
}

/// Parameters of [`Nncg`].
#[derive(Debug, Clone, PartialEq)]
pub struct NncgParams {
    /// Largest number of sweeps if the goal does not say.
    pub max_sweeps: usize,
    /// Largest number of sweeps between two evaluations of the residual.
    pub residual_interval: usize,
    /// Stagnation: the best residual has not halved within this many sweeps; guarded sweeps over large problems get
    /// more.
    pub patience: usize,
    /// The local step of the sweeps.
    pub sweeps: Sweeps,
    /// Sweeps before the first coarse correction of a high pile, and between two corrections; the interval doubles
    /// where a correction gains little.
    pub correction_interval: usize,
}

impl Default for NncgParams {
    fn default() -> Self {
        Self {
            max_sweeps: 20_000,
            residual_interval: 10,
            patience: 200,
            sweeps: Sweeps::Guarded,
            // 20 to 60 take about as long: a correction costs some eight sweeps.
            correction_interval: 40,
        }
    }
}

/// Accelerated Gauss–Seidel, with the buffers it keeps between solves.
#[derive(Debug, Default)]
pub struct Nncg {
    /// Limits, sweep and intervals.
    pub params: NncgParams,
    scalar_sweeper: ScalarSweeper,
    simd_sweeper: SimdSweeper,
    coarse_correction: CoarseCorrection,
    /// Best iterate by R2 of the SIMD sweeper.
    kept: Vec<f64>,
    /// The initial guess, for the restart by the stagnation guard.
    start: Vec<f64>,
    before: Vec<f64>,
    direction: Vec<f64>,
    best: Option<BestIterate>,
}

/// When the coarse correction of high piles is applied.
#[derive(Debug)]
struct CorrectionSchedule {
    every: usize,
    next: usize,
    done: usize,
    /// Smallest residual at the last correction.
    residual: f64,
}

/// The interval doubles when the residual has fallen by less than this factor since the last correction.
const GAIN: f64 = 0.9;

impl CorrectionSchedule {
    fn new(every: usize) -> Self {
        Self {
            every,
            next: every,
            done: 0,
            residual: f64::INFINITY,
        }
    }

    fn due(&mut self, sweeps: usize, residual: f64) -> bool {
        if sweeps < self.next {
            return false;
        }
        // The last correction gained little: wait longer.
        if residual > GAIN * self.residual {
            self.every = self.every.saturating_mul(2);
        }
        self.residual = residual;
        self.next = sweeps.saturating_add(self.every);
        true
    }
}

impl Nncg {
    /// A solver with the given parameters.
    pub fn new(params: NncgParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Accelerated scalar sweeps of one kind until converged, stagnant or out of sweeps; returns the number of sweeps
    /// and whether they stagnated.
    fn run(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        best: &mut BestIterate,
        step: LocalStep,
        done: usize,
        limit: usize,
    ) -> (usize, bool) {
        // Buffers; no search direction yet.
        self.scalar_sweeper.fit(problem);
        self.before.resize(impulse.len(), 0.0);
        self.direction.resize(impulse.len(), 0.0);
        self.direction.fill(0.0);
        let mut previous = f64::INFINITY;
        let mut mark = (best.residual(), done);
        let mut sweeps = done;
        while sweeps < limit && !best.reached() {
            // y = sweep(r).
            self.before.copy_from_slice(impulse);
            self.scalar_sweeper.refresh(problem, impulse);
            self.scalar_sweeper.sweep(problem, impulse, step);
            sweeps += 1;
            // Residual and stagnation check.
            if sweeps.is_multiple_of(self.params.residual_interval)
                || sweeps == limit
                || sweeps == done + 1
            {
                best.offer(problem, impulse, sweeps);
                if best.residual() <= 0.5 * mark.0 {
                    mark = (best.residual(), sweeps);
                } else if sweeps - mark.1 >= self.params.patience {
                    return (sweeps, true);
                }
            }
            // Fletcher–Reeves β and extrapolation.
            let norm = self.gradient_norm(problem, impulse);
            let beta = if previous > 0.0 {
                norm / previous
            } else {
                f64::INFINITY
            };
            previous = norm;
            self.extrapolate(impulse, beta);
        }
        // Sweeps ran out, or the tolerance was reached.
        (sweeps, false)
    }

    /// The same with exact SIMD sweeps. Their own R2 decides when an iterate is offered to `best`, and only what
    /// [`BestIterate`] has evaluated can be returned.
    fn run_packed(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        best: &mut BestIterate,
        limit: usize,
    ) -> (usize, bool) {
        self.simd_sweeper.load(problem, impulse);
        // The initial guess is the first candidate for the best iterate.
        self.kept.clear();
        self.kept.extend_from_slice(impulse);
        let start = self.simd_sweeper.residual(problem);
        if start <= best.r2_target() || best.keeps_history() {
            best.offer_with_r2(problem, impulse, 0, start);
        }
        let mut trigger =
            ResidualSchedule::new(start, best.r2_target(), self.params.residual_interval);
        let (mut cg_step, mut previous) = (CgStep::PLAIN, f64::INFINITY);
        let (mut sweeps, mut stalled) = (0, false);
        let patience = self.patience(problem);
        let mut lift = CorrectionSchedule::new(self.params.correction_interval);
        while sweeps < limit && !best.reached() && !stalled {
            let norm = self.simd_sweeper.sweep(problem, cg_step);
            sweeps += 1;
            // Evaluate R2 when due, and the goal's residual when R2 predicts convergence.
            if trigger.due(sweeps, norm) || sweeps == limit {
                let residual = self.simd_sweeper.residual(problem);
                if trigger.judged(sweeps, norm, residual) {
                    self.simd_sweeper.store(problem, &mut self.kept);
                }
                if trigger.least() <= best.r2_target() || best.keeps_history() {
                    best.offer_with_r2(problem, &self.kept, sweeps, trigger.least());
                    trigger.aim(best.r2_target());
                }
                stalled = trigger.stalled(sweeps, patience);
            }
            // Fletcher–Reeves β of the next sweep.
            cg_step = CgStep::fletcher_reeves(norm, previous);
            previous = norm;
            // Coarse correction; it changes all impulses, so the search direction starts anew.
            if lift.due(sweeps, trigger.least()) && !best.reached() && !stalled {
                self.simd_sweeper.store(problem, impulse);
                if (lift.done > 0 || self.coarse_correction.fit(problem))
                    && self.coarse_correction.correct(problem, impulse)
                {
                    self.simd_sweeper.load(problem, impulse);
                    (cg_step, previous) = (CgStep::PLAIN, f64::INFINITY);
                    lift.done += 1;
                } else {
                    lift.next = usize::MAX;
                }
            }
        }
        // The best iterate by R2 is evaluated once more in the goal's measure.
        if !best.reached() {
            best.offer(problem, &self.kept, sweeps);
        }
        self.simd_sweeper.store(problem, impulse);
        (sweeps, stalled)
    }

    /// Sweeps without halving the residual. Where only a restart would follow, at least ten per grain across the
    /// height: in a pile of a million grains the residual falls as the power −0.7 of the number of sweeps.
    fn patience(&self, problem: &Problem) -> usize {
        let across = (problem.num_contacts() as f64).cbrt() as usize;
        match self.params.sweeps {
            Sweeps::Guarded => self.params.patience.max(10 * across),
            Sweeps::Exact | Sweeps::Projection => self.params.patience,
        }
    }

    /// ⟨g, g⟩ in the metric 1/κ, g = before − impulse; `before` is overwritten by g.
    fn gradient_norm(&mut self, problem: &Problem, impulse: &[f64]) -> f64 {
        let mut norm = 0.0;
        for a in 0..problem.num_contacts() {
            let mut part = 0.0;
            for row in problem.rows(a) {
                let g = self.before[row] - impulse[row];
                self.before[row] = g;
                part += g * g;
            }
            norm += part / problem.kappa(a);
        }
        norm
    }

    /// r = y + β p, p = β p − g; where β > 1, r = y and the direction is reset.
    fn extrapolate(&mut self, impulse: &mut [f64], beta: f64) {
        if !(beta <= 1.0) {
            self.direction.fill(0.0);
            return;
        }
        for ((r, p), g) in impulse
            .iter_mut()
            .zip(&mut self.direction)
            .zip(&self.before)
        {
            *r += beta * *p;
            *p = beta * *p - g;
        }
    }
}

impl Solver for Nncg {
    fn name(&self) -> &'static str {
        match self.params.sweeps {
            Sweeps::Exact | Sweeps::Guarded => "nncg",
            Sweeps::Projection => "nncg-projection",
        }
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let limit = goal.max_iterations.unwrap_or(self.params.max_sweeps);
        let projection = LocalStep::Projection { factor: 1.0 };
        let first = match self.params.sweeps {
            Sweeps::Projection => projection,
            Sweeps::Exact | Sweeps::Guarded => LocalStep::Exact,
        };
        self.start.clear();
        if self.params.sweeps == Sweeps::Guarded {
            self.start.extend_from_slice(impulse);
        }
        // SIMD sweeps where the groups are bodies.
        let packed = first == LocalStep::Exact && self.simd_sweeper.fit(problem);
        if packed {
            self.coarse_correction.reserve(problem);
        }
        let begin = if packed {
            BestIterate::reuse_unjudged
        } else {
            BestIterate::reuse
        };
        let mut best = begin(self.best.take(), problem, impulse, goal);
        if self.params.sweeps == Sweeps::Guarded {
            // Allocate the buffers of the guard now, so that a restart allocates nothing.
            self.scalar_sweeper.fit(problem);
            self.before.resize(impulse.len(), 0.0);
            self.direction.resize(impulse.len(), 0.0);
        }
        let (mut sweeps, mut stalled) = if packed {
            self.run_packed(problem, impulse, &mut best, limit)
        } else {
            self.run(problem, impulse, &mut best, first, 0, limit)
        };
        if stalled && self.params.sweeps == Sweeps::Guarded {
            // A restart from the stagnant iterate fails too; from the initial guess it does not.
            impulse.copy_from_slice(&self.start);
            (sweeps, stalled) = self.run(problem, impulse, &mut best, projection, sweeps, limit);
        }
        let otherwise = if stalled {
            Outcome::Stalled
        } else {
            Outcome::Exhausted
        };
        let report = best.finish(self.name(), sweeps, otherwise, impulse);
        self.best = Some(best);
        report
    }
}
