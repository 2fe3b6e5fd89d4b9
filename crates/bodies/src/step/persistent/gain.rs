//! Energy gain of persistent contacts beside impacts, which a further pass removes.
//!
//! Rows with U_F + U_I beside rows with U_F + eU_I may gain energy (Kane and Levinson's paradox). With one weight in all
//! rows Σ ½S·(U_I + U_F) ≤ ¼ · ½‖v̂_L − v̂_I‖² (`joints::energy_gain`); a step that exceeds it is solved again with
//! the restitution of the materials at persistent contacts.

use percuss_contact::Problem;

use crate::dynamics::Dynamics;
use crate::step::SolvedStep;
use crate::step::assemble::kinetic;
use crate::step::scratch::Coupling;

/// Tolerated gain, relative to the energies of v_I and of the free velocity.
const GAINED: f64 = 1e-9;

impl<D: Dynamics> SolvedStep<'_, D> {
    /// Whether persistent contacts beside contacts that close in this step gained energy.
    pub(in crate::step) fn persistent_contacts_gain(&self, coupling: &mut Coupling<D>) -> bool {
        let Some(problem) = &self.assembly.problem else {
            return false;
        };
        if !self.assembly.any_persistent() || !self.strikes(problem) {
            return false;
        }
        let Some(kinetic) = kinetic(problem) else {
            return false;
        };
        let Coupling {
            row_end_velocity: ends,
            impulse_kinetic: scratch,
            ..
        } = coupling;
        ends.resize(problem.num_rows(), 0.0);
        scratch.resize(problem.scratch_len(), 0.0);
        problem.velocity_into(&self.solution.impulse, scratch, ends);
        // Work of the contacts: ½S·(U_I + U_F).
        let rows = 0..problem.offset()[self.assembly.active.len()];
        let each = rows.map(|row| {
            let end = ends[row] - kinetic.rebound(row);
            0.5 * self.solution.impulse[row] * (self.assembly.begin_velocity[row] + end)
        });
        let work: f64 = each.sum();
        let half = |v: &[f64]| 0.5 * v.iter().map(|v| v * v).sum::<f64>();
        let (begin, free) = (kinetic.begin(), kinetic.free());
        let both = free.iter().zip(begin);
        let forced = 0.5 * both.map(|(l, i)| (l - i) * (l - i)).sum::<f64>();
        work > 0.25 * forced + GAINED * half(begin).max(half(free))
    }

    /// Whether a contact that does not persist carries an impulse.
    fn strikes(&self, problem: &Problem) -> bool {
        let contacts = self.assembly.persistent.iter().enumerate();
        contacts
            .filter(|(_, persists)| !**persists)
            .any(|(k, _)| self.solution.impulse[problem.offset()[k]] > 0.0)
    }
}
