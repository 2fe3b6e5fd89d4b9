//! Certificate of a step: residuals, momentum balance and energy balance (JM92 §6).
//!
//! In kinetic coordinates the balances of a step are
//!
//! ```text
//! momentum:  v̂_F − v̂_L = Σ Ĝ_αᵀ S_α
//! energy:    E_F − E_I = (v̂_L − v̂_I)·½(v̂_F + v̂_I) + Σ_α [ ½ S_α·(U_F,α + U_I,α) − S_α·W_α ]
//! ```
//!
//! The first term of the energy balance is the work of the given forces; each contact's bracket splits into impact
//! dissipation (normal row), frictional dissipation (the other rows) and the work −S·W of a moving boundary. With
//! one common dissipation index, normal and tangential, neither dissipation is ever positive; with mixed indices
//! energy may be gained (Kane–Levinson paradox), which the balance shows.

use crate::delassus::FactoredDelassus;
use crate::problem::{DelassusOperator, Problem};
use crate::residual::{ResidualEvaluator, Residuals};

/// Residuals and balances of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// Residuals and physical violations of the impulses.
    pub residuals: Residuals,
    /// ‖v̂_F − v̂_L − Σ Ĝᵀ S‖ relative to the largest of its terms.
    pub momentum_residual: f64,
    /// Kinetic energy at the beginning of the step.
    pub energy_begin: f64,
    /// Kinetic energy at its end.
    pub energy_end: f64,
    /// Work of the given forces over the step.
    pub force_work: f64,
    /// ½ S_n (U_F + U_I)_n over all contacts, with the rows of bilateral constraints.
    pub impact_work: f64,
    /// ½ S_t · (U_F + U_I)_t over all contacts.
    pub friction_work: f64,
    /// −S · W over all contacts: work of moving boundaries on the system.
    pub boundary_work: f64,
    /// Residual of the energy balance, relative to its largest term.
    pub energy_residual: f64,
}

/// End velocities of a step in kinetic coordinates, and the impulses that produce them.
#[derive(Debug, Clone, Copy)]
pub struct StepVelocities<'a> {
    /// v̂ at the end of the step.
    pub end: &'a [f64],
    /// S by row.
    pub impulse: &'a [f64],
}

impl Certificate {
    /// Certificate of the step that the impulses produce: v̂_F = v̂_L + Σ Ĝᵀ S. `None` for a stored matrix.
    pub fn of_impulses(problem: &Problem, impulse: &[f64]) -> Option<Self> {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return None;
        };
        let mut end = vec![0.0; kinetic.num_coordinates()];
        kinetic.velocity_into(impulse, &mut end);
        Self::of(problem, StepVelocities { end: &end, impulse })
    }

    /// Certificate of a step of a factored problem; `None` for a stored matrix, which has neither momentum nor
    /// energy.
    pub fn of(problem: &Problem, motion: StepVelocities<'_>) -> Option<Self> {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return None;
        };
        let residuals = ResidualEvaluator::new(problem).evaluate(problem, motion.impulse);
        let (begin, free) = (kinetic.begin(), kinetic.free());
        // Work of the given forces, (v̂_L − v̂_I)·½(v̂_F + v̂_I).
        let work_given = (0..free.len())
            .map(|i| (free[i] - begin[i]) * 0.5 * (motion.end[i] + begin[i]))
            .sum::<f64>();
        let mut certificate = Self {
            residuals,
            momentum_residual: momentum(problem, kinetic, motion),
            energy_begin: 0.5 * begin.iter().map(|v| v * v).sum::<f64>(),
            energy_end: 0.5 * motion.end.iter().map(|v| v * v).sum::<f64>(),
            force_work: work_given,
            impact_work: 0.0,
            friction_work: 0.0,
            boundary_work: 0.0,
            energy_residual: 0.0,
        };
        certificate.add_contacts(problem, kinetic, motion);
        certificate.close();
        Some(certificate)
    }

    /// Adds the work of all contacts.
    fn add_contacts(
        &mut self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        motion: StepVelocities<'_>,
    ) {
        let mut before = Vec::new();
        let mut after = Vec::new();
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            let given = rows.clone().map(|row| kinetic.boundary(row));
            // U_I and U_F of the contact, both with the boundary velocity W.
            before.clear();
            before.extend(given.clone());
            kinetic.add_gather(a, kinetic.begin(), &mut before);
            after.clear();
            after.extend(given);
            kinetic.add_gather(a, motion.end, &mut after);
            let bilateral = !problem.law(a).normal();
            // ½ S·(U_F + U_I): the normal row and bilateral rows are impact, the others friction.
            for (i, row) in rows.enumerate() {
                let s = motion.impulse[row];
                let work = 0.5 * s * (before[i] + after[i]);
                if i == 0 || bilateral {
                    self.impact_work += work;
                } else {
                    self.friction_work += work;
                }
                self.boundary_work -= s * kinetic.boundary(row);
            }
        }
    }

    /// Computes the energy residual from its terms.
    fn close(&mut self) {
        let terms = [
            self.energy_end,
            -self.energy_begin,
            -self.force_work,
            -self.impact_work,
            -self.friction_work,
            -self.boundary_work,
        ];
        let scale = terms.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
        let left = terms.iter().sum::<f64>().abs();
        self.energy_residual = if scale > 0.0 { left / scale } else { left };
    }
}

/// Relative residual of the momentum balance.
fn momentum(problem: &Problem, kinetic: &FactoredDelassus, motion: StepVelocities<'_>) -> f64 {
    let mut predicted = vec![0.0; kinetic.num_coordinates()];
    kinetic.velocity_into(motion.impulse, &mut predicted);
    let (mut left, mut scale) = (0.0, 0.0_f64);
    for i in 0..predicted.len() {
        left += (motion.end[i] - predicted[i]).powi(2);
    }
    for v in [motion.end, kinetic.free(), &predicted] {
        scale = scale.max(v.iter().map(|x| x * x).sum::<f64>());
    }
    debug_assert_eq!(motion.impulse.len(), problem.num_rows());
    if scale > 0.0 {
        (left / scale).sqrt()
    } else {
        left.sqrt()
    }
}
