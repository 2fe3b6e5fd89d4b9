//! Force indeterminacy of a recorded step: for every contact the interval of normal impulses over all admissible
//! impulses that give the same velocities (hyperstaticity).
//!
//! The records hold contact points, velocities and impulses; the scene in the manifest holds masses and laws. The
//! lever arms are those of the midpoint of the step, q_M = q_F − ½h v_F (M88 §11). Runs with joints or a periodic
//! cell are refused, since their impulses are not recorded.

use percuss_bodies::{Pose, Vector};
use percuss_record::frame::{Frame, RecordedFrames};
use percuss_record::number::format_short;
use percuss_record::{PlotError, Record, RecordError};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{Scene, SceneError, SceneKind};
use percuss_statics::{
    ComputeOptions, Face, ImpulseBounds, ImpulseInterval, StaticsError, impulse_bounds,
};

use super::loads::{scene_error, three};
use super::record_dim::RecordDim;
use super::rows::{ReadAll, Rows};
use super::static_model::{StaticContact, StaticModel};

/// Instant, threads and progress callback of [`force_bounds`].
pub struct ForceBoundsOptions<'a> {
    /// The instant; the recorded one nearest to it is taken.
    pub at: f64,
    /// Number of threads; results do not depend on it.
    pub threads: usize,
    /// Called with the fraction done.
    pub progress: &'a mut dyn FnMut(f64),
}

/// A recorded contact point with the interval of its normal impulse.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// Their names.
    pub names: [String; 2],
    /// Feature number of the contact point within its pair.
    pub feature: i64,
    /// Contact point; z = 0 in the plane.
    pub at: [f64; 3],
    /// Unit normal, from the first body to the second.
    pub normal: [f64; 3],
    /// Contact status: `open`, `stick` or `slip`.
    pub status: &'static str,
    /// Normal impulse of the run, N·s.
    pub impulse: f64,
    /// Interval of the admissible normal impulses.
    pub interval: ImpulseInterval,
    /// Normal impulse of the solution of least norm.
    pub least: f64,
}

/// Impulse bounds of all contacts of a recorded step.
#[derive(Debug, Clone)]
pub struct ForceBounds {
    /// The recorded instant.
    pub t: f64,
    /// Number of its step.
    pub step: i64,
    /// Length of the step; impulses over it are forces.
    pub h: f64,
    /// The contact points in the order of the records.
    pub contacts: Vec<Contact>,
    /// The result of `statics`: intervals, least-norm impulses, degree of indeterminacy.
    pub bounds: ImpulseBounds,
    /// The recorded state, for a picture.
    pub still: Frame,
    /// Threshold below which velocities count as 0.
    pub threshold: f64,
}

/// Computes the impulse bounds of a recorded step of a run of bodies.
///
/// # Errors
/// The records are not those of a run of bodies, the time is outside of the run or has no contacts, or
/// the records cannot be read.
pub fn force_bounds(
    record: &Record,
    asked: &mut ForceBoundsOptions<'_>,
) -> Result<ForceBounds, PlotError> {
    let manifest = record.manifest();
    let shown = record.directory().display().to_string();
    if manifest.kind == "study" {
        let text = format!("{shown}: this is a study; forces are those of one run");
        return Err(PlotError::Nothing(text));
    }
    // The scene of the run, with its overrides.
    let set: Vec<_> = manifest
        .overrides
        .iter()
        .map(|o| (&*o.key, &*o.value))
        .collect();
    let scene =
        Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?.with_overrides(&set)?;
    if scene.kind() != SceneKind::Bodies {
        let text = format!(
            "{shown}: this is a run of a mechanism; open forces are looked for in runs of bodies"
        );
        return Err(PlotError::Nothing(text));
    }
    // The recorded state, and the bodies rebuilt from the scene.
    let states = RecordedFrames::of(record)?;
    let still = chosen(&shown, &states, asked.at)?;
    let collection = scene.build_bodies()?;
    // Impulses of joints and of a cell are not recorded: no balance without them.
    let cast = match &collection {
        BuiltBodies::Plane(assembly) => &assembly.names,
        BuiltBodies::Space(assembly) => &assembly.names,
    };
    if !cast.joints.is_empty() || cast.cell {
        let what = if cast.cell {
            "a periodic cell"
        } else {
            "joints"
        };
        let text = format!(
            "{shown}: this run has {what}, whose share of the forces is not recorded; open forces are \
             looked for in runs of bodies that only touch"
        );
        return Err(PlotError::Nothing(text));
    }
    match collection {
        BuiltBodies::Plane(assembly) => of_step(record, &scene, &assembly, still, asked),
        BuiltBodies::Space(assembly) => of_step(record, &scene, &assembly, still, asked),
    }
}

