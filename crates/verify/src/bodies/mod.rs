//! Verification of runs of rigid bodies in the plane and in space.
//!
//! [`BodiesVerifier`] reads the recorded steps one after the other. For each it reconstructs the midpoint and the
//! initial velocities from the final state and the recorded impulses, then compares kinematics, momentum, contact
//! laws, contact geometry, energy, joints and the periodic cell. Plane problems are embedded in space (z = 0).

mod cell;
mod compare;
mod contact_geometry;
mod contacts;
mod contacts_with_joints;
mod end_positions;
mod energy;
mod energy_budget;
mod event_driven;
mod face_normals;
mod joint_frames;
mod joint_laws;
mod joints;
mod missing_contacts;
mod names;
mod parallel_edges;
mod persistent;
mod read;
mod recorded_run;
mod recorded_steps;
mod scene_data;
mod shape;
mod spin;
mod start;
mod step_data;
mod step_motion;
mod thickness;

use percuss_record::{BodyDescription, Record, RecordShape};
use percuss_scene::bodies_scene::BodiesSetup;
use percuss_scene::model::bodies::{Activation, Dim, Integrator};

use super::report::{Location, Report};
use super::{VerifyError, VerifyOptions};
use crate::step_stream::StepStream;

use read::RecordedContactRow;
pub(super) use scene_data::EmbedInSpace;

use scene_data::SceneData;
use step_motion::{RowImpulse, StepMotion};

/// Poses that follow from each other: rounding of a few additions, relative to the coordinates.
const KINEMATICS: f64 = 1e-12;

/// Momenta of a body, relative to the sum of the absolute values of their terms: a dozen roundings of 1e-16, and
/// those of lever arms, which are differences of coordinates that may be a thousand times as large. The built-in
/// scenes stay below 2e-14.
const MOMENTUM: f64 = 1e-12;

/// Velocities of contact and joint rows: as momenta, from which they are reconstructed.
const VELOCITY: f64 = 1e-12;

/// State of the verification of a run of bodies.
struct BodiesVerifier<'a, D: Dim> {
    scene: SceneData<D>,
    names: Vec<BodyDescription>,
    plane: bool,
    tolerance: f64,
    predicted: bool,
    /// Whether the run is event-driven: its intervals are no time steps.
    event_driven: bool,
    /// Whether joint drift or overlaps are corrected by projection after a step.
    corrects: bool,
    /// Whether overlaps are corrected.
    overlaps_corrected: bool,
    /// Persistent contacts of the integrator `projected`.
    persistent: persistent::PersistentContacts,
    /// Stride of the recorded states, in steps.
    every: usize,
    /// Poses of fixed bodies.
    fixed_poses: Vec<scene_data::SpatialPose>,
    report: &'a mut Report,
    motion: StepMotion,
    contacts: Vec<RecordedContactRow>,
    impulses: Vec<RowImpulse>,
    joints: joints::RecordedJointRows,
    steps: recorded_steps::RecordedSteps,
    shapes: Vec<std::sync::Arc<percuss_record::RecordedShape>>,
    pairs: missing_contacts::OverlapGrid,
    /// L_L, the rate of the cell without the impulses of the step.
    cell_free: Option<super::vector::M3>,
    /// The contacts of the last step that was verified.
    previous_contacts: Option<(i64, Vec<RecordedContactRow>)>,
    /// The cell at the end of that step.
    lattice: Option<(i64, step_motion::CellFlow)>,
    /// Whether the first recorded state does not follow from the scene (a later start, preparations, relaxed
    /// overlaps).
    start_unknown: bool,
}

/// The tables of a run, open for sequential reading.
struct Tables<'a> {
    bodies: StepStream<'a>,
    contacts: StepStream<'a>,
    steps: StepStream<'a>,
    midpoints: Option<StepStream<'a>>,
    joints: Option<StepStream<'a>>,
    cell: Option<StepStream<'a>>,
    end_contacts: Option<StepStream<'a>>,
}

impl<'a> Tables<'a> {
    fn open(record: &'a Record, plane: bool) -> Result<Self, VerifyError> {
        let missing = |table: &str| {
            let text = format!(
                "{}: there is no table `{table}`, so that there is nothing to verify",
                record.directory().display()
            );
            VerifyError::Nothing(text)
        };
        Ok(Self {
            bodies: read::open_states(record, "bodies", plane)?.ok_or_else(|| missing("bodies"))?,
            contacts: read::open_contacts(record, "contacts", plane)?
                .ok_or_else(|| missing("contacts"))?,
            steps: recorded_steps::open(record)?.ok_or_else(|| missing("steps"))?,
            midpoints: read::open_states(record, "midpoints", plane)?,
            joints: joints::open(record, plane)?,
            cell: cell::open(record, plane)?,
            end_contacts: read::open_contacts(record, "end_contacts", plane)?,
        })
    }
}

/// The table `names` must have the bodies of the scene; it has none where the run ended before its first step.
fn same_count(record: &Record, names: usize, bodies: usize) -> Result<(), VerifyError> {
    let directory = record.directory().display();
    let text = match names {
        _ if names == bodies => return Ok(()),
        0 => format!("{directory}: no state is recorded: the run ended before its first step"),
        _ => format!(
            "{directory}: the table `names` has {names} bodies, the scene in run.json has {bodies}"
        ),
    };
    Err(VerifyError::Nothing(text))
}

