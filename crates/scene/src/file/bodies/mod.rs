//! Scenes of bodies as text: tables to specs.

pub(crate) mod form;
pub(crate) mod generators;
mod read;
pub(crate) mod spec;
pub(crate) mod structure;

pub(crate) use read::read;
pub(crate) use spec::{BodiesRunSpec, BodiesSpec};
