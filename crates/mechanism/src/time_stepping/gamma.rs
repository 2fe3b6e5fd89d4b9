//! Painlevé's γ of the constraints that slide in a step, and joints that lock (P15 §3, B02 §6).
//!
//! A contact has γ ≤ 0 only where it may jump. A joint with friction has it where the laws admit more than one
//! acceleration at the beginning of the step, and locks where it stops in a step at whose beginning they admit none:
//! friction that grows with the reaction that it causes (dynamical locking). Both are found by enumeration of contact
//! modes, at most 20,000 combinations.

use percuss_contact::law::Status;
use smallvec::SmallVec;

use super::evaluation::EvaluationPoint;
use crate::modes::enumeration::AdmissibleAccelerations;
use crate::painleve;
use crate::state::State;
use crate::step_problem::StepProblem;
use crate::system::{Constraint, ConstraintKind, StateRef, System};

/// What is known of the sliding of the active constraints.
#[derive(Debug, Default)]
pub(super) struct SlidingAnalysis {
    /// γ of every active constraint; +∞ where it does not apply.
    pub(super) gamma: Vec<f64>,
    /// Whether it locked in this step.
    pub(super) locked: Vec<bool>,
}

/// γ of every contact that slides without colliding and of every friction joint that slides and has more than one
/// continuation, and the joints that lock, into `found`. Returns the smallest γ.
pub(super) fn evaluate<S: System>(
    system: &mut S,
    state: &State,
    point: &EvaluationPoint,
    problem: &StepProblem,
    found: &mut SlidingAnalysis,
) -> f64 {
    let at = StateRef {
        t: point.t,
        q: &point.q,
        v: &state.v,
    };
    found.gamma.clear();
    found.locked.clear();
    for k in 0..problem.active.len() {
        let joint = matches!(
            system.constraints()[problem.active[k]].kind,
            ConstraintKind::FrictionJoint { .. }
        );
        let (gamma, locked) = match joint {
            true => of_joint(system, state, at, problem, k),
            false => (of_contact(system, state, at, problem, k), false),
        };
        found.gamma.push(gamma);
        found.locked.push(locked);
    }
    found.gamma.iter().copied().fold(f64::INFINITY, f64::min)
}

/// γ of a contact that slides without colliding; where γ ≤ 0 admits no other velocity, Ŵ_nn.
fn of_contact<S: System>(
    system: &mut S,
    state: &State,
    at: StateRef<'_>,
    problem: &StepProblem,
    k: usize,
) -> f64 {
    let i = problem.active[k];
    let friction = problem.law[k].normal() && problem.rows(k).len() > 1;
    let stuck = state.status[i] == Status::Stick;
    if !friction || stuck || !problem.slides_without_collision(k, &state.v) {
        return f64::INFINITY;
    }
    let gamma = problem.gamma_of_sliding(k, &fixed_rows(system.constraints(), problem, k));
    if gamma > 0.0 {
        return gamma;
    }
    // The contacts that carry an impulse in this step.
    let carries = |k: &usize| problem.impulse[problem.offset[*k]] > 0.0;
    let acting = (0..problem.active.len()).filter(carries);
    let acting: Vec<usize> = acting.map(|k| problem.active[k]).collect();
    let rule = problem.sliding_rule;
    match painleve::gamma_if_nonunique(system, i, at, rule, Some(&acting)) {
        Ok(unique) if unique > 0.0 => unique,
        _ => gamma,
    }
}

/// γ of a sliding friction joint that has more than one continuation, else +∞; and whether it locks.
fn of_joint<S: System>(
    system: &mut S,
    state: &State,
    at: StateRef<'_>,
    problem: &StepProblem,
    k: usize,
) -> (f64, bool) {
    let (i, rows) = (problem.active[k], problem.rows(k));
    let ConstraintKind::FrictionJoint { normal_rows } = system.constraints()[i].kind else {
        return (f64::INFINITY, false);
    };
    // A joint that stuck in the step before is at rest; what is left of its velocity is rounding.
    let stuck = state.status[i] == Status::Stick;
    let slides =
        !stuck && problem.has_relative_velocity(k, rows.start + normal_rows..rows.end, at.v);
    let stops = slides && problem.status(k) == Status::Stick;
    let gamma = problem.gamma(k, &fixed_rows(system.constraints(), problem, k));
    // Enumerate the admissible accelerations only where they may be none or several.
    if !(slides && (gamma <= 0.0 || stops)) {
        return (f64::INFINITY, false);
    }
    let Ok(ways) = painleve::joint_continuations(system, i, at) else {
        return (f64::INFINITY, false);
    };
    let several = gamma <= 0.0 && ways.accelerations.len() > 1;
    let locked = stops && locks(&ways, i);
    (if several { gamma } else { f64::INFINITY }, locked)
}

/// Whether the laws admit no acceleration, this joint being the reason.
fn locks(ways: &AdmissibleAccelerations, joint: usize) -> bool {
    ways.complete && ways.accelerations.is_empty() && ways.refused.contains(&joint)
}

/// Rows beside the `k`-th constraint whose velocity is fixed: bilateral rows, normal rows of contacts that carry an
/// impulse, and all rows of those that stick.
fn fixed_rows(
    constraints: &[Constraint],
    problem: &StepProblem,
    k: usize,
) -> SmallVec<[usize; 16]> {
    let mut firm = SmallVec::new();
    for other in (0..problem.active.len()).filter(|other| *other != k) {
        let rows = problem.rows(other);
        let normal = match constraints[problem.active[other]].kind {
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::Contact => usize::from(problem.impulse[rows.start] > 0.0),
            // Rolling in contact fixes its rows; a bounded force does not.
            ConstraintKind::NonFirm if problem.law[other].is_firm() => rows.len(),
            ConstraintKind::NonFirm => continue,
        };
        let held = normal > 0 && problem.status(other) == Status::Stick;
        let count = if held { rows.len() } else { normal };
        firm.extend(rows.take(count));
    }
    firm
}