/// Verifies a run of bodies.
pub(super) fn verify<D: EmbedInSpace + RecordShape>(
    record: &Record,
    assembly: BodiesSetup<D>,
    report: &mut Report,
    asked: &mut VerifyOptions<'_>,
) -> Result<(), VerifyError> {
    let plane = D::N == 2;
    // Tables and names, then the data of the scene.
    let mut tables = Tables::open(record, plane)?;
    names::declare_checks(report);
    names::compare(record, &assembly.names, &assembly.model.bodies, report)?;
    let names = percuss_record::read_body_descriptions(record)?;
    let settings = assembly.settings.clone();
    let event_driven = assembly.event_driven;
    let projected = settings.integrator == Integrator::Projected;
    let corrects =
        !event_driven && (projected || settings.projection || !assembly.model.joints.is_empty());
    // Initial state, before the model is taken.
    let start = start::Start {
        state: assembly.state,
        t: assembly.start,
        prepared: !assembly.prepare.is_empty(),
        relaxed: assembly.overlap.relax,
    };
    let given = SceneData::new(assembly.model);
    same_count(record, names.len(), given.parts.len())?;
    let mut walk = BodiesVerifier {
        shapes: names.iter().map(|name| name.shape.clone()).collect(),
        scene: given,
        names,
        plane,
        tolerance: settings.tolerance,
        predicted: settings.activation == Activation::Predicted,
        event_driven,
        corrects,
        overlaps_corrected: settings.projection,
        persistent: persistent::PersistentContacts::of(settings.integrator),
        every: assembly.record_every.max(1),
        fixed_poses: Vec::new(),
        report,
        motion: StepMotion::of_step(settings.step),
        contacts: Vec::new(),
        impulses: Vec::new(),
        joints: joints::RecordedJointRows::default(),
        steps: recorded_steps::RecordedSteps::of(settings.tolerance),
        pairs: missing_contacts::OverlapGrid::default(),
        cell_free: None,
        previous_contacts: None,
        lattice: None,
        start_unknown: false,
    };
    walk.declare_checks(corrects);
    // Without midpoints the end of a step cannot be followed back through a position correction.
    if corrects && tables.midpoints.is_none() {
        walk.report.skip(
            "midpoints are not recorded: bodies that joints or corrections moved after a step are not \
             where the step left them, and momenta cannot be compared",
        );
        return walk.run_steps_only(&mut tables, asked);
    }
    walk.run(record, &start, &mut tables, asked)
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    fn declare_checks(&mut self, corrects: bool) {
        let report = &mut *self.report;
        if self.event_driven {
            event_driven::declare_checks(report);
            recorded_steps::declare_checks(report);
            return crate::recorded_figures::declare_checks(report);
        }
        let counted = "rows of a recorded step against the numbers of bodies and contacts";
        report.declare("rows", counted, 0.0);
        report.declare("mass", "masses of `names` against the scene's", 1e-12);
        let start = "the first state against the scene's; relative to coordinates and velocities";
        report.declare("start", start, KINEMATICS);
        let given = "bodies with a given motion, or none, against it; relative to coordinates";
        report.declare("given", given, KINEMATICS);
        let way = "x_F = x_I + h(v_I + v_F)/2 and the midpoint; relative to coordinates";
        report.declare("kinematics", way, KINEMATICS);
        let before = "begin = G v_I; relative to the terms of the bodies' momenta";
        report.declare("begin", before, VELOCITY);
        let after = "end = G v_F; relative to the terms of the bodies' momenta";
        report.declare("end", after, VELOCITY);
        let momentum = "A(v_F - v_L) = sum of G'S; relative to its terms, body by body";
        report.declare("momentum", momentum, MOMENTUM);
        contact_geometry::declare_checks(report);
        contacts::declare_checks(report);
        recorded_steps::declare_checks(report);
        energy_budget::declare_checks(report);
        crate::recorded_figures::declare_checks(report);
        end_positions::declare_checks(report, corrects);
        if self.persistent.projected {
            persistent::declare_checks(report);
        }
        if corrects {
            joints::declare_checks(report);
        }
        if self.scene.model.cell.is_some() {
            cell::declare_checks(report);
        }
    }

    fn place(&self, what: impl Into<String>) -> Location {
        Location {
            step: Some(self.motion_step()),
            t: Some(self.motion.t),
            what: what.into(),
        }
    }

    fn motion_step(&self) -> i64 {
        self.steps.step
    }

    fn name(&self, body: usize) -> String {
        let name = self.names.get(body).map(|name| name.name.to_string());
        name.unwrap_or_else(|| format!("body {body}"))
    }

    /// The names of the two bodies of a contact.
    fn pair_name(&self, touch: &RecordedContactRow) -> String {
        let (a, b) = (self.name(touch.a), self.name(touch.b));
        format!("`{a}` and `{b}`, feature {}", touch.feature)
    }
}
