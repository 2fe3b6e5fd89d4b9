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

pub use cell::{Cell, Control, Given, Lattice, Matrix};
pub use compound::{Compound, MOST_PARTS, Part, Piece, Skin};
pub use detect::{Detector, Found};
pub use dim::{Dim, Plane, Space};
pub use error::{ShapeError, WorldError};
pub use joint::Joint;
pub use materials::{Friction, Materials, PairLaw};
pub use model::{Body, Drag, Field, Freedom, Guide, Model, Scenery};
pub use pose::{Bounds, MassProperties, Pose, Touch};
pub use settings::{Activation, Settings};
pub use state::{Contact, Ledger, Memory, State, did};
pub use vector::Vector;
#[doc(hidden)]
pub use world::Fault;
pub use world::{
    Another, Deepest, JointRow, Loosest, Overlap, Profile, Sliding, World, contact_law,
};
