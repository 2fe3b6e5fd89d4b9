//! Conditional association (B02 §7): a constraint that acts only while its contact is closed.
//!
//! ```text
//! S_n > 0, U_n = 0:   G v + W = 0          S_n = 0, U_n ≥ 0:   no reaction
//! ```
//!
//! Every step first holds the constraints of all active contacts. Those whose contact then carries no impulse are
//! released, and the step is solved again; where the contact would carry an impulse without them, or two contacts would
//! only approach, they stay: a contact that its own rolling lifts keeps it for the step, since neither state satisfies
//! both lines. At most two further solves.

use percuss_contact::law::NonFirmSet;

use crate::step_problem::StepProblem;
use crate::system::Constraint;

/// A constraint that was released: its place in the problem, and that of its contact.
pub(super) struct Released {
    place: usize,
    contact: usize,
}

/// Releases the conditional constraints that act although their contact carries no impulse.
pub(super) fn release(constraints: &[Constraint], problem: &mut StepProblem) -> Vec<Released> {
    let mut released = Vec::new();
    for place in 0..problem.active.len() {
        let Some(contact) = constraints[problem.active[place]].while_closed else {
            continue;
        };
        let Some(contact) = problem.active.iter().position(|&i| i == contact) else {
            continue;
        };
        let rows = problem.rows(place);
        let carries = problem.impulse[rows.clone()].iter().any(|s| *s != 0.0);
        if problem.impulse[problem.offset[contact]] != 0.0 || !carries {
            continue;
        }
        // The set {0}: no reaction.
        let zero = vec![0.0; rows.len()];
        let Ok(nothing) = NonFirmSet::axis_box(&zero, &zero) else {
            continue;
        };
        problem.release(place, nothing.into_law());
        released.push(Released { place, contact });
    }
    released
}

/// Restores those whose contact carries an impulse without them. Returns whether there is one.
pub(super) fn restore(released: &[Released], problem: &mut StepProblem) -> bool {
    let mut any = false;
    for Released { place, contact } in released {
        if problem.impulse[problem.offset[*contact]] != 0.0 {
            problem.restore(*place);
            any = true;
        }
    }
    any
}
