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

pub use cell::{PeriodicCell, CellController, ImposedLoading, Lattice, Matrix};
pub use compound::{Compound, MAX_PARTS, Part, CompoundPiece, SourceSurface};
pub use detect::{Detector, Candidate};
pub use dim::{Dim, Plane, Space};
pub use error::{ShapeError, WorldError};
pub use joint::Joint;
pub use materials::{Friction, Materials, PairLaw};
pub use model::{Body, Drag, ForceField, Freedom, PrescribedMotion, Model, ForceContext};
pub use pose::{Aabb, MassProperties, Pose, ContactPoint};
pub use settings::{Activation, Settings};
pub use state::{Contact, StepReport, PersistentContact, State, did};
pub use vector::Vector;
#[doc(hidden)]
pub use world::Fault;
pub use world::{
    OtherSolution, DeepestContact, JointRow, LargestDrift, Overlap, StepTimings, PainleveContact, World, contact_law,
};
