//! Painlevé's paradox: whether a contact that slides without collision continues uniquely, and how it may go on.
//!
//! A contact slides with U_n = 0. Its reaction may make the velocity jump although nothing collides when the cone of
//! A⁻¹(reactions) meets the tangent space, which is decided by
//!
//! ```text
//! γ(q) = min_{w ∈ D} ⟨n, A⁻¹(n + w)⟩ = H_nn − max_{w ∈ D} (−H_nt · w)        (P15 §3, M88 §14)
//! ```
//!
//! with the fixed rows eliminated from Ĝ: joints, and the other contacts that are closed and do not separate (their
//! tangential rows, too, where they stick). A⁻¹ is the case of one free contact.
//!
//! γ > 0: u⁺ = u⁻. γ < 0: u⁺ ∈ {u⁻, ũ}. γ = 0: u⁺ ∈ [u⁻, ũ]. Here
//!
//! ```text
//! ũ = proj_q(0, (u⁻ + A⁻¹R) ∩ T),   R = ℝ⁺(n + D),   T = { U_n = 0 }                     (P15 7)
//! ```
//!
//! is the admissible velocity of least kinetic energy; ũ = u⁻ where no impulse of the cone opposes the sliding. With one
//! direction of friction Coulomb's law gives the same. With two it does not, and each scheme jumps by its own law: Paoli's
//! to the least energy, the others by Coulomb's law, which may leave none, one or several velocities beside u⁻.
//!
//! A contact whose law is of Coulomb's type has its jumps in closed form (`step_problem::jumps`); the impulses that they
//! ask of the other constraints must obey the laws of those. Where they do not, or the law has no closed form, the jump
//! is the limit of collisions with U_n = −ε, ε → 0, all constraints taking part: for γ < 0 the discrete law gives ũ (P15,
//! proof of theorem 1). γ ≤ 0 without a jump is reported as Ĥ_nn > 0: sliding goes on uniquely.
//!
//! Limits: γ of a contact holds the normal rows of others that slide without the friction that would follow them.

mod environment;

use crate::error::{MechanismError, SystemError};
use crate::modes::enumeration::{AdmissibleAccelerations, accelerations, jump_velocities};
use crate::settings::Scheme;
use crate::step_problem::SlidingRule;
use crate::system::{ConstraintKind, StateRef, System};

use environment::ContactEnvironment;
pub(crate) use environment::ContactJump;

/// |γ| below this share of Ĥ_nn counts as γ = 0.
const ZERO: f64 = 1e-12;

/// The velocities that a sliding contact may continue with.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcomes {
    /// Only u⁻.
    One,
    /// γ < 0: u⁻ or ũ.
    Two {
        /// ũ.
        jump: Vec<f64>,
    },
    /// γ = 0: every velocity of [u⁻, ũ].
    Segment {
        /// ũ.
        jump: Vec<f64>,
    },
    /// u⁻ or one of several jumps: Coulomb's law with two directions of friction.
    Several {
        /// The velocities after them.
        jumps: Vec<Vec<f64>>,
    },
}

/// γ and the possible outcomes of one sliding contact.
#[derive(Debug, Clone, PartialEq)]
pub struct PainleveAnalysis {
    /// γ(q), 1/kg.
    pub gamma: f64,
    /// The possible u⁺.
    pub outcomes: Outcomes,
}

/// γ of a contact, or of a joint with friction, at a state; +∞ for other constraints and where the others fix the normal
/// velocity.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn gamma<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
) -> Result<f64, SystemError> {
    let kind = system.constraints()[contact].kind;
    if !matches!(
        kind,
        ConstraintKind::Contact | ConstraintKind::FrictionJoint { .. }
    ) {
        return Ok(f64::INFINITY);
    }
    // Evaluation errors keep their own message.
    let place = ContactEnvironment::new(system, contact, at, None).map_err(|e| match e {
        MechanismError::System(e) => e,
        other => SystemError {
            what: format!("γ of `{}`", system.constraints()[contact].name),
            problem: format!("cannot be computed: {other}"),
            t: at.t,
        },
    })?;
    Ok(place.problem.gamma(0, &place.fixed_rows))
}

/// γ of a contact that slides at a state where it has more than one outcome by the contact law `rule`; else a positive
/// number, γ itself or Ĥ_nn. `beside` names the contacts that act beside it, where that is known.
pub(crate) fn gamma_if_nonunique<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
    rule: SlidingRule,
    beside: Option<&[usize]>,
) -> Result<f64, MechanismError> {
    let mut place = ContactEnvironment::new(system, contact, at, beside)?;
    place.problem.sliding_rule = rule;
    let gamma = place.problem.gamma_of_sliding(0, &place.fixed_rows);
    if gamma > 0.0 || !place.jumps(system, at)?.is_empty() {
        return Ok(gamma);
    }
    let row = place.problem.reduced_row(0, &place.fixed_rows);
    Ok(row.map_or(f64::INFINITY, |row| row[0]))
}

