//! Solution of (★) in kinetic coordinates by dense nonlinear Gauss–Seidel ([`percuss_solve::DenseNlgs`], with `percuss_solve::Auto`
//! behind it). Convergence is decided by the residual RV of `contact`.

use percuss_contact::{
    FactoredDelassus, Problem, ProblemError, ResidualEvaluator, ResidualMeasure,
};
use percuss_convex::dense;
use percuss_solve::{Goal, Outcome, Solver, elimination};

use super::{SolveSummary, StepProblem};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::least_norm;
use crate::system::System;

/// A normal row has no direction when G_n A⁻¹ G_nᵀ is below this share of the largest inverse inertia.
const NO_DIRECTION: f64 = 1e-24;

impl StepProblem {
    /// Solves (★) with the least-energy shift of each row added to its velocity. `v` becomes v_F.
    pub(super) fn solve_with_shift<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        v: &mut [f64],
        tolerance: f64,
    ) -> Result<SolveSummary, MechanismError> {
        v.copy_from_slice(free);
        if self.active.is_empty() {
            return Ok(SolveSummary {
                residual: 0.0,
                iterations: 0,
                converged: true,
                infeasible: [None; 2],
            });
        }
        let problem = self.shifted_problem(system, t, inertia, free)?;
        // Warm start: `impulse` holds the last solution.
        let goal = Goal::with_tolerance(tolerance);
        let report = self.solver.solve(&problem, &mut self.impulse, &goal);
        // Bilateral constraints that contradict each other are an error with names.
        if report.outcome == Outcome::Unsuitable
            && let Err(elimination::BilateralError::Contradiction { contacts, velocity }) =
                elimination::eliminate(&problem)
        {
            return Err(self.contradiction(system, t, &contacts, velocity));
        }
        self.problem = Some(problem);
        self.apply_impulses(inertia, v);
        // Farkas certificate in terms of constraints.
        let excluded = |k: usize| {
            let contact = report.infeasibility.as_ref()?.contacts.get(k)?;
            self.active
                .get(*contact)
                .map(|constraint| *constraint as u32)
        };
        Ok(SolveSummary {
            residual: report.residual,
            iterations: report.iterations,
            converged: report.reached(),
            infeasible: [excluded(0), excluded(1)],
        })
    }

    /// RV of the impulses that are held, with the least-energy shift of each row added to its velocity. `v` becomes v_F.
    pub(super) fn evaluate_with_shift<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        v: &mut [f64],
    ) -> Result<f64, MechanismError> {
        v.copy_from_slice(free);
        let problem = self.shifted_problem(system, t, inertia, free)?;
        let mut evaluator = ResidualEvaluator::new(&problem);
        let residual = evaluator.residual(&problem, &self.impulse, ResidualMeasure::Velocity);
        self.problem = Some(problem);
        self.apply_impulses(inertia, v);
        Ok(residual)
    }

    /// Ĝ, free velocities, and the problem in the memory of the last one.
    fn shifted_problem<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
    ) -> Result<Problem, MechanismError> {
        self.prepare(system, t, inertia, free)?;
        self.build_problem(inertia, free)
            .map_err(|e| self.problem_error(system, t, &e))
    }

    /// RV of the last solution under the laws as they are now; 0 where nothing was solved.
    pub(crate) fn residual_under_present_laws(&mut self) -> f64 {
        let Some(problem) = &mut self.problem else {
            return 0.0;
        };
        for (k, law) in self.law.iter().enumerate() {
            problem.replace_law(k, law.clone());
        }
        let mut evaluator = ResidualEvaluator::new(problem);
        evaluator.residual(problem, &self.impulse, ResidualMeasure::Velocity)
    }

    /// Computes Ĝ and the weighted free velocities, and refuses a contact whose normal row vanishes.
    pub(crate) fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
    ) -> Result<(), MechanismError> {
        let n = self.n;
        self.kinetic_jacobian.clear();
        self.kinetic_jacobian.extend_from_slice(&self.jacobian);
        self.free.clear();
        self.rebound.clear();
        for row in 0..self.boundary.len() {
            let g = &self.jacobian[row * n..(row + 1) * n];
            let lean = self.least_energy_shift.get(row).copied().unwrap_or(0.0);
            let rebound = self.restitution_weight[row] * self.begin[row] + lean;
            let speed = self.boundary[row] + dense::dot(g, free);
            self.free.push(speed + rebound);
            self.rebound.push(rebound);
            dense::solve_lower(
                &inertia.factor,
                n,
                &mut self.kinetic_jacobian[row * n..(row + 1) * n],
            );
        }
        // Largest inverse inertia, as a scale of Ĝ_n·Ĝ_n.
        let lightest = (0..n).fold(0.0_f64, |m, i| {
            m.max(1.0 / inertia.factor[i * n + i].powi(2))
        });
        for (k, &constraint) in self.active.iter().enumerate() {
            let row = self.offset[k];
            let normal = &self.kinetic_jacobian[row * n..(row + 1) * n];
            let size = dense::dot(normal, normal);
            if self.law[k].normal() && !(size > NO_DIRECTION * lightest) {
                let constraint = system.constraints()[constraint].name.clone();
                return Err(MechanismError::NoDirection { constraint, t });
            }
        }
        Ok(())
    }

    /// Builds the problem in kinetic coordinates, in the memory of the last one.
    fn build_problem(&mut self, inertia: &Inertia, free: &[f64]) -> Result<Problem, ProblemError> {
        let n = self.n;
        let hat = &mut self.coordinates;
        hat.clear();
        // v̂_L = Lᵀ v_L.
        hat.extend((0..n).map(|i| {
            let column = (i..n).map(|j| inertia.factor[j * n + i] * free[j]);
            column.sum::<f64>()
        }));
        let mut builder = match self.problem.take() {
            Some(last) => last.recycle(),
            None => FactoredDelassus::builder(),
        };
        builder.add_kinetic_group(hat, hat)?;
        for k in 0..self.active.len() {
            let rows = self.offset[k]..self.offset[k + 1];
            let block = &self.kinetic_jacobian[rows.start * n..rows.end * n];
            let (boundary, rebound) = (&self.boundary[rows.clone()], &self.rebound[rows]);
            let law = self.law[k].clone();
            builder.add_contact_with_rebound(law, &[(0, block)], boundary, rebound)?;
        }
        builder.build()
    }

    /// Brings all rows to rest by the smallest change of velocity in the kinetic metric. Dependent rows are satisfied
    /// together; contradictory rows are left with the least sum of squares, which the caller has to check.
    pub(crate) fn solve_bilateral(&mut self, inertia: &Inertia, free: &[f64], v: &mut [f64]) {
        let (n, d) = (self.n, self.boundary.len());
        v.copy_from_slice(free);
        self.kinetic_jacobian.clear();
        self.kinetic_jacobian.extend_from_slice(&self.jacobian);
        // Rows of Ĝ scaled to unit length, and right-hand side −U.
        let (mut scale, mut right) = (Vec::with_capacity(d), Vec::with_capacity(d));
        for row in 0..d {
            let hat = &mut self.kinetic_jacobian[row * n..(row + 1) * n];
            dense::solve_lower(&inertia.factor, n, hat);
            let length = dense::dot(hat, hat).sqrt();
            scale.push(if length > 0.0 { 1.0 / length } else { 0.0 });
            let g = &self.jacobian[row * n..(row + 1) * n];
            right.push(-scale[row] * (self.boundary[row] + dense::dot(g, free)));
        }
        // Scaled Delassus matrix Ĝ Ĝᵀ; least-norm solution, since rows may be dependent.
        let mut matrix = vec![0.0; d * d];
        for i in 0..d {
            let a = &self.kinetic_jacobian[i * n..(i + 1) * n];
            for j in 0..=i {
                let b = &self.kinetic_jacobian[j * n..(j + 1) * n];
                let product = scale[i] * scale[j] * dense::dot(a, b);
                matrix[i * d + j] = product;
                matrix[j * d + i] = product;
            }
        }
        let (y, _) = least_norm::solve_least_norm(&matrix, &right);
        for row in 0..d {
            self.impulse[row] = scale[row] * y[row];
        }
        self.apply_impulses(inertia, v);
    }

    /// v ← v + A⁻¹ Gᵀ S, then U_F and Ū.
    fn apply_impulses(&mut self, inertia: &Inertia, v: &mut [f64]) {
        let n = self.n;
        let rows = self.boundary.len();
        let change = &mut self.coordinates;
        change.clear();
        change.resize(n, 0.0);
        for row in 0..rows {
            let hat = &self.kinetic_jacobian[row * n..(row + 1) * n];
            dense::axpy(self.impulse[row], hat, change);
        }
        dense::solve_lower_transposed(&inertia.factor, n, change);
        (0..n).for_each(|i| v[i] += change[i]);
        for row in 0..rows {
            let g = &self.jacobian[row * n..(row + 1) * n];
            self.end[row] = self.boundary[row] + dense::dot(g, v);
        }
        self.weighted_velocity.clear();
        for row in 0..rows {
            self.weighted_velocity
                .push(self.end[row] + self.restitution_weight[row] * self.begin[row]);
        }
    }
}
