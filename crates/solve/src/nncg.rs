//! Nonsmooth nonlinear conjugate gradients over relaxation sweeps (Silcowitz, Niebe & Erleben).
//!
//! A sweep y = sweep(r) is read as a step along −g, g = r − y; directions are combined as
//! Fletcher and Reeves do, in the metric 1/κ_α that makes impulses of different contacts
//! comparable:
//!
//! ```text
//! β = ⟨g, g⟩ / ⟨g_prev, g_prev⟩;   β > 1: p = 0, r = y;   else r = y + β p, p = β p − g
//! ```
//!
//! There is no proof of convergence, so every judged iterate is a swept one (inside the cones) and
//! the best is kept. Exact sweeps cycle on regular piles with high friction; a stagnation guard
//! then starts again from the initial guess with projection sweeps, which do not.

use contact::Problem;

use crate::batch::{SimdSweeper, CgStep};
use crate::goal::{BestIterate, Goal, Outcome, Report, Solver};
use crate::layers::CoarseCorrection;
use crate::sweep::{ScalarSweeper, LocalStep};
use crate::trigger::ResidualSchedule;

/// Which sweep is accelerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweeps {
    /// Exact local solves.
    Exact,
    /// Projected local steps.
    Projection,
    /// Exact first, projection from the initial guess once the exact ones stagnate.
    Guarded,
}

/// How the acceleration proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct NncgParams {
    /// Largest number of sweeps if the goal does not say.
    pub max_sweeps: usize,
    /// Sweeps between two judgements.
    pub residual_interval: usize,
    /// Stagnation: the best residual has not halved within this many sweeps; guarded ones of large
    /// problems are given more.
    pub patience: usize,
    /// Which sweep.
    pub sweeps: Sweeps,
    /// Sweeps after which high piles are corrected by layers (see `layers`); as many again until the next
    /// time, twice as many where they gain little.
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

/// The accelerated relaxation, with the buffers it keeps between solves.
#[derive(Debug, Default)]
pub struct Nncg {
    /// How it proceeds.
    pub params: NncgParams,
    scalar_sweeper: ScalarSweeper,
    simd_sweeper: SimdSweeper,
    coarse_correction: CoarseCorrection,
    /// The best iterate by the packs' own residual.
    kept: Vec<f64>,
    /// The initial guess, for the guard.
    start: Vec<f64>,
    before: Vec<f64>,
    direction: Vec<f64>,
    best: Option<BestIterate>,
}

/// When piles are corrected by layers.
#[derive(Debug)]
struct CorrectionSchedule {
    every: usize,
    next: usize,
    done: usize,
    /// The least residual when it was last done.
    residual: f64,
}

/// A residual that has fallen by less since the last correction makes the next one wait.
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
        if residual > GAIN * self.residual {
            self.every = self.every.saturating_mul(2);
        }
        self.residual = residual;
        self.next = sweeps.saturating_add(self.every);
        true
    }
}

impl Nncg {
    /// With the given parameters.
    pub fn new(params: NncgParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Runs one kind of sweep until reached, stagnant or out of sweeps; returns the sweeps done
    /// and whether it stagnated.
    fn run(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        best: &mut BestIterate,
        step: LocalStep,
        done: usize,
        limit: usize,
    ) -> (usize, bool) {
        self.scalar_sweeper.fit(problem);
        self.before.resize(impulse.len(), 0.0);
        self.direction.resize(impulse.len(), 0.0);
        self.direction.fill(0.0);
        let mut previous = f64::INFINITY;
        let mut mark = (best.residual(), done);
        let mut sweeps = done;
        while sweeps < limit && !best.reached() {
            self.before.copy_from_slice(impulse);
            self.scalar_sweeper.refresh(problem, impulse);
            self.scalar_sweeper.sweep(problem, impulse, step);
            sweeps += 1;
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
            let norm = self.gradient_norm(problem, impulse);
            let beta = if previous > 0.0 {
                norm / previous
            } else {
                f64::INFINITY
            };
            previous = norm;
            self.extrapolate(impulse, beta);
        }
        (sweeps, false)
    }

    /// The same with exact visits over packs of contacts. Their own residual says when it is worth asking
    /// the judge, and only what has passed the judge is an answer.
    fn run_packed(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        best: &mut BestIterate,
        limit: usize,
    ) -> (usize, bool) {
        self.simd_sweeper.load(problem, impulse);
        self.kept.clear();
        self.kept.extend_from_slice(impulse);
        let start = self.simd_sweeper.residual(problem);
        if start <= best.r2_target() || best.keeps_history() {
            best.offer_with_r2(problem, impulse, 0, start);
        }
        let mut trigger = ResidualSchedule::new(start, best.r2_target(), self.params.residual_interval);
        let (mut lead, mut previous) = (CgStep::PLAIN, f64::INFINITY);
        let (mut sweeps, mut stalled) = (0, false);
        let patience = self.patience(problem);
        let mut lift = CorrectionSchedule::new(self.params.correction_interval);
        while sweeps < limit && !best.reached() && !stalled {
            let norm = self.simd_sweeper.sweep(problem, lead);
            sweeps += 1;
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
            lead = CgStep::fletcher_reeves(norm, previous);
            previous = norm;
            if lift.due(sweeps, trigger.least()) && !best.reached() && !stalled {
                self.simd_sweeper.store(problem, impulse);
                if (lift.done > 0 || self.coarse_correction.fit(problem))
                    && self.coarse_correction.correct(problem, impulse)
                {
                    self.simd_sweeper.load(problem, impulse);
                    (lead, previous) = (CgStep::PLAIN, f64::INFINITY);
                    lift.done += 1;
                } else {
                    lift.next = usize::MAX;
                }
            }
        }
        if !best.reached() {
            best.offer(problem, &self.kept, sweeps);
        }
        self.simd_sweeper.store(problem, impulse);
        (sweeps, stalled)
    }

    /// Sweeps without halving. Where nothing but a new start would follow, ten for each grain across the
    /// height at least: in a pile of a million the residual falls as the power −0.7 of the sweeps.
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

    /// r = y + β p, p = β p − g; when β is not a contraction r = y and the direction is forgotten.
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
        let packed = first == LocalStep::Exact && self.simd_sweeper.fit(problem);
        if packed {
            self.coarse_correction.reserve(problem);
        }
        let begin = if packed { BestIterate::reuse_unjudged } else { BestIterate::reuse };
        let mut best = begin(self.best.take(), problem, impulse, goal);
        if self.params.sweeps == Sweeps::Guarded {
            // So that the guard allocates nothing later.
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
            // Restarting from the stuck iterate fails too; from the initial guess it does not.
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
