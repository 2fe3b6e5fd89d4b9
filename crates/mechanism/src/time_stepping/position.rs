//! End positions of a step.

use super::StepInput;
use super::evaluation::EvaluationPoint;
use crate::settings::Scheme;
use crate::state::State;
use crate::step_problem::StepProblem;
use crate::system::System;

/// Scratch of the end of a step: positions, projections, position errors.
#[derive(Debug)]
pub(super) struct EndScratch {
    /// v_θ, with which the θ-method moves the positions (`position::update`).
    v_theta: Vec<f64>,
    /// Gaps of contacts and values f of joints at q_F (`position_projection`, then `balance::position_errors`).
    pub(super) gaps: Vec<f64>,
    /// Bilateral rows and persistent contacts at q_F, and the impulses of the velocity projection onto them
    /// (`velocity_projection::project`).
    pub(super) projected: StepProblem,
    /// Contacts that persist, by constraint (`persistent::select`; those that separate at q_F are taken off by
    /// `velocity_projection::project`).
    pub(super) persistent: Vec<bool>,
    /// Contacts that a first solve of the step left open and below whose surface it ended, by constraint
    /// (`detection::mark_violated`).
    pub(super) violated: Vec<bool>,
    /// Displacement of q_F by the scheme `projected` onto contacts, in velocity coordinates
    /// (`position_projection::close_contacts`).
    pub(super) moved: Vec<f64>,
    /// v_F before that projection.
    pub(super) v_unprojected: Vec<f64>,
    /// The same without the impulses of the persistent contacts.
    pub(super) v_free: Vec<f64>,
}

impl EndScratch {
    pub(super) fn new(velocities: usize, gaps: usize, constraints: usize) -> Self {
        Self {
            v_theta: vec![0.0; velocities],
            gaps: vec![0.0; gaps],
            projected: StepProblem::new(velocities),
            persistent: vec![false; constraints],
            violated: vec![false; constraints],
            moved: vec![0.0; velocities],
            v_unprojected: vec![0.0; velocities],
            v_free: vec![0.0; velocities],
        }
    }

    /// Impulses of the velocity projection on a constraint, by row; empty where it has none.
    pub(super) fn projection_impulses(&self, constraint: usize) -> &[f64] {
        let place = self.projected.active.iter().position(|c| *c == constraint);
        place.map_or(&[], |k| &self.projected.impulse[self.projected.rows(k)])
    }
}

/// q_F of the scheme into `next.q`.
pub(super) fn update<S: System>(
    system: &S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    scratch: &mut EndScratch,
    next: &mut State,
) {
    let space = system.configuration_space();
    next.t = given.end;
    match given.settings.scheme {
        Scheme::Midpoint | Scheme::Projected | Scheme::Event => {
            next.q.copy_from_slice(&point.q);
            space.integrate(&mut next.q, &next.v, 0.5 * given.h);
        }
        Scheme::Paoli => next.q.copy_from_slice(&point.q),
        Scheme::Theta(theta) => {
            next.q.copy_from_slice(&given.state.q);
            for i in 0..scratch.v_theta.len() {
                scratch.v_theta[i] = theta * next.v[i] + (1.0 - theta) * point.v_begin[i];
            }
            space.integrate(&mut next.q, &scratch.v_theta, given.h);
        }
    }
}
