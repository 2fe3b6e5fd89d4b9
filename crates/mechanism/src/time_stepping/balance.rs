//! Momentum and energy balance of a step (JM92 §6), position errors.
//!
//! ```text
//! momentum:  A(v_F − v_I) = hK + Σ Gᵀ S
//! energy:    E_F − E_I = hK·½(v_I + v_F) + Σ_α [ ½ S·(U_F + U_I) − S·W ]      (A where the step evaluates it)
//! gain:      Σ_rows S Uᵃ − ½δ S (𝒲S),   Uᵃ = ½(1−δ) U_I + ½(1+δ) U_F          (JM92 6.2)
//! ```
//!
//! With one common δ the gain is Σ S·Uᵃ − ½δ SᵀWS ≤ 0 whatever the forces do; the remaining part of the contacts' work,
//! −½δ S·(G A⁻¹ hK), belongs to the forces within the step and is of order h².

use percuss_contact::law::Status;
use percuss_convex::dense;

use super::energy_gain::gain_with_joints;
use super::evaluation::EvaluationPoint;
use super::impacts::ImpactBeforeStep;
use super::layout::RowLayout;
use super::position::EndScratch;
use super::velocity::{VelocityScratch, VelocitySolution};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::state::{State, StepReport};
use crate::step_problem::StepProblem;
use crate::system::{Constraint, ConstraintKind, System};

/// A contact is at rest where a step changes its penetration by no more than this share of it.
const AT_REST: f64 = 0.1;

/// Scratch of the balance.
#[derive(Debug)]
pub(super) struct BalanceScratch {
    /// hK, overwritten by its norm.
    dual: Vec<f64>,
    /// v_F − v_I.
    v_change: Vec<f64>,
    /// A(v_F − v_I) − hK − Σ GᵀS, overwritten by its norm (`momentum_residual`).
    momentum: Vec<f64>,
    /// A at q_F, without its factor (`add_end_energies`).
    end_inertia: Inertia,
}

impl BalanceScratch {
    pub(super) fn new(velocities: usize) -> Self {
        let zero = || vec![0.0; velocities];
        Self {
            dual: zero(),
            v_change: zero(),
            momentum: zero(),
            end_inertia: Inertia::new(velocities),
        }
    }
}

/// Position errors at the end of a step.
#[derive(Default)]
pub(super) struct PositionErrors {
    /// max(−g) over the contacts.
    penetration: f64,
    /// max |f| over the joints.
    drift: f64,
    /// Largest change of a coordinate since the start, or largest |g|.
    extent: f64,
    /// The constraints at which `penetration` and `drift` are attained.
    worst: [Option<u32>; 2],
}

