//! Velocity of a step: fixed-point iteration over the forces, with one contact solve per iteration.
//!
//! ```text
//! A (v_F − v_I) = h K(v_F) + Gᵀ S
//! ```
//!
//! K at the mean velocity, or implicit in the θ-method, makes this an equation for v_F. Each iteration linearises K and
//! solves the contact problem: with v_k the last iterate and Â a symmetric approximation of A − h ∂K/∂v_F,
//!
//! ```text
//! Â (v_{k+1} − v_k) = hK(v_k) − A(v_k − v_I) + Gᵀ S.
//! ```
//!
//! Â = A is the plain fixed-point iteration, a contraction while h‖A⁻¹∂K/∂v‖ is small. The θ-method takes the symmetric
//! part of A − hθ ∂K/∂v − h²θ² ∂K/∂q (a quasi-Newton iteration) and so converges for stiff springs and dampers; the implicit
//! midpoint rule (`ForceEvaluation::Implicit`), K at q_I + ½h·½(v_I + v_F), likewise with θ = ½. At most
//! 60 iterations; a step that does not converge is reported, not refused.

use percuss_convex::dense;

use super::StepInput;
use super::evaluation::EvaluationPoint;
use super::impacts::ImpactBeforeStep;
use super::implicit_forces::{
    evaluate_middle_forces, evaluate_theta_forces, factor_effective_inertia, implicitness,
};
use super::reaction_bounds::ReactionBounds;
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::{ForceEvaluation, Scheme};
use crate::state::State;
use crate::step_problem::{SolveSummary, StepProblem};
use crate::system::System;

/// Maximum number of iterations over the forces.
const ITERATIONS: usize = 60;

/// Convergence tolerance: the iteration stops when v changes by less than this share of the velocities. Rounding of the
/// contact problem is of the order 1e-15.
const SETTLED: f64 = 1e-13;

/// An iteration that has multiplied the velocity by this does not converge to one that is farther away: the step has no
/// solution, and the motion blows up.
const DIVERGED: f64 = 1e6;

/// Scratch of the velocity solve.
#[derive(Debug)]
pub(super) struct VelocityScratch {
    /// hK of the last iteration (`evaluate_forces`).
    pub(super) force_impulse: Vec<f64>,
    /// Free velocity v_L = v_I + hA⁻¹K of the last iteration (`solve_contacts`).
    pub(super) v_free: Vec<f64>,
    /// Velocity at which K is evaluated: ½(v_I + v_F), or v_θ.
    pub(super) v_force: Vec<f64>,
    /// θ-method: K_I, in the whole step.
    pub(super) force_begin: Vec<f64>,
    /// θ-method: K_F of the iterate.
    pub(super) force_end: Vec<f64>,
    /// Implicit forces: the factor of Â (`factor_effective_inertia`). Its mass takes the A that comes with K_I and K_F and is not
    /// needed.
    pub(super) effective: Inertia,
    /// Implicit midpoint rule: the position of the iterate, in the middle of the step.
    pub(super) middle: Vec<f64>,
    /// v_k − v_I, then the change of v in an iteration.
    v_change: Vec<f64>,
    /// hK, overwritten by its norm.
    dual: Vec<f64>,
}

impl VelocityScratch {
    pub(super) fn new(velocities: usize) -> Self {
        let zero = || vec![0.0; velocities];
        Self {
            force_impulse: zero(),
            v_free: zero(),
            v_force: zero(),
            force_begin: zero(),
            force_end: zero(),
            effective: Inertia::new(velocities),
            middle: Vec::new(),
            v_change: zero(),
            dual: zero(),
        }
    }

    /// ‖hA⁻¹K‖ in the kinetic metric.
    pub(super) fn force_norm(&mut self, inertia: &Inertia) -> f64 {
        self.dual.copy_from_slice(&self.force_impulse);
        inertia.dual_norm(&mut self.dual)
    }
}

/// Outcome of the velocity solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct VelocitySolution {
    /// Residual and iterations of the last contact solve.
    pub(super) contacts: SolveSummary,
    /// Whether the fixed-point iteration over the forces converged.
    pub(super) forces_converged: bool,
}

