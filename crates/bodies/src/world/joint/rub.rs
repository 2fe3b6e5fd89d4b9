//! Friction whose bound is the reaction, and joints that exclude each other.

use solve::{Outcome, bilateral};

use super::super::World;
use super::{BlockRole, ball};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::joint::{JointCoordinate, Joint};

/// Rounds of the fixed point for friction at most.
const MAX_FRICTION_ITERATIONS: usize = 60;

/// Rounds after which its steps are halved.
const UNDAMPED_ITERATIONS: usize = 12;

impl<D: Dim> World<D> {
    /// What joints ask of the solved problem: thresholds that are those of the reactions, and a solution.
    pub(in crate::world) fn couple_joints(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.update_joint_friction();
        self.check_joint_consistency(t_end)
    }

    /// Solves again until the thresholds of friction are those of the reactions (B02 §6).
    fn update_joint_friction(&mut self) {
        if !self.joints.blocks.iter().any(|b| b.role == BlockRole::Friction) {
            return;
        }
        let (mut left, mut iterations) = (f64::INFINITY, 0);
        for round in 0..MAX_FRICTION_ITERATIONS {
            left = self.set_friction_bounds(round);
            iterations += self.scratch.solver_report.as_ref().map_or(0, |r| r.iterations);
            if left <= self.settings.tolerance {
                break;
            }
            self.solve();
        }
        if let Some(report) = &mut self.scratch.solver_report {
            report.iterations = iterations;
            report.residual = report.residual.max(left);
            if left > self.settings.tolerance && report.reached() {
                report.outcome = Outcome::Stalled;
            }
        }
    }

    /// Sets all thresholds to those of the reactions; by how much they were wrong, relative to the
    /// largest one. Thresholds that are right to the tolerance stay: the impulses were solved for with them.
    fn set_friction_bounds(&mut self, round: usize) -> f64 {
        let tolerance = self.settings.tolerance;
        let Some(problem) = &mut self.scratch.problem else {
            return 0.0;
        };
        let mut raised = Vec::new();
        let before = self.scratch.active.len();
        let link = &mut self.joints;
        let (mut change, mut largest, mut pressed) = (0.0_f64, 0.0_f64, 0.0);
        for k in 0..link.blocks.len() {
            let block = &link.blocks[k];
            let joint: &Joint<D> = &self.model.joints[block.joint as usize];
            let rows = problem.rows(before + k);
            match block.role {
                // The held block of a joint stands before its friction.
                BlockRole::Held => pressed = joint.reaction_norm(&self.scratch.impulse[rows]),
                BlockRole::Friction => {
                    let Some(rub) = joint.friction else { continue };
                    let lever = match joint.coordinate {
                        JointCoordinate::Angle => rub.radius,
                        _ => 1.0,
                    };
                    let wanted = rub.coefficient * lever * pressed;
                    change = change.max((wanted - block.threshold).abs());
                    largest = largest.max(wanted).max(block.threshold);
                    raised.push(match round < UNDAMPED_ITERATIONS {
                        true => (k, wanted),
                        false => (k, 0.5 * (wanted + block.threshold)),
                    });
                }
                _ => {}
            }
        }
        let left = if largest > 0.0 { change / largest } else { 0.0 };
        if left > tolerance {
            for (k, threshold) in raised {
                let block = &mut link.blocks[k];
                block.threshold = threshold;
                problem.replace_law(before + k, ball(block.count, threshold));
            }
        }
        left
    }

    /// Names the joints that exclude each other, where that is why the step has no solution.
    fn check_joint_consistency(&self, t: f64) -> Result<(), WorldError> {
        let unsuitable = |r: &solve::Report| r.outcome == Outcome::Unsuitable;
        if self.joints.blocks.is_empty() || !self.scratch.solver_report.as_ref().is_some_and(unsuitable) {
            return Ok(());
        }
        let eliminated = self.scratch.problem.as_ref().map(bilateral::eliminate);
        let Some(Err(bilateral::BilateralError::Contradiction { contacts, velocity })) = eliminated
        else {
            return Ok(());
        };
        let before = self.scratch.active.len();
        let mut names: Vec<String> = Vec::new();
        for contact in contacts {
            let name = match contact
                .checked_sub(before)
                .and_then(|k| self.joints.blocks.get(k))
            {
                Some(block) => {
                    let name = &self.model.joints[block.joint as usize].name;
                    let what = match block.role {
                        BlockRole::Motor => "the motor of ",
                        BlockRole::Limit => "a limit of ",
                        _ => "",
                    };
                    format!("{what}`{name}`")
                }
                None => "a contact".to_string(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Err(WorldError::Joint(format!(
            "joints that exclude each other at t = {t}: {} demand velocities that cannot all be; with \
             the others met {} is left with {velocity:e}. Release one of them, or give a motor a bound",
            names.join(", "),
            names.first().map_or("one", String::as_str)
        )))
    }
}