/// The recorded state nearest to a time within the run.
fn chosen(shown: &str, states: &RecordedFrames<'_>, t: f64) -> Result<Frame, PlotError> {
    // State 0 is the initial one, without contacts.
    let last = states.len().checked_sub(1);
    let Some(last) = last.filter(|last| *last > 0) else {
        let text = format!("{shown}: no step is recorded yet");
        return Err(PlotError::Nothing(text));
    };
    let (begin, first, end) = (states.time(0)?, states.time(1)?, states.time(last)?);
    // Half an interval of records beyond either end is still nearest to it.
    let slack = 0.5 * (first - begin);
    if !(t >= begin - slack && t <= end + slack) {
        let (t, begin, end) = (format_short(t), format_short(begin), format_short(end));
        let text = format!("{shown}: there is no time {t}: the run goes from {begin} to {end}");
        return Err(PlotError::Nothing(text));
    }
    let near = states.nearest(t)?;
    if near == 0 {
        let text = format!(
            "{shown}: no forces are known at the start, t = {}; the first recorded step ends at \
             t = {}",
            format_short(begin),
            format_short(first)
        );
        return Err(PlotError::Nothing(text));
    }
    Ok(states.read(near, false)?)
}

fn of_step<D: RecordDim>(
    record: &Record,
    scene: &Scene,
    assembly: &BodiesSetup<D>,
    still: Frame,
    asked: &mut ForceBoundsOptions<'_>,
) -> Result<ForceBounds, PlotError> {
    let h = assembly.settings.step;
    // The contact table of the step.
    let rows = Rows::<D>::read(record, still.step)?;
    if rows.table.rows == 0 {
        let text = format!(
            "{}: there are no contacts at t = {}",
            record.directory().display(),
            format_short(still.t)
        );
        return Err(PlotError::Nothing(text));
    }
    if assembly.model.bodies.len() != still.bodies.len() {
        let text = "the scene in run.json has other bodies than the records";
        return Err(RecordError::damaged(record.directory(), text).into());
    }
    // Contact map G at the midpoint, faces of the cones from the recorded velocities.
    let poses = midpoints(assembly, &still);
    let spots = rows.spots(record, assembly)?;
    let wrong = |error: StaticsError| scene_error(scene, error.to_string(), "");
    let gathered = StaticModel::new(&assembly.model.bodies, &poses, &spots).map_err(wrong)?;
    let read = rows.read_all(assembly, &gathered, &spots);
    // Two conic programmes per contact (linear ones in the plane): least and greatest S_n.
    let mut effort = ComputeOptions {
        threads: asked.threads,
        progress: asked.progress,
    };
    let found = impulse_bounds(&gathered.system, &read.faces, &read.impulse, &mut effort);
    let found = found.map_err(|error| named(scene, assembly, &spots, &error))?;
    let contacts = contacts(assembly, &rows, &spots, &gathered, (&read, &found));
    Ok(ForceBounds {
        t: still.t,
        step: still.step,
        h,
        contacts,
        bounds: found,
        still,
        threshold: read.threshold,
    })
}

/// Poses at the midpoint of the step, where contacts were detected.
fn midpoints<D: RecordDim>(assembly: &BodiesSetup<D>, still: &Frame) -> Vec<Pose<D>> {
    let both = still.bodies.iter().zip(&assembly.model.bodies);
    both.map(|(place, body)| {
        let (pose, velocity) = D::pose(place);
        // Back by half a step: q_M = q_F − ½h v_F.
        match body.freedom.movable() {
            true => D::advance_pose(&pose, &velocity, -0.5 * assembly.settings.step),
            false => pose,
        }
    })
    .collect()
}

fn contacts<D: RecordDim>(
    assembly: &BodiesSetup<D>,
    rows: &Rows<D>,
    spots: &[StaticContact<D>],
    gathered: &StaticModel,
    (read, found): (&ReadAll, &ImpulseBounds),
) -> Vec<Contact> {
    let name = |i: u32| {
        assembly
            .names
            .bodies
            .get(i as usize)
            .cloned()
            .unwrap_or_default()
    };
    let one = |(k, spot): (usize, &StaticContact<D>)| {
        // The first row of a contact is its normal.
        let row = gathered.system.rows(k).start;
        Contact {
            bodies: spot.bodies,
            names: spot.bodies.map(name),
            feature: rows.integer(k, "feature"),
            at: three(spot.at.components()),
            normal: three(spot.frame[0].components()),
            status: match read.faces[k] {
                Face::Open => "open",
                Face::Stick => "stick",
                Face::Slip(_) => "slip",
            },
            impulse: read.impulse[row],
            interval: found.intervals[k],
            least: found.least[row],
        }
    };
    spots.iter().enumerate().map(one).collect()
}

/// An error of `statics` with the names of the bodies.
fn named<D: RecordDim>(
    scene: &Scene,
    assembly: &BodiesSetup<D>,
    spots: &[StaticContact<D>],
    error: &StaticsError,
) -> SceneError {
    let StaticsError::Law { contact, law } = error else {
        return scene_error(scene, error.to_string(), "");
    };
    let name = |i: u32| {
        assembly
            .names
            .bodies
            .get(i as usize)
            .cloned()
            .unwrap_or_default()
    };
    let [a, b] = spots
        .get(*contact)
        .map_or([0, 0], |spot| spot.bodies)
        .map(name);
    let problem = format!("between `{a}` and `{b}` the law {law} has no convex cone of impulses");
    scene_error(scene, problem, "")
}
