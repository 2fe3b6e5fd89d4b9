//! Energy gain of contacts that act together with joints: one restitution coefficient ρ in all rows (decision 44).

use super::BodiesVerifier;
use super::scene_data::EmbedInSpace;
use super::step_motion::RowImpulse;

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// The gain of contacts and joints with the common ρ of the contacts and limits that carry impulses; `None` where
    /// no contact or limit does, or where several ρ occur.
    pub(super) fn gain_beside_joints(&self, forced: f64) -> Option<f64> {
        if self.joints.rows.is_empty() {
            return None;
        }
        let rho = self.rho_beside_joints()?;
        let (mut sum, mut work, mut at) = (0.0, 0.0, 0);
        let mut chosen: Vec<RowImpulse> = Vec::new();
        // Contacts.
        for touch in &self.contacts {
            let branch = self.motion.branch_vector(touch);
            for _ in 0..touch.rows {
                let push = &self.impulses[at];
                at += 1;
                let [begin, end] = self.both_ends(push, branch);
                sum += push.size * (end + rho * begin) / (1.0 + rho);
                work += 0.5 * push.size * (begin + end);
                chosen.push(*push);
            }
        }
        // Joints; springs and motors are no dissipative laws.
        for (row, push) in self.joints.rows.iter().zip(&self.impulses[at..]) {
            if matches!(row.part, "spring" | "motor") {
                continue;
            }
            let [begin, end] =
                [&self.motion.begin, &self.motion.end].map(|v| self.motion.row_velocity(push, v));
            sum += push.size * (end + rho * begin) / (1.0 + rho);
            work += 0.5 * push.size * (begin + end);
            chosen.push(*push);
        }
        // Σ S (U_F + ρU_I)/(1 + ρ) less δ times the energy of the impulses.
        let delta = (1.0 - rho) / (1.0 + rho);
        let gain = sum - delta * self.motion.energy_of(&self.scene, &chosen);
        let model = &self.scene.model;
        let mut joints = model.joints.iter();
        // Where nothing is prescribed, the work itself gives a lower bound of the gain.
        let given = model.prescribed_motions.is_empty()
            && model.cell.is_none()
            && joints.all(|joint| joint.motor.is_none() && joint.spring.is_none());
        let least = if given {
            work - 0.25 * delta * forced
        } else {
            0.0
        };
        Some(gain.max(least).max(0.0))
    }

    /// The common ρ of contacts, limits and joints with friction that carry impulses, where a contact or limit does.
    fn rho_beside_joints(&self) -> Option<f64> {
        let contacts = self.impulses.len() - self.joints.rows.len();
        // Contacts count only where one carries an impulse.
        let strikes = self.impulses[..contacts]
            .iter()
            .any(|push| push.size != 0.0);
        let mut rho = if strikes {
            Some(self.common_restitution()?)
        } else {
            None
        };
        for (row, push) in self.joints.rows.iter().zip(&self.impulses[contacts..]) {
            let joint = self.scene.model.joints.get(row.joint);
            let own = match row.part {
                _ if push.size == 0.0 => continue,
                "friction" => 0.0,
                "limit" => {
                    let limits = joint.and_then(|joint| joint.limits.as_ref());
                    limits.map_or(0.0, |limits| limits.restitution)
                }
                _ => continue,
            };
            // Friction has ρ = 0 and does not make a common ρ of its own.
            match (rho, row.part) {
                (Some(known), _) if known != own => return None,
                (None, "limit") => rho = Some(own),
                _ => {}
            }
        }
        rho
    }

    /// Whether bilateral rows have the ρ of the contacts that act with them: then they are part of a collision.
    pub(super) fn solved_again(&self) -> bool {
        let held = self
            .joints
            .rows
            .iter()
            .filter(|row| row.part == "bilateral");
        let (begin, end): (Vec<f64>, Vec<f64>) = held.map(|row| (row.begin, row.end)).unzip();
        self.held_restitution(&begin, &end) != 1.0
    }
}