/// Solves for v_F, into `next.v`; impulses and velocities of the contacts into `problem`.
pub(super) fn solve<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    impact: &ImpactBeforeStep,
    point: &mut EvaluationPoint,
    problem: &mut StepProblem,
    scratch: &mut VelocityScratch,
    next: &mut State,
) -> Result<VelocitySolution, MechanismError> {
    next.v.copy_from_slice(&point.v_begin);
    // Schemes with K at v_I need one contact solve.
    let once = match given.settings.scheme {
        Scheme::Midpoint | Scheme::Projected | Scheme::Event => {
            given.settings.force_evaluation == ForceEvaluation::Begin
        }
        Scheme::Paoli => true,
        Scheme::Theta(_) => false,
    };
    let implicit = implicitness(given);
    if let Some(theta) = implicit {
        factor_effective_inertia(system, given, theta, point, scratch)?;
    }
    let mut solution = VelocitySolution {
        contacts: SolveSummary::default(),
        forces_converged: once,
    };
    let mut last = f64::INFINITY;
    // Largest velocity of the first iterate.
    let mut first = f64::INFINITY;
    for k in 0..ITERATIONS {
        let evaluated = match (given.settings.scheme, k) {
            (Scheme::Theta(theta), _) => {
                evaluate_theta_forces(system, given, theta, k, point, scratch, next)
            }
            _ if implicit.is_some() => evaluate_middle_forces(system, given, point, scratch, next),
            (_, 0) => evaluate_begin_forces(system, given.h, impact, point, scratch),
            _ => evaluate_mean_forces(system, given.h, point, scratch, next),
        };
        let changed = evaluated.map_err(|error| {
            let grown = largest(&next.v).filter(|(_, v)| *v > DIVERGED * first);
            grown.map_or(error, |(i, _)| blow_up(system, given.state.t, i))
        })?;
        if k > 0 && !changed {
            // K did not change: neither does the solution.
            solution.forces_converged = true;
            break;
        }
        solution.contacts = solve_contacts(system, given, point, problem, scratch, next)?;
        if once {
            break;
        }
        if k == 0 {
            let sizes = [&next.v, &point.v_begin].map(|v| largest(v).map_or(0.0, |(_, v)| v));
            first = sizes[0].max(sizes[1]);
        }
        // Change of v in the kinetic norm, and the velocity scale: norms of v_I, v_F and hA⁻¹K.
        let change = point.inertia.norm(&scratch.v_change);
        let forced = scratch.force_norm(&point.inertia);
        let scale = point.inertia.norm(&next.v) + point.inertia.norm(&point.v_begin) + forced;
        // The change cannot fall below the error of the contact solve; a change near it that no longer falls is accepted.
        let enough = (SETTLED + 10.0 * solution.contacts.residual) * scale;
        if change <= enough || (change <= 50.0 * enough && change >= last) {
            solution.forces_converged = true;
            break;
        }
        last = change;
    }
    require_finite(system, given.state.t, &next.v)?;
    // Â belongs to the iteration: v_L of the step is v_I + hA⁻¹K.
    if implicit.is_some() {
        set_free_velocity(point, scratch);
    }
    // Iterates that grow without bound: no velocity solves the step. Norms overflow before velocities do, so that the
    // change seems small.
    match largest(&next.v).filter(|(_, v)| *v > DIVERGED * first) {
        Some((i, _)) => Err(blow_up(system, given.state.t, i)),
        None => Ok(solution),
    }
}

