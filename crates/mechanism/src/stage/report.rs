//! What a solved stage says: status, speeds, errors with names.

use contact::ProblemError;
use contact::law::Status;
use convex::dense;

use super::Stage;
use crate::error::MechanismError;
use crate::system::System;

impl Stage {
    /// What forces alone did to the velocity of a row: U without impulses − U_I.
    pub(crate) fn forced(&self, row: usize) -> f64 {
        self.free[row] - (1.0 + self.weight[row]) * self.begin[row]
    }

    /// γ of the `k`-th constraint as it was solved: H_nn − max over D of −H_nt·w (P15 §3).
    pub(crate) fn gamma(&self, k: usize) -> f64 {
        let (rows, d) = (self.rows(k), self.boundary.len());
        let first = &self.matrix[rows.start * d..(rows.start + 1) * d][rows];
        first[0] - self.law[k].shift(first)
    }

    /// Whether the `k`-th constraint begins with a sliding velocity and with no more approach than
    /// a few steps of the forces make.
    pub(crate) fn slides_without_collision(&self, k: usize) -> bool {
        let rows = self.rows(k);
        let (normal, tangential) = (rows.start, rows.start + 1..rows.end);
        let sliding = tangential.fold(0.0_f64, |m, r| m.max(self.begin[r].abs()));
        let approach = self.begin[normal].abs();
        sliding > 0.0 && approach <= 4.0 * self.forced(normal).abs() + 1e-9 * sliding
    }

    /// What the `k`-th constraint did: velocities below a billionth of those involved are rest.
    pub(crate) fn status(&self, k: usize) -> Status {
        let rows = self.rows(k);
        let size = |x: &[f64]| dense::dot(x, x).sqrt();
        let scale = size(&self.begin[rows.clone()])
            .max(size(&self.free[rows.clone()]))
            .max(f64::MIN_POSITIVE);
        self.law[k].status(
            &self.impulse[rows.clone()],
            &self.weighted[rows],
            1e-9 * scale,
        )
    }

    pub(super) fn names<S: System + ?Sized>(&self, system: &S, active: &[usize]) -> String {
        let name = |&k: &usize| format!("`{}`", system.constraints()[self.active[k]].name);
        let names: Vec<String> = active.iter().map(name).collect();
        names.join(", ")
    }

    pub(super) fn contradiction<S: System + ?Sized>(
        &self,
        system: &S,
        t: f64,
        contacts: &[usize],
        velocity: f64,
    ) -> MechanismError {
        MechanismError::Dependent {
            names: self.names(system, contacts),
            t,
            detail: format!(
                "with the others met, {} is left with a velocity of {velocity:e}",
                self.names(system, &contacts[..1])
            ),
        }
    }

    pub(super) fn unposed<S: System + ?Sized>(
        &self,
        system: &S,
        t: f64,
        e: &ProblemError,
    ) -> MechanismError {
        let all: Vec<usize> = (0..self.active.len()).collect();
        let named = match e {
            ProblemError::Block { contact, .. } | ProblemError::Law { contact, .. } => {
                vec![*contact]
            }
            _ => all,
        };
        MechanismError::Dependent {
            names: self.names(system, &named),
            t,
            detail: e.to_string(),
        }
    }
}
