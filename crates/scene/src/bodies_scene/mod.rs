//! Scenes of bodies: from the tables of a scene file to a model, an initial state and settings of `bodies`.
//!
//! `percuss_input::tables::bodies` has the specifications, whose expressions are still text. `build` evaluates them: shapes, masses,
//! materials and laws, joints, prescribed motions, force fields, the periodic cell, names and preparations. `names`
//! says which quantity a name in an expression means, `survey` has profiles and distributions, `about` what a built
//! scene says of itself, `fits` the errors of convex decompositions.

mod about;
mod build;
mod fits;
pub mod names;
mod survey;

pub use crate::bodies_scene::build::environment::BodiesEnvironment;
pub use percuss_bodies::space::DecompositionFit;

pub(crate) use crate::bodies_scene::build::environment::environment;
pub use names::NameTable;
pub(crate) use names::words;
pub use survey::{Distribution, Profile};

use percuss_bodies::{Dim, Model, Plane, Settings, Space, State};

/// A scene of bodies ready to run, in its dimension.
#[derive(Debug)]
pub enum BuiltBodies {
    /// In the plane.
    Plane(BodiesSetup<Plane>),
    /// In space.
    Space(BodiesSetup<Space>),
}

/// Model, initial state, settings and names of a scene of bodies.
#[derive(Debug)]
pub struct BodiesSetup<D: Dim> {
    /// Bodies, laws, joints and forces during the run.
    pub model: Model<D>,
    /// Initial state (before the preparations, if there are any).
    pub state: State<D>,
    /// Settings of the time-stepping scheme and its solver.
    pub settings: Settings,
    /// Whether the run is integrated from event to event; preparations never are.
    pub event_driven: bool,
    /// Preparations: stages computed before the run, in order.
    pub prepare: Vec<Preparation<D>>,
    /// Names of bodies, groups, regions and other parts.
    pub names: SceneNames,
    /// Start time of the run.
    pub start: f64,
    /// End time of the run.
    pub until: f64,
    /// Bodies and contacts are recorded every so many steps.
    pub record_every: usize,
    /// Treatment of overlaps in the initial state.
    pub overlap: OverlapRule,
    /// Bounds of the certificate.
    pub bounds: percuss_input::tables::CertificateBounds,
    /// Stop condition: the run ends when it becomes true.
    pub stop: Option<percuss_input::Formula>,
    /// The data files that were read.
    pub files: Vec<crate::file::DataFile>,
    /// Seed of the first generator that drew random numbers.
    pub seed: Option<u64>,
}

/// A preparation (equilibration stage): computed before the run, which starts from its final state.
#[derive(Debug)]
pub struct Preparation<D: Dim> {
    /// Its name.
    pub name: String,
    /// The same bodies under the conditions of this stage.
    pub model: Model<D>,
    /// Settings of the scheme in this stage.
    pub settings: Settings,
    /// Duration of the stage at most.
    pub until: f64,
    /// Stop condition: the stage ends when it becomes true.
    pub stop: Option<percuss_input::Formula>,
    /// Whether the stop condition must become true before `until`; otherwise the run is refused.
    pub must: bool,
    /// Whether velocities are set to 0 after it.
    pub rest: bool,
    /// Values of the parameters in this stage.
    pub parameters: Vec<(String, f64)>,
}

/// Treatment of overlaps in the initial state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapRule {
    /// Largest penetration depth allowed, absolute; `None`: 1e-6 of the smaller body's radius.
    pub allowed: Option<f64>,
    /// Whether deeper overlaps are relaxed, moving bodies apart, instead of refused.
    pub relax: bool,
}

/// Names of the parts of a scene of bodies, by number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneNames {
    /// Name of every body.
    pub bodies: Vec<String>,
    /// Name of every material.
    pub materials: Vec<String>,
    /// Groups: name and members in ascending order.
    pub groups: Vec<(String, Vec<u32>)>,
    /// Regions of space.
    pub regions: Vec<Region>,
    /// Watched contact pairs.
    pub watches: Vec<Watch>,
    /// Profiles: averages over slices.
    pub profiles: Vec<survey::Profile>,
    /// Distributions (histograms).
    pub distributions: Vec<survey::Distribution>,
    /// Load cases of limit analysis.
    pub loads: Vec<LoadCase>,
    /// Whether there is a periodic cell.
    pub cell: bool,
    /// Name of every joint.
    pub joints: Vec<String>,
    /// Whether each joint has limits or play: whether it has impacts.
    pub has_impacts: Vec<bool>,
    /// Selection of what is recorded.
    pub record: percuss_input::tables::RecordSelection,
}

impl SceneNames {
    /// The name of what has impacts, by its number: a watch, or, after them, a joint.
    pub fn event_source(&self, number: usize) -> Option<&str> {
        match self.watches.get(number) {
            Some(watch) => Some(&watch.name),
            None => {
                let joint = self.joints.get(number - self.watches.len());
                joint.map(String::as_str)
            }
        }
    }
}

/// A load case of limit analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCase {
    /// Its name.
    pub name: String,
    /// The load that the multiplier scales.
    pub kind: LoadKind,
}

/// The load that the multiplier of a load case scales.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadKind {
    /// A force per mass on every body.
    Acceleration(Vec<f64>),
    /// The tangent of the angle by which gravity is tilted; the vector is the force per mass added to gravity at
    /// 45 degrees.
    Tilt(Vec<f64>),
    /// A force on a body.
    Force {
        /// Index of the body.
        body: u32,
        /// The force in world axes.
        force: Vec<f64>,
        /// Point of application in body axes; `None`: the centre of mass.
        at: Option<Vec<f64>>,
    },
}

/// A box in space, or a slice of one, whose bodies are observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Lower bounds by axis, expressions in t and parameters.
    pub low: Vec<percuss_input::Formula>,
    /// Upper bounds by axis.
    pub high: Vec<percuss_input::Formula>,
    /// For a slice: its number, the number of slices and the axis.
    pub slice: Option<(usize, usize, usize)>,
    /// The bodies considered, in ascending order.
    pub members: Vec<u32>,
}

/// A contact monitor: the contacts between two sets of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Its name.
    pub name: String,
    /// The first set, in ascending order.
    pub first: Vec<u32>,
    /// The second set.
    pub second: Vec<u32>,
}
