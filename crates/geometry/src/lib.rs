#![doc = include_str!("../README.md")]

pub mod dim;
mod error;
pub mod plane;
mod predicates;
pub mod rotation;
pub mod shape;
pub mod space;
mod vector;
pub mod volume;

pub use dim::{Aabb, ContactPoint, Dim, MassProperties, Plane, Pose, Space};
pub use error::ShapeError;
pub use shape::{
    Compound, CompoundPiece, DecompositionFit, Geometry, MAX_PARTS, Part, SourceSurface, min_width,
};
pub use vector::Vector;
pub use volume::ClippedVolume;
