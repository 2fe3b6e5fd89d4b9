//! Verification of runs of mechanisms in generalised coordinates: A, K, G, W from the scene's expressions, everything
//! else computed here.
//!
//! ```text
//!            A, G evaluated at            K                                    q_F
//! midpoint   t_M, q_I + ½h v_I            (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F
//! θ          t_I + θh, q_I + θh v_I       θ K_F + (1−θ) K_I                    q_I + h(θ v_F + (1−θ) v_I)
//! projected  as midpoint                  as midpoint                          q_M + ½h v_F, then g = 0 at persistent contacts
//! Paoli      t_F, q_F                     (t_F, q_F, v_I)                      q_I + h v_I
//! A(v* − v_I) = hK + Σ Gᵀ S,   A(v_F − v*) = G_Fᵀ s     s projects v* onto the tangent space of the joints at q_F; of
//!                                                       persistent contacts it makes law(U_F, S + s) hold there
//! ```
//!
//! Where the state before is not recorded, the step is reconstructed backwards from its end, unless positions were
//! corrected after it (joints, overlaps): then only what concerns the end is compared. The event-driven integrator
//! records intervals and not steps: their ends, energies and signs are compared.

mod compare;
mod correction;
mod dense;
mod energy_budget;
mod events;
mod impacts;
mod interval;
mod least_energy;
mod locking;
mod persistent;
mod projection;
mod recorded_run;
mod residuals;
mod rules;
mod start;
mod step;
mod unseen_positions;
mod works;

use percuss_contact::law::Status;
use percuss_record::{MechanismLayout, Record};
use percuss_scene::model::mechanism::{ConfigurationSpace, Coordinate, Scheme, Settings, System};
use percuss_scene::{Scene, SymbolicSystem};

use super::report::{Location, Report};
use super::{VerifyError, VerifyOptions};

/// A recorded state.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedState {
    pub step: i64,
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// One row of the table `contacts`: a constraint that was active in a step.
#[derive(Debug, Clone)]
pub(super) struct ConstraintRow {
    pub constraint: usize,
    pub status: Option<Status>,
    pub gap: f64,
    pub begin: Vec<f64>,
    pub end: Vec<f64>,
    pub impulse: Vec<f64>,
    /// Impulse s of the projection of the final velocity; empty where it is not recorded.
    pub end_impulse: Vec<f64>,
}

/// Columns of `steps` that are read.
const COLUMNS: [&str; 22] = [
    "h",
    "active",
    "residual",
    "reached",
    "penetration",
    "drift",
    "kinetic",
    "potential",
    "work",
    "impact",
    "sliding",
    "boundary",
    "momentum",
    "energy",
    "gain",
    "excess",
    "turnover",
    "forced",
    "lasting",
    "extent",
    "mixed",
    "resting",
];

/// One row of the table `steps`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepRow {
    pub h: f64,
    pub active: f64,
    pub residual: f64,
    pub reached: bool,
    pub penetration: f64,
    pub resting: f64,
    pub drift: f64,
    pub kinetic: f64,
    pub potential: f64,
    /// Works: forces, impact, sliding, boundary.
    pub works: [f64; 4],
    pub momentum: f64,
    pub energy: f64,
    pub gain: f64,
    pub excess: f64,
    pub turnover: f64,
    pub forced: f64,
    pub lasting: f64,
    pub extent: f64,
    pub mixed: bool,
}

/// State of the verification of a run of a mechanism.
pub(super) struct MechanismVerifier<'a> {
    pub system: SymbolicSystem,
    pub settings: Settings,
    pub layout: MechanismLayout,
    pub report: &'a mut Report,
    pub step_row: StepRow,
    pub constraint_rows: Vec<ConstraintRow>,
    /// Index of the first position function of each constraint.
    pub first_gap: Vec<usize>,
    /// The status of each constraint in the step before, if that is recorded.
    pub previous: Vec<Option<Status>>,
    /// Whether each contact persists from the step before, if that is known; only in the scheme `projected`.
    pub persists: Vec<Option<bool>>,
    pub step: i64,
    pub t: f64,
    /// Event state of each constraint, as long as every step is recorded.
    constraint_memory: Option<Vec<events::ConstraintMemory>>,
    /// The largest term of a momentum balance so far.
    momentum: f64,
    /// The largest energy so far.
    peak: f64,
    /// Positions at the start, from which the recorded `extent` is measured.
    origin: Vec<f64>,
    /// The start with the velocities of the scene, where an event-driven run begins with an impact.
    opening: Option<RecordedState>,
}

