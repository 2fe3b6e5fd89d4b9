//! Energy gain of contacts beside joints (Kane and Levinson's paradox), and the further pass that removes it.
//!
//! Contacts satisfy U_F + e U_I = 0 where they collide, held rows U_F + U_I = 0. With one ρ in all rows no
//! energy is gained (JM92 6.2), for any forces:
//!
//! ```text
//! Σ S·(U_F + ρU_I)/(1 + ρ) − ½δ ‖p̂‖² ≤ 0,      p̂ = Σ Ĝᵀ S,   δ = (1 − ρ)/(1 + ρ)
//! ```
//!
//! With two it may be: U_I of held rows is due to the rotation of the joint in half a step and small with h,
//! but a contact that sticks near a pin multiplies it by the ratio of their lever arms, and the motion
//! explodes. With one ρ, and no forces other than given ones, the work itself is bounded as well:
//!
//! ```text
//! Σ ½S·(U_I + U_F) = Σ S·(U_F + ρU_I)/(1 + ρ) − ½δ (‖p̂‖² + p̂·Δ̂) ≤ ⅛δ ‖Δ̂‖²,      Δ̂ = v̂_L − v̂_I
//! ```
//!
//! A step that gains energy is solved again with ρ = e in the held rows, too. They then dissipate like the
//! contacts, in this step only, and the joint drift is projected as usual. Without contacts held rows keep ρ =
//! 1.

use percuss_contact::Problem;

use super::BlockRole;
use crate::dynamics::Dynamics;
use crate::joint::Joint;
use crate::step::SolvedStep;
use crate::step::assemble::kinetic;
use crate::step::scratch::Coupling;

/// Gain above which a step is solved again, relative to the larger kinetic energy of v_I and v_L.
const GAINED: f64 = 1e-6;

/// The ρ that held rows take in a further pass: that of the contacts, if contacts beside joints gained energy.
pub(super) fn restitution_without_gain<D: Dynamics>(
    step: SolvedStep<'_, D>,
    coupling: &mut Coupling<D>,
) -> Option<f64> {
    let problem = step.assembly.problem.as_ref()?;
    let gained = step.energy_gain_with_joints(problem, coupling);
    let energy = kinetic(problem).map_or(0.0, |k| half(k.begin()).max(half(k.free())));
    match gained {
        Some((gain, rho)) if gain > GAINED * energy => Some(rho),
        _ => None,
    }
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// The excess of the two sums over their bounds with one ρ, that of the contacts, and this ρ. `None` where
    /// no contact or limit carries an impulse beside a joint, and where the coefficients differ: then no such
    /// bounds exist.
    pub(in crate::step) fn energy_gain_with_joints(
        &self,
        problem: &Problem,
        coupling: &mut Coupling<D>,
    ) -> Option<(f64, f64)> {
        if self.assembly.joints.blocks.is_empty() {
            return None;
        }
        let kinetic = kinetic(problem)?;
        let rho = self.common_rho(problem)?;
        // U_F of all rows with the present impulses.
        let Coupling {
            row_end_velocity: ends,
            impulse_kinetic: pushed,
            ..
        } = coupling;
        ends.resize(problem.num_rows(), 0.0);
        pushed.resize(problem.scratch_len(), 0.0);
        problem.velocity_into(&self.solution.impulse, pushed, ends);
        pushed.clear();
        pushed.resize(kinetic.num_coordinates(), 0.0);
        let (mut sum, mut work) = (0.0, 0.0);
        // Sums over contacts, held rows, friction and limits; p̂ = Σ Ĝᵀ S.
        for a in 0..problem.num_contacts() {
            let block = a.checked_sub(self.assembly.active.len());
            let role = block.map(|k| self.assembly.joints.blocks[k].role);
            if matches!(role, Some(BlockRole::Spring | BlockRole::Motor)) {
                continue;
            }
            let rows = problem.rows(a);
            kinetic.scatter(a, &self.solution.impulse[rows.clone()], pushed);
            for row in rows {
                let (begin, end) = (
                    self.assembly.begin_velocity[row],
                    ends[row] - kinetic.rebound(row),
                );
                let s = self.solution.impulse[row];
                sum += s * (end + rho * begin) / (1.0 + rho);
                work += 0.5 * s * (begin + end);
            }
        }
        let delta = (1.0 - rho) / (1.0 + rho);
        let mut gain = sum - delta * half(pushed);
        // Second bound: valid without springs, motors and moving boundaries.
        if self.only_given_forces() {
            let both = kinetic.free().iter().zip(kinetic.begin());
            let forced = 0.5 * both.map(|(l, i)| (l - i) * (l - i)).sum::<f64>();
            gain = gain.max(work - 0.25 * delta * forced);
        }
        Some((gain, rho))
    }

    /// Whether only given forces, contacts and held rows do work.
    fn only_given_forces(&self) -> bool {
        let passive = |joint: &Joint<D>| joint.motor.is_none() && joint.spring.is_none();
        self.inputs.model.prescribed_motions.is_empty()
            && self.inputs.model.cell.is_none()
            && self.inputs.model.joints.iter().all(passive)
    }

    /// The common ρ of all contacts, limits and joints with friction that carry impulses, if a contact or a
    /// limit does.
    fn common_rho(&self, problem: &Problem) -> Option<f64> {
        let carries = |a: usize| {
            self.solution.impulse[problem.rows(a)]
                .iter()
                .any(|s| *s != 0.0)
        };
        let contacts = self.assembly.active.len();
        // Contacts first: their common coefficient, if they carry impulses.
        let strikes = (0..contacts).any(carries);
        let mut rho = strikes.then_some(self.common_restitution()?);
        for (k, block) in self.assembly.joints.blocks.iter().enumerate() {
            if !carries(contacts + k) {
                continue;
            }
            let own = match block.role {
                BlockRole::Held | BlockRole::Spring | BlockRole::Motor => continue,
                BlockRole::Friction => 0.0,
                BlockRole::Limit => {
                    let limits = self.inputs.model.joints[block.joint as usize].limits;
                    limits.map_or(0.0, |limits| limits.restitution)
                }
            };
            // Joint friction without contacts and limits is no reason to dissipate energy in held rows.
            match (rho, block.role) {
                (Some(known), _) if known != own => return None,
                (None, BlockRole::Limit) => rho = Some(own),
                _ => {}
            }
        }
        rho
    }
}

/// ½‖v̂‖².
fn half(v: &[f64]) -> f64 {
    0.5 * v.iter().map(|v| v * v).sum::<f64>()
}
