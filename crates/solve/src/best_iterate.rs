//! The best iterate of a solve: every iterate that a solver returns has been evaluated here.

use percuss_contact::{Problem, ResidualEvaluator, ResidualMeasure};
use smallvec::smallvec;

use crate::goal::{Goal, Outcome, Report, Stage};

/// Fraction of the tolerance that is accepted as near enough when the fraction `target` was the target.
pub(crate) fn accepted_fraction(target: f64) -> f64 {
    (30.0 * target).min(1.0)
}

/// Safety factor: the predicted R2 for the tolerance has to be undercut by this factor, and after an iterate that did
/// not reach the tolerance R2 has to fall by at least this factor before the next evaluation.
const SPARE: f64 = 0.8;

/// The next R2 target is at least this fraction of the last R2: the ratio of the two residuals is only an estimate.
const LEAST_TARGET: f64 = 0.03;

/// Best iterate so far, its residual and the residual history. Every iterate that a solver returns has passed here.
#[derive(Debug)]
pub(crate) struct BestIterate {
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
    residual: f64,
    /// Whether `impulse` is an iterate; otherwise the first iterate is still in the caller's buffer only.
    holds: bool,
    history: Vec<(usize, f64)>,
    keep_history: bool,
    measure: ResidualMeasure,
    tolerance: f64,
    /// R2 below which an iterate is evaluated in `measure`: the SIMD sweeps compute R2 alone.
    r2_target: f64,
}

impl BestIterate {
    /// Starts from `impulse`, which is evaluated as iterate 0.
    pub fn new(problem: &Problem, impulse: &[f64], goal: &Goal) -> Self {
        let mut best = Self {
            evaluator: ResidualEvaluator::new(problem),
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

    /// Reuses the buffers of `old` and takes `impulse` as first iterate without evaluating it: for methods that know
    /// its residual in a cheaper way and offer it where it counts.
    pub fn reuse_unjudged(
        old: Option<Self>,
        problem: &Problem,
        impulse: &[f64],
        goal: &Goal,
    ) -> Self {
        let mut best = Self::reuse_empty(old, problem, goal);
        best.hold(impulse);
        best
    }

    /// The same without a first iterate, for methods that leave it in the caller's buffer until they finish: an
    /// iterate that nothing replaces is then not copied.
    pub fn reuse_empty(old: Option<Self>, problem: &Problem, goal: &Goal) -> Self {
        let mut best = old.unwrap_or_else(|| Self {
            evaluator: ResidualEvaluator::new(problem),
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

    /// Reuses the buffers of `old`, if any, and evaluates `impulse` as iterate 0.
    pub fn reuse(old: Option<Self>, problem: &Problem, impulse: &[f64], goal: &Goal) -> Self {
        match old {
            Some(mut best) => {
                best.restart(problem, impulse, goal);
                best
            }
            None => Self::new(problem, impulse, goal),
        }
    }

    /// Starts again; allocates nothing when the problem has the size of the last one.
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
        // Buffers for the size of the problem, and the goal.
        self.evaluator.resize_for(problem);
        self.impulse.resize(problem.num_rows(), 0.0);
        self.residual = f64::INFINITY;
        self.holds = false;
        self.history.clear();
        self.keep_history = goal.keep_history;
        self.measure = goal.measure;
        self.tolerance = goal.tolerance;
        self.r2_target = goal.tolerance;
    }

    /// Evaluates an iterate and keeps it if it is the best so far; returns its residual (infinite if it is not a
    /// number, so that a diverged iterate is never kept).
    pub fn offer(&mut self, problem: &Problem, impulse: &[f64], iteration: usize) -> f64 {
        let residual = self.evaluator.residual(problem, impulse, self.measure);
        // NaN counts as infinitely bad.
        let residual = if residual.is_finite() {
            residual
        } else {
            f64::INFINITY
        };
        // Keep the best iterate.
        if residual < self.residual {
            self.residual = residual;
            self.hold(impulse);
        }
        // Record it.
        if self.keep_history {
            self.history.push((iteration, residual));
        }
        residual
    }

    /// u = W r + b of the iterate offered last.
    pub fn velocity(&self) -> &[f64] {
        self.evaluator.velocity()
    }

    pub fn residual(&self) -> f64 {
        self.residual
    }

    pub fn reached(&self) -> bool {
        self.residual <= self.tolerance
    }

    /// Whether the best residual is within this fraction of the tolerance.
    pub fn within_fraction(&self, share: f64) -> bool {
        self.residual <= share * self.tolerance
    }

    /// Offers an iterate whose R2 the method has computed itself. R2 and RV fall roughly in proportion, which predicts
    /// the R2 at which RV reaches its tolerance.
    pub fn offer_with_r2(&mut self, problem: &Problem, impulse: &[f64], iteration: usize, r2: f64) {
        let residual = self.offer(problem, impulse, iteration);
        if self.measure == ResidualMeasure::Velocity && residual > 0.0 {
            // Predict R2 at the tolerance from the present ratio of R2 and RV.
            let ratio = (SPARE * self.tolerance / residual).max(LEAST_TARGET);
            // After an iterate that misses the tolerance, wait until R2 has fallen.
            let most = if self.reached() { f64::INFINITY } else { SPARE };
            self.r2_target = r2 * ratio.min(most);
        }
    }

    /// R2 below which an iterate is worth an evaluation by `offer_with_r2`.
    pub fn r2_target(&self) -> f64 {
        match self.measure {
            ResidualMeasure::Velocity => self.r2_target,
            ResidualMeasure::Dimensionless => self.tolerance,
            // R1 cannot be predicted from R2: every iterate is offered.
            ResidualMeasure::Fclib => f64::INFINITY,
        }
    }

    pub fn keeps_history(&self) -> bool {
        self.keep_history
    }

    /// Writes the best iterate to `impulse` and returns the report; `otherwise` is the outcome where the tolerance was
    /// not reached.
    pub fn finish(
        &mut self,
        method: &'static str,
        iterations: usize,
        otherwise: Outcome,
        impulse: &mut [f64],
    ) -> Report {
        // Without `holds` the first iterate, still in the caller's buffer, is the best one.
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
