//! Projection of positions onto the constraints in the kinetic metric (M88 Remark 11.1): drift
//! correction.
//!
//! ```text
//! min ½ Δqᵀ A Δq    subject to   g + G Δq ≥ 0  (violated contacts),   f + G Δq = 0  (joints)
//! ```
//!
//! This is the contact problem without friction with gaps in place of velocities. Joints are projected after every step
//! by Newton's method, to rounding; contacts once, where the settings ask for it.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_convex::dense;

use super::layout::RowLayout;
use crate::error::MechanismError;
use crate::inertia::{Inertia, describe};
use crate::state::State;
use crate::step_problem::{RestitutionWeights, StepProblem};
use crate::system::{ConstraintKind, StateRef, System};

/// Maximum number of Newton steps; they converge quadratically from an error of order h³.
const STEPS: usize = 12;

/// Convergence tolerance, relative to the squared size of the coordinates: rounding of f.
const ROUNDING: f64 = 1e-15;

/// Newton steps that leave more than this share of the violation converge linearly: a sign of dependent joints.
const LINEAR: f64 = 0.15;

/// Joints with a larger error, relative to the squared size of the coordinates, after the last step are refused.
const LOST: f64 = 1e-11;

/// Newton's method for f(t_F, q_F) = 0 over all joints. Overwrites `gaps`.
pub(super) fn project_joints<S: System>(
    system: &mut S,
    layout: &RowLayout,
    inertia: &Inertia,
    gaps: &mut [f64],
    next: &mut State,
) -> Result<(), MechanismError> {
    if !system.constraints().iter().any(|c| is_joint(c.kind)) {
        return Ok(());
    }
    let mut last = f64::INFINITY;
    // Newton's method; each step solves the linearised constraints in the kinetic metric.
    for k in 0..STEPS {
        let (violation, floor) = joint_violation(system, layout, gaps, next, ROUNDING)?;
        if violation <= floor {
            return Ok(());
        }
        // Newton's method on independent constraints converges quadratically; a constant factor is the mark of
        // dependent ones.
        if k >= 2 && violation > 100.0 * floor && violation > LINEAR * last {
            return Err(dependent(system, next, violation));
        }
        last = violation;
        project_once(system, layout, inertia, gaps, next, |_, kind, _| {
            is_joint(kind).then_some(Law::Bilateral)
        })?;
    }
    let (violation, limit) = joint_violation(system, layout, gaps, next, LOST)?;
    if violation <= limit {
        return Ok(());
    }
    Err(dependent(system, next, violation))
}

/// One projection onto the violated contacts, with the joints as equations. Overwrites `gaps`.
pub(super) fn project_contacts<S: System>(
    system: &mut S,
    layout: &RowLayout,
    inertia: &Inertia,
    gaps: &mut [f64],
    next: &mut State,
) -> Result<(), MechanismError> {
    system.gaps(next.t, &next.q, gaps)?;
    let contacts = system.constraints().iter().enumerate();
    let violated = contacts
        .filter(|(_, c)| c.is_contact())
        .any(|(i, _)| gaps[layout.gaps(i).start] < 0.0);
    if !violated {
        return Ok(());
    }
    // The joints take part as G Δq = 0; their own error is rounding.
    for (i, constraint) in system.constraints().iter().enumerate() {
        if is_joint(constraint.kind) {
            gaps[layout.gaps(i)].fill(0.0);
        }
    }
    project_once(system, layout, inertia, gaps, next, |_, kind, gap| {
        let violated = kind == ConstraintKind::Contact && gap < 0.0;
        (is_joint(kind) || violated).then(|| position_law(kind))
    })?;
    Ok(())
}

