//! Nonlinear Gauss–Seidel on a dense Delassus matrix, for small problems such as a step of a mechanism.
//!
//! ```text
//! one contact:   law(b + H r, r), one exact local solve
//! a few:         Gauss–Seidel sweeps of exact local solves on the dense W = Ĝ Ĝᵀ      (M88 §15, JM92 7.4)
//! otherwise:     the automatic solver, from the best iterate of the sweeps
//! ```
//!
//! Sweeps continue below the tolerance while they converge: they are cheap here, and impacts then conserve energy to
//! rounding. Every iterate is evaluated by [`percuss_contact::ResidualEvaluator`]; nothing else counts as solved.
//! Limits: W is dense, so that a problem of more than [`DenseNlgsParams::rows`] rows, or one given by a stored matrix,
//! goes to the automatic solver at once.

use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};
use percuss_linalg::dense::dot;

use crate::auto::Auto;
use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};

/// Parameters of [`DenseNlgs`].
#[derive(Debug, Clone, PartialEq)]
pub struct DenseNlgsParams {
    /// Largest number of rows for which W is formed. Above some hundred a sweep over the dense matrix costs more than
    /// one over the factored operator.
    pub rows: usize,
    /// Residual that the sweeps aim at where it is below the tolerance: the level of rounding.
    pub aim: f64,
    /// Largest number of sweeps.
    pub sweeps: usize,
    /// Largest number of sweeps without halving the residual.
    pub patience: usize,
}

impl Default for DenseNlgsParams {
    fn default() -> Self {
        Self {
            rows: 96,
            aim: 1e-15,
            sweeps: 300,
            patience: 8,
        }
    }
}

/// Dense nonlinear Gauss–Seidel; see the module.
#[derive(Debug, Default)]
pub struct DenseNlgs {
    /// Size limit, residual to aim at, and patience.
    pub params: DenseNlgsParams,
    auto: Auto,
    best: Option<BestIterate>,
    /// W, row-major.
    matrix: Vec<f64>,
    /// A column of Ĝᵀ, and the velocity of a contact without its own impulse.
    scratch: Vec<f64>,
}

impl Solver for DenseNlgs {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        // Large or stored problems go to the automatic solver.
        let kinetic = match problem.operator() {
            DelassusOperator::Factored(kinetic) if problem.num_rows() <= self.params.rows => {
                kinetic
            }
            _ => return self.auto.solve(problem, impulse, goal),
        };
        let mut best = BestIterate::reuse_empty(self.best.take(), problem, goal);
        let sweeps = if problem.num_contacts() == 1 {
            // One contact: the exact local solve is the solution.
            let r = &mut *impulse;
            problem
                .law(0)
                .solve_local(problem.diagonal_block(0), problem.free_velocity(), r);
            best.offer(problem, impulse, 1);
            1
        } else {
            self.form(problem, kinetic);
            self.sweep(problem, impulse, goal, &mut best)
        };
        let report = best.finish("dense", sweeps, Outcome::Stalled, impulse);
        self.best = Some(best);
        // Converged, or no iterations left for the automatic solver.
        if report.reached() || goal.max_iterations.is_some_and(|n| n <= sweeps) {
            return report;
        }
        self.hand_on(problem, impulse, goal, report)
    }
}

impl DenseNlgs {
    /// Sweeps while they halve the residual; returns their number.
    fn sweep(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        best: &mut BestIterate,
    ) -> usize {
        // Limit of the sweeps, and the residual that has to be halved.
        let most = goal.max_iterations.unwrap_or(usize::MAX);
        let most = most.min(self.params.sweeps);
        let mut mark = best.offer(problem, impulse, 0);
        let (mut residual, mut sweeps, mut since) = (mark, 0, 0);
        while residual > self.params.aim && since < self.params.patience && sweeps < most {
            // One sweep over the contacts.
            for a in 0..problem.num_contacts() {
                self.visit(problem, a, impulse);
            }
            (sweeps, since) = (sweeps + 1, since + 1);
            // Evaluate; progress restarts the patience.
            residual = best.offer(problem, impulse, sweeps);
            if residual <= 0.5 * mark {
                (mark, since) = (residual, 0);
            }
        }
        sweeps
    }

    /// Forms W column by column: Ĝ (Ĝᵀ e).
    fn form(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        let d = problem.num_rows();
        self.matrix.clear();
        self.matrix.resize(d * d, 0.0);
        let mut unit = [0.0; 8];
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            for (i, column) in rows.clone().enumerate() {
                // Ĝᵀ e for one row of contact a.
                self.scratch.clear();
                self.scratch.resize(kinetic.num_coordinates(), 0.0);
                if rows.len() <= unit.len() {
                    unit[i] = 1.0;
                    kinetic.scatter(a, &unit[..rows.len()], &mut self.scratch);
                    unit[i] = 0.0;
                } else {
                    let mut unit = vec![0.0; rows.len()];
                    unit[i] = 1.0;
                    kinetic.scatter(a, &unit, &mut self.scratch);
                }
                // W is symmetric: the column is stored as a row.
                let line = &mut self.matrix[column * d..(column + 1) * d];
                for b in 0..problem.num_contacts() {
                    kinetic.add_gather(b, &self.scratch, &mut line[problem.rows(b)]);
                }
            }
        }
    }

    /// Exact local solve of contact `a` with all other impulses fixed.
    fn visit(&mut self, problem: &Problem, a: usize, impulse: &mut [f64]) {
        let (rows, d) = (problem.rows(a), problem.num_rows());
        self.scratch.clear();
        // Velocity of the contact by all other impulses.
        for row in rows.clone() {
            let line = &self.matrix[row * d..(row + 1) * d];
            let others = dot(&line[..rows.start], &impulse[..rows.start])
                + dot(&line[rows.end..], &impulse[rows.end..]);
            self.scratch.push(problem.free_velocity()[row] + others);
        }
        // Solve the law with H and this velocity.
        let block = problem.diagonal_block(a);
        problem
            .law(a)
            .solve_local(block, &self.scratch, &mut impulse[rows]);
    }

    /// Continues with the automatic solver from the best iterate; returns the better of the two results.
    fn hand_on(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        mut report: Report,
    ) -> Report {
        let start = impulse.to_vec();
        let inner = Goal {
            max_iterations: goal.max_iterations.map(|n| n - report.iterations.min(n)),
            ..goal.clone()
        };
        // Keep the better of the two impulses.
        let further = self.auto.solve(problem, impulse, &inner);
        if report.residual <= further.residual {
            impulse.copy_from_slice(&start);
        }
        let done = report.iterations;
        // Join the two reports.
        let later = further.history.iter().map(|(i, r)| (i + done, *r));
        report.history.extend(later);
        report.path.extend(further.path);
        Report {
            outcome: further.outcome,
            residual: report.residual.min(further.residual),
            iterations: done + further.iterations,
            path: report.path,
            history: report.history,
            infeasibility: further.infeasibility,
        }
    }
}
