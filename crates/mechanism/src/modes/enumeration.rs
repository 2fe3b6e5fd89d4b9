//! Enumeration: all contact modes that satisfy the laws at a state, on accelerations or on the velocities of a jump.
//!
//! Every combination of open, stick, direction of sliding and sign of the reaction is solved for; those whose margins hold
//! are kept, whatever the sign of the coefficients of their reactions (Painlevé's paradox). Limits: at most 20,000
//! combinations; a part with two rows that begins to slide is followed from one direction, so that another may be missed.

use super::REST;
use super::contact_mode::{ContactMode, norm};
use super::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use super::event_functions::{Margin, MarginKind, Phase, margins};
use super::mode_selection::{
    COMBINATIONS, DEFECT, ModeChoice, ZERO, associated, combination, options,
};
use super::mode_solution::{sliding_pairs, solve_modes};
use super::sliding_onset::find_onset_directions;
use crate::error::MechanismError;
use crate::system::{StateRef, System};

/// Accelerations that differ by less than this share are the same.
const SAME: f64 = 1e-9;

/// The combinations that satisfy the laws.
struct Enumeration {
    choices: Vec<ModeChoice>,
    /// Constraints (index in the frame) that slide in some combination with a reaction whose coefficient is not positive.
    refused: Vec<usize>,
    /// Whether all combinations were solved.
    complete: bool,
}

/// All combinations that satisfy the laws at the instant, without look-ahead: the outcomes of a jump.
pub(crate) fn outcomes(frame: &EvaluatedState) -> Vec<ModeChoice> {
    enumerate(frame, &vec![0.0; frame.locals.len()]).choices
}

/// The accelerations that the laws admit at a state.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmissibleAccelerations {
    /// Each acceleration once.
    pub(crate) accelerations: Vec<Vec<f64>>,
    /// Constraints that slide in some combination of modes with a reaction whose coefficient is not positive.
    pub(crate) refused: Vec<usize>,
    /// Whether every combination of modes was solved.
    pub(crate) complete: bool,
}

/// The accelerations that satisfy the laws at a state: more than one where the friction of a joint follows a reaction of
/// either sign, none where friction feeds on itself (B02 §6, example 14). Contacts take part where `members` names them.
pub(crate) fn accelerations<S: System>(
    system: &mut S,
    at: StateRef<'_>,
    members: &[usize],
) -> Result<AdmissibleAccelerations, MechanismError> {
    let frame = EvaluatedState::new(system, at, members)?;
    let limit = |local: &EvaluatedConstraint| REST * norm(&local.size);
    let limit: Vec<f64> = frame.locals.iter().map(limit).collect();
    let all = enumerate(&frame, &limit);
    Ok(AdmissibleAccelerations {
        accelerations: distinct(&frame, &all.choices),
        refused: all.refused.iter().map(|k| members[*k]).collect(),
        complete: all.complete,
    })
}

/// The velocities after a jump without collision from `at.v` that satisfy the laws, other than `at.v`; those of contacts
/// with a closed form are [`crate::step_problem::StepProblem::jumps`].
pub(crate) fn jump_velocities<S: System>(
    system: &mut S,
    at: StateRef<'_>,
    members: &[usize],
) -> Result<Vec<Vec<f64>>, MechanismError> {
    let frame = EvaluatedState::new(system, at, members)?;
    let all = distinct(&frame, &outcomes(&frame.impulsive(at.v)));
    let far = |v: &Vec<f64>| {
        let change: Vec<f64> = v.iter().zip(at.v).map(|(a, b)| a - b).collect();
        frame.inertia.norm(&change) > SAME * frame.inertia.norm(at.v)
    };
    Ok(all.into_iter().filter(far).collect())
}

/// Accelerations, or velocities, of combinations of modes, each once.
fn distinct(frame: &EvaluatedState, choices: &[ModeChoice]) -> Vec<Vec<f64>> {
    let mut found: Vec<&Vec<f64>> = Vec::new();
    for choice in choices {
        let hat = &choice.answer.hat;
        let other = |known: &&Vec<f64>| {
            let apart: Vec<f64> = known.iter().zip(hat).map(|(a, b)| a - b).collect();
            norm(&apart) > SAME * (norm(known) + norm(hat))
        };
        if found.iter().all(other) {
            found.push(hat);
        }
    }
    let physical = found.iter().map(|hat| frame.physical_from_kinetic(hat));
    physical.collect()
}

/// All combinations that satisfy the laws, with speeds below `limit` taken as rest.
fn enumerate(frame: &EvaluatedState, limit: &[f64]) -> Enumeration {
    let pairs = frame.locals.iter().zip(limit);
    let options: Vec<Vec<ContactMode>> = pairs.map(|(l, limit)| options(l, *limit)).collect();
    let total = options.iter().map(Vec::len);
    let total = total.fold(1_usize, |a, b| a.saturating_mul(b));
    let mut all = Enumeration {
        choices: Vec::new(),
        refused: Vec::new(),
        complete: total <= COMBINATIONS,
    };
    for index in 0..total.min(COMBINATIONS) {
        let mut modes = combination(&options, index);
        if !associated(frame, &modes) {
            continue;
        }
        find_onset_directions(frame, &mut modes);
        let Some(answer) = solve_modes(frame, &modes) else {
            // One joint with two reactions has no bounded friction; of several the iteration need not converge.
            match sliding_pairs(frame, &modes)[..] {
                [pair] => all.refused.push(pair),
                _ => all.complete = false,
            }
            continue;
        };
        if !(answer.defect <= DEFECT) {
            continue;
        }
        let list = margins(frame, &modes, &answer, Phase::Choose(limit));
        let pulls = list.iter();
        let pulls = pulls.filter(|m| m.kind == MarginKind::Coefficient && !(m.value > ZERO));
        all.refused.extend(pulls.map(|m| m.local));
        let fits = |m: &Margin| m.kind == MarginKind::Coefficient || m.share() >= -ZERO;
        if list.iter().all(fits) {
            all.choices.push(ModeChoice {
                modes,
                residual: answer.defect,
                answer,
                refused: Vec::new(),
            });
        }
    }
    all.refused.sort_unstable();
    all.refused.dedup();
    all
}
