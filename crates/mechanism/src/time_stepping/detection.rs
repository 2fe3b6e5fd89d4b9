//! Active constraints of a step: contacts with g ≤ 0 up to rounding, persistent contacts ([`super::persistent`]), conditional
//! constraints while their contact is active, and all other constraints always.

use super::StepInput;
use super::evaluation::EvaluationPoint;
use super::{persistent, reaction_bounds};
use crate::error::MechanismError;
use crate::impact;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::step_problem::{RestitutionWeights, StepProblem};
use crate::system::{StateRef, System};

/// Candidate threshold: contacts with a gap above this share of the largest coordinate (at least of 1) are open, and
/// their Jacobian is not evaluated. The tolerance of [`StepProblem::is_closed`] is far below.
const CANDIDATE_GAP: f64 = 1e-6;

/// A gap below this share of the coordinates is closed: their rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Collects the active constraints, with the contacts in `violated`. Fills rows, laws, restitution weights and the warm
/// start of `problem`.
pub(super) fn detect_active<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &mut EvaluationPoint,
    violated: &[bool],
    problem: &mut StepProblem,
) -> Result<(), MechanismError> {
    let EvaluationPoint {
        t,
        q,
        contacts,
        v_begin: v,
        inertia,
        gaps,
    } = &mut *point;
    let at = StateRef { t: *t, q, v };
    // Contacts may have a place of their own.
    let touching = match contacts {
        None => at,
        Some((t, q)) => StateRef { t: *t, q, v },
    };
    system.gaps(touching.t, touching.q, gaps)?;
    problem.clear();
    let weights = restitution_weights(given.settings);
    // A gap computed from coordinates of this size is closed if it is below their rounding.
    let size = touching.q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let rounding = ROUNDING * size;
    for i in 0..given.layout.num_constraints() {
        let contact = system.constraints()[i].is_contact();
        // Conditional association: only beside its contact, which comes first.
        let condition = system.constraints()[i].while_closed;
        if condition.is_some_and(|contact| !problem.active.contains(&contact)) {
            continue;
        }
        let gap = gaps.get(given.layout.gaps(i).start).copied();
        let gap = gap.filter(|_| contact).unwrap_or(0.0);
        let persists = given.persistent[i];
        let known = persists || violated[i];
        if gap > CANDIDATE_GAP * size && !known {
            continue;
        }
        let previous = given.state.status[i];
        let place = if contact && !persists { touching } else { at };
        problem.push(system, i, place, given.h, previous, weights)?;
        // Near but not closed to rounding: closed unless it is above the tolerance or separating.
        if gap > rounding && !known && !problem.is_closed(gap, place, given.h) {
            problem.pop();
            continue;
        }
        // A persistent contact takes part like a joint: U_F + U_I at the midpoint.
        if persists && !persistent::strikes(given, inertia, problem) {
            problem.set_last_weight(1.0);
        }
        // Warm start: the impulses of the previous step.
        let k = problem.active.len() - 1;
        let rows = problem.rows(k);
        let held = given.layout.rows(i);
        problem.impulse[rows].copy_from_slice(&given.state.impulse[held]);
    }
    reaction_bounds::set_from_last_step(system, given, point, problem)?;
    apply_canonical_restitution(system, given, point, problem)
}

/// Marks in `violated` the contacts that the step left open and below whose surface it ends. `gaps` are those at q_F.
/// Returns whether there is a new one.
pub(super) fn mark_violated<S: System>(
    system: &S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    problem: &StepProblem,
    gaps: &[f64],
    violated: &mut [bool],
) -> bool {
    let size = point.q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let mut more = false;
    for (i, constraint) in system.constraints().iter().enumerate() {
        let open = constraint.is_contact() && !problem.active.contains(&i);
        if open && !violated[i] && gaps[given.layout.gaps(i).start] < -ROUNDING * size {
            (violated[i], more) = (true, true);
        }
    }
    more
}

/// Weight ρ of U_I by kind of row.
fn restitution_weights(settings: &Settings) -> RestitutionWeights {
    RestitutionWeights {
        contacts_rebound: !settings.impact.is_separate(),
        bilateral: match settings.scheme {
            Scheme::Midpoint | Scheme::Projected | Scheme::Event => 1.0,
            // Bilateral rows obey θU_F + (1−θ)U_I = 0.
            Scheme::Theta(theta) => (1.0 - theta) / theta,
            Scheme::Paoli => 0.0,
        },
    }
}

/// Canonical impact law: gives every active contact the same normal restitution. Those that persist keep U_F + U_I.
fn apply_canonical_restitution<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    problem: &mut StepProblem,
) -> Result<(), MechanismError> {
    if given.settings.impact != ImpactLaw::Canonical {
        return Ok(());
    }
    let contact = |i: &&usize| system.constraints()[**i].is_contact();
    let contacts: Vec<usize> = problem.active.iter().filter(contact).copied().collect();
    // One e in all normal rows.
    let e = impact::common_restitution(system, point.at_contacts(), &contacts)?;
    for k in 0..problem.active.len() {
        if contacts.contains(&problem.active[k]) {
            let row = problem.rows(k).start;
            if !given.persistent[problem.active[k]] {
                problem.restitution_weight[row] = e;
            }
            problem.restitution[k].normal = e;
        }
    }
    Ok(())
}
