//! Implicit forces: those of the θ-method and of the implicit midpoint rule, and the matrix Â of their iteration.
//!
//! ```text
//! θ-method   K = θ K(t_F, q_I + h v_θ, v_F) + (1 − θ) K(t_I, q_I, v_I)          v_θ = θ v_F + (1 − θ) v_I
//! midpoint   K = K(t_M, q_I + ½h v_M, v_M)                                    v_M = ½(v_I + v_F)
//! Â          A − sym(hθ ∂K/∂v + h²θ² ∂K/∂q), θ = ½ for the midpoint rule
//! ```

use super::StepInput;
use super::evaluation::EvaluationPoint;
use super::velocity::{VelocityScratch, store_impulse};
use crate::error::MechanismError;
use crate::inertia::cholesky;
use crate::settings::{ForceEvaluation, Scheme};
use crate::state::State;
use crate::system::System;

/// Relative step of the differences: the iteration needs a few digits of the Jacobians.
const DIFFERENCE: f64 = 1e-6;

/// θ of the schemes whose forces are implicit.
pub(super) fn implicitness(given: StepInput<'_>) -> Option<f64> {
    match given.settings.scheme {
        Scheme::Theta(theta) => Some(theta),
        Scheme::Midpoint | Scheme::Projected => {
            (given.settings.force_evaluation == ForceEvaluation::Implicit).then_some(0.5)
        }
        Scheme::Paoli | Scheme::Event => None,
    }
}

/// hK at the mean velocity ½(v_I + v_F) of the iterate and in the middle of the way that it makes. Returns whether it changed.
pub(super) fn evaluate_middle_forces<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    scratch: &mut VelocityScratch,
    next: &State,
) -> Result<bool, MechanismError> {
    for i in 0..next.v.len() {
        scratch.v_force[i] = 0.5 * (point.v_begin[i] + next.v[i]);
    }
    scratch.middle.clone_from(&given.state.q);
    let space = system.configuration_space();
    space.integrate(&mut scratch.middle, &scratch.v_force, 0.5 * given.h);
    let unused_mass = &mut scratch.effective.mass;
    let (q, v) = (&scratch.middle, &scratch.v_force);
    system.dynamics(point.t, q, v, unused_mass, &mut scratch.force_end)?;
    Ok(store_impulse(scratch, |scratch, i| {
        given.h * scratch.force_end[i]
    }))
}

/// h(θ K_F + (1−θ) K_I) at the iterate `next.v`. Returns whether it changed.
pub(super) fn evaluate_theta_forces<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    theta: f64,
    k: usize,
    point: &EvaluationPoint,
    scratch: &mut VelocityScratch,
    next: &mut State,
) -> Result<bool, MechanismError> {
    let unused_mass = &mut scratch.effective.mass;
    if k == 0 {
        // K_I, kept for the whole step.
        let (t, q) = (given.state.t, &given.state.q);
        system.dynamics(t, q, &point.v_begin, unused_mass, &mut scratch.force_begin)?;
    }
    for i in 0..next.v.len() {
        // v_θ, for q_F of the iterate: q_I + h v_θ.
        scratch.v_force[i] = theta * next.v[i] + (1.0 - theta) * point.v_begin[i];
    }
    next.q.copy_from_slice(&given.state.q);
    system
        .configuration_space()
        .integrate(&mut next.q, &scratch.v_force, given.h);
    // K_F.
    let force_end = &mut scratch.force_end;
    system.dynamics(given.end, &next.q, &next.v, unused_mass, force_end)?;
    Ok(store_impulse(scratch, |scratch, i| {
        given.h * (theta * scratch.force_end[i] + (1.0 - theta) * scratch.force_begin[i])
    }))
}

/// Factors Â into `effective.factor`; A itself where the θ-method has no force Jacobians of the system, or where Â is not
/// positive definite.
pub(super) fn factor_effective_inertia<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    theta: f64,
    point: &EvaluationPoint,
    scratch: &mut VelocityScratch,
) -> Result<(), MechanismError> {
    let (n, h) = (point.v_begin.len(), given.h);
    let (mut stiffness, mut damping) = (vec![0.0; n * n], vec![0.0; n * n]);
    let mut known = system.force_jacobians(
        given.end,
        &point.q,
        &point.v_begin,
        &mut stiffness,
        &mut damping,
    )?;
    // Systems without Jacobians: differences, where the scheme promises to bear stiff forces.
    if !known && given.settings.force_evaluation == ForceEvaluation::Implicit {
        difference_jacobians(system, given, point, scratch, &mut stiffness, &mut damping)?;
        known = true;
    }
    let factor = &mut scratch.effective.factor;
    factor.copy_from_slice(&point.inertia.mass);
    if known {
        // Â = A − sym(hθ ∂K/∂v + h²θ² ∂K/∂q).
        let slope = |i: usize, j: usize| {
            h * theta * damping[i * n + j] + h * h * theta * theta * stiffness[i * n + j]
        };
        for i in 0..n {
            for j in 0..n {
                factor[i * n + j] -= 0.5 * (slope(i, j) + slope(j, i));
            }
        }
    }
    if !known || cholesky(factor, n).is_err() {
        factor.copy_from_slice(&point.inertia.factor);
    }
    Ok(())
}

/// ∂K/∂q and ∂K/∂v at the evaluation point by differences.
fn difference_jacobians<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    scratch: &mut VelocityScratch,
    by_position: &mut [f64],
    by_velocity: &mut [f64],
) -> Result<(), MechanismError> {
    let n = point.v_begin.len();
    let unused_mass = &mut scratch.effective.mass;
    system.dynamics(
        given.end,
        &point.q,
        &point.v_begin,
        unused_mass,
        &mut scratch.force_begin,
    )?;
    for j in 0..n {
        let mut v = point.v_begin.clone();
        let eps = DIFFERENCE * (1.0 + v[j].abs());
        v[j] += eps;
        system.dynamics(given.end, &point.q, &v, unused_mass, &mut scratch.force_end)?;
        for i in 0..n {
            by_velocity[i * n + j] = (scratch.force_end[i] - scratch.force_begin[i]) / eps;
        }
        // A way of this length along the velocity j.
        let mut along = vec![0.0; n];
        along[j] = 1.0;
        scratch.middle.clone_from(&point.q);
        let space = system.configuration_space();
        space.integrate(&mut scratch.middle, &along, DIFFERENCE);
        system.dynamics(
            given.end,
            &scratch.middle,
            &point.v_begin,
            unused_mass,
            &mut scratch.force_end,
        )?;
        for i in 0..n {
            by_position[i * n + j] = (scratch.force_end[i] - scratch.force_begin[i]) / DIFFERENCE;
        }
    }
    Ok(())
}
