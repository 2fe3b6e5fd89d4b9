//! Painlevé's paradox: whether a contact that slides without collision continues uniquely.
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
//! ũ = proj_q(0, (u⁻ + A⁻¹R) ∩ T),   R = ℝ⁺(n + D),   T = { U_n = 0 }
//! ```
//!
//! is the admissible velocity of least kinetic energy. It is computed by the contact law of the scheme started at U_n =
//! −ε, ε → 0: for γ < 0 the discrete law gives ũ (P15, proof of theorem 1). With one direction of friction Coulomb's
//! law gives the same; with two it does not, and each scheme jumps by its own law: Paoli's to the least energy, the
//! others by Coulomb's law.

use percuss_contact::law::Status;
use percuss_convex::dense;

use crate::error::{MechanismError, SystemError};
use crate::inertia::Inertia;
use crate::modes::mode_selection::accelerations;
use crate::settings::Scheme;
use crate::step_problem::{RestitutionWeights, SlidingRule, StepProblem};
use crate::system::{Constraint, ConstraintKind, StateRef, System};

/// |γ| below this share of H_nn counts as γ = 0.
const ZERO: f64 = 1e-12;

/// The velocities that a sliding contact may continue with.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcomes {
    /// γ > 0: only u⁻.
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
}

/// γ and the possible outcomes of one sliding contact.
#[derive(Debug, Clone, PartialEq)]
pub struct PainleveAnalysis {
    /// γ(q), 1/kg.
    pub gamma: f64,
    /// The possible u⁺.
    pub outcomes: Outcomes,
}

/// γ of a contact, or of a joint with friction and one function, at a state; +∞ for other constraints and where the
/// others fix the normal velocity.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn gamma<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
) -> Result<f64, SystemError> {
    evaluate(system, contact, at, |place| {
        place.problem.gamma(0, &place.fixed_rows)
    })
}

/// γ of a contact for the direction in which it slides at a state: positive where u⁻ is the only outcome.
pub(crate) fn gamma_of_sliding<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
) -> Result<f64, SystemError> {
    evaluate(system, contact, at, |place| {
        place.problem.gamma_of_sliding(0, &place.fixed_rows)
    })
}

/// Evaluates `value` for a contact or friction joint in its environment; +∞ for other constraints.
fn evaluate<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
    value: impl Fn(&ContactEnvironment) -> f64,
) -> Result<f64, SystemError> {
    let kind = system.constraints()[contact].kind;
    if !matches!(
        kind,
        ConstraintKind::Contact | ConstraintKind::FrictionJoint { normal_rows: 1 }
    ) {
        return Ok(f64::INFINITY);
    }
    // Evaluation errors keep their own message.
    let place = ContactEnvironment::new(system, contact, at).map_err(|e| match e {
        MechanismError::System(e) => e,
        other => SystemError {
            what: format!("γ of `{}`", system.constraints()[contact].name),
            problem: format!("cannot be computed: {other}"),
            t: at.t,
        },
    })?;
    Ok(value(&place))
}

/// γ and the outcomes of a contact that slides at `at` with U_n = 0; the caller must know that the gap is closed. The
/// jump is that of the contact law of `scheme`.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn analyse_sliding_contact<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: StateRef<'_>,
    scheme: Scheme,
) -> Result<PainleveAnalysis, MechanismError> {
    let mut place = ContactEnvironment::new(system, contact, at)?;
    place.problem.sliding_rule = SlidingRule::of(scheme);
    let gamma = place.problem.gamma_of_sliding(0, &place.fixed_rows);
    let one = PainleveAnalysis {
        gamma,
        outcomes: Outcomes::One,
    };
    let Some(row) = place.problem.reduced_row(0, &place.fixed_rows) else {
        return Ok(one);
    };
    // γ > 0: unique.
    let normal = row[0];
    if gamma > ZERO * normal {
        return Ok(one);
    }
    // ũ as the limit of collisions with vanishing approach, all constraints taking part.
    let jump = place.vanishing_approach_jump(system, at, normal)?;
    let outcomes = if gamma < -ZERO * normal {
        Outcomes::Two { jump }
    } else {
        Outcomes::Segment { jump }
    };
    Ok(PainleveAnalysis { gamma, outcomes })
}

/// The accelerations that the laws admit at a state, for a joint whose friction follows its reaction, together with
/// joints and the contacts that are closed and do not separate: more than one where the joint may push with either sign
/// (B02 §6, example 14). Empty for other constraints.
///
/// # Errors
/// An evaluation that failed, a mass matrix that is not positive definite, or a force set that the event-driven
/// integrator does not know.
pub fn joint_accelerations<S: System>(
    system: &mut S,
    joint: usize,
    at: StateRef<'_>,
) -> Result<Vec<Vec<f64>>, MechanismError> {
    let ConstraintKind::FrictionJoint { normal_rows: 1 } = system.constraints()[joint].kind else {
        return Ok(Vec::new());
    };
    let place = ContactEnvironment::new(system, joint, at)?;
    // Bounded forces take part in accelerations, though not in impulses.
    let joints = system.constraints().iter().enumerate();
    let bounded = joints.filter(|(_, c)| c.kind == ConstraintKind::NonFirm);
    let mut members: Vec<usize> = bounded.map(|(i, _)| i).collect();
    members.extend_from_slice(&place.problem.active);
    members.sort_unstable();
    accelerations(system, at, &members)
}

