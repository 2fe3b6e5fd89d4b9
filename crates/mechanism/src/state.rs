//! Results of a motion: state, step report, constraint reports, events.

use percuss_contact::law::Status;
use serde::{Deserialize, Serialize};

/// State of a motion, with the impulses of the last step as the warm start of the next. [`crate::Integrator::save`] has all
/// that a motion is continued from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities, right limit v⁺.
    pub v: Vec<f64>,
    /// Impulse of every row of every constraint over the last step (warm start of the next).
    pub impulse: Vec<f64>,
    /// Status of every constraint in the last step: open, stick or slip.
    #[serde(with = "statuses")]
    pub status: Vec<Status>,
}

/// Report of a step: residuals of momentum and energy, works, position errors (JM92 §6).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Time at the end of the step.
    pub t: f64,
    /// Length h of the step.
    pub h: f64,
    /// Number of active constraints.
    pub num_active: usize,
    /// Time stepping: velocity residual RV of the contact problem (Paoli's scheme: or the distance from the
    /// least-energy velocities, if larger). Event-driven: largest defect of modes and impacts.
    pub residual: f64,
    /// Iterations of the solver; event-driven: integration steps.
    pub iterations: usize,
    /// Whether residual and force iteration converged to their tolerances.
    pub reached: bool,
    /// max(−g) over all contacts at the end of the step, 0 when all are apart.
    pub penetration: f64,
    /// The same over contacts at rest: they carry an impulse, and the step changes their depth by no more than a tenth,
    /// h max(|U_I,n|, |U_F,n|) ≤ 0.1 (−g).
    pub resting: f64,
    /// Joint error: max |f| over all joints at the end of the step.
    pub drift: f64,
    /// Momentum residual: ‖A(v_F − v_I) − hK − Σ GᵀS‖ in the kinetic metric, relative to its largest term.
    pub momentum: f64,
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Potential energy at the end of the step.
    pub potential: f64,
    /// Work of the given forces K over the step: hK·½(v_I + v_F).
    pub work: f64,
    /// Work of normal impulses: ½ S_n (U_F + U_I)_n over the normal rows of contacts and the bilateral rows of joints.
    pub impact: f64,
    /// Work of friction: ½ S_t·(U_F + U_I)_t over the tangential rows of contacts and joints and all rows of non-firm
    /// constraints.
    pub sliding: f64,
    /// Work of moving boundaries on the system, −S·W.
    pub boundary: f64,
    /// Energy residual: what is left of the energy balance of the step, relative to its largest term.
    pub energy: f64,
    /// Energy scale of the step: the largest of the kinetic energies of v_I and of the free velocity, the net works of
    /// forces and moving boundaries, and the energy that the forces would give to a system at rest. Self-stress
    /// (impulses that cancel each other) is in none of them.
    pub turnover: f64,
    /// Energy that the given forces would give in the step to a system at rest, ½‖hA⁻¹K‖².
    pub forced: f64,
    /// Energy gain through contacts and impacts, relative to `turnover`: max(0, Σ S·Uᵃ − ½δ S·(𝒲S)), JM92 6.2; positive
    /// only with mixed coefficients (Kane–Levinson).
    pub gain: f64,
    /// The inadmissible part of `gain`: no more than Σ S·(U_F + ρU_I)/(1 + ρ), which is ≤ 0 where the laws hold.
    pub excess: f64,
    /// Whether restitution coefficients of contacts of the step differ, along the tangent included.
    pub mixed: bool,
    /// Work of persistent contacts (they carried impulses in the previous step, too) as far as they do not slide, and
    /// of bilateral constraints: energy that the scheme loses (< 0) or gains. With the scheme `projected` also the work
    /// −K·Δq of the displacement of q_F onto contacts, which is in no other term.
    pub lasting: f64,
    /// Extent of the motion: the largest change of a coordinate since the start and the largest |gap| at the end of the
    /// step.
    pub extent: f64,
    /// The contact of the largest penetration, the joint of the largest error and the contact of the largest resting
    /// penetration; `None` where there is none.
    pub worst: [Option<u32>; 3],
    /// Two constraints that no velocity satisfies together, where that is proven.
    pub infeasible: [Option<u32>; 2],
    /// Smallest Painlevé γ over the contacts that slide, and the joints that slide and may push with either sign, +∞
    /// where none does: at γ ≤ 0 the continuation is not unique (P15 §3, B02 §6).
    pub gamma: f64,
    /// Sums along the path of a sweeping process, which has no checkpoints; 0 for mechanisms.
    #[serde(skip)]
    pub path: PathSums,
}

