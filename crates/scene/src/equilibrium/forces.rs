//! Which impulses of a recorded step rigidity leaves open.
//!
//! The records have where contacts were, what they did and their impulses; the scene in the manifest has
//! masses and laws. Levers are those of the midpoint of the step, q_M = q_F − ½h u_F (M88 §11).

use bodies::{Activation, Pose, Vector, contact_law};
use contact::law::Status;
use statics::{Bounds, Effort, Face, Interval, StaticsError, bounds};

use super::axes::Axes;
use super::face::Told;
use super::gather::{Gathered, Spot};
use super::weigh::{three, whole};
use crate::collection::{Assembly, Collection};
use crate::error::SceneError;
use crate::file::{Kind, Scene};
use crate::picture::{States, Still};
use crate::plot::PlotError;
use crate::record::{Cell, Record, RecordError, Table};

/// How much above the tolerance of the steps a velocity must be to count.
const ABOVE: f64 = 10.0;

/// What is asked.
pub struct Asked<'a> {
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
    pub interval: Interval,
    /// Normal impulse of the choice of least norm.
    pub least: f64,
}

/// The forces of a recorded step that rigidity leaves open.
#[derive(Debug, Clone)]
pub struct Forces {
    /// The recorded instant.
    pub t: f64,
    /// Its step.
    pub step: i64,
    /// Length of the step: impulses over it are forces.
    pub h: f64,
    /// By contact.
    pub contacts: Vec<Contact>,
    /// All else that is known.
    pub bounds: Bounds,
    /// Where the bodies are.
    pub still: Still,
    /// Velocities below this count as 0.
    pub threshold: f64,
}

/// Looks at a recorded step of a run of bodies.
///
/// # Errors
/// The records are not those of a run of bodies, the time is outside of the run or has no contacts, or
/// the records cannot be read.
pub fn forces(record: &Record, asked: &mut Asked<'_>) -> Result<Forces, PlotError> {
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
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?.with(&set)?;
    if scene.kind() != Kind::Bodies {
        let text = format!(
            "{shown}: this is a run of a mechanism; open forces are looked for in runs of bodies"
        );
        return Err(PlotError::Nothing(text));
    }
    let states = States::of(record)?;
    let still = chosen(&shown, &states, asked.at)?;
    match scene.collection()? {
        Collection::Plane(assembly) => of_step(record, &scene, &assembly, still, asked),
        Collection::Space(assembly) => of_step(record, &scene, &assembly, still, asked),
    }
}

/// The recorded state nearest to a time within the run.
fn chosen(shown: &str, states: &States<'_>, t: f64) -> Result<Still, PlotError> {
    let last = states.len().checked_sub(1);
    let Some(last) = last.filter(|last| *last > 0) else {
        let text = format!("{shown}: no step is recorded yet");
        return Err(PlotError::Nothing(text));
    };
    let (begin, first, end) = (states.time(0)?, states.time(1)?, states.time(last)?);
    // Half an interval of records beyond either end is still nearest to it.
    let slack = 0.5 * (first - begin);
    if !(t >= begin - slack && t <= end + slack) {
        let text = format!("{shown}: there is no time {t}: the run goes from {begin} to {end}");
        return Err(PlotError::Nothing(text));
    }
    let near = states.nearest(t)?;
    if near == 0 {
        let text = format!(
            "{shown}: no forces are known at the start, t = {begin}; the first recorded step ends \
             at t = {first}"
        );
        return Err(PlotError::Nothing(text));
    }
    Ok(states.read(near, false)?)
}