/// A contact with the constraints that act beside it.
struct ContactEnvironment {
    inertia: Inertia,
    /// Rows and laws; the contact is the first.
    problem: StepProblem,
    /// Rows of the others whose velocity is fixed.
    fixed_rows: Vec<usize>,
}

impl ContactEnvironment {
    /// Evaluates a contact and all constraints that act at a state.
    fn new<S: System + ?Sized>(
        system: &mut S,
        contact: usize,
        at: StateRef<'_>,
    ) -> Result<Self, MechanismError> {
        let mut inertia = Inertia::new(at.v.len());
        inertia.evaluate(system, at)?;
        let mut place = Self {
            problem: StepProblem::new(inertia.n),
            inertia,
            fixed_rows: Vec::new(),
        };
        let count = system.constraints().iter().map(Constraint::num_gaps).sum();
        let mut gaps = vec![0.0; count];
        system.gaps(at.t, at.q, &mut gaps)?;
        place.push(system, contact, at)?;
        // All other constraints that act at this state.
        let mut first = 0;
        for i in 0..system.constraints().len() {
            let gap = gaps.get(first).copied().unwrap_or(0.0);
            first += system.constraints()[i].num_gaps();
            if i != contact {
                place.add_neighbour(system, i, at, gap)?;
            }
        }
        place.problem.prepare(system, at.t, &place.inertia, at.v)?;
        Ok(place)
    }

    /// Appends a constraint with ρ = 0.
    fn push<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<(), MechanismError> {
        let weights = RestitutionWeights::NONE;
        let stage = &mut self.problem;
        stage.push(system, constraint, at, 0.0, Status::Slip, weights)
    }

    /// Adds another constraint where it acts at this state, and its fixed rows.
    fn add_neighbour<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        i: usize,
        at: StateRef<'_>,
        gap: f64,
    ) -> Result<(), MechanismError> {
        let kind = system.constraints()[i].kind;
        if kind == ConstraintKind::NonFirm {
            // A bounded force gives no impulse; rolling acts beside its contact.
            let contact = system.constraints()[i].while_closed;
            let rolls = contact.is_some_and(|contact| self.problem.active.contains(&contact));
            if !(rolls && system.law(i, at, 1.0, Status::Stick)?.is_firm()) {
                return Ok(());
            }
        }
        self.push(system, i, at)?;
        let k = self.problem.active.len() - 1;
        let stage = &mut self.problem;
        let rows = stage.rows(k);
        let (normal, tangential) = match kind {
            ConstraintKind::FrictionJoint { normal_rows } => {
                (normal_rows, rows.start + normal_rows..rows.end)
            }
            ConstraintKind::Contact => {
                // Contacts: closed and not separating.
                let closed = gap <= 1e3 * stage.closed_gap(at.q, at.v, 0.0);
                let parts = stage.begin[rows.start] > 0.0
                    && stage.has_relative_velocity(k, rows.start..rows.start + 1, at.v);
                if !closed || parts {
                    stage.pop();
                    return Ok(());
                }
                (1, rows.start + 1..rows.end)
            }
            _ => (rows.len(), rows.end..rows.end),
        };
        // All rows are fixed where it sticks, the normal rows where it slides.
        let held = !tangential.is_empty() && !stage.has_relative_velocity(k, tangential, at.v);
        let count = if held { rows.len() } else { normal };
        self.fixed_rows.extend(rows.take(count));
        Ok(())
    }

    /// The velocity after a collision of the contact with vanishing approach, U_n⁻ = −ε.
    fn vanishing_approach_jump<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        at: StateRef<'_>,
        normal: f64,
    ) -> Result<Vec<f64>, MechanismError> {
        let (n, stage) = (self.inertia.n, &mut self.problem);
        let size = dense::dot(&stage.begin, &stage.begin).sqrt();
        let mut free = at.v.to_vec();
        let mut push: Vec<f64> = stage.jacobian[..n].to_vec();
        self.inertia.solve(&mut push);
        // U_n⁻ = −ε exactly: remove the present U_n, then approach. Joints take part in the solve.
        let approach = (stage.begin[0] + 1e-9 * size.max(f64::MIN_POSITIVE)) / normal;
        dense::axpy(-approach, &push, &mut free);
        let mut jump = vec![0.0; n];
        stage.solve(system, at.t, &self.inertia, &free, &mut jump, 1e-12)?;
        Ok(jump)
    }
}
