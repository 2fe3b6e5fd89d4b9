#![doc = include_str!("../README.md")]

pub mod cell;
mod compound;
pub mod detect;
mod dim;
mod error;
pub mod joint;
pub mod materials;
pub mod measure;
pub mod model;
pub mod plane;
mod pose;
mod settings;
pub mod space;
mod state;
mod vector;
mod world;

pub use cell::{CellController, ImposedLoading, Lattice, Matrix, PeriodicCell};
pub use compound::{Compound, CompoundPiece, MAX_PARTS, Part, SourceSurface};
pub use detect::{Candidate, Detector};
pub use dim::{Dim, Plane, Space};
pub use error::{ShapeError, WorldError};
pub use joint::Joint;
pub use materials::{Friction, Materials, PairLaw};
pub use model::{Body, Drag, ForceContext, ForceField, Freedom, Model, PrescribedMotion};
pub use pose::{Aabb, ContactPoint, MassProperties, Pose};
pub use settings::{Activation, Settings};
pub use state::{Contact, PersistentContact, State, StepReport, did};
pub use vector::Vector;
#[doc(hidden)]
pub use world::Fault;
pub use world::{
    DeepestContact, JointRow, LargestDrift, OtherSolution, Overlap, PainleveContact, StepTimings,
    World, contact_law,
};
