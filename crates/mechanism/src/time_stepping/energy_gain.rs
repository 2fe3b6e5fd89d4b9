//! Energy gain of contacts with restitution beside joints (Kane–Levinson paradox), and its correction.
//!
//! Colliding contacts obey U_F + e U_I = 0, bilateral rows U_F + U_I = 0 in the midpoint scheme. With one ρ in all rows
//! no energy is gained (JM92 6.2), and the work of given forces bounds that of the constraints:
//!
//! ```text
//! Σ S·(U_F + ρU_I)/(1 + ρ) − ½δ S·(𝒲S) ≤ 0,       Σ ½S·(U_I + U_F) ≤ ⅛δ ‖hA⁻¹K‖²      (boundaries at rest)
//! ```
//!
//! With two different ρ energy may be gained (Kane and Levinson). A step that gains energy in this way is solved again
//! with ρ = e in the bilateral rows, too (decision 44).

use percuss_convex::dense;

use super::evaluation::EvaluationPoint;
use super::velocity::VelocityScratch;
use crate::step_problem::StepProblem;
use crate::system::{Constraint, ConstraintKind};

/// Tolerated gain, relative to the larger of the kinetic energies of v_I and of the free velocity.
const GAINED: f64 = 1e-6;

/// Energy gain of contacts beside bilateral rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct GainWithJoints {
    /// Excess of the two sums over their bounds.
    pub(super) gain: f64,
    /// The one ρ of the contacts.
    pub(super) rho: f64,
}

/// The ρ of the contacts where contacts beside bilateral constraints gained more energy than is tolerated.
pub(super) fn restitution_of_excessive_gain(
    constraints: &[Constraint],
    point: &EvaluationPoint,
    problem: &StepProblem,
    velocity: &mut VelocityScratch,
) -> Option<f64> {
    // ½‖hA⁻¹K‖² and the energy that the gain is compared with.
    let inertia = &point.inertia;
    let forced = 0.5 * velocity.force_norm(inertia).powi(2);
    let energy = inertia.energy(&point.v_begin);
    let energy = energy.max(inertia.energy(&velocity.v_free));
    let found = gain_with_joints(constraints, problem, &velocity.v_free, forced)?;
    (found.gain > GAINED * energy).then_some(found.rho)
}

/// Sets ρ of all bilateral rows. Returns whether that changes one.
pub(super) fn set_bilateral_restitution(
    constraints: &[Constraint],
    rho: f64,
    problem: &mut StepProblem,
) -> bool {
    let mut changed = false;
    for k in 0..problem.active.len() {
        let kind = constraints[problem.active[k]].kind;
        let rows = problem.rows(k);
        let held = match kind {
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::Contact | ConstraintKind::NonFirm => 0,
        };
        for row in rows.take(held) {
            changed |= problem.restitution_weight[row] != rho;
            problem.restitution_weight[row] = rho;
        }
    }
    changed
}

/// Excess of the two sums over their bounds with the one ρ of the contacts; `forced` is ½‖hA⁻¹K‖². `None` where no
/// contact carries an impulse beside a bilateral row, and where coefficients of restitution differ.
pub(super) fn gain_with_joints(
    constraints: &[Constraint],
    problem: &StepProblem,
    v_free: &[f64],
    forced: f64,
) -> Option<GainWithJoints> {
    let n = v_free.len();
    let rho = common_contact_restitution(constraints, problem)?;
    let delta = (1.0 - rho) / (1.0 + rho);
    let (mut gain, mut done, mut bilateral, mut moves) = (0.0, 0.0, false, false);
    for (k, &i) in problem.active.iter().enumerate() {
        let kind = constraints[i].kind;
        // S·Uᵃ − ½δ S·(𝒲S) and ½S·(U_I + U_F) of the rows that carry an impulse.
        for row in problem.rows(k).filter(|row| problem.impulse[*row] != 0.0) {
            if kind.is_friction_row(row - problem.offset[k])
                && kind != ConstraintKind::Contact
                && rho != 0.0
            {
                return None;
            }
            bilateral |= kind != ConstraintKind::Contact;
            moves |= problem.boundary[row] != 0.0;
            let (s, begin, end) = (problem.impulse[row], problem.begin[row], problem.end[row]);
            let g = &problem.jacobian[row * n..(row + 1) * n];
            let free = problem.boundary[row] + dense::dot(g, v_free);
            let average = 0.5 * ((1.0 - delta) * begin + (1.0 + delta) * end);
            gain += s * (average - 0.5 * delta * (end - free));
            done += 0.5 * s * (begin + end);
        }
    }
    // The second bound holds with boundaries at rest only.
    if !moves {
        gain = gain.max(done - 0.25 * delta * forced);
    }
    bilateral.then_some(GainWithJoints { gain, rho })
}

/// The common ρ of all contact rows that carry impulses; `None` where there is none or where they differ.
fn common_contact_restitution(constraints: &[Constraint], problem: &StepProblem) -> Option<f64> {
    let mut known = None;
    for (k, &i) in problem.active.iter().enumerate() {
        if constraints[i].kind != ConstraintKind::Contact {
            continue;
        }
        for row in problem.rows(k).filter(|row| problem.impulse[*row] != 0.0) {
            let rho = problem.restitution_weight[row];
            if known.is_some_and(|known| known != rho) {
                return None;
            }
            known = Some(rho);
        }
    }
    known
}
