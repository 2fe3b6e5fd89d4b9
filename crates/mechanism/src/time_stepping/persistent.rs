//! Persistent contacts of the scheme `projected`: contacts that stay closed are treated as joints are.
//!
//! Moreau's midpoint scheme makes the velocity at q_M tangent to the constraints there. On a curved path the velocity
//! turns within a step, so that every step loses the share (1 − cos φ) of the normal part and sinks by order h². A contact
//! that was closed at the end of the last step and did not rebound is therefore *persistent* in this one:
//!
//! ```text
//! at q_M:   law(U_F + U_I, S)                mean velocity ½(v_I + v_F) tangent: symmetric, of second order
//! at q_F:   g(q_F) = 0                        positions (position_projection)
//!           law(U_F, S + S′)                  velocities (velocity_projection)
//! ```
//!
//! The first line is the rule of bilateral rows; the two others are those of Gear, Gupta and Leimkuhler 1985, for
//! unilateral constraints as in Brüls, Acary and Cardona 2014. The law with the impulse of the whole step decides whether
//! the contact separates. A contact that slides to the end of the step has friction along the mean of its velocities
//! at both ends, as in the first line.
//!
//! All other contacts obey Moreau's law (M88 §11), with G at q_I + h v_I. They act where q_I + h v_I lies below
//! their surface, or the step without them ends there, and close in this step if they do not rebound. What a rebound
//! leaves below the surface, up to ½h(1 − e) times the approach, is put back: g(q_F) ≥ 0 holds for all contacts. An
//! impact with e < 1 loses more energy than that gives as long as it is faster than (1 + e)⁻¹ times what the forces make
//! in a step.

use percuss_convex::dense;

use super::StepInput;
use crate::inertia::Inertia;
use crate::settings::Scheme;
use crate::step_problem::StepProblem;
use crate::system::{ConstraintKind, System};

/// A contact that closes in this step does not rebound if it separates with less than this share of the velocity that
/// its own impulse gives it: an inelastic impact, or the end of an accumulation of impacts.
const REBOUND: f64 = 1e-3;

/// Tolerated gain of the kinetic energy through constraints, relative to the energies of v_I and of the free velocity.
const GAINED: f64 = 1e-9;

/// Whether the last constraint of the problem, a persistent contact, strikes: it approaches faster than forces and the
/// curvature of its surface explain, as at a corner of its path. It then obeys its impact law.
pub(super) fn strikes(given: StepInput<'_>, inertia: &Inertia, problem: &StepProblem) -> bool {
    let k = problem.active.len() - 1;
    let row = problem.offset[k];
    let speed = -problem.begin[row];
    if !problem.has_relative_velocity(k, row..row + 1, &given.state.v) {
        return false;
    }
    let mut change = inertia.force.clone();
    inertia.solve(&mut change);
    let forced = given.h * dense::dot(problem.jacobian_row(row), &change).abs();
    given.detector.is_impact(problem.active[k], speed, forced)
}

/// Marks the contacts that persist: those that carry an impulse and persisted before or do not rebound now.
pub(super) fn select<S: System>(
    system: &S,
    given: StepInput<'_>,
    problem: &StepProblem,
    persistent: &mut [bool],
) {
    persistent.fill(false);
    if given.settings.scheme != Scheme::Projected {
        return;
    }
    for (k, &i) in problem.active.iter().enumerate() {
        let row = problem.offset[k];
        if system.constraints()[i].kind != ConstraintKind::Contact || !(problem.impulse[row] > 0.0)
        {
            continue;
        }
        let rebound = problem.end[row] > REBOUND * problem.own_velocity_change(k);
        persistent[i] = given.persistent[i] || !rebound;
    }
}

/// Where persistent contacts beside impacts gained energy, gives them the restitution of their impact law. Returns whether
/// that changes a weight.
///
/// Rows with U_F + U_I = 0 beside rows with U_F + eU_I = 0 may gain energy (Kane and Levinson). With ½‖hA⁻¹K‖² the energy
/// that the forces give, Σ ½S·(U_I + U_F) ≤ ⅛‖hA⁻¹K‖² holds for one weight in all rows and boundaries at rest. A
/// boundary that moves drives what it carries: its work, −S·W, is no gain and does not count.
pub(super) fn restore_restitution<S: System>(
    system: &S,
    given: StepInput<'_>,
    problem: &mut StepProblem,
    forced: f64,
    energy: f64,
) -> bool {
    let mut work = 0.0;
    for row in 0..problem.impulse.len() {
        let s = problem.impulse[row];
        work += s * 0.5 * (problem.begin[row] + problem.end[row]);
    }
    let mut changed = false;
    if work <= 0.25 * forced + GAINED * energy {
        return changed;
    }
    for k in 0..problem.active.len() {
        let i = problem.active[k];
        if system.constraints()[i].kind != ConstraintKind::Contact || !given.persistent[i] {
            continue;
        }
        let restitution = problem.restitution[k];
        for row in problem.rows(k) {
            let rho = match row == problem.offset[k] {
                true => restitution.normal,
                false => restitution.tangential,
            };
            changed |= problem.restitution_weight[row] != rho;
            problem.restitution_weight[row] = rho;
        }
    }
    changed
}