fn of_step<D: Axes>(
    record: &Record,
    scene: &Scene,
    assembly: &Assembly<D>,
    still: Still,
    asked: &mut Asked<'_>,
) -> Result<Forces, PlotError> {
    let h = assembly.settings.step;
    let rows = Rows::<D>::read(record, still.step)?;
    if rows.table.rows == 0 {
        let text = format!(
            "{}: there are no contacts at t = {}",
            record.directory().display(),
            still.t
        );
        return Err(PlotError::Nothing(text));
    }
    if assembly.model.bodies.len() != still.places.len() {
        let text = "the scene in run.json has other bodies than the records";
        return Err(RecordError::damaged(record.directory(), text).into());
    }
    let poses: Vec<Pose<D>> = still
        .places
        .iter()
        .zip(&assembly.model.bodies)
        .map(|(place, body)| {
            let (pose, velocity) = D::pose(place);
            match body.freedom.movable() {
                true => D::advance(&pose, &velocity, -0.5 * h),
                false => pose,
            }
        })
        .collect();
    let spots = rows.spots(record, assembly)?;
    let wrong = |error: StaticsError| whole(scene, error.to_string(), "");
    let gathered = Gathered::new(&assembly.model.bodies, &poses, &spots).map_err(wrong)?;
    let read = rows.read_all(assembly, &gathered, &spots);
    let mut effort = Effort {
        threads: asked.threads,
        progress: asked.progress,
    };
    let found = bounds(&gathered.system, &read.faces, &read.impulse, &mut effort);
    let found = found.map_err(|error| named(scene, assembly, &spots, &error))?;
    let contacts = spots.iter().enumerate().map(|(k, spot)| {
        let row = gathered.system.rows(k).start;
        let name = |i: u32| {
            assembly
                .cast
                .bodies
                .get(i as usize)
                .cloned()
                .unwrap_or_default()
        };
        Contact {
            bodies: spot.bodies,
            names: spot.bodies.map(name),
            feature: rows.integer(k, "feature"),
            at: three(spot.at.slice()),
            normal: three(spot.frame[0].slice()),
            status: match read.faces[k] {
                Face::Open => "open",
                Face::Stick => "stick",
                Face::Slip(_) => "slip",
            },
            impulse: read.impulse[row],
            interval: found.intervals[k],
            least: found.least[row],
        }
    });
    Ok(Forces {
        t: still.t,
        step: still.step,
        h,
        contacts: contacts.collect(),
        bounds: found,
        still,
        threshold: read.threshold,
    })
}

/// An error of `statics` with names.
fn named<D: Axes>(
    scene: &Scene,
    assembly: &Assembly<D>,
    spots: &[Spot<D>],
    error: &StaticsError,
) -> SceneError {
    let StaticsError::Law { contact, law } = error else {
        return whole(scene, error.to_string(), "");
    };
    let name = |i: u32| {
        assembly
            .cast
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
    whole(scene, problem, "")
}

/// The contacts of a step in the records.
struct Rows<D> {
    table: Table,
    dimension: std::marker::PhantomData<D>,
}

/// What was read of them.
struct ReadAll {
    faces: Vec<Face>,
    impulse: Vec<f64>,
    threshold: f64,
}

/// Names of the rows of a contact, in the order of the laws.
fn row_names(dimension: usize) -> &'static [&'static str] {
    match dimension {
        2 => &["n", "t1", "roll1"],
        _ => &["n", "t1", "t2", "roll1", "roll2", "spin"],
    }
}

impl<D: Axes> Rows<D> {
    fn read(record: &Record, step: i64) -> Result<Self, RecordError> {
        let columns: Vec<String> = record
            .entry("contacts")?
            .columns
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        Ok(Self {
            table: record.step_rows("contacts", &names, step)?,
            dimension: std::marker::PhantomData,
        })
    }

    /// NaN where there is none.
    fn number(&self, row: usize, column: &str) -> f64 {
        self.table
            .column(column)
            .map_or(f64::NAN, |values| values.number(row))
    }

    fn integer(&self, row: usize, column: &str) -> i64 {
        match self.table.column(column).map(|values| values.cell(row)) {
            Some(Cell::Integer(n)) => n,
            _ => -1,
        }
    }

    fn vector(&self, row: usize, prefix: &str) -> D::Vector {
        let axes = ["x", "y", "z"].iter().take(D::N);
        let all: Vec<f64> = axes
            .map(|a| self.number(row, &format!("{prefix}{a}")))
            .collect();
        D::Vector::of(&all)
    }

