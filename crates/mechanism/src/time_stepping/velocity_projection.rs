//! Projection of the end velocity onto the bilateral constraints and the persistent contacts at q_F.
//!
//! Bilateral constraints: G(q_F) v_F + W = 0, nearest in the kinetic metric. The mean velocity of the step satisfied them
//! at the midpoint, so this is a change of order h² along A⁻¹Gᵀ only. Without it a violation alternates in sign from step
//! to step and grows where the constraint damps the motion (Chaplygin's sleigh), like the parasitic solution of the
//! leap-frog method.
//!
//! Persistent contacts ([`super::persistent`]) obey their law with U_F at q_F and the impulse of the whole step, S + S′,
//! where S is that of the velocity solve and S′ that of the projection:
//!
//! ```text
//! v_F′ = v_F + A⁻¹ Σ G(q_F)ᵀ S′,      law(U_F, S + S′)
//! ```
//!
//! A contact that slides on to the end of the step has friction along the mean of the sliding velocities at both ends, U_F,t +
//! U_I,t, each in the frame of its end: along U_F,t alone the friction of a path that turns would be of first order.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_convex::dense;

use super::StepInput;
use super::position::EndScratch;
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::Scheme;
use crate::state::State;
use crate::step_problem::{RestitutionWeights, SolveSummary, StepProblem};
use crate::system::{ConstraintKind, StateRef, System};

/// Tangential rows of a contact without rolling resistance, at most.
const TANGENTS: usize = 2;

/// Projects `next.v` onto the bilateral constraints and the contacts in `scratch.persistent` at (t_F, q_F); rows and the
/// impulses S′ into `scratch.projected`. `step` has the impulses S. Takes contacts that separate off the list.
pub(super) fn project<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    inertia: &Inertia,
    step: &StepProblem,
    scratch: &mut EndScratch,
    next: &mut State,
) -> Result<SolveSummary, MechanismError> {
    let problem = &mut scratch.projected;
    problem.clear();
    scratch.v_unprojected.copy_from_slice(&next.v);
    let nothing = SolveSummary {
        converged: true,
        ..SolveSummary::default()
    };
    if given.settings.scheme == Scheme::Paoli {
        return Ok(nothing);
    }
    let at = StateRef {
        t: next.t,
        q: &next.q,
        v: &scratch.v_unprojected,
    };
    // Free velocity of the projection: v_F without the impulses of the persistent contacts.
    let free = &mut scratch.v_free;
    free.copy_from_slice(&scratch.v_unprojected);
    let mut contacts = false;
    for i in 0..given.layout.num_constraints() {
        let constraint = &system.constraints()[i];
        let (kind, rows) = (constraint.kind, constraint.rows);
        match kind {
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => {
                problem.push(system, i, at, 1.0, Status::Stick, RestitutionWeights::NONE)?;
                problem.truncate_rows(rows, Law::Bilateral);
            }
            ConstraintKind::Contact if scratch.persistent[i] => {
                let Some(k) = step.active.iter().position(|c| *c == i) else {
                    continue;
                };
                problem.push(
                    system,
                    i,
                    at,
                    given.h,
                    step.status(k),
                    RestitutionWeights::NONE,
                )?;
                if slides_on(step, k, problem) {
                    let begin = &given.state;
                    problem.add_to_sliding(system, i, begin.t, &begin.q, &begin.v)?;
                }
                problem.take_from_velocity(&step.impulse[step.rows(k)], inertia, free);
                contacts = true;
            }
            // An impulse of the joint here would need its friction impulse, too.
            ConstraintKind::FrictionJoint { .. }
            | ConstraintKind::Contact
            | ConstraintKind::NonFirm => {}
        }
    }
    if !contacts {
        if !problem.active.is_empty() {
            problem.solve_bilateral(inertia, free, &mut next.v);
        }
        return Ok(nothing);
    }
    let tolerance = given.settings.tolerance;
    let summary = problem.solve(system, next.t, inertia, free, &mut next.v, tolerance)?;
    problem.begin_with(&scratch.v_unprojected);
    // S′ of the contacts; those that carry no impulse separate.
    for k in 0..problem.active.len() {
        let i = problem.active[k];
        if !scratch.persistent[i] {
            continue;
        }
        let rows = problem.rows(k);
        scratch.persistent[i] = problem.impulse[rows.start] > 0.0;
        if let Some(earlier) = step.active.iter().position(|c| *c == i) {
            let before = &step.impulse[step.rows(earlier)];
            dense::axpy(-1.0, before, &mut problem.impulse[rows]);
        }
    }
    Ok(summary)
}

/// Whether the `k`-th contact of the step slides until its end: friction still works against the velocity there, that of
/// the last constraint of `projected`. Contacts with rolling resistance are not told apart.
fn slides_on(step: &StepProblem, k: usize, projected: &StepProblem) -> bool {
    let rows = step.rows(k);
    if step.status(k) != Status::Slip || rows.len() > TANGENTS + 1 {
        return false;
    }
    let first = projected.offset[projected.active.len() - 1];
    // U of the rows at q_F before the projection.
    let friction = &step.impulse[rows.start + 1..rows.end];
    dense::dot(friction, &projected.begin[first + 1..]) < 0.0
}
