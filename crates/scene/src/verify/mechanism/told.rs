//! Positions of thinned records that nothing tells.
//!
//! Where the state before a step is not recorded, a position shows in gaps of constraints that took part and in the
//! potential energy. One that is in neither is said not to be compared.

use mechanism::{System, SystemError};

use super::super::report::RowRange;
use super::step::size;
use super::{MechanismVerifier, RecordedState};

/// Why.
const WHY: &str = "positions of steps whose state before is not recorded, where neither a gap of a constraint that \
                   took part nor the potential energy depends on them";

impl MechanismVerifier<'_> {
    /// Lists the positions that nothing of the step at hand depends on.
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
            // As much as would be seen.
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