    /// Where bodies touched, with their laws.
    fn spots(&self, record: &Record, assembly: &Assembly<D>) -> Result<Vec<Spot<D>>, RecordError> {
        let damaged = |why: &str| RecordError::damaged(record.directory(), why);
        let model = &assembly.model;
        let mut spots = Vec::with_capacity(self.table.rows);
        for row in 0..self.table.rows {
            let body = |column: &str| {
                let number = usize::try_from(self.integer(row, column)).ok();
                number.filter(|i| *i < model.bodies.len())
            };
            let (Some(a), Some(b)) = (body("a"), body("b")) else {
                return Err(damaged("a contact of a body that there is not"));
            };
            let (pair, _) = model
                .materials
                .law(model.bodies[a].material, model.bodies[b].material);
            let (law, rows) = contact_law::<D>(pair, Status::Stick);
            let normal = self.vector(row, "normal_");
            let mut frame = D::frame(normal).as_ref().to_vec();
            if D::N == 3 {
                let t = self.vector(row, "tangent_");
                let cross = |i: usize, j: usize| normal[i] * t[j] - normal[j] * t[i];
                frame = vec![
                    normal,
                    t,
                    D::Vector::of(&[cross(1, 2), cross(2, 0), cross(0, 1)]),
                ];
            }
            let at = self.vector(row, "");
            if !frame.iter().chain([&at]).all(|v| v.norm().is_finite()) {
                return Err(damaged("a contact whose place is no number"));
            }
            spots.push(Spot {
                bodies: [a as u32, b as u32],
                at,
                frame,
                law,
                rows,
            });
        }
        Ok(spots)
    }

    /// Impulses and faces of all contacts.
    fn read_all(&self, assembly: &Assembly<D>, gathered: &Gathered, spots: &[Spot<D>]) -> ReadAll {
        let or_zero = |x: f64| if x.is_finite() { x } else { 0.0 };
        let cell = |row: usize, prefix: &str, name: &str| {
            or_zero(self.number(row, &format!("{prefix}_{name}")))
        };
        let mut impulse = vec![0.0; gathered.system.num_rows()];
        let mut velocity = impulse.clone();
        let mut kappas = Vec::with_capacity(spots.len());
        let mut fastest = 0.0_f64;
        for (k, spot) in spots.iter().enumerate() {
            let kappa = self.kappa(gathered, spot, k);
            let [a, b] = spot
                .bodies
                .map(|i| assembly.model.bodies[i as usize].material);
            let e = assembly.model.materials.law(a, b).0.restitution;
            for (i, (row, name)) in gathered.system.rows(k).zip(row_names(D::N)).enumerate() {
                let (begin, end) = (cell(k, "begin", name), cell(k, "end", name));
                impulse[row] = cell(k, "impulse", name);
                velocity[row] = end + begin * if i == 0 { e.normal } else { e.tangential };
                if i < D::N {
                    let all = [begin, end, impulse[row] / kappa];
                    fastest = all.iter().fold(fastest, |m, v| m.max(v.abs()));
                }
            }
            if assembly.settings.activation == Activation::Predicted && e.normal == 0.0 {
                let room = or_zero(self.number(k, "gap")).max(0.0) / assembly.settings.step;
                velocity[gathered.system.rows(k).start] += room;
            }
            kappas.push(kappa);
        }
        let threshold = ABOVE * assembly.settings.tolerance.max(1e-12) * fastest;
        let faces = spots.iter().enumerate().map(|(k, spot)| {
            let rows = gathered.system.rows(k);
            let told = Told {
                law: &spot.law,
                velocity: &velocity[rows.clone()],
                impulse: &impulse[rows],
                kappa: kappas[k],
                still: threshold,
            };
            told.face()
        });
        ReadAll {
            faces: faces.collect(),
            impulse,
            threshold,
        }
    }

    /// κ of a contact, from the masses of its bodies: of its normal row.
    fn kappa(&self, gathered: &Gathered, spot: &Spot<D>, contact: usize) -> f64 {
        let mut inverse = 0.0;
        for &body in &spot.bodies {
            if let Some(seat) = &gathered.seats[body as usize] {
                let row = gathered.system.row(contact, 0, seat.first);
                inverse += row.iter().map(|g| g * g).sum::<f64>() / seat.mass;
            }
        }
        if inverse > 0.0 {
            1.0 / inverse
        } else {
            f64::MAX
        }
    }
}
