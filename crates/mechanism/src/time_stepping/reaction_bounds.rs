//! Thresholds that see reactions (Problem VI, B02 §6.1), by fixed-point iteration over the reactions.
//!
//! ```text
//! −U ∈ N_C(λ),   C = M [C_0 + Σ κ_i(q, v, t; r) C_i],   r = S/h of the joints and contacts that κ_i names
//! ```
//!
//! A round takes the laws from the reactions of the last solve and solves (★) again from its impulses. Where the rows of
//! the constraint are orthogonal to the seen ones in the kinetic metric, λ does not change r and one round is exact
//! (B02 theorem 30). What is left is measured as RV of the last solution under the laws that its own reactions give: the
//! residual of the step. Limits: at most 60 rounds; from the 13th on reactions are averaged with those of the round
//! before, since the iteration need not contract where friction changes the reactions that bound it.

use super::StepInput;
use super::evaluation::EvaluationPoint;
use super::layout::RowLayout;
use crate::error::MechanismError;
use crate::step_problem::StepProblem;
use crate::system::System;

/// Largest number of rounds.
const ROUNDS: usize = 60;

/// Rounds in which the reactions of the last solve are taken as they are.
const UNDAMPED: usize = 12;

/// The iteration goes on below the tolerance while it gains: rounds cost little, and bounds then are right to rounding.
const AIM: f64 = 1e-3;

/// The reactions that the laws of one round are made of.
pub(super) struct ReactionBounds {
    /// Force of every row of every constraint; empty where no law sees a reaction.
    forces: Vec<f64>,
    round: usize,
    /// RV of the last solution under the laws of its own reactions.
    pub(super) left: f64,
}

/// Whether the law of an active constraint sees reactions.
fn any<S: System>(system: &S, problem: &StepProblem) -> bool {
    let sees = |&i: &usize| !system.seen_reactions(i).is_empty();
    problem.active.iter().any(sees)
}

/// Forces of all rows from the impulses of the problem.
fn forces(layout: &RowLayout, problem: &StepProblem, h: f64) -> Vec<f64> {
    let mut forces = vec![0.0; layout.num_rows()];
    for (k, &i) in problem.active.iter().enumerate() {
        let impulses = &problem.impulse[problem.rows(k)];
        for (force, s) in forces[layout.rows(i)].iter_mut().zip(impulses) {
            *force = s / h;
        }
    }
    forces
}

/// Sets the laws that see reactions by these forces.
fn set_laws<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    problem: &mut StepProblem,
    forces: &[f64],
) -> Result<(), MechanismError> {
    for k in 0..problem.active.len() {
        let i = problem.active[k];
        if system.seen_reactions(i).is_empty() || problem.released(k) {
            continue;
        }
        let previous = given.state.status[i];
        let law = system.law_under_reactions(i, point.at(), given.h, previous, forces)?;
        problem.law[k] = law;
    }
    Ok(())
}

/// First laws of a step: by the impulses of the step before, which are the warm start.
pub(super) fn set_from_last_step<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    problem: &mut StepProblem,
) -> Result<(), MechanismError> {
    if !any(system, problem) {
        return Ok(());
    }
    let forces = forces(given.layout, problem, given.h);
    set_laws(system, given, point, problem, &forces)
}

impl ReactionBounds {
    /// The iteration of one solve.
    pub(super) fn new() -> Self {
        Self {
            forces: Vec::new(),
            round: 0,
            left: 0.0,
        }
    }

    /// Sets the laws by the reactions of the last solve. Returns whether (★) has to be solved again.
    pub(super) fn update<S: System>(
        &mut self,
        system: &mut S,
        given: StepInput<'_>,
        point: &EvaluationPoint,
        problem: &mut StepProblem,
    ) -> Result<bool, MechanismError> {
        if !any(system, problem) {
            return Ok(false);
        }
        // RV under the laws of the reactions that were found.
        let found = forces(given.layout, problem, given.h);
        set_laws(system, given, point, problem, &found)?;
        let left = problem.residual_under_present_laws();
        let gains = self.round == 0 || left < 0.5 * self.left;
        self.left = left;
        let tolerance = given.settings.tolerance;
        let enough = left <= AIM * tolerance || (left <= tolerance && !gains);
        if enough || self.round == ROUNDS {
            return Ok(false);
        }
        // Damped reactions where the plain iteration has not ended.
        if self.round < UNDAMPED {
            self.forces = found;
        } else {
            let both = self.forces.iter_mut().zip(&found);
            both.for_each(|(force, found)| *force = 0.5 * (*force + found));
            let forces = std::mem::take(&mut self.forces);
            set_laws(system, given, point, problem, &forces)?;
            self.forces = forces;
        }
        self.round += 1;
        Ok(true)
    }
}
