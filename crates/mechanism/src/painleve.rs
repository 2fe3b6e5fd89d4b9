//! Sliding contact without collision: is the continuation unique?
//!
//! A contact slides with U_n = 0. Its reaction may make the velocity jump although nothing collides
//! when the cone of A⁻¹(reactions) meets the tangent space, which is decided by
//!
//! ```text
//! γ(q) = min_{w ∈ D} ⟨n, A⁻¹(n + w)⟩ = H_nn − max_{w ∈ D} (−H_nt · w)        (P15 §3, M88 §14)
//! ```
//!
//! γ > 0: u⁺ = u⁻. γ < 0: u⁺ ∈ {u⁻, ũ}. γ = 0: u⁺ ∈ [u⁻, ũ]. Here
//!
//! ```text
//! ũ = proj_q(0, (u⁻ + A⁻¹R) ∩ T),   R = ℝ⁺(n + D),   T = { U_n = 0 }
//! ```
//!
//! the admissible velocity of least kinetic energy. In u⁻ + λ A⁻¹(n + w) with U_n = 0 the impulses
//! form a cone R ∩ { H_nn s_n + H_nt·s_t = 0 }; the nearest point to the origin is found there by
//! the law's own exact solve of Coulomb's problem started at U_n = −ε, ε → 0: for γ < 0 the
//! discrete law gives ũ (P15, proof of theorem 1).

use contact::law::Status;
use convex::dense;

use crate::error::{MechanismError, SystemError};
use crate::inertia::Inertia;
use crate::stage::{Stage, Weights};
use crate::system::{Instant, Kind, System};

/// |γ| below this share of H_nn counts as γ = 0.
const ZERO: f64 = 1e-12;

/// How many velocities a tangential contact may continue with.
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

/// γ and the set of possible outcomes of one contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Tangential {
    /// γ(q), 1/kg.
    pub gamma: f64,
    /// The possible u⁺.
    pub outcomes: Outcomes,
}

/// γ of a contact at a state; +∞ for constraints that are no contacts.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn gamma<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: Instant<'_>,
) -> Result<f64, SystemError> {
    if system.constraints()[contact].kind != Kind::Contact {
        return Ok(f64::INFINITY);
    }
    let prepared = prepare(system, contact, at).map_err(|e| match e {
        MechanismError::System(e) => e,
        other => SystemError {
            what: format!("γ of `{}`", system.constraints()[contact].name),
            problem: format!("cannot be computed: {other}"),
            t: at.t,
        },
    })?;
    Ok(prepared.2)
}

/// γ and the outcomes of a contact that slides at `at` with U_n = 0; whether the gap is closed is
/// the caller's to know.
///
/// # Errors
/// An evaluation that failed, or a mass matrix that is not positive definite.
pub fn tangential<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: Instant<'_>,
) -> Result<Tangential, MechanismError> {
    let (inertia, mut stage, gamma, normal) = prepare(system, contact, at)?;
    if gamma > ZERO * normal {
        return Ok(Tangential {
            gamma,
            outcomes: Outcomes::One,
        });
    }
    // ũ as the limit of collisions with vanishing approach.
    let size = dense::dot(&stage.begin, &stage.begin).sqrt();
    let mut free = at.v.to_vec();
    let mut push: Vec<f64> = stage.jacobian[..inertia.n].to_vec();
    inertia.solve(&mut push);
    // U_n⁻ = −ε exactly: remove what there is, then approach.
    let approach = (stage.begin[0] + 1e-9 * size.max(f64::MIN_POSITIVE)) / normal;
    dense::axpy(-approach, &push, &mut free);
    let mut jump = vec![0.0; inertia.n];
    stage.solve(system, at.t, &inertia, &free, &mut jump, 1e-12)?;
    let outcomes = if gamma < -ZERO * normal {
        Outcomes::Two { jump }
    } else {
        Outcomes::Segment { jump }
    };
    Ok(Tangential { gamma, outcomes })
}

/// Inertia, the contact alone, γ and H_nn.
fn prepare<S: System + ?Sized>(
    system: &mut S,
    contact: usize,
    at: Instant<'_>,
) -> Result<(Inertia, Stage, f64, f64), MechanismError> {
    let mut inertia = Inertia::new(at.v.len());
    inertia.evaluate(system, at)?;
    let mut stage = Stage::new(inertia.n);
    let weights = Weights {
        rebound: false,
        bilateral: 0.0,
    };
    stage.push(system, contact, at, 0.0, Status::Slip, weights)?;
    let first = first_row(&inertia, &stage);
    let gamma = first[0] - stage.law[0].shift(&first);
    Ok((inertia, stage, gamma, first[0]))
}

/// Row (H_nn, H_nt) of a contact alone.
fn first_row(inertia: &Inertia, stage: &Stage) -> Vec<f64> {
    let n = inertia.n;
    let mut normal = stage.jacobian[..n].to_vec();
    inertia.solve(&mut normal);
    let row = |i: usize| dense::dot(&stage.jacobian[i * n..(i + 1) * n], &normal);
    (0..stage.boundary.len()).map(row).collect()
}