/// max(−g), max |f| and the extent of the motion at the end of the step. Fills `gaps` at q_F.
pub(super) fn position_errors<S: System>(
    system: &mut S,
    layout: &RowLayout,
    initial_positions: &[f64],
    next: &State,
    gaps: &mut [f64],
) -> Result<PositionErrors, MechanismError> {
    system.gaps(next.t, &next.q, gaps)?;
    let moved = next
        .q
        .iter()
        .zip(initial_positions)
        .map(|(q, from)| (q - from).abs());
    let mut found = PositionErrors {
        extent: moved.fold(0.0, f64::max),
        ..PositionErrors::default()
    };
    for (i, constraint) in system.constraints().iter().enumerate() {
        for value in &gaps[layout.gaps(i)] {
            match constraint.kind {
                ConstraintKind::Contact => {
                    found.extent = found.extent.max(value.abs());
                    if -value > found.penetration {
                        (found.penetration, found.worst[0]) = (-value, Some(i as u32));
                    }
                }
                _ if value.abs() > found.drift => {
                    (found.drift, found.worst[1]) = (value.abs(), Some(i as u32));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// A computed step, for its balance.
pub(super) struct ComputedStep<'a> {
    pub(super) constraints: &'a [Constraint],
    pub(super) state: &'a State,
    pub(super) next: &'a State,
    pub(super) point: &'a EvaluationPoint,
    pub(super) problem: &'a StepProblem,
    pub(super) velocity: &'a VelocityScratch,
    pub(super) end: &'a EndScratch,
    pub(super) impact: &'a ImpactBeforeStep,
    /// Whether it was solved with the ρ of the contacts in bilateral rows (`energy_gain`).
    pub(super) common_restitution: bool,
}

/// Report of a step, without what depends on the impulses of an impact before it and without the energies at q_F.
pub(super) fn of_step(
    step: &ComputedStep<'_>,
    h: f64,
    solution: &VelocitySolution,
    errors: &PositionErrors,
    scratch: &mut BalanceScratch,
) -> StepReport {
    let mut report = StepReport {
        t: step.next.t,
        h,
        num_active: step.problem.active.len(),
        residual: solution.contacts.residual,
        iterations: solution.contacts.iterations,
        reached: solution.contacts.converged && solution.forces_converged,
        penetration: errors.penetration,
        drift: errors.drift,
        extent: errors.extent,
        worst: [errors.worst[0], errors.worst[1], None],
        infeasible: solution.contacts.infeasible,
        ..StepReport::default()
    };
    add_works(step, &mut report);
    add_energy_residual(step, scratch, &mut report);
    add_energy_gain(step, &mut report);
    report.lasting = persistent_contact_work(step) + work_of_displacement(step, h);
    report.momentum = momentum_residual(step, scratch);
    report
}

/// Works of contacts, forces and boundaries.
fn add_works(step: &ComputedStep<'_>, report: &mut StepReport) {
    let (problem, end) = (step.problem, step.end);
    // Work of the constraint impulses by row, ½ S (U_I + U_F), and of moving boundaries, −S W.
    for (k, &i) in problem.active.iter().enumerate() {
        let kind = step.constraints[i].kind;
        for row in problem.rows(k) {
            let s = problem.impulse[row];
            let share = 0.5 * s * (problem.begin[row] + problem.end[row]);
            let tangential = kind.is_friction_row(row - problem.offset[k]);
            *(if !tangential {
                &mut report.impact
            } else {
                &mut report.sliding
            }) += share;
            report.boundary -= s * problem.boundary[row];
        }
    }
    // Work of the given forces, hK·½(v_I + v_F) with v_F before the velocity projection.
    let (k, v_begin) = (&step.velocity.force_impulse, &step.point.v_begin);
    report.work = (0..v_begin.len())
        .map(|i| k[i] * 0.5 * (v_begin[i] + end.v_unprojected[i]))
        .sum();
    // Velocity projection: ½ S′ (U + U_F), the energy lost when the velocity was made tangent at the end.
    let projected = &end.projected;
    for (k, &i) in projected.active.iter().enumerate() {
        let kind = step.constraints[i].kind;
        for row in projected.rows(k) {
            let s = projected.impulse[row];
            let share = 0.5 * s * (projected.begin[row] + projected.end[row]);
            let tangential = kind.is_friction_row(row - projected.offset[k]);
            *(if !tangential {
                &mut report.impact
            } else {
                &mut report.sliding
            }) += share;
            report.boundary -= s * projected.boundary[row];
        }
    }
    report.impact += step.impact.energy_change;
}

/// Energy residual: the sum of all terms of the energy balance over the largest of them; the energy scale.
fn add_energy_residual(
    step: &ComputedStep<'_>,
    scratch: &mut BalanceScratch,
    report: &mut StepReport,
) {
    let inertia = &step.point.inertia;
    let (begin, end) = (inertia.energy(&step.state.v), inertia.energy(&step.next.v));
    let terms = [
        end,
        -begin,
        -report.work,
        -report.impact,
        -report.sliding,
        -report.boundary,
    ];
    // At rest all terms are rounding; the energy that the forces alone would give, ½‖hA⁻¹K‖², is a scale.
    scratch.dual.copy_from_slice(&step.velocity.force_impulse);
    let forced = 0.5 * inertia.dual_norm(&mut scratch.dual).powi(2);
    let scale = terms.iter().fold(forced, |m, x| m.max(x.abs()));
    let left = terms.iter().sum::<f64>().abs();
    report.energy = if scale > 0.0 { left / scale } else { 0.0 };
    // Energy scale of the step; self-stress, GᵀS = 0, is in none of its terms.
    let turnover = [begin, inertia.energy(&step.velocity.v_free), forced];
    let given = [report.work.abs(), report.boundary.abs()];
    report.turnover = turnover.into_iter().chain(given).fold(0.0, f64::max);
    report.forced = forced;
}

/// Energy gain Σ S·Uᵃ − ½δ S·(𝒲S) over the contacts, the inadmissible part of it, and whether coefficients differ.
fn add_energy_gain(step: &ComputedStep<'_>, report: &mut StepReport) {
    let (problem, v_free) = (step.problem, &step.velocity.v_free);
    let n = v_free.len();
    let (mut gain, mut lawful, mut bilateral) = (0.0, 0.0, false);
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, &i) in problem.active.iter().enumerate() {
        let contact = step.constraints[i].kind == ConstraintKind::Contact;
        // Upper bound that the laws imply, over all rows; gain over the contact rows.
        for row in problem.rows(k).filter(|row| problem.impulse[*row] != 0.0) {
            let (s, rho) = (problem.impulse[row], problem.restitution_weight[row]);
            lawful += s * (problem.end[row] + rho * problem.begin[row]) / (1.0 + rho);
            if !contact {
                bilateral = true;
                continue;
            }
            range = (range.0.min(rho), range.1.max(rho));
            let delta = (1.0 - rho) / (1.0 + rho);
            let g = &problem.jacobian[row * n..(row + 1) * n];
            let free = problem.boundary[row] + dense::dot(g, v_free);
            let average =
                0.5 * ((1.0 - delta) * problem.begin[row] + (1.0 + delta) * problem.end[row]);
            let reflected = 0.5 * delta * (problem.end[row] - free);
            gain += s * (average - reflected);
        }
    }
    report.mixed = range.0 < range.1;
    // Joints, whose rows have another weight, are taken with that of the contacts beside them. Where these differ the
    // second term may have either sign.
    let beside = gain_with_joints(step.constraints, problem, v_free, report.forced);
    if let Some(beside) = beside {
        gain = beside.gain;
    }
    let excess = match report.mixed || bilateral {
        true if lawful < gain && beside.is_none() => lawful,
        _ => gain,
    };
    // Relative to the energy scale, with the gain of impacts applied before the step.
    let over = |x: f64| match x + step.impact.energy_gain {
        x if x <= 0.0 => 0.0,
        x => x / report.turnover,
    };
    (report.gain, report.excess) = (over(gain), over(excess));
}

/// Work of persistent contacts (those that carried impulses in the previous step, too), as far as they do not slide, and
/// of the bilateral rows: energy that the scheme loses or gains.
fn persistent_contact_work(step: &ComputedStep<'_>) -> f64 {
    let problem = step.problem;
    let mut sum = 0.0;
    for (k, &i) in problem.active.iter().enumerate() {
        let rows = problem.rows(k);
        let (before, now) = (step.state.status[i], problem.status(k));
        // Number of rows of the constraint that count: normal row only where it slides.
        let count = match step.constraints[i].kind {
            ConstraintKind::Contact if before == Status::Open || now == Status::Open => 0,
            ConstraintKind::Contact if before == Status::Stick && now == Status::Stick => {
                rows.len()
            }
            ConstraintKind::Contact => 1,
            // A step solved again with the ρ of the contacts is a collision.
            _ if step.common_restitution => 0,
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::NonFirm => 0,
        };
        let works = rows.take(count).map(|row| {
            let s = problem.impulse[row];
            0.5 * s * (problem.begin[row] + problem.end[row])
        });
        sum += works.sum::<f64>();
    }
    // Velocity projection: bilateral rows, and normal rows of contacts that carried an impulse before.
    let projected = &step.end.projected;
    let mut projection = 0.0;
    for (k, &i) in projected.active.iter().enumerate() {
        let rows = projected.rows(k);
        let count = match step.constraints[i].kind {
            ConstraintKind::Contact if step.state.status[i] == Status::Open => 0,
            ConstraintKind::Contact => 1,
            _ => rows.len(),
        };
        for row in rows.take(count) {
            let both = projected.begin[row] + projected.end[row];
            projection += 0.5 * projected.impulse[row] * both;
        }
    }
    sum + projection
}

/// Energy that the displacement of q_F onto contacts adds against the given forces, −K·Δq; other schemes do not move contacts
/// within their balance.
fn work_of_displacement(step: &ComputedStep<'_>, h: f64) -> f64 {
    -dense::dot(&step.velocity.force_impulse, &step.end.moved) / h
}

/// ‖A(v_F − v_I) − hK − Σ GᵀS‖ relative to the velocities and to hA⁻¹K.
fn momentum_residual(step: &ComputedStep<'_>, scratch: &mut BalanceScratch) -> f64 {
    let (inertia, v_begin) = (&step.point.inertia, &step.point.v_begin);
    let (n, force_impulse) = (v_begin.len(), &step.velocity.force_impulse);
    for i in 0..n {
        scratch.v_change[i] = step.next.v[i] - v_begin[i];
    }
    let left = &mut scratch.momentum;
    for i in 0..n {
        let row = &inertia.mass[i * n..(i + 1) * n];
        left[i] = dense::dot(row, &scratch.v_change) - force_impulse[i];
    }
    for problem in [step.problem, &step.end.projected] {
        for (row, s) in problem.impulse.iter().enumerate() {
            let g = &problem.jacobian[row * n..(row + 1) * n];
            dense::axpy(-s, g, left);
        }
    }
    let scale = inertia.norm(v_begin).max(inertia.norm(&step.next.v));
    // At rest under load only hA⁻¹K has a size.
    scratch.dual.copy_from_slice(force_impulse);
    let scale = scale.max(inertia.dual_norm(&mut scratch.dual));
    let left = inertia.dual_norm(left);
    if scale > 0.0 { left / scale } else { left }
}

/// Largest penetration of a contact at rest, and that contact; `gaps` are those at q_F.
pub(super) fn deepest_resting_contact(
    constraints: &[Constraint],
    layout: &RowLayout,
    gaps: &[f64],
    problem: &StepProblem,
    h: f64,
) -> (f64, Option<u32>) {
    let mut found = (0.0, None);
    for (k, &i) in problem.active.iter().enumerate() {
        if constraints[i].kind != ConstraintKind::Contact {
            continue;
        }
        let (row, depth) = (problem.offset[k], -gaps[layout.gaps(i).start]);
        let speed = problem.begin[row].abs().max(problem.end[row].abs());
        let rests = problem.impulse[row] != 0.0 && h * speed <= AT_REST * depth;
        if rests && depth > found.0 {
            found = (depth, Some(i as u32));
        }
    }
    found
}

/// Energies with A at q_F, not at q_M: the energy that a user plots.
pub(super) fn add_end_energies<S: System>(
    system: &mut S,
    next: &State,
    scratch: &mut BalanceScratch,
    report: &mut StepReport,
) -> Result<(), MechanismError> {
    let inertia = &mut scratch.end_inertia;
    let (mass, force) = (&mut inertia.mass, &mut inertia.force);
    system.dynamics(next.t, &next.q, &next.v, mass, force)?;
    report.kinetic = inertia.energy(&next.v);
    report.potential = system.potential(next.t, &next.q)?;
    if !(report.kinetic.is_finite() && report.potential.is_finite()) {
        return Err(MechanismError::BlowUp {
            t: next.t,
            what: "the energy".to_string(),
        });
    }
    Ok(())
}
