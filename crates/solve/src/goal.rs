//! What is asked of a solver, and what it answers.
//!
//! Not converging is a result, not an error: every solver returns the best iterate it was judged
//! on, with its residual, and says how it ended.

use contact::{ResidualEvaluator, ResidualMeasure, Problem};
use smallvec::{SmallVec, smallvec};

use crate::infeasible::InfeasibilityCertificate;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// Residual to reach, in `measure`. Nominal for RV: 1e-4 for flows, 1e-6 for structures, 1e-8 and below for
    /// reference solutions. Rounding of impulses that are a million times what a light body's would be leaves 1e-10.
    pub tolerance: f64,
    /// Which residual decides.
    pub measure: ResidualMeasure,
    /// Largest number of iterations; `None` leaves it to the method.
    pub max_iterations: Option<usize>,
    /// Whether the residual of every judged iterate is kept.
    pub keep_history: bool,
}

impl Default for Goal {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            measure: ResidualMeasure::Velocity,
            max_iterations: None,
            keep_history: false,
        }
    }
}

impl Goal {
    /// The default goal with another tolerance.
    pub fn with_tolerance(tolerance: f64) -> Self {
        Self {
            tolerance,
            ..Self::default()
        }
    }

    /// The same goal, decided by another residual.
    pub fn with_measure(&self, measure: ResidualMeasure) -> Self {
        Self {
            measure,
            ..self.clone()
        }
    }

    /// The same goal with at most `n` iterations.
    pub fn at_most(&self, n: usize) -> Self {
        Self {
            max_iterations: Some(self.max_iterations.map_or(n, |m| m.min(n))),
            ..self.clone()
        }
    }

    /// The same goal with the iterations that are left after `spent`.
    pub(crate) fn left_after(&self, spent: usize) -> Self {
        Self {
            max_iterations: self.max_iterations.map(|n| n.saturating_sub(spent)),
            ..self.clone()
        }
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The residual is within the tolerance.
    Reached,
    /// The residual stopped falling before the tolerance was reached.
    Stalled,
    /// The iterations ran out.
    Exhausted,
    /// The method cannot treat this problem (a law it does not know, a matrix it cannot factor).
    Unsuitable,
    /// No velocity satisfies the demands of the contacts: [`Report::infeasible`] proves it.
    Infeasible,
}

/// One stage of a solve: a method, what it did and where it got.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Name of the method.
    pub method: &'static str,
    /// Iterations it took (sweeps, back-substitutions or factorisations: see the method).
    pub iterations: usize,
    /// Best residual at its end, in the goal's measure.
    pub residual: f64,
}

/// The stages of a solve in order. The usual one or two need no allocation.
pub type Stages = SmallVec<[Stage; 2]>;

/// The answer to a solve; the impulses themselves are in the caller's buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Judged residual of the returned impulses, in the goal's measure.
    pub residual: f64,
    /// Iterations of all stages.
    pub iterations: usize,
    /// The path taken, in order.
    pub path: Stages,
    /// (iteration, residual) of every judged iterate, if asked for.
    pub history: Vec<(usize, f64)>,
    /// Why there is no solution, where that was proven.
    pub infeasibility: Option<Box<InfeasibilityCertificate>>,
}

/// Stages of a path that are shown.
const SHOWN: usize = 13;

impl Report {
    /// Whether the tolerance was reached.
    pub fn reached(&self) -> bool {
        self.outcome == Outcome::Reached
    }

    /// Names of the stages, joined by arrows: the path in one word. Of long paths the first stages and how many follow.
    pub fn method(&self) -> String {
        let told = self.path.iter().take(SHOWN).map(|s| s.method);
        let mut names: Vec<String> = told.map(String::from).collect();
        if self.path.len() > SHOWN {
            names.push(format!("{} more", self.path.len() - SHOWN));
        }
        names.join("→")
    }

    /// Adds a stage and keeps its impulses if they are better.
    pub(crate) fn append(&mut self, stage: Self, impulse: &mut [f64], trial: &[f64]) {
        if stage.outcome == Outcome::Unsuitable {
            return;
        }
        if stage.residual < self.residual {
            impulse.copy_from_slice(trial);
            self.residual = stage.residual;
        }
        self.outcome = stage.outcome;
        let spent = self.iterations;
        let later = stage.history.iter().map(|(i, r)| (i + spent, *r));
        self.history.extend(later);
        self.iterations += stage.iterations;
        self.path.extend(stage.path);
    }
}

/// One method of solving (★).
pub trait Solver: Send {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Solves `problem` starting from `impulse` and leaves the best judged iterate there.
    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report;
}

/// The share of the tolerance that is near enough to a share that is wished.
pub(crate) fn accepted_fraction(wish: f64) -> f64 {
    (30.0 * wish).min(1.0)
}

/// The R2 that is predicted to go with the tolerance is met with this much to spare, and falls by this much at
/// least after an iterate that did not pass.
const SPARE: f64 = 0.8;

/// The R2 that is asked for next is no smaller than this share of the last one: the proportion is an estimate.
const LEAST_TARGET: f64 = 0.03;

/// Keeps the best judged iterate. Every iterate a solver returns has passed here.
#[derive(Debug)]
pub(crate) struct BestIterate {
    judge: ResidualEvaluator,
    impulse: Vec<f64>,
    residual: f64,
    /// Whether `impulse` is an iterate; the caller's buffer holds the first one otherwise.
    holds: bool,
    history: Vec<(usize, f64)>,
    keep_history: bool,
    measure: ResidualMeasure,
    tolerance: f64,
    /// R2 from which the judge is worth asking: methods in packs know R2 alone.
    r2_target: f64,
}

