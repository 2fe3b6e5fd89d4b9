//! The interface of all solvers: [`Goal`] (tolerance and limits), [`Solver`], [`Report`] and [`Outcome`].
//!
//! Not converging is a result, not an error: every solver returns the best iterate whose residual was evaluated by
//! [`percuss_contact::ResidualEvaluator`], with that residual, and says how it ended.

use percuss_contact::{Problem, ResidualMeasure};
use smallvec::SmallVec;

use crate::infeasibility::InfeasibilityCertificate;

/// Tolerance, residual measure and limits of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// Residual to reach, in `measure`. Usual values for RV: 1e-4 for granular flows, 1e-6 for structures, 1e-8 and
    /// below for reference solutions. Where impulses are a million times those that the lightest body alone would
    /// need, rounding leaves an RV of 1e-10.
    pub tolerance: f64,
    /// Residual that decides about convergence.
    pub measure: ResidualMeasure,
    /// Largest number of iterations; `None` leaves it to the method.
    pub max_iterations: Option<usize>,
    /// Whether the residual of every evaluated iterate is recorded.
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

    /// The same goal with the iterations that remain after `spent`.
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
    /// No velocity satisfies the constraints of the contacts: [`Report::infeasibility`] proves it.
    Infeasible,
}

/// One stage of a solve: a method, its iterations and the residual it reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Name of the method.
    pub method: &'static str,
    /// Iterations it took (sweeps, back-substitutions or factorisations: see the method).
    pub iterations: usize,
    /// Best residual at its end, in the goal's measure.
    pub residual: f64,
}

/// The stages of a solve in order. One or two, the usual case, are stored inline without allocation.
pub type Stages = SmallVec<[Stage; 2]>;

/// Result of a solve; the impulses themselves are in the caller's buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Residual of the returned impulses, in the goal's measure.
    pub residual: f64,
    /// Iterations of all stages.
    pub iterations: usize,
    /// The stages that were run, in order.
    pub path: Stages,
    /// (iteration, residual) of every evaluated iterate, if [`Goal::keep_history`] is set.
    pub history: Vec<(usize, f64)>,
    /// Certificate that there is no solution, where one was found.
    pub infeasibility: Option<Box<InfeasibilityCertificate>>,
}

/// Largest number of stages that [`Report::method`] lists by name.
const SHOWN: usize = 13;

impl Report {
    /// Whether the tolerance was reached.
    pub fn reached(&self) -> bool {
        self.outcome == Outcome::Reached
    }

    /// Names of the stages, joined by arrows. A long list is cut after the first stages, with the number that follow.
    pub fn method(&self) -> String {
        // Long lists are cut.
        let told = self.path.iter().take(SHOWN).map(|s| s.method);
        let mut names: Vec<String> = told.map(String::from).collect();
        if self.path.len() > SHOWN {
            names.push(format!("{} more", self.path.len() - SHOWN));
        }
        names.join("→")
    }

    /// Adds the stages and iterations of a part of the problem; a method that is listed is not listed again.
    pub(crate) fn join(&mut self, part: Self) {
        self.outcome = part.outcome;
        self.iterations += part.iterations;
        for stage in part.path {
            match self.path.iter_mut().find(|s| s.method == stage.method) {
                Some(own) => {
                    own.iterations += stage.iterations;
                    own.residual = own.residual.max(stage.residual);
                }
                None => self.path.push(stage),
            }
        }
    }

    /// Adds the report of a later stage and keeps its impulses `trial` if their residual is smaller.
    pub(crate) fn append(&mut self, stage: Self, impulse: &mut [f64], trial: &[f64]) {
        // A method that did not apply leaves no trace in the report.
        if stage.outcome == Outcome::Unsuitable {
            return;
        }
        if stage.residual < self.residual {
            impulse.copy_from_slice(trial);
            self.residual = stage.residual;
        }
        self.outcome = stage.outcome;
        // Iteration numbers of the stage continue those of the stages before.
        let spent = self.iterations;
        let later = stage.history.iter().map(|(i, r)| (i + spent, *r));
        self.history.extend(later);
        self.iterations += stage.iterations;
        self.path.extend(stage.path);
    }
}

/// A method for the one-step problem u = W r + b with a law at every contact (★).
pub trait Solver: Send {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Solves `problem` with `impulse` as warm start and leaves the best evaluated iterate there.
    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report;
}
