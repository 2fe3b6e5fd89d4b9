//! Positions of thinned records that are not observable.
//!
//! Where the state before a step is not recorded, a position affects only the gaps of active constraints and the
//! potential energy. One that affects neither is reported as not compared.

use percuss_scene::model::mechanism::{System, SystemError};

use super::super::report::RowRange;
use super::step::size;
use super::{MechanismVerifier, RecordedState};

/// The reason that is reported.
const WHY: &str = "positions of steps whose state before is not recorded, where neither a gap of a constraint that \
                   took part nor the potential energy depends on them";

impl MechanismVerifier<'_> {
    /// Lists the positions that no figure of the step depends on.
    pub(super) fn list_unseen_positions(
        &mut self,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        let rest = self.system.potential(last.t, &last.q)?;
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &last.q, &mut gaps)?;
        let (mut q, mut moved) = (last.q.clone(), gaps.clone());
        let names = self.layout.positions.clone();
        for (i, name) in names.iter().enumerate() {
            // A perturbation that the comparisons would detect.
            q[i] += 1e-6 * (1.0 + size(&last.q));
            let lifted = self.system.potential(last.t, &q)? != rest;
            self.system.gaps(last.t, &q, &mut moved)?;
            q[i] = last.q[i];
            let told = self.constraint_rows.iter().any(|touch| {
                let range = self.first_gap[touch.constraint]..self.first_gap[touch.constraint + 1];
                gaps[range.clone()] != moved[range]
            });
            if !lifted && !told {
                self.report
                    .mark_unchecked("coordinates", name, RowRange::All, WHY);
            }
        }
        Ok(())
    }
}