fn declare_checks(report: &mut Report, event: bool) {
    let rows = "rows of a recorded step against the number of constraints of its account";
    report.declare("rows", rows, 0.0);
    let start = "the first state against the scene's initial values; relative to the largest";
    report.declare("start", start, 1e-12);
    let way = "q_F and the place of the step from the state before; relative to coordinates";
    report.declare("kinematics", way, 1e-11);
    let begin = "begin = G v_I + W; relative to its terms";
    report.declare("begin", begin, 1e-11);
    let end = "end = G v + W; relative to its terms";
    report.declare("end", end, 1e-11);
    let momentum = "A(v - v_I) = hK + sum of G'S; relative to its terms, coordinate by coordinate, and to a \
                    millionth of the largest so far. K is \
                    iterated until v changes by 1e-13 and ten times the residual";
    report.declare("momentum", momentum, 1e-10);
    let laws = "RV of the laws, recomputed, over the tolerance; steps that reached it";
    report.declare("laws", laws, 1.01);
    let map = "velocities after an impact by a map F(q, v-): admissible, made by impulses S >= 0, no energy gained \
               (B02 1.11, 1.12); relative to the velocities";
    report.declare("impact map", map, 2e-8);
    let gap = "gaps and joints at the end against contacts and account; relative to coordinates";
    report.declare("gap", gap, 1e-11);
    let pairs = "closed contacts that did not take part";
    report.declare("overlooked", pairs, 0.0);
    let energy = "energies and works recomputed against the account; relative to the largest";
    report.declare("energy", energy, 1e-12);
    let balance = "T_F - T_I against the works of the account; relative to the largest term";
    // Works of the event-driven integrator are integrals, as accurate as its motion.
    report.declare("balance", balance, if event { 1e-7 } else { 1e-11 });
    crate::recorded_figures::declare_checks(report);
    energy_budget::declare_checks(report);
    if event {
        let way = "q_F - q_I and A(v_F - v_I) over an interval, over what velocities and forces at its ends allow";
        report.declare("interval", way, 1.0);
        return;
    }
    let status = "open without impulse, stick without velocity, slip at the bound; over what the \
                  tolerance allows";
    report.declare("status", status, 30.0);
    let events = "events told from the steps against those recorded; relative, none may be missing";
    report.declare("events", events, 1e-12);
    let way = "q_F less where the step arrives, over what joints and overlaps explain";
    report.declare("correction", way, 1.0);
}

/// Verifies a run of a mechanism.
pub(super) fn verify(
    record: &Record,
    scene: &Scene,
    report: &mut Report,
    asked: &mut VerifyOptions<'_>,
) -> Result<(), VerifyError> {
    let built = scene.build_mechanism()?;
    let layout = MechanismLayout::of_scene(scene, &built.system);
    // Offsets of the position functions of the constraints.
    let mut first_gap = vec![0];
    for constraint in built.system.constraints() {
        let last = first_gap[first_gap.len() - 1];
        first_gap.push(last + constraint.num_gaps());
    }
    declare_checks(report, built.settings.scheme == Scheme::Event);
    if built.settings.scheme == Scheme::Projected {
        persistent::declare_checks(report);
    }
    let count = built.system.constraints().len();
    // Normalised quaternions, as the run starts with.
    let mut origin = built.initial.q.clone();
    built.system.configuration_space().normalise(&mut origin);
    let mut walk = MechanismVerifier {
        system: built.system,
        settings: built.settings,
        layout,
        report,
        step_row: StepRow::default(),
        constraint_rows: Vec::new(),
        first_gap,
        previous: vec![None; count],
        persists: vec![None; count],
        step: 0,
        t: 0.0,
        constraint_memory: None,
        momentum: 0.0,
        peak: 0.0,
        origin,
        opening: None,
    };
    walk.run(record, &built.initial, asked)
}

impl MechanismVerifier<'_> {
    pub(super) fn place(&self, what: impl Into<String>) -> Location {
        Location {
            step: Some(self.step),
            t: Some(self.t),
            what: what.into(),
        }
    }

    pub(super) fn name(&self, constraint: usize) -> String {
        let name = self.layout.constraints.get(constraint);
        name.map_or_else(|| "?".into(), |name| format!("`{name}`"))
    }
}

/// Advances positions with a constant velocity for a time; quaternions by the exponential map.
pub(super) fn advance(chart: &ConfigurationSpace, q: &mut [f64], v: &[f64], h: f64) {
    let (mut p, mut s) = (0, 0);
    for coordinate in chart.coordinates() {
        if *coordinate == Coordinate::Orientation {
            // Quaternion of the rotation vector h Ω.
            let spin = [v[s], v[s + 1], v[s + 2]];
            let angle = h * super::vector::norm(spin);
            let axis = super::vector::unit(spin);
            let (sin, cos) = (0.5 * angle).sin_cos();
            let turn = [cos, sin * axis[0], sin * axis[1], sin * axis[2]];
            let now = [q[p], q[p + 1], q[p + 2], q[p + 3]];
            let next = super::vector::unit_quaternion(super::vector::product(now, turn));
            q[p..p + 4].copy_from_slice(&next);
        } else {
            q[p] += h * v[s];
        }
        p += coordinate.num_positions();
        s += coordinate.num_velocities();
    }
}
