//! What a motion consists of: states, the ledger of a step, contacts, events.

use contact::law::Status;
use serde::{Deserialize, Serialize};

use crate::saved::{MotionCheckpoint, statuses};

/// Where a motion is, with the impulses that the next solve starts from. [`Motion::save`] has all that
/// a motion is continued from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities, right limit.
    pub v: Vec<f64>,
    /// Impulse of every row of every constraint over the last step (start of the next solve).
    pub impulse: Vec<f64>,
    /// What every constraint did in the last step.
    #[serde(with = "statuses")]
    pub status: Vec<Status>,
}

/// The account of a step (JM92 §6; certificate of the run).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Time at the end of the step.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// Constraints that took part.
    pub num_active: usize,
    /// Velocity residual RV of the contact problem.
    pub residual: f64,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Whether residual and force iteration reached their tolerances.
    pub reached: bool,
    /// max(−g) over all contacts at the end of the step, 0 when all are apart.
    pub penetration: f64,
    /// The same over contacts at rest: they carry an impulse, and the step changes their depth by no more than a tenth,
    /// h max(|U_I,n|, |U_F,n|) ≤ 0.1 (−g).
    pub resting: f64,
    /// max |f| over all joints at the end of the step.
    pub drift: f64,
    /// ‖A(v_F − v_I) − hK − Σ GᵀS‖ in the kinetic metric, relative to its largest term.
    pub momentum: f64,
    /// Kinetic energy at the end of the step.
    pub kinetic: f64,
    /// Potential energy at the end of the step.
    pub potential: f64,
    /// Work of K over the step: hK·½(v_I + v_F).
    pub work: f64,
    /// ½ S_n (U_F + U_I)_n over the normal rows of contacts and the firm rows of joints.
    pub impact: f64,
    /// ½ S_t·(U_F + U_I)_t over the tangential rows of contacts and joints and all rows of non-firm
    /// constraints.
    pub sliding: f64,
    /// −S·W: work of moving boundaries on the system.
    pub boundary: f64,
    /// What is left of the energy balance of the step, relative to its largest term.
    pub energy: f64,
    /// Energy that the step turns over: the largest of the kinetic energies before it and of the free
    /// velocity, the net works of forces and moving boundaries, and the energy that the forces would
    /// give to a system at rest. Impulses that cancel each other are in none of them.
    pub turnover: f64,
    /// Energy that the given forces would give in the step to a system at rest, ½‖hA⁻¹K‖².
    pub forced: f64,
    /// Kinetic energy gained through contacts and impacts, relative to `turnover`:
    /// max(0, Σ S·Uᵃ − ½δ S·(𝒲S)), JM92 6.2; positive only with mixed coefficients (Kane–Levinson).
    pub gain: f64,
    /// The part of `gain` that no law allows: no more than Σ S·(U_F + ρU_I)/(1 + ρ), which is ≤ 0
    /// where the laws hold.
    pub excess: f64,
    /// Whether restitution coefficients of contacts of the step differ, along the tangent included.
    pub mixed: bool,
    /// Work through contacts that carried impulses in the step before, too, without sliding, and through
    /// bilateral constraints: what the scheme loses (< 0) or gains.
    pub lasting: f64,
    /// How far the system extends: the largest change of a coordinate since the start and the largest
    /// |gap| at the end of the step.
    pub extent: f64,
    /// The contact that is deepest, the joint with the largest error and the contact at rest that is deepest; no
    /// constraint where there is none.
    pub worst: [Option<u32>; 3],
    /// Two constraints that no velocity satisfies together, where that is proven.
    pub infeasible: [Option<u32>; 2],
    /// Smallest Painlevé γ over the contacts that slide, and the joints that slide and may push with either
    /// sign, +∞ where none does: at γ ≤ 0 the continuation is not unique (P15 §3, B02 §6).
    pub gamma: f64,
}

/// One constraint over one step.
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
    /// Impulse by row that made the velocity tangent at the end of the step; empty where nothing did.
    pub projection_impulse: &'a [f64],
    /// What it did.
    pub status: Status,
}

/// Something that happened at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When; time steppers know it to within a step.
    pub t: f64,
    /// Which constraint.
    pub constraint: usize,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum EventKind {
    /// A collision: normal velocity before (negative) and after.
    Impact {
        /// U_n before.
        before: f64,
        /// U_n after.
        after: f64,
    },
    /// The contact begins to carry force.
    Touch,
    /// The contact opens.
    Detach,
    /// Sliding ends.
    Stick,
    /// Sliding begins.
    Slip,
    /// Infinitely many impacts end here.
    Accumulation,
    /// A sliding contact without collision whose continuation is not unique, or which jumps: γ ≤ 0
    /// (P15 §3, M88 §14).
    Painleve {
        /// γ(q).
        gamma: f64,
    },
    /// A joint with friction locks: friction grows with the reaction it causes.
    Locked,
}

/// A motion that goes on piece by piece.
pub trait Integrator {
    /// Goes on by one step, or one output interval.
    ///
    /// # Errors
    /// The motion cannot be continued; the state is that before.
    fn integrate(&mut self) -> Result<(), crate::MechanismError>;

    /// Where it is.
    fn state(&self) -> &State;

    /// Account of the last step.
    fn step_report(&self) -> &StepReport;

    /// The constraints that took part in the last step.
    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>>;

    /// What happened during the last step, in order.
    fn events(&self) -> &[Event];

    /// All that it is continued from, to the bit. The touches of the last step are not part of it.
    /// `None` for a motion that can only be made again from its start.
    fn save(&self) -> Option<MotionCheckpoint>;

    /// Goes back, or ahead, to what was saved of a motion of the same system, settings and initial
    /// state; this one must not have been advanced.
    ///
    /// # Errors
    /// It is of another integrator or another system; the motion is unchanged.
    fn restore(&mut self, saved: MotionCheckpoint) -> Result<(), crate::MechanismError>;
}
