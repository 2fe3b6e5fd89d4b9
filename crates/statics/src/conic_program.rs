//! Conic programs and the checks of their solutions.
//!
//! ```text
//! min ½ xᵀ D x + q·x      E x = b,   F x + c ∈ C
//! ```
//!
//! Solved by an interior-point method (the crate `clarabel`). Its figures are not trusted:
//! the balance E x − b and the cone violation are recomputed here, and so is the bound from the dual.
//! For any z ∈ C and any y, every admissible x satisfies
//!
//! ```text
//! q·x ≥ −y·b − z·c + ρ·x,      ρ = q + Eᵀ y − Fᵀ z
//! ```
//!
//! so that a bound of |x| turns the solver's dual residual ρ into a proven lower bound of the objective.

use std::ops::Range;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};

use crate::error::StaticsError;
use crate::impulse_domain::{ConeKind, ImpulseDomain};

/// Tolerance given to the solver; the accuracy reached is measured afterwards.
const AIM: f64 = 1e-11;

/// Largest relative error of the point of a solver that stopped short of its tolerance. It reaches 1e-8 where the
/// admissible set has no interior; an iterate that is no solution has an error of the order 1.
const SHORT: f64 = 1e-4;

/// One row of F: entries by column, and c.
type SparseForm = (Vec<(usize, f64)>, f64);

/// A conic program in sparse form.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConicProgram {
    /// Number of unknowns.
    pub columns: usize,
    /// Row, column, value of E.
    pub equal: Vec<(usize, usize, f64)>,
    /// Right-hand side of the equations.
    pub b: Vec<f64>,
    /// Forms ≥ 0.
    pub positive: Vec<SparseForm>,
    /// Second-order cones.
    pub discs: Vec<Vec<SparseForm>>,
    /// D, by column; empty for a linear objective.
    pub square: Vec<f64>,
}

/// A bound of all admissible x.
#[derive(Debug, Clone, Default)]
pub(crate) struct SolutionBound {
    /// Columns of a contact and a bound of ‖x‖ over its S_n.
    pub groups: Vec<(Range<usize>, f64)>,
    /// A bound of Σ S_n.
    pub total: f64,
    /// Columns that S_n does not bound, and a bound of their ‖x‖.
    pub free: Vec<(Range<usize>, f64)>,
}

impl SolutionBound {
    /// The bound for some columns, with the domains they belong to.
    pub fn new<'a>(
        columns: &[Range<usize>],
        domains: impl Iterator<Item = &'a ImpulseDomain>,
        total: f64,
    ) -> Self {
        let mut reach = Self {
            total,
            ..Self::default()
        };
        // Domains without a bound by S_n get the total as bound.
        for (columns, domain) in columns.iter().zip(domains) {
            match domain.reach.is_finite() {
                true => reach.groups.push((columns.clone(), domain.reach)),
                false => reach.free.push((columns.clone(), total)),
            }
        }
        reach
    }
}

/// Outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolveStatus {
    /// A solution; its accuracy is measured by the caller.
    Solved,
    /// Primal infeasible; y and z are the certificate.
    Infeasible,
    /// Unbounded below; x is the ray.
    Unbounded,
}

/// A solution or certificate.
#[derive(Debug, Clone)]
pub(crate) struct ConicSolution {
    /// Outcome.
    pub end: SolveStatus,
    pub x: Vec<f64>,
    /// Multipliers of the equations.
    pub y: Vec<f64>,
    /// Multipliers of the cones: the nonnegative forms, then the second-order cones; projected onto C.
    pub z: Vec<f64>,
}

impl ConicProgram {
    /// Appends the columns and cones of a domain; returns its first column.
    pub fn domain(&mut self, domain: &ImpulseDomain) -> usize {
        let first = self.columns;
        self.columns += domain.unknowns;
        // Forms of the domain in the program's columns.
        for block in &domain.blocks {
            let lines = block.forms.iter().map(|form| {
                let entries = form.a.iter().enumerate().filter(|(_, a)| **a != 0.0);
                let entries = entries.map(|(k, a)| (first + k, *a)).collect();
                (entries, form.c)
            });
            match block.kind {
                ConeKind::NonNegative => self.positive.extend(lines),
                ConeKind::SecondOrder => self.discs.push(lines.collect()),
            }
        }
        first
    }

