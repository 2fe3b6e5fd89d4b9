//! Islands: connected components of the contact graph are solved by themselves where the sweeps leave them.
//!
//! ```text
//! sweeps over all contacts → islands that are above the tolerance, each by the cascade, in parallel
//! ```
//!
//! W is block diagonal over the islands and RV is a maximum over them, so that a part that is solved needs nothing more,
//! however hard the others are. Each island starts from the impulses after the sweeps. Islands do not see each other:
//! the result is the same for any number of threads.

use percuss_contact::{Islands, Problem, ResidualEvaluator, ResidualMeasure};
use rayon::prelude::*;

use super::limits::is_planar;
use super::newton_first::FEW;
use super::{AutoParams, Cascade};
use crate::goal::{Goal, Outcome, Report, Solver};

/// The cascade, and copies of it for islands.
#[derive(Debug, Default)]
pub(super) struct ByIslands {
    /// Limits for switching between methods.
    pub params: AutoParams,
    whole: Cascade,
    islands: Islands,
    evaluator: Option<ResidualEvaluator>,
    defects: Vec<f64>,
    parts: Vec<Part>,
}

/// An island that the sweeps have left above the tolerance.
#[derive(Debug, Default)]
struct Part {
    cascade: Cascade,
    contacts: Vec<u32>,
    impulse: Vec<f64>,
    report: Option<Report>,
}

impl Part {
    /// Solves the island from its part of `impulse`.
    fn solve(&mut self, problem: &Problem, impulse: &[f64], params: &AutoParams, goal: &Goal) {
        self.report = None;
        let Some(part) = problem.restricted_to(&self.contacts) else {
            return;
        };
        self.impulse.clear();
        for &a in &self.contacts {
            self.impulse
                .extend_from_slice(&impulse[problem.rows(a as usize)]);
        }
        self.cascade.params = params.clone();
        self.report = Some(self.cascade.solve(&part, &mut self.impulse, goal));
    }

    /// Writes its impulses into those of the whole.
    fn store(&self, problem: &Problem, impulse: &mut [f64]) {
        let mut own = self.impulse.as_slice();
        for &a in &self.contacts {
            let rows = problem.rows(a as usize);
            let (these, rest) = own.split_at(rows.len());
            impulse[rows].copy_from_slice(these);
            own = rest;
        }
    }
}

impl ByIslands {
    /// Islands above `bound`, into `parts`; returns how many there are.
    fn select(&mut self, problem: &Problem, impulse: &[f64], count: usize, bound: f64) -> usize {
        let evaluator = self
            .evaluator
            .get_or_insert_with(|| ResidualEvaluator::new(problem));
        evaluator.resize_for(problem);
        evaluator.velocity_defects(problem, impulse, &mut self.defects);
        let mut left = 0;
        for island in 0..count {
            let contacts = self.islands.contacts(island);
            let worst = |m: f64, a: &u32| m.max(self.defects[*a as usize]);
            if contacts.iter().fold(0.0, worst) <= bound {
                continue;
            }
            if left == self.parts.len() {
                self.parts.push(Part::default());
            }
            let part = &mut self.parts[left];
            part.contacts.clear();
            part.contacts.extend_from_slice(contacts);
            left += 1;
        }
        left
    }
}

impl Solver for ByIslands {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        self.whole.params = self.params.clone();
        // Few contacts, one island, bodies of the plane, or too many contacts for a factorisation: the cascade on the whole.
        let n = problem.num_contacts();
        let splits = n > FEW
            && n <= self.params.direct_limit
            && !is_planar(problem)
            && goal.measure == ResidualMeasure::Velocity
            && !goal.keep_history;
        let count = if splits {
            self.islands.find(problem)
        } else {
            1
        };
        if count <= 1 {
            return self.whole.solve(problem, impulse, goal);
        }
        // Sweeps over all contacts.
        let (mut total, bound) = self.whole.opening_sweeps(problem, impulse, goal);
        if total.residual <= bound {
            return total;
        }
        // The islands that are left, each by itself.
        let left = self.select(problem, impulse, count, bound);
        let inner = goal.left_after(total.iterations);
        if inner.max_iterations == Some(0) {
            return total;
        }
        let (start, params) = (&*impulse, &self.params);
        let parts = &mut self.parts[..left];
        if rayon::current_num_threads() > 1 {
            parts
                .par_iter_mut()
                .for_each(|part| part.solve(problem, start, params, &inner));
        } else {
            parts
                .iter_mut()
                .for_each(|part| part.solve(problem, start, params, &inner));
        }
        // Results, in the order of the islands.
        for part in parts {
            let Some(report) = part.report.take() else {
                continue;
            };
            part.store(problem, impulse);
            total.join(report);
        }
        if let Some(evaluator) = &mut self.evaluator {
            total.residual = evaluator.residual(problem, impulse, goal.measure);
        }
        if total.residual <= goal.tolerance {
            total.outcome = Outcome::Reached;
        }
        total
    }
}
