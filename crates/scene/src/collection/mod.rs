//! Scenes of bodies: from text to a collection that can move.

mod build;
mod fits;
mod form;
mod many;
mod read;
mod sink;
mod spec;
mod structure;

pub use bodies::space::DecompositionFit;
pub use build::BodiesEnvironment;
pub use sink::{BodiesObserver, WorldRef};

pub(crate) use build::{build, environment};
pub(crate) use read::read;
pub(crate) use spec::{BodiesRunSpec, BodiesSpec};

use bodies::{Dim, Model, Plane, Settings, Space, State};

/// A collection ready to move, with the names of its parts.
#[derive(Debug)]
pub enum BuiltBodies {
    /// In the plane.
    Plane(BodiesSetup<Plane>),
    /// In space.
    Space(BodiesSetup<Space>),
}

/// A collection in one of the two dimensions.
#[derive(Debug)]
pub struct BodiesSetup<D: Dim> {
    /// The bodies and their laws during the run.
    pub model: Model<D>,
    /// Where they start (before the preparations, if there are any).
    pub state: State<D>,
    /// How they are stepped.
    pub settings: Settings,
    /// Runs before the run, in order.
    pub prepare: Vec<Preparation<D>>,
    /// Names of the parts.
    pub names: SceneNames,
    /// Begin and end of the run.
    pub start: f64,
    /// End of the run.
    pub until: f64,
    /// Bodies and contacts of every so many steps are recorded.
    pub record_every: usize,
    /// What is done about overlaps at the start.
    pub overlap: OverlapRule,
    /// What the figures of its certificate are held against.
    pub bounds: crate::certificate::CertificateBounds,
    /// The run ends when this becomes true.
    pub stop: Option<crate::file::Formula>,
    /// The files that were read.
    pub files: Vec<crate::record::DataFile>,
    /// Seed of the first generator that drew random numbers.
    pub seed: Option<u64>,
}

/// A run before the run.
#[derive(Debug)]
pub struct Preparation<D: Dim> {
    /// Its name.
    pub name: String,
    /// The same bodies under its own conditions.
    pub model: Model<D>,
    /// How they are stepped.
    pub settings: Settings,
    /// How long it lasts.
    pub until: f64,
    /// It ends when this becomes true.
    pub stop: Option<crate::file::Formula>,
    /// Whether that must happen before its end.
    pub must: bool,
    /// Whether velocities are set to 0 after it.
    pub rest: bool,
    /// Parameters as it sees them.
    pub parameters: Vec<(String, f64)>,
}

/// What is done about overlaps at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapRule {
    /// Deepest one allowed, absolute; `None`: 1e-6 of the smaller body's radius.
    pub allowed: Option<f64>,
    /// Whether deeper ones are moved apart instead of refused.
    pub relax: bool,
}

/// Names of the parts of a collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneNames {
    /// Name of every body.
    pub bodies: Vec<String>,
    /// Name of every material.
    pub materials: Vec<String>,
    /// Groups: name and members in ascending order.
    pub groups: Vec<(String, Vec<u32>)>,
    /// Regions.
    pub regions: Vec<Region>,
    /// Watched pairs.
    pub watches: Vec<Watch>,
    /// Profiles over slices.
    pub profiles: Vec<crate::survey::Profile>,
    /// Distributions.
    pub distributions: Vec<crate::survey::Distribution>,
    /// Load cases of limit analysis.
    pub loads: Vec<LoadCase>,
    /// Whether there is a periodic cell.
    pub cell: bool,
    /// Name of every joint.
    pub joints: Vec<String>,
    /// What of it is recorded.
    pub record: crate::record::RecordSelection,
}

/// A load case of limit analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCase {
    /// Its name.
    pub name: String,
    /// What is multiplied.
    pub kind: LoadKind,
}

/// What a load case multiplies.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadKind {
    /// A force per mass on every body.
    Acceleration(Vec<f64>),
    /// The tangent of the angle by which gravity turns; the force per mass at 45 degrees beyond
    /// that of gravity.
    Tilt(Vec<f64>),
    /// A force on a body.
    Force {
        /// Which body.
        body: u32,
        /// The force, space axes.
        force: Vec<f64>,
        /// Where it acts, body axes; the centre of mass where nothing is said.
        at: Option<Vec<f64>>,
    },
}

/// A part of space whose bodies are looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Lower bounds, expressions in t and parameters.
    pub low: Vec<crate::file::Formula>,
    /// Upper bounds.
    pub high: Vec<crate::file::Formula>,
    /// Which slice of how many along which axis, where it is cut.
    pub slice: Option<(usize, usize, usize)>,
    /// The bodies it is about, in ascending order.
    pub members: Vec<u32>,
}

/// Contacts between two sets of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Its name.
    pub name: String,
    /// The one, in ascending order.
    pub first: Vec<u32>,
    /// The other.
    pub second: Vec<u32>,
}