    /// All forms, the nonnegative ones first.
    fn lines(&self) -> impl Iterator<Item = &SparseForm> {
        self.positive.iter().chain(self.discs.iter().flatten())
    }

    /// The program in the solver's format: A x + s = b, s in a product of cones.
    fn matrix(&self) -> (CscMatrix<f64>, Vec<f64>, Vec<SupportedConeT<f64>>) {
        let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.columns];
        for &(row, column, value) in &self.equal {
            columns[column].push((row, value));
        }
        // Equations first, then the forms as −F x + s = c.
        let (equations, mut right) = (self.b.len(), self.b.clone());
        for (row, (entries, c)) in self.lines().enumerate() {
            for &(column, value) in entries {
                columns[column].push((equations + row, -value));
            }
            right.push(*c);
        }
        // Compressed columns.
        let (mut start, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in &mut columns {
            column.sort_by_key(|(row, _)| *row);
            for (row, value) in column.iter() {
                rows.push(*row);
                values.push(*value);
            }
            start.push(rows.len());
        }
        // Cones in the order of the rows.
        let mut cones = Vec::new();
        if equations > 0 {
            cones.push(SupportedConeT::ZeroConeT(equations));
        }
        if !self.positive.is_empty() {
            cones.push(SupportedConeT::NonnegativeConeT(self.positive.len()));
        }
        let discs = self.discs.iter();
        cones.extend(discs.map(|disc| SupportedConeT::SecondOrderConeT(disc.len())));
        let matrix = CscMatrix::new(right.len(), self.columns, start, rows, values);
        (matrix, right, cones)
    }

