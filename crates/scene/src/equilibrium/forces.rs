//! Which impulses of a recorded step rigidity leaves open.
//!
//! The records have where contacts were, what they did and their impulses; the scene in the manifest has
//! masses and laws. Levers are those of the midpoint of the step, q_M = q_F − ½h u_F (M88 §11).

use bodies::{Pose, Vector};
use statics::{ComputeOptions, Face, ImpulseBounds, ImpulseInterval, StaticsError, impulse_bounds};

use super::axes::RecordDim;
use super::gather::{StaticContact, StaticModel};
use super::rows::{ReadAll, Rows};
use super::weigh::{scene_error, three};
use crate::collection::{BodiesSetup, BuiltBodies};
use crate::error::SceneError;
use crate::file::{Scene, SceneKind};
use crate::picture::{Frame, RecordedFrames};
use crate::plot::{PlotError, format_short};
use crate::record::{Record, RecordError};

/// What is asked.
pub struct ForceBoundsOptions<'a> {
    /// Which instant; the recorded one nearest to it is taken.
    pub at: f64,
    /// Threads; results do not depend on it.
    pub threads: usize,
    /// Hears the share done.
    pub progress: &'a mut dyn FnMut(f64),
}

/// One contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// The bodies, by number.
    pub bodies: [u32; 2],
    /// Their names.
    pub names: [String; 2],
    /// Which point of the pair.
    pub feature: i64,
    /// Where; z = 0 in the plane.
    pub at: [f64; 3],
    /// From the first body to the second.
    pub normal: [f64; 3],
    /// What it does: `open`, `stick` or `slip`.
    pub status: &'static str,
    /// Normal impulse of the run.
    pub impulse: f64,
    /// What it may be.
    pub interval: ImpulseInterval,
    /// Normal impulse of the choice of least norm.
    pub least: f64,
}

/// The forces of a recorded step that rigidity leaves open.
#[derive(Debug, Clone)]
pub struct ForceBounds {
    /// The recorded instant.
    pub t: f64,
    /// Its step.
    pub step: i64,
    /// Length of the step: impulses over it are forces.
    pub h: f64,
    /// By contact.
    pub contacts: Vec<Contact>,
    /// All else that is known.
    pub bounds: ImpulseBounds,
    /// Where the bodies are.
    pub still: Frame,
    /// Velocities below this count as 0.
    pub threshold: f64,
}

/// Looks at a recorded step of a run of bodies.
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
    let states = RecordedFrames::of(record)?;
    let still = chosen(&shown, &states, asked.at)?;
    let collection = scene.build_bodies()?;
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
    let poses = midpoints(assembly, &still);
    let spots = rows.spots(record, assembly)?;
    let wrong = |error: StaticsError| scene_error(scene, error.to_string(), "");
    let gathered = StaticModel::new(&assembly.model.bodies, &poses, &spots).map_err(wrong)?;
    let read = rows.read_all(assembly, &gathered, &spots);
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

/// Where the bodies were when contacts were detected.
fn midpoints<D: RecordDim>(assembly: &BodiesSetup<D>, still: &Frame) -> Vec<Pose<D>> {
    let both = still.bodies.iter().zip(&assembly.model.bodies);
    both.map(|(place, body)| {
        let (pose, velocity) = D::pose(place);
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

/// An error of `statics` with names.
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