/// Jumps of a sliding contact.
pub(crate) fn contact_jumps<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
    rule: SlidingRule,
) -> Result<Vec<ContactJump>, MechanismError> {
    let mut place = ContactEnvironment::new(system, contact, at, None)?;
    place.problem.sliding_rule = rule;
    place.jumps(system, at)
}

/// γ and the outcomes of a contact that slides at `at` with U_n = 0; the caller must know that the gap is closed. The
/// jumps are those of the contact law of `scheme`.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn analyse_sliding_contact<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
    scheme: Scheme,
) -> Result<PainleveAnalysis, MechanismError> {
    let mut place = ContactEnvironment::new(system, contact, at, None)?;
    place.problem.sliding_rule = SlidingRule::of(scheme);
    let gamma = place.problem.gamma_of_sliding(0, &place.fixed_rows);
    let normal = place.problem.reduced_row(0, &place.fixed_rows);
    let Some(normal) = normal.filter(|row| gamma <= ZERO * row[0]) else {
        // γ > 0: unique.
        let outcomes = Outcomes::One;
        return Ok(PainleveAnalysis { gamma, outcomes });
    };
    let mut jumps = place.jumps(system, at)?;
    let Some(last) = jumps.pop() else {
        // No other velocity: γ ≤ 0 belongs to another direction, or the others do not let it.
        return Ok(PainleveAnalysis {
            gamma: normal[0],
            outcomes: Outcomes::One,
        });
    };
    let outcomes = match (jumps.is_empty(), last.segment) {
        (true, true) => Outcomes::Segment {
            jump: last.velocity,
        },
        (true, false) => Outcomes::Two {
            jump: last.velocity,
        },
        (false, _) => Outcomes::Several {
            jumps: jumps
                .into_iter()
                .chain([last])
                .map(|j| j.velocity)
                .collect(),
        },
    };
    Ok(PainleveAnalysis { gamma, outcomes })
}

/// The accelerations that the laws admit at a state, for a joint whose friction follows its reaction, together with
/// joints and the contacts that are closed and do not separate: more than one where the joint may push with either sign,
/// none where it locks (B02 §6, example 14). Empty for other constraints.
///
/// # Errors
/// An evaluation that failed, a mass matrix that is not positive definite, or a force set that the event-driven
/// integrator does not know.
pub fn joint_accelerations<S: System>(
    system: &mut S,
    joint: usize,
    at: StateRef<'_>,
) -> Result<Vec<Vec<f64>>, MechanismError> {
    Ok(joint_continuations(system, joint, at)?.accelerations)
}

/// The velocities to which a joint whose friction follows its reaction may jump without a collision, other than the
/// present one: the constraints are those of [`joint_accelerations`]. Empty for other constraints.
///
/// # Errors
/// As [`joint_accelerations`].
pub fn joint_jumps<S: System>(
    system: &mut S,
    joint: usize,
    at: StateRef<'_>,
) -> Result<Vec<Vec<f64>>, MechanismError> {
    match members_of_joint(system, joint, at)? {
        Some(members) => jump_velocities(system, at, &members),
        None => Ok(Vec::new()),
    }
}

/// As [`joint_accelerations`], with what was refused.
pub(crate) fn joint_continuations<S: System>(
    system: &mut S,
    joint: usize,
    at: StateRef<'_>,
) -> Result<AdmissibleAccelerations, MechanismError> {
    match members_of_joint(system, joint, at)? {
        Some(members) => accelerations(system, at, &members),
        None => Ok(AdmissibleAccelerations::default()),
    }
}

/// The constraints that act together with a joint with friction; `None` for other constraints.
fn members_of_joint<S: System>(
    system: &mut S,
    joint: usize,
    at: StateRef<'_>,
) -> Result<Option<Vec<usize>>, MechanismError> {
    let ConstraintKind::FrictionJoint { .. } = system.constraints()[joint].kind else {
        return Ok(None);
    };
    let place = ContactEnvironment::new(system, joint, at, None)?;
    // Bounded forces take part in accelerations, though not in impulses.
    let joints = system.constraints().iter().enumerate();
    let bounded = joints.filter(|(_, c)| c.kind == ConstraintKind::NonFirm);
    let mut members: Vec<usize> = bounded.map(|(i, _)| i).collect();
    members.extend_from_slice(&place.problem.active);
    members.sort_unstable();
    Ok(Some(members))
}