    /// A solver that can be used for one objective after the other.
    pub fn session(
        &self,
        q: &[f64],
        during: &'static str,
    ) -> Result<ConicSolver<'_>, StaticsError> {
        let (matrix, right, cones) = self.matrix();
        // Diagonal Hessian; zero for a linear objective.
        let square = match self.square.is_empty() {
            true => CscMatrix::zeros((self.columns, self.columns)),
            false => {
                let start = (0..=self.columns).collect();
                let rows = (0..self.columns).collect();
                CscMatrix::new(self.columns, self.columns, start, rows, self.square.clone())
            }
        };
        let failed = |status: String| StaticsError::Solver { status, during };
        let settings = settings().map_err(failed)?;
        let solver = DefaultSolver::new(&square, q, &matrix, &right, &cones, settings);
        Ok(ConicSolver {
            program: self,
            solver: solver.map_err(|error| failed(error.to_string()))?,
            q: q.to_vec(),
            during,
        })
    }

    /// Solves once.
    pub fn solve(&self, q: &[f64], during: &'static str) -> Result<ConicSolution, StaticsError> {
        self.session(q, during)?.run()
    }

    /// The largest entry of |E x − b|.
    pub fn balance_residual(&self, x: &[f64]) -> f64 {
        let mut left: Vec<f64> = self.b.iter().map(|b| -b).collect();
        for &(row, column, value) in &self.equal {
            left[row] += value * x[column];
        }
        left.iter().fold(0.0, |worst, v| worst.max(v.abs()))
    }

    /// Violation of F x + c ∈ C.
    pub fn cone_violation(&self, x: &[f64]) -> f64 {
        let value =
            |(entries, c): &SparseForm| c + entries.iter().map(|(k, a)| a * x[*k]).sum::<f64>();
        let flat = self.positive.iter().map(|line| -value(line));
        let round = self.discs.iter().map(|disc| {
            let mut values = disc.iter().map(value);
            let head = values.next().unwrap_or(0.0);
            values.map(|v| v * v).sum::<f64>().sqrt() - head
        });
        flat.chain(round).fold(0.0, f64::max)
    }

    /// Largest of the relative errors of balance, cones, stationarity and duality gap, recomputed.
    fn optimality_error(&self, q: &[f64], answer: &ConicSolution) -> f64 {
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let x = &answer.x;
        // D x, for a quadratic objective.
        let curved: Vec<f64> = match self.square.is_empty() {
            true => vec![0.0; x.len()],
            false => self.square.iter().zip(x).map(|(d, x)| d * x).collect(),
        };
        let rest = self.dual_residual(q, &answer.y, &answer.z);
        let stationary: Vec<f64> = rest.iter().zip(&curved).map(|(r, c)| r + c).collect();
        // ½ xᵀDx + q·x against −½ xᵀDx − y·b − z·c.
        let quadratic = 0.5 * x.iter().zip(&curved).map(|(x, c)| x * c).sum::<f64>();
        let primal = quadratic + q.iter().zip(x).map(|(q, x)| q * x).sum::<f64>();
        let balance: f64 = self.b.iter().zip(&answer.y).map(|(b, y)| b * y).sum();
        let fixed: f64 = self.lines().zip(&answer.z).map(|((_, c), z)| c * z).sum();
        let gap = primal + quadratic + balance + fixed;
        let feasible = self.balance_residual(x).max(self.cone_violation(x)) / largest(x).max(1.0);
        let slope = largest(&stationary) / largest(q).max(largest(&curved)).max(1.0);
        feasible.max(slope).max(gap.abs() / primal.abs().max(1.0))
    }

    /// Dual residual ρ = q + Eᵀ y − Fᵀ z.
    pub fn dual_residual(&self, q: &[f64], y: &[f64], z: &[f64]) -> Vec<f64> {
        let mut rest = q.to_vec();
        for &(row, column, value) in &self.equal {
            rest[column] += value * y[row];
        }
        for ((entries, _), z) in self.lines().zip(z) {
            for &(column, value) in entries {
                rest[column] -= value * z;
            }
        }
        rest
    }

    /// A lower bound of q·x for x within `reach`: Σ ρ_α·x_α is at most the largest
    /// |ρ_α| times the slope of its group, times the sum of the S_n.
    pub fn bound(&self, q: &[f64], answer: &ConicSolution, reach: &SolutionBound) -> f64 {
        let rest = self.dual_residual(q, &answer.y, &answer.z);
        let norm = |columns: &Range<usize>| {
            let own = &rest[columns.clone()];
            own.iter().map(|rest| rest * rest).sum::<f64>().sqrt()
        };
        // Largest contribution of ρ·x within the bounds of x.
        let groups = reach.groups.iter();
        let steepest = groups.map(|(columns, slope)| norm(columns) * slope);
        let lost = steepest.fold(0.0, f64::max) * reach.total;
        let free: f64 = reach
            .free
            .iter()
            .map(|(columns, most)| norm(columns) * most)
            .sum();
        // Dual objective.
        let balance: f64 = self.b.iter().zip(&answer.y).map(|(b, y)| b * y).sum();
        let fixed: f64 = self.lines().zip(&answer.z).map(|((_, c), z)| c * z).sum();
        -balance - fixed - lost - free
    }

    /// Projects z onto C, which is self-dual.
    fn project_dual(&self, z: &mut [f64]) {
        let (flat, mut round) = z.split_at_mut(self.positive.len().min(z.len()));
        flat.iter_mut().for_each(|z| *z = z.max(0.0));
        for disc in &self.discs {
            let (own, others) = round.split_at_mut(disc.len().min(round.len()));
            if let Some((head, tail)) = own.split_first_mut() {
                let norm = tail.iter().map(|v| v * v).sum::<f64>().sqrt();
                // Slightly more than the norm: the square root is rounded.
                *head = head.max(norm * (1.0 + 4.0 * f64::EPSILON));
            }
            round = others;
        }
    }
}

/// Settings of the interior-point solver.
fn settings() -> Result<DefaultSettings<f64>, String> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(200)
        .max_threads(1)
        .tol_gap_abs(AIM)
        .tol_gap_rel(AIM)
        .tol_feas(AIM)
        .tol_infeas_abs(1e-10)
        .tol_infeas_rel(1e-10)
        .presolve_enable(false)
        .input_sparse_dropzeros(false)
        .build()
        .map_err(|error| error.to_string())
}

/// A solver with its set-up.
pub(crate) struct ConicSolver<'a> {
    program: &'a ConicProgram,
    solver: DefaultSolver<f64>,
    /// The present objective.
    q: Vec<f64>,
    during: &'static str,
}