impl BestIterate {
    /// Starts from `impulse`, which is judged as iterate 0.
    pub fn new(problem: &Problem, impulse: &[f64], goal: &Goal) -> Self {
        let mut best = Self {
            judge: ResidualEvaluator::new(problem),
            impulse: impulse.to_vec(),
            residual: f64::INFINITY,
            holds: true,
            history: Vec::new(),
            keep_history: goal.keep_history,
            measure: goal.measure,
            tolerance: goal.tolerance,
            r2_target: goal.tolerance,
        };
        best.offer(problem, impulse, 0);
        best
    }

    /// Takes an old one up again if there is one, without judging the first iterate: for methods that know
    /// its residual by a cheaper way and offer it where it counts.
    pub fn reuse_unjudged(old: Option<Self>, problem: &Problem, impulse: &[f64], goal: &Goal) -> Self {
        let mut best = Self::reuse_empty(old, problem, goal);
        best.hold(impulse);
        best
    }

    /// The same without the first iterate, for methods that leave it in the caller's buffer until they
    /// finish: what nothing replaces is then not copied.
    pub fn reuse_empty(old: Option<Self>, problem: &Problem, goal: &Goal) -> Self {
        let mut best = old.unwrap_or_else(|| Self {
            judge: ResidualEvaluator::new(problem),
            impulse: Vec::new(),
            residual: f64::INFINITY,
            holds: false,
            history: Vec::new(),
            keep_history: false,
            measure: goal.measure,
            tolerance: goal.tolerance,
            r2_target: goal.tolerance,
        });
        best.begin(problem, goal);
        best
    }

    /// Takes an old one up again if there is one.
    pub fn reuse(old: Option<Self>, problem: &Problem, impulse: &[f64], goal: &Goal) -> Self {
        match old {
            Some(mut best) => {
                best.restart(problem, impulse, goal);
                best
            }
            None => Self::new(problem, impulse, goal),
        }
    }

    /// Starts again, without allocating when the problem has the size of the last one.
    fn restart(&mut self, problem: &Problem, impulse: &[f64], goal: &Goal) {
        self.begin(problem, goal);
        self.hold(impulse);
        self.offer(problem, impulse, 0);
    }

    fn hold(&mut self, impulse: &[f64]) {
        self.impulse.copy_from_slice(impulse);
        self.holds = true;
    }

    fn begin(&mut self, problem: &Problem, goal: &Goal) {
        self.judge.resize_for(problem);
        self.impulse.resize(problem.num_rows(), 0.0);
        self.residual = f64::INFINITY;
        self.holds = false;
        self.history.clear();
        self.keep_history = goal.keep_history;
        self.measure = goal.measure;
        self.tolerance = goal.tolerance;
        self.r2_target = goal.tolerance;
    }

    /// Judges an iterate and keeps it if it is the best so far; returns its residual (infinite if
    /// it is not a number, so that a diverged iterate is never kept).
    pub fn offer(&mut self, problem: &Problem, impulse: &[f64], iteration: usize) -> f64 {
        let residual = self.judge.residual(problem, impulse, self.measure);
        let residual = if residual.is_finite() {
            residual
        } else {
            f64::INFINITY
        };
        if residual < self.residual {
            self.residual = residual;
            self.hold(impulse);
        }
        if self.keep_history {
            self.history.push((iteration, residual));
        }
        residual
    }

    /// u = W r + b of the iterate offered last.
    pub fn velocity(&self) -> &[f64] {
        self.judge.velocity()
    }

    pub fn residual(&self) -> f64 {
        self.residual
    }

    pub fn reached(&self) -> bool {
        self.residual <= self.tolerance
    }

    /// Whether it is within this share of the tolerance.
    pub fn within_fraction(&self, share: f64) -> bool {
        self.residual <= share * self.tolerance
    }

    /// Offers an iterate whose R2 a method knows by its own way. The two residuals fall in proportion, which says
    /// the R2 that goes with the tolerance of RV.
    pub fn offer_with_r2(&mut self, problem: &Problem, impulse: &[f64], iteration: usize, r2: f64) {
        let residual = self.offer(problem, impulse, iteration);
        if self.measure == ResidualMeasure::Velocity && residual > 0.0 {
            let ratio = (SPARE * self.tolerance / residual).max(LEAST_TARGET);
            // One that does not pass is not asked about again before R2 has fallen.
            let most = if self.reached() { f64::INFINITY } else { SPARE };
            self.r2_target = r2 * ratio.min(most);
        }
    }

    /// The R2 from which an iterate is worth the judge's time.
    pub fn r2_target(&self) -> f64 {
        match self.measure {
            ResidualMeasure::Velocity => self.r2_target,
            ResidualMeasure::Dimensionless => self.tolerance,
            // Nothing can be predicted: every iterate is offered.
            ResidualMeasure::Fclib => f64::INFINITY,
        }
    }

    pub fn keeps_history(&self) -> bool {
        self.keep_history
    }

    /// Writes the best iterate to `impulse` and reports.
    pub fn finish(
        &mut self,
        method: &'static str,
        iterations: usize,
        otherwise: Outcome,
        impulse: &mut [f64],
    ) -> Report {
        if self.holds {
            impulse.copy_from_slice(&self.impulse);
        }
        Report {
            outcome: if self.reached() {
                Outcome::Reached
            } else {
                otherwise
            },
            residual: self.residual,
            iterations,
            path: smallvec![Stage {
                method,
                iterations,
                residual: self.residual,
            }],
            history: std::mem::take(&mut self.history),
            infeasibility: None,
        }
    }
}
