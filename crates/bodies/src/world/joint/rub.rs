//! Friction whose bound is the reaction, and joints that exclude each other.

use solve::{Outcome, bilateral};

use super::super::World;
use super::{Role, ball};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::joint::{Coordinate, Joint};

/// Rounds of the fixed point for friction at most.
const ROUNDS: usize = 60;

/// Rounds after which its steps are halved.
const EAGER: usize = 12;

impl<D: Dim> World<D> {
    /// What joints ask of the solved problem: thresholds that are those of the reactions, and a solution.
    pub(in crate::world) fn finish_joints(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.rub();
        self.refuse_contradiction(t_end)
    }

    /// Solves again until the thresholds of friction are those of the reactions (B02 §6).
    fn rub(&mut self) {
        if !self.link.blocks.iter().any(|b| b.role == Role::Rub) {
            return;
        }
        let (mut left, mut iterations) = (f64::INFINITY, 0);
        for round in 0..ROUNDS {
            left = self.raise_thresholds(round);
            iterations += self.work.report.as_ref().map_or(0, |r| r.iterations);
            if left <= self.settings.tolerance {
                break;
            }
            self.solve();
        }
        if let Some(report) = &mut self.work.report {
            report.iterations = iterations;
            report.residual = report.residual.max(left);
            if left > self.settings.tolerance && report.reached() {
                report.outcome = Outcome::Stalled;
            }
        }
    }

    /// Sets all thresholds to those of the reactions; by how much they were wrong, relative to the
    /// largest one. Thresholds that are right to the tolerance stay: the impulses were solved for with them.
    fn raise_thresholds(&mut self, round: usize) -> f64 {
        let tolerance = self.settings.tolerance;
        let Some(problem) = &mut self.work.problem else {
            return 0.0;
        };
        let mut raised = Vec::new();
        let before = self.work.active.len();
        let link = &mut self.link;
        let (mut change, mut largest, mut pressed) = (0.0_f64, 0.0_f64, 0.0);
        for k in 0..link.blocks.len() {
            let block = &link.blocks[k];
            let joint: &Joint<D> = &self.model.joints[block.joint as usize];
            let rows = problem.rows(before + k);
            match block.role {
                // The held block of a joint stands before its friction.
                Role::Held => pressed = joint.pressed(&self.work.impulse[rows]),
                Role::Rub => {
                    let Some(rub) = joint.rub else { continue };
                    let lever = match joint.coordinate {
                        Coordinate::Turn => rub.radius,
                        _ => 1.0,
                    };
                    let wanted = rub.coefficient * lever * pressed;
                    change = change.max((wanted - block.threshold).abs());
                    largest = largest.max(wanted).max(block.threshold);
                    raised.push(match round < EAGER {
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
    fn refuse_contradiction(&self, t: f64) -> Result<(), WorldError> {
        let unsuitable = |r: &solve::Report| r.outcome == Outcome::Unsuitable;
        if self.link.blocks.is_empty() || !self.work.report.as_ref().is_some_and(unsuitable) {
            return Ok(());
        }
        let eliminated = self.work.problem.as_ref().map(bilateral::eliminate);
        let Some(Err(bilateral::BilateralError::Contradiction { contacts, velocity })) = eliminated
        else {
            return Ok(());
        };
        let before = self.work.active.len();
        let mut names: Vec<String> = Vec::new();
        for contact in contacts {
            let name = match contact
                .checked_sub(before)
                .and_then(|k| self.link.blocks.get(k))
            {
                Some(block) => {
                    let name = &self.model.joints[block.joint as usize].name;
                    let what = match block.role {
                        Role::Motor => "the motor of ",
                        Role::Limit => "a limit of ",
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