impl ConicSolver<'_> {
    /// Solves with another objective.
    pub fn objective(&mut self, q: &[f64]) -> Result<ConicSolution, StaticsError> {
        let updated = self.solver.update_q(&q.to_vec());
        updated.map_err(|error| StaticsError::Solver {
            status: error.to_string(),
            during: self.during,
        })?;
        self.q.copy_from_slice(q);
        self.run()
    }

    /// Solves the current objective.
    ///
    /// # Errors
    /// A solver that stopped without a solution.
    pub fn run(&mut self) -> Result<ConicSolution, StaticsError> {
        self.solver.solve();
        let solution = &self.solver.solution;
        let (end, short) = match solution.status {
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                (SolveStatus::Infeasible, false)
            }
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
                (SolveStatus::Unbounded, false)
            }
            SolverStatus::Solved | SolverStatus::AlmostSolved => (SolveStatus::Solved, false),
            // No more progress, iterations used up, a factorisation that failed: the last point may still be a
            // solution to less than the tolerance.
            _ => (SolveStatus::Solved, true),
        };
        // Split the multipliers into equations and cones.
        let equations = self.program.b.len();
        let mut z = solution.z[equations..].to_vec();
        self.program.project_dual(&mut z);
        let answer = ConicSolution {
            end,
            x: solution.x.clone(),
            y: solution.z[..equations].to_vec(),
            z,
        };
        let finite = |v: &f64| v.is_finite();
        let mut all = answer.x.iter().chain(&answer.y).chain(&answer.z);
        let sound =
            all.all(finite) && (!short || self.program.optimality_error(&self.q, &answer) <= SHORT);
        match sound {
            true => Ok(answer),
            false => Err(StaticsError::Solver {
                status: format!("{:?}", solution.status),
                during: self.during,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// max x with x ≤ 3, x + y = 5, ‖(x, y)‖ ≤ 4.
    fn program() -> ConicProgram {
        ConicProgram {
            columns: 2,
            equal: vec![(0, 0, 1.0), (0, 1, 1.0)],
            b: vec![5.0],
            positive: vec![(vec![(0, -1.0)], 3.0)],
            discs: vec![vec![
                (Vec::new(), 4.0),
                (vec![(0, 1.0)], 0.0),
                (vec![(1, 1.0)], 0.0),
            ]],
            square: Vec::new(),
        }
    }

    /// Every status but those of infeasibility was taken for a solution: the point of a solver that has used up its
    /// iterations was returned as one.
    #[test]
    fn an_iterate_that_is_no_solution_is_an_error() {
        let (program, q) = (program(), [-1.0, 0.0]);
        let solved = program.solve(&q, "testing").unwrap();
        assert_eq!(solved.end, SolveStatus::Solved);
        // The solver's tolerance is 1e-11.
        assert!((solved.x[0] - 3.0).abs() < 1e-9, "{:?}", solved.x);
        for iterations in [0, 1, 2] {
            let mut session = program.session(&q, "testing").unwrap();
            let short = DefaultSettings {
                max_iter: iterations,
                ..settings().unwrap()
            };
            session.solver.update_settings(short).unwrap();
            let refused = session.run().unwrap_err();
            assert!(refused.to_string().contains("MaxIterations"), "{refused}");
        }
    }

    /// A solver that stopped just short of its tolerance still has a solution.
    #[test]
    fn a_point_near_the_solution_counts_whatever_the_solver_says() {
        let (program, q) = (program(), [-1.0, 0.0]);
        let mut found = None;
        for iterations in 1..30 {
            let mut session = program.session(&q, "testing").unwrap();
            let short = DefaultSettings {
                max_iter: iterations,
                ..settings().unwrap()
            };
            session.solver.update_settings(short).unwrap();
            if let Ok(answer) = session.run() {
                found = Some((session.solver.solution.status, answer.x[0]));
                break;
            }
        }
        let (status, x) = found.unwrap();
        assert_eq!(status, SolverStatus::MaxIterations);
        assert!((x - 3.0).abs() < 10.0 * SHORT, "{x}");
    }
}
