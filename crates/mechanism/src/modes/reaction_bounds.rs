//! Thresholds that see reactions in the event-driven integrator (Problem VI, B02 §6).
//!
//! ```text
//! G_s A⁻¹ G_sᵀ r = −(G_s A⁻¹ K + Ġ_s v + Ẇ_s),     κ_i(q, v, t; r),     G_s the rows of joints and velocity constraints
//! ```
//!
//! The proof of B02 theorem 30: where every other row is orthogonal to those of the joints in the kinetic metric, the
//! reactions of the joints are a function of the state and Problem VI is a Problem V. Other rows are refused: friction
//! then changes the reactions that bound it, which is a problem for the time-stepping integrators.

use percuss_convex::dense;

use super::evaluated_state::{EvaluatedState, no_switching_rule};
use super::least_norm_combination;
use crate::error::MechanismError;
use crate::modes::contact_mode::{ConstraintStructure, norm};
use crate::system::{ConstraintKind, StateRef, System};
use percuss_contact::law::Status;

/// Rows are orthogonal in the kinetic metric when their cosine is below this: rows are known to rounding.
const ORTHOGONAL: f64 = 1e-9;

impl EvaluatedState {
    /// Sets the force sets that see reactions by the reactions of the joints at this state.
    pub(super) fn set_reaction_bounds<S: System>(
        &mut self,
        system: &mut S,
        at: StateRef<'_>,
    ) -> Result<(), MechanismError> {
        let sees = |c: usize| !system.seen_reactions(c).is_empty();
        if !self.locals.iter().any(|local| sees(local.constraint)) {
            return Ok(());
        }
        let forces = self.joint_reactions(system, at)?;
        for k in 0..self.locals.len() {
            let (constraint, rows) = (self.locals[k].constraint, self.locals[k].rows());
            if system.seen_reactions(constraint).is_empty() {
                continue;
            }
            let law = system.law_under_reactions(constraint, at, 1.0, Status::Slip, &forces)?;
            let structure = ConstraintStructure::new(&law, &law, rows);
            self.locals[k].structure =
                structure.ok_or_else(|| no_switching_rule(system, at, constraint))?;
        }
        Ok(())
    }

    /// Forces of all rows of all constraints: those of the joints, 0 for all others.
    fn joint_reactions<S: System>(
        &self,
        system: &S,
        at: StateRef<'_>,
    ) -> Result<Vec<f64>, MechanismError> {
        let bilateral = |kind| matches!(kind, ConstraintKind::Joint | ConstraintKind::Nonholonomic);
        let joint = |k: usize| bilateral(self.locals[k].kind);
        // Reactions of contacts, and of joints with friction, depend on contact modes.
        for local in &self.locals {
            let constraints = system.constraints();
            let other = |c: &&usize| !bilateral(constraints[**c].kind);
            if let Some(seen) = system.seen_reactions(local.constraint).iter().find(other) {
                return Err(MechanismError::EventDriven {
                    t: at.t,
                    reason: format!(
                        "the threshold of `{}` sees the reaction of `{}`, which depends on contact modes; \
                         it knows thresholds that see joints without friction; use a time-stepping integrator",
                        constraints[local.constraint].name, constraints[*seen].name
                    ),
                });
            }
        }
        // Rows of the joints at unit length, so that dependent ones are recognised.
        let (mut rows, mut wanted, mut place) = (Vec::new(), Vec::new(), Vec::new());
        for k in (0..self.locals.len()).filter(|&k| joint(k)) {
            let local = &self.locals[k];
            for i in 0..local.rows() {
                rows.push(local.hat_row(i).to_vec());
                wanted.push(-(dense::dot(local.hat_row(i), &self.free) + local.bias[i]));
                place.push((local.constraint, i));
            }
        }
        for (k, local) in self.locals.iter().enumerate().filter(|(k, _)| !joint(*k)) {
            let crosses = (0..local.rows()).any(|i| {
                let size = norm(local.hat_row(i));
                let near = |row: &Vec<f64>| {
                    dense::dot(row, local.hat_row(i)).abs() > ORTHOGONAL * size * norm(row)
                };
                rows.iter().any(near)
            });
            if crosses {
                let name = &system.constraints()[self.locals[k].constraint].name;
                return Err(MechanismError::EventDriven {
                    t: at.t,
                    reason: format!(
                        "a threshold sees reactions of joints, and `{name}` changes these: it is not \
                         orthogonal to the joints in the kinetic metric; project it (`project = true`), \
                         or use a time-stepping integrator"
                    ),
                });
            }
        }
        let (_, reaction) = least_norm_combination(&rows, &wanted);
        // Place in the vector of all rows.
        let mut first = vec![0];
        for constraint in system.constraints() {
            first.push(first[first.len() - 1] + constraint.rows);
        }
        let mut forces = vec![0.0; first[first.len() - 1]];
        for ((constraint, i), r) in place.into_iter().zip(reaction) {
            forces[first[constraint] + i] = r;
        }
        Ok(forces)
    }
}
