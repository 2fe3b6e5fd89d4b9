//! Joint friction, whose bound depends on the joint's reaction (B02 §6), by fixed-point iteration; and the
//! check for joints that contradict each other.
//!
//! ```text
//! |S| ≤ μ R |S_held|,     the bounds from S_held of the last solve, then (★) solved again from its impulses
//! ```
//!
//! Limits: at most 60 solves, the steps halved from the 13th on; the remaining relative error of the bounds enters
//! the residual of the step.

use percuss_solve::{Outcome, elimination};

use super::{BlockRole, ball};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{Joint, JointCoordinate};
use crate::model::Model;
use crate::settings::Settings;
use crate::step::scratch::{Assembly, Solution};

/// Largest number of fixed-point iterations.
const MAX_FRICTION_ITERATIONS: usize = 60;

/// Iterations after which the change of the bounds is halved.
const UNDAMPED_ITERATIONS: usize = 12;

/// The fixed-point iteration on the friction bounds of one pass.
#[derive(Debug)]
pub(crate) struct FrictionIteration {
    /// Whether a joint has friction.
    exists: bool,
    round: usize,
    /// Relative error of the bounds.
    left: f64,
    /// Iterations of the solver over all rounds.
    iterations: usize,
}

impl FrictionIteration {
    pub fn new<D: Dynamics>(assembly: &Assembly<D>) -> Self {
        let blocks = &assembly.joints.blocks;
        Self {
            exists: blocks.iter().any(|b| b.role == BlockRole::Friction),
            round: 0,
            left: f64::INFINITY,
            iterations: 0,
        }
    }

    /// Sets the friction bounds by the reactions of the last solve (B02 §6). Returns whether (★) has to be solved
    /// again.
    pub fn update_bounds<D: Dynamics>(
        &mut self,
        model: &Model<D>,
        settings: &Settings,
        assembly: &mut Assembly<D>,
        solution: &Solution,
    ) -> bool {
        if !self.exists || self.round == MAX_FRICTION_ITERATIONS {
            return false;
        }
        // `left` belongs to the bounds that the last solve was made with.
        self.left = set_friction_bounds(model, settings, assembly, &solution.impulse, self.round);
        self.iterations += solution.report.as_ref().map_or(0, |r| r.iterations);
        self.round += 1;
        !(self.left <= settings.tolerance)
    }

    /// Report of the whole iteration; the last solve is not counted if the rounds were exhausted.
    pub fn finish(&self, settings: &Settings, solution: &mut Solution) {
        if !self.exists {
            return;
        }
        if let Some(report) = &mut solution.report {
            report.iterations = self.iterations;
            report.residual = report.residual.max(self.left);
            if self.left > settings.tolerance && report.reached() {
                report.outcome = Outcome::Stalled;
            }
        }
    }
}

/// Sets all friction bounds by the present reactions; returns by how much they were wrong, relative to the
/// largest one. Bounds that are right to the tolerance stay: the impulses were computed with them.
fn set_friction_bounds<D: Dynamics>(
    model: &Model<D>,
    settings: &Settings,
    assembly: &mut Assembly<D>,
    impulse: &[f64],
    round: usize,
) -> f64 {
    let tolerance = settings.tolerance;
    let Some(problem) = &mut assembly.problem else {
        return 0.0;
    };
    let before = assembly.active.len();
    let joints = &mut assembly.joints;
    joints.friction_bounds.clear();
    let (mut change, mut largest, mut pressed) = (0.0_f64, 0.0_f64, 0.0);
    for k in 0..joints.blocks.len() {
        let block = &joints.blocks[k];
        let joint: &Joint<D> = &model.joints[block.joint as usize];
        let rows = problem.rows(before + k);
        match block.role {
            // The held block of a joint precedes its friction.
            BlockRole::Held => pressed = joint.reaction_norm(&impulse[rows]),
            BlockRole::Friction => {
                let Some(rub) = joint.friction else { continue };
                let lever = match joint.coordinate {
                    JointCoordinate::Angle => rub.radius,
                    _ => 1.0,
                };
                // μ R |S_held|, R = 1 for sliding; the error of the bound in force, and the scale of all bounds.
                let wanted = rub.coefficient * lever * pressed;
                change = change.max((wanted - block.threshold).abs());
                largest = largest.max(wanted).max(block.threshold);
                joints
                    .friction_bounds
                    .push(match round < UNDAMPED_ITERATIONS {
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
        for &(k, threshold) in &joints.friction_bounds {
            let block = &mut joints.blocks[k];
            block.threshold = threshold;
            problem.replace_law(before + k, ball(block.count, threshold));
        }
    }
    left
}

/// If the step has no solution because joints contradict each other: an error that names them.
pub(crate) fn check_consistency<D: Dynamics>(
    model: &Model<D>,
    assembly: &Assembly<D>,
    solution: &Solution,
    t: f64,
) -> Result<(), WorldError> {
    let unsuitable = |r: &percuss_solve::Report| r.outcome == Outcome::Unsuitable;
    if assembly.joints.blocks.is_empty() || !solution.report.as_ref().is_some_and(unsuitable) {
        return Ok(());
    }
    // The elimination of the bilateral rows finds the contradiction.
    let eliminated = assembly.problem.as_ref().map(elimination::eliminate);
    let Some(Err(elimination::BilateralError::Contradiction { contacts, velocity })) = eliminated
    else {
        return Ok(());
    };
    let before = assembly.active.len();
    let mut names: Vec<String> = Vec::new();
    for contact in contacts {
        // Contacts come first, then the blocks of joints.
        let name = match contact
            .checked_sub(before)
            .and_then(|k| assembly.joints.blocks.get(k))
        {
            Some(block) => {
                let name = &model.joints[block.joint as usize].name;
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
