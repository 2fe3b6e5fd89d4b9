#![doc = include_str!("../README.md")]

mod body;
mod candidate;
pub mod detect;
mod dynamics;
mod error;
pub mod free_rotation;
pub mod granular;
pub mod joint;
pub mod materials;
pub mod model;
pub mod periodic_cell;
mod settings;
mod state;
mod step;
mod stepper;
mod thread_pool;
mod world;

pub use body::{Body, Freedom};
pub use candidate::Candidate;
pub use detect::Detector;
pub use dynamics::Dynamics;
pub use error::WorldError;
pub use joint::Joint;
pub use materials::{Friction, Materials, PairLaw};
pub use model::{Drag, ForceContext, ForceField, Model, PrescribedMotion};
pub use periodic_cell::{CellController, ImposedLoading, Lattice, Matrix, PeriodicCell};
pub use settings::{Activation, Integrator, Settings};
pub use state::{Contact, PersistentContact, State, StepReport, status_code};
#[doc(hidden)]
pub use step::Fault;
pub use step::{
    DeepestContact, JointRow, LargestDrift, OtherSolution, Overlap, PainleveContact, contact_law,
};
pub use stepper::{SteppedContact, SteppedState, Stepper};
pub use world::{StepTimings, World};

// Shapes and poses, so that a user of bodies need not name the crate of shapes.
pub use percuss_geometry::{self as geometry, plane, space};
pub use percuss_geometry::{
    Aabb, Compound, CompoundPiece, ContactPoint, Geometry, MAX_PARTS, MassProperties, Part, Plane,
    Pose, ShapeError, SourceSurface, Space, Vector,
};

// Former names.
pub use dynamics::Dynamics as Dim;
pub use granular as measure;
pub use periodic_cell as cell;
pub use state::status_code as did;
