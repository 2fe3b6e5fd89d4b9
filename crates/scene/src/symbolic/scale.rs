//! Scaling of normal rows of constraints with friction to the unit of length ([`percuss_mechanism::scaling`]).

use percuss_mechanism::scaling::{self, NormalFactor};
use percuss_mechanism::{State, StateRef, SystemError};

use super::{ConstraintPrograms, SymbolicSystem};

impl SymbolicSystem {
    /// Keeps the scaling of those constraints that need one, decided at the initial state.
    pub(super) fn settle_scaling(&mut self, initial: &State) {
        let at = StateRef {
            t: initial.t,
            q: &initial.q,
            v: &initial.v,
        };
        for i in 0..self.constraints.len() {
            if let Some(scaling) = self.touching[i].scaling.take() {
                self.touching[i].scaling = scaling::scaling_if_needed(self, i, scaling, at);
            }
        }
    }

    /// The scaling factor of a constraint at the positions of the inputs; `None` where it has no scaling.
    pub(super) fn factor_at(
        &mut self,
        constraint: usize,
    ) -> Result<Option<NormalFactor>, SystemError> {
        let n = self.chart.num_velocities();
        let ConstraintPrograms { rows, scaling, .. } = &mut self.touching[constraint];
        let Some(scaling) = scaling else {
            return Ok(None);
        };
        let out = rows.run_at_position(&self.inputs)?;
        Ok(scaling.at(out, n))
    }
}
