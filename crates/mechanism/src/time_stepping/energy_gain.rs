//! Energy gain of contacts with restitution beside joints (Kane–Levinson paradox), and its correction.
//!
//! Colliding contacts obey U_F + e U_I = 0, bilateral rows U_F + U_I = 0 in the midpoint scheme. With one ρ in all rows
//! no energy is gained (JM92 6.2), and the work of given forces bounds that of the constraints:
//!
//! ```text
//! Σ S·(U_F + ρU_I)/(1 + ρ) − ½δ S·(𝒲S) ≤ 0,       Σ ½S·(U_I + U_F) ≤ ⅛δ ‖hA⁻¹K‖²      (boundaries at rest)
//! ```
//!
//! With two different ρ energy may be gained (Kane and Levinson). A step that gains energy in this way is solved again
//! with ρ = e in the bilateral rows, too (decision 44).

use convex::dense;

use super::TimeStepper;
use crate::error::MechanismError;
use crate::system::{ConstraintKind, System};

/// Tolerated gain, relative to the larger of the kinetic energies of v_I and of the free velocity.
const GAINED: f64 = 1e-6;

impl<S: System> TimeStepper<S> {
    /// Solves the step again with one ρ in all rows where contacts beside bilateral constraints gained energy.
    pub(super) fn resolve_with_common_restitution(
        &mut self,
        h: f64,
        end: f64,
    ) -> Result<(), MechanismError> {
        // ½‖hA⁻¹K‖² and the energy that the gain is compared with.
        let work = &mut self.scratch;
        work.buffer.copy_from_slice(&work.force_impulse);
        let forced = 0.5 * work.inertia.dual_norm(&mut work.buffer).powi(2);
        let energy = work.inertia.energy(&work.v_begin);
        let energy = energy.max(work.inertia.energy(&work.v_free));
        let Some((gain, rho)) = self.gain_with_joints(forced) else {
            return Ok(());
        };
        if !(gain > GAINED * energy) || !self.set_bilateral_restitution(rho) {
            return Ok(());
        }
        self.scratch.solved_with_common_restitution = true;
        self.solve_velocity(h, end)
    }

    /// Sets ρ of all bilateral rows. Returns whether that changes one.
    fn set_bilateral_restitution(&mut self, rho: f64) -> bool {
        let stage = &mut self.scratch.problem;
        let mut changed = false;
        for k in 0..stage.active.len() {
            let kind = self.system.constraints()[stage.active[k]].kind;
            let rows = stage.rows(k);
            let held = match kind {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                ConstraintKind::Contact | ConstraintKind::NonFirm => 0,
            };
            for row in rows.take(held) {
                changed |= stage.restitution_weight[row] != rho;
                stage.restitution_weight[row] = rho;
            }
        }
        changed
    }

    /// Excess of the two sums over their bounds with the one ρ of the contacts, and this ρ; `forced` is ½‖hA⁻¹K‖².
    /// `None` where no contact carries an impulse beside a bilateral row, and where coefficients of restitution differ.
    pub(super) fn gain_with_joints(&self, forced: f64) -> Option<(f64, f64)> {
        let (stage, work) = (&self.scratch.problem, &self.scratch);
        let n = work.v_begin.len();
        let rho = self.common_contact_restitution()?;
        let delta = (1.0 - rho) / (1.0 + rho);
        let (mut gain, mut done, mut bilateral, mut moves) = (0.0, 0.0, false, false);
        for (k, &i) in stage.active.iter().enumerate() {
            let kind = self.system.constraints()[i].kind;
            // S·Uᵃ − ½δ S·(𝒲S) and ½S·(U_I + U_F) of the rows that carry an impulse.
            for row in stage.rows(k).filter(|row| stage.impulse[*row] != 0.0) {
                if kind.is_friction_row(row - stage.offset[k])
                    && kind != ConstraintKind::Contact
                    && rho != 0.0
                {
                    return None;
                }
                bilateral |= kind != ConstraintKind::Contact;
                moves |= stage.boundary[row] != 0.0;
                let (s, begin, end) = (stage.impulse[row], stage.begin[row], stage.end[row]);
                let g = &stage.jacobian[row * n..(row + 1) * n];
                let free = stage.boundary[row] + dense::dot(g, &work.v_free);
                let average = 0.5 * ((1.0 - delta) * begin + (1.0 + delta) * end);
                gain += s * (average - 0.5 * delta * (end - free));
                done += 0.5 * s * (begin + end);
            }
        }
        // The second bound holds with boundaries at rest only.
        if !moves {
            gain = gain.max(done - 0.25 * delta * forced);
        }
        bilateral.then_some((gain, rho))
    }

    /// The common ρ of all contact rows that carry impulses; `None` where there is none or where they differ.
    fn common_contact_restitution(&self) -> Option<f64> {
        let stage = &self.scratch.problem;
        let mut known = None;
        for (k, &i) in stage.active.iter().enumerate() {
            if self.system.constraints()[i].kind != ConstraintKind::Contact {
                continue;
            }
            for row in stage.rows(k).filter(|row| stage.impulse[*row] != 0.0) {
                let rho = stage.restitution_weight[row];
                if known.is_some_and(|known| known != rho) {
                    return None;
                }
                known = Some(rho);
            }
        }
        known
    }
}
