//! Joint friction, whose bound depends on the joint's reaction (B02 §6), by fixed-point iteration; and the
//! check for joints that contradict each other.
//!
//! ```text
//! |S| ≤ μ R |S_held|,     the bounds from S_held of the last solve, then (★) solved again from its impulses
//! ```
//!
//! Limits: at most 60 solves, the steps halved from the 13th on; the remaining relative error of the bounds enters
//! the residual of the step.

use solve::{Outcome, bilateral};

use super::super::World;
use super::{BlockRole, ball};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{Joint, JointCoordinate};

/// Largest number of fixed-point iterations.
const MAX_FRICTION_ITERATIONS: usize = 60;

/// Iterations after which the change of the bounds is halved.
const UNDAMPED_ITERATIONS: usize = 12;

impl<D: Dynamics> World<D> {
    /// Couples friction to the reactions, then checks that the joints do not contradict each other.
    pub(in crate::world) fn couple_joints(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.update_joint_friction();
        self.check_joint_consistency(t_end)
    }

    /// Solves again until the friction bounds are those of the reactions (B02 §6).
    fn update_joint_friction(&mut self) {
        if !self
            .joints
            .blocks
            .iter()
            .any(|b| b.role == BlockRole::Friction)
        {
            return;
        }
        let (mut left, mut iterations) = (f64::INFINITY, 0);
        for round in 0..MAX_FRICTION_ITERATIONS {
            left = self.set_friction_bounds(round);
            iterations += self
                .scratch
                .solver_report
                .as_ref()
                .map_or(0, |r| r.iterations);
            if left <= self.settings.tolerance {
                break;
            }
            self.solve();
        }
        // Report of the whole iteration; the last solve is not counted if the loop was exhausted.
        if let Some(report) = &mut self.scratch.solver_report {
            report.iterations = iterations;
            report.residual = report.residual.max(left);
            if left > self.settings.tolerance && report.reached() {
                report.outcome = Outcome::Stalled;
            }
        }
    }

    /// Sets all friction bounds by the present reactions; returns by how much they were wrong, relative to the
    /// largest one. Bounds that are right to the tolerance stay: the impulses were computed with them.
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
                // The held block of a joint precedes its friction.
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
        // New bounds only if the old ones are wrong.
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

    /// If the step has no solution because joints contradict each other: an error that names them.
    fn check_joint_consistency(&self, t: f64) -> Result<(), WorldError> {
        let unsuitable = |r: &solve::Report| r.outcome == Outcome::Unsuitable;
        if self.joints.blocks.is_empty()
            || !self.scratch.solver_report.as_ref().is_some_and(unsuitable)
        {
            return Ok(());
        }
        // The elimination of the bilateral rows finds the contradiction.
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
