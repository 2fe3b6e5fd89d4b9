//! Scenes of bodies as text: tables to specs.

pub mod form;
pub mod generators;
mod read;
pub mod spec;
pub mod structure;

pub use read::read;
pub use spec::{BodiesRunSpec, BodiesSpec};
