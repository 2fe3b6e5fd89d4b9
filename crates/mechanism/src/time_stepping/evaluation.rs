//! Evaluation point of a step: the configuration at which A, K, G and the gaps are evaluated.

use super::StepInput;
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::{Scheme, TangentCone};
use crate::system::{StateRef, System};

/// Configuration at which a step evaluates A, K, G and the gaps.
#[derive(Debug)]
pub(super) struct EvaluationPoint {
    /// Time: t_M for the midpoint scheme.
    pub(super) t: f64,
    /// Positions: q_M for the midpoint scheme.
    pub(super) q: Vec<f64>,
    /// t_F and q_I + h v_I, where contacts are evaluated there and not at (t, q): all of them with [`TangentCone::End`],
    /// those that do not persist in the scheme `projected`.
    pub(super) contacts: Option<(f64, Vec<f64>)>,
    /// v_I, after impacts that are applied before the step (`impacts::apply`).
    pub(super) v_begin: Vec<f64>,
    /// A = L Lᵀ and K. The velocity solve overwrites A and K by those at its iterates, never L.
    pub(super) inertia: Inertia,
    /// Gaps of contacts, where these are evaluated (`detection::detect_active`).
    pub(super) gaps: Vec<f64>,
}

impl EvaluationPoint {
    pub(super) fn new(positions: usize, velocities: usize, gaps: usize) -> Self {
        Self {
            t: 0.0,
            q: vec![0.0; positions],
            contacts: None,
            v_begin: vec![0.0; velocities],
            inertia: Inertia::new(velocities),
            gaps: vec![0.0; gaps],
        }
    }

    /// The state (t, q, v_I) of the evaluation.
    pub(super) fn at(&self) -> StateRef<'_> {
        StateRef {
            t: self.t,
            q: &self.q,
            v: &self.v_begin,
        }
    }

    /// The state (t, q, v_I) at which contacts are evaluated.
    pub(super) fn at_contacts(&self) -> StateRef<'_> {
        match &self.contacts {
            None => self.at(),
            Some((t, q)) => StateRef {
                t: *t,
                q,
                v: &self.v_begin,
            },
        }
    }
}

/// Predicts the configuration q_I + θh v_I, with θ = ½ for the midpoint scheme and 1 for Paoli's, and evaluates A = L Lᵀ
/// and K there; predicts that of the contacts.
pub(super) fn evaluate<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &mut EvaluationPoint,
) -> Result<(), MechanismError> {
    let ahead = match given.settings.scheme {
        Scheme::Theta(theta) => theta,
        Scheme::Paoli => 1.0,
        Scheme::Midpoint | Scheme::Projected | Scheme::Event => 0.5,
    };
    // θ = 1: the given end time, which t_I + 1·h would miss by a rounding.
    point.t = if ahead == 1.0 {
        given.end
    } else {
        given.state.t + ahead * given.h
    };
    point.q.copy_from_slice(&given.state.q);
    let space = system.configuration_space();
    space.integrate(&mut point.q, &given.state.v, ahead * given.h);
    // Contacts at the end of the free step instead.
    let predicted = match given.settings.scheme {
        Scheme::Midpoint => given.settings.tangent_cone == TangentCone::End,
        Scheme::Projected => true,
        Scheme::Theta(_) | Scheme::Paoli | Scheme::Event => false,
    };
    point.contacts = predicted.then(|| {
        let mut q = given.state.q.clone();
        space.integrate(&mut q, &given.state.v, given.h);
        (given.end, q)
    });
    point.v_begin.copy_from_slice(&given.state.v);
    let at = StateRef {
        t: point.t,
        q: &point.q,
        v: &point.v_begin,
    };
    point.inertia.evaluate(system, at)
}