/// Newton's method for g(t_F, q_F) = 0 over the contacts in `persistent`, g ≥ 0 over all others and f = 0 over the joints.
/// More contacts than the positions can close together (a table on uneven ground) are left with the least sum of squares.
/// Overwrites `gaps`; adds the displacement, in velocity coordinates, to `moved`.
pub(super) fn close_contacts<S: System>(
    system: &mut S,
    layout: &RowLayout,
    inertia: &Inertia,
    persistent: &[bool],
    gaps: &mut [f64],
    moved: &mut [f64],
    next: &mut State,
) -> Result<(), MechanismError> {
    let mut last = f64::INFINITY;
    // Contacts that were violated before or after one of the Newton steps.
    let mut pushed = vec![false; persistent.len()];
    for _ in 0..STEPS {
        let (mut violation, floor) = joint_violation(system, layout, gaps, next, ROUNDING)?;
        let mut more = false;
        for (i, constraint) in system.constraints().iter().enumerate() {
            if !constraint.is_contact() {
                continue;
            }
            let gap = gaps[layout.gaps(i).start];
            let wrong = if persistent[i] { gap.abs() } else { -gap };
            more |= !persistent[i] && wrong > floor && !pushed[i];
            pushed[i] |= !persistent[i] && wrong > floor;
            violation = violation.max(wrong);
        }
        if violation <= floor || (violation > 0.5 * last && !more) {
            break;
        }
        last = violation;
        let shift = project_once(system, layout, inertia, gaps, next, |i, kind, _| {
            let equation = is_joint(kind) || persistent[i];
            (equation || pushed[i]).then_some(match equation {
                true => Law::Bilateral,
                false => Law::Frictionless,
            })
        })?;
        dense::axpy(1.0, &shift, moved);
    }
    Ok(())
}

/// Error: no position nearby satisfies all joints.
fn dependent<S: System>(system: &S, next: &State, violation: f64) -> MechanismError {
    let joints = system.constraints().iter();
    let names: Vec<String> = joints
        .filter(|c| is_joint(c.kind))
        .map(|c| format!("`{}`", c.name))
        .collect();
    MechanismError::Dependent {
        names: names.join(", "),
        t: next.t,
        detail: format!(
            "no position nearby satisfies them together; a violation of {violation:e} is left at {}",
            describe(system, &next.q)
        ),
    }
}

/// max |f| over the joints at the end of the step, and `share` of the squared size of the coordinates.
fn joint_violation<S: System>(
    system: &mut S,
    layout: &RowLayout,
    gaps: &mut [f64],
    next: &State,
    share: f64,
) -> Result<(f64, f64), MechanismError> {
    system.gaps(next.t, &next.q, gaps)?;
    let mut worst = 0.0_f64;
    for (i, constraint) in system.constraints().iter().enumerate() {
        if is_joint(constraint.kind) {
            let values = &gaps[layout.gaps(i)];
            worst = values.iter().fold(worst, |m, f| m.max(f.abs()));
        }
    }
    let size = 1.0 + next.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    Ok((worst, share * size * size))
}

/// One projection (Newton step) onto the constraints for which `law_of` gives a law; `gaps` holds their values. Returns Δq
/// in velocity coordinates.
fn project_once<S: System>(
    system: &mut S,
    layout: &RowLayout,
    inertia: &Inertia,
    gaps: &[f64],
    next: &mut State,
    law_of: impl Fn(usize, ConstraintKind, f64) -> Option<Law>,
) -> Result<Vec<f64>, MechanismError> {
    let n = next.v.len();
    let still = vec![0.0; n];
    let mut problem = StepProblem::new(n);
    let mut unilateral = false;
    // Rows of the selected constraints, with gaps in place of the boundary velocity W.
    for i in 0..layout.num_constraints() {
        let kind = system.constraints()[i].kind;
        let values = layout.gaps(i);
        if values.is_empty() {
            continue;
        }
        let Some(law) = law_of(i, kind, gaps[values.start]) else {
            continue;
        };
        let at = StateRef {
            t: next.t,
            q: &next.q,
            v: &still,
        };
        unilateral |= law == Law::Frictionless;
        problem.push(system, i, at, 1.0, Status::Stick, RestitutionWeights::NONE)?;
        problem.replace_by_position_rows(&gaps[values], law);
    }
    // Δq in the velocity coordinates.
    let mut shift = vec![0.0; n];
    if unilateral {
        problem.solve(system, next.t, inertia, &still, &mut shift, 1e-12)?;
    } else {
        // Joints alone are linear equations. Two equal ones differ by rounding, which is no contradiction: the caller
        // tests what is left of the functions themselves.
        problem.solve_bilateral(inertia, &still, &mut shift);
    }
    system
        .configuration_space()
        .integrate(&mut next.q, &shift, 1.0);
    Ok(shift)
}

/// Whether the constraint has position functions f = 0.
fn is_joint(kind: ConstraintKind) -> bool {
    matches!(
        kind,
        ConstraintKind::Joint | ConstraintKind::FrictionJoint { .. }
    )
}

/// Law of a constraint in the projection: no friction.
fn position_law(kind: ConstraintKind) -> Law {
    match kind {
        ConstraintKind::Contact => Law::Frictionless,
        _ => Law::Bilateral,
    }
}