/// The velocity of largest size, with its size.
fn largest(v: &[f64]) -> Option<(usize, f64)> {
    let sizes = v.iter().map(|v| v.abs()).enumerate();
    sizes.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Error: velocity `i` grows beyond all numbers.
fn blow_up<S: System>(system: &S, t: f64, i: usize) -> MechanismError {
    MechanismError::BlowUp {
        t,
        what: format!("the velocity `{}`", system.velocity_name(i)),
    }
}

/// hK of the first iteration. In the first velocity solve A and K at v_I are those of the evaluation point; in a second
/// one (common restitution) K is that of the last iterate. An impact applied before the step changed v_I: evaluate again.
fn evaluate_begin_forces<S: System>(
    system: &mut S,
    h: f64,
    impact: &ImpactBeforeStep,
    point: &mut EvaluationPoint,
    scratch: &mut VelocityScratch,
) -> Result<bool, MechanismError> {
    if impact.rows.is_some() {
        let EvaluationPoint {
            t,
            q,
            v_begin,
            inertia,
            ..
        } = point;
        system.dynamics(*t, q, v_begin, &mut inertia.mass, &mut inertia.force)?;
    }
    Ok(store_impulse(scratch, |_, i| h * point.inertia.force[i]))
}

/// hK at the mean velocity ½(v_I + v_F) of the iterate `next.v`. Returns whether it changed.
fn evaluate_mean_forces<S: System>(
    system: &mut S,
    h: f64,
    point: &mut EvaluationPoint,
    scratch: &mut VelocityScratch,
    next: &State,
) -> Result<bool, MechanismError> {
    for i in 0..next.v.len() {
        scratch.v_force[i] = 0.5 * (point.v_begin[i] + next.v[i]);
    }
    let EvaluationPoint { t, q, inertia, .. } = point;
    let (mass, force) = (&mut inertia.mass, &mut inertia.force);
    system.dynamics(*t, q, &scratch.v_force, mass, force)?;
    Ok(store_impulse(scratch, |_, i| h * point.inertia.force[i]))
}

/// Free velocity v_L = v_I + hA⁻¹K of the last iterate.
fn set_free_velocity(point: &EvaluationPoint, scratch: &mut VelocityScratch) {
    scratch.v_free.copy_from_slice(&scratch.force_impulse);
    point.inertia.solve(&mut scratch.v_free);
    let both = scratch.v_free.iter_mut().zip(&point.v_begin);
    both.for_each(|(free, begin)| *free += begin);
}

/// Stores the impulse of the forces, coordinate by coordinate. Returns whether it changed.
pub(super) fn store_impulse(
    scratch: &mut VelocityScratch,
    impulse: impl Fn(&VelocityScratch, usize) -> f64,
) -> bool {
    let mut changed = false;
    for i in 0..scratch.force_impulse.len() {
        let value = impulse(scratch, i);
        changed |= value != scratch.force_impulse[i];
        scratch.force_impulse[i] = value;
    }
    changed
}

/// Solves the contact problem for the current hK; the change of v into `scratch.v_change`.
fn solve_contacts<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &EvaluationPoint,
    problem: &mut StepProblem,
    scratch: &mut VelocityScratch,
    next: &mut State,
) -> Result<SolveSummary, MechanismError> {
    let n = next.v.len();
    // Free velocity v_k + Â⁻¹ (hK − A(v_k − v_I)); with Â = A the iterate drops out.
    let metric = if implicitness(given).is_some() {
        for i in 0..n {
            scratch.v_change[i] = next.v[i] - point.v_begin[i];
        }
        for i in 0..n {
            let row = &point.inertia.mass[i * n..(i + 1) * n];
            scratch.v_free[i] = scratch.force_impulse[i] - dense::dot(row, &scratch.v_change);
        }
        scratch.effective.solve(&mut scratch.v_free);
        (0..n).for_each(|i| scratch.v_free[i] += next.v[i]);
        &scratch.effective
    } else {
        set_free_velocity(point, scratch);
        &point.inertia
    };
    scratch.v_change.copy_from_slice(&next.v);
    let (free, tolerance) = (&scratch.v_free, given.settings.tolerance);
    let mut summary = problem.solve(system, point.t, metric, free, &mut next.v, tolerance)?;
    // Thresholds that see reactions: again with those of the last solve.
    let mut bounds = ReactionBounds::new();
    let mut iterations = summary.iterations;
    while bounds.update(system, given, point, problem)? {
        summary = problem.solve(system, point.t, metric, free, &mut next.v, tolerance)?;
        iterations += summary.iterations;
    }
    summary.iterations = iterations;
    summary.residual = summary.residual.max(bounds.left);
    summary.converged &= bounds.left <= tolerance;
    for i in 0..n {
        scratch.v_change[i] -= next.v[i];
    }
    Ok(summary)
}

/// Refuses a velocity that is not finite.
fn require_finite<S: System>(system: &S, t: f64, v: &[f64]) -> Result<(), MechanismError> {
    match v.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(blow_up(system, t, i)),
    }
}
