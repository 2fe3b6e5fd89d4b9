//! Painlevé's γ of the constraints that slide in a step (P15 §3, B02 §6).

use percuss_contact::law::Status;
use smallvec::SmallVec;

use super::evaluation::EvaluationPoint;
use crate::painleve;
use crate::state::State;
use crate::step_problem::StepProblem;
use crate::system::{Constraint, ConstraintKind, StateRef, System};

/// γ of every contact that slides without colliding and of every friction joint that slides and has more than one
/// continuation, +∞ for the others, into `gamma`. Returns the smallest.
pub(super) fn evaluate<S: System>(
    system: &mut S,
    state: &State,
    point: &EvaluationPoint,
    problem: &StepProblem,
    gamma: &mut Vec<f64>,
) -> f64 {
    let constraints = system.constraints();
    let of_contact = |k: usize| {
        let friction = problem.law[k].normal() && problem.rows(k).len() > 1;
        let stuck = state.status[problem.active[k]] == Status::Stick;
        match friction && !stuck && problem.slides_without_collision(k, &state.v) {
            true => problem.gamma_of_sliding(k, &fixed_rows(constraints, problem, k)),
            false => f64::INFINITY,
        }
    };
    gamma.clear();
    gamma.extend((0..problem.active.len()).map(of_contact));
    let at = StateRef {
        t: point.t,
        q: &point.q,
        v: &state.v,
    };
    add_friction_joints(system, at, problem, gamma);
    gamma.iter().copied().fold(f64::INFINITY, f64::min)
}

/// γ of sliding friction joints, whose reaction may have either sign: the continuation is not unique where γ ≤ 0 and the
/// laws admit more than one acceleration. Enumerates contact modes, at most 20,000 combinations.
fn add_friction_joints<S: System>(
    system: &mut S,
    at: StateRef<'_>,
    problem: &StepProblem,
    gamma: &mut [f64],
) {
    for k in 0..problem.active.len() {
        let (i, rows) = (problem.active[k], problem.rows(k));
        let ConstraintKind::FrictionJoint { normal_rows: 1 } = system.constraints()[i].kind else {
            continue;
        };
        let slides = problem.has_relative_velocity(k, rows.start + 1..rows.end, at.v);
        let value = problem.gamma(k, &fixed_rows(system.constraints(), problem, k));
        if !slides || value > 0.0 {
            continue;
        }
        // Enumerate the admissible accelerations only where γ ≤ 0.
        let ways = painleve::joint_accelerations(system, i, at);
        if ways.is_ok_and(|ways| ways.len() > 1) {
            gamma[k] = value;
        }
    }
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
