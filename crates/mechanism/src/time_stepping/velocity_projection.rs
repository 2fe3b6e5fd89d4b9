//! Projection of the end velocity onto the bilateral constraints at q_F.
//!
//! G(q_F) v_F + W = 0, nearest in the kinetic metric. The mean velocity of the step satisfied them at the midpoint, so
//! this is a change of order h² along A⁻¹Gᵀ only. Without it a violation alternates in sign from step to step and grows
//! where the constraint damps the motion (Chaplygin's sleigh), like the parasitic solution of the leap-frog method.

use percuss_contact::Law;
use percuss_contact::law::Status;

use super::StepInput;
use super::position::EndScratch;
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::Scheme;
use crate::state::State;
use crate::step_problem::RestitutionWeights;
use crate::system::{ConstraintKind, StateRef, System};

/// Projects `next.v` onto the bilateral constraints at (t_F, q_F); rows and impulses into `scratch.bilateral`.
pub(super) fn project<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    inertia: &Inertia,
    scratch: &mut EndScratch,
    next: &mut State,
) -> Result<(), MechanismError> {
    let problem = &mut scratch.bilateral;
    problem.clear();
    scratch.v_unprojected.copy_from_slice(&next.v);
    if given.settings.scheme == Scheme::Paoli {
        return Ok(());
    }
    for i in 0..given.layout.num_constraints() {
        let constraint = &system.constraints()[i];
        let rows = match constraint.kind {
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => constraint.rows,
            // An impulse of the joint here would need its friction impulse, too.
            ConstraintKind::FrictionJoint { .. }
            | ConstraintKind::Contact
            | ConstraintKind::NonFirm => continue,
        };
        let at = StateRef {
            t: next.t,
            q: &next.q,
            v: &next.v,
        };
        problem.push(system, i, at, 1.0, Status::Stick, RestitutionWeights::NONE)?;
        problem.truncate_rows(rows, Law::Bilateral);
    }
    if !problem.active.is_empty() {
        problem.solve_bilateral(inertia, &scratch.v_unprojected, &mut next.v);
    }
    Ok(())
}