/// Sums along the path of a sweeping process from the start to the end of a step (M99 §5, §6).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSums {
    /// Variation of u, Σ |u_F − u_I|.
    pub variation: f64,
    /// Retraction of the moving set, Σ e(C_I, C_F); NaN where it is not known.
    pub retraction: f64,
    /// Radius of prox-regularity at the end of the step; +∞ for a convex set.
    pub radius: f64,
}

/// Mean force of an impulse over a step of length h that ends at t; 0 over a jump, which has no duration.
pub fn mean_force(impulse: f64, t: f64, h: f64) -> f64 {
    // A jump leads from the last number before t to t.
    match h <= (4.0 * f64::EPSILON * t.abs()).max(f64::MIN_POSITIVE) {
        true => 0.0,
        false => impulse / h,
    }
}

/// One constraint over one step: relative velocities, impulse, status.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintReport<'a> {
    /// Index of the constraint.
    pub constraint: usize,
    /// Gap at the end of the step (contacts), f of the first row (joints), 0 otherwise.
    pub gap: f64,
    /// U_I by row.
    pub begin: &'a [f64],
    /// U_F by row.
    pub end: &'a [f64],
    /// S by row.
    pub impulse: &'a [f64],
    /// Impulse by row of the velocity projection at the end of the step; empty where there was none.
    pub projection_impulse: &'a [f64],
    /// Open, stick or slip.
    pub status: Status,
}

/// An event: a discontinuity of the motion or a change of contact mode at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time; time-stepping schemes know it to within a step.
    pub t: f64,
    /// Index of the constraint.
    pub constraint: usize,
    /// Kind of event.
    pub kind: EventKind,
}

/// Kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum EventKind {
    /// An impact: normal velocity before (negative) and after.
    Impact {
        /// U_n before.
        before: f64,
        /// U_n after.
        after: f64,
    },
    /// The contact closes without impact and begins to carry force.
    Touch,
    /// The contact opens.
    Detach,
    /// Sliding ends: slip to stick.
    Stick,
    /// Sliding begins: stick to slip.
    Slip,
    /// Limit point of infinitely many impacts (Zeno).
    Accumulation,
    /// A sliding contact without collision whose continuation is not unique, or which jumps: γ ≤ 0
    /// (P15 §3, M88 §14).
    Painleve {
        /// γ(q).
        gamma: f64,
    },
    /// A joint with friction locks: its friction grows with the reaction that it causes.
    Locked,
}

/// Serialisation of a status as a number from 0 to 2: the crate `contact` has no serialisation of its own.
pub(crate) mod status {
    use super::{Deserialize, Status};
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    pub(crate) fn code(status: Status) -> u8 {
        match status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        }
    }

    pub(crate) fn decode<E: Error>(code: u8) -> Result<Status, E> {
        match code {
            0 => Ok(Status::Open),
            1 => Ok(Status::Stick),
            2 => Ok(Status::Slip),
            _ => Err(E::custom("a status from 0 to 2 was expected")),
        }
    }

    pub(crate) fn serialize<S: Serializer>(value: &Status, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(code(*value))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
        decode(u8::deserialize(from)?)
    }
}

/// Serialisation of a list of statuses.
pub(crate) mod statuses {
    use super::{Deserialize, Status, status};
    use serde::de::Deserializer;
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(all: &[Status], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|s| status::code(*s)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Status>, D::Error> {
        let codes = Vec::<u8>::deserialize(from)?;
        codes.into_iter().map(status::decode).collect()
    }
}
