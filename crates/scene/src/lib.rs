#![doc = include_str!("../README.md")]

pub mod bodies_scene;
pub mod builtin;
mod error;
pub mod file;
pub mod model;
pub mod symbolic;

pub use error::SceneError;
pub use file::{
    Bisect, BodySubset, Case, CertificateBounds, Check, CheckpointPolicy, Colour, DataFile, Datum,
    DistributionQuantity, FindingSpec, Formula, OPTIONAL_BODY_TABLES, OPTIONAL_MECHANISM_TABLES,
    Overrides, Picture, Plot, PlotKind, RecordSelection, RowSelection, Scene, SceneKind, Spacing,
    Study, TableCompression, VariedValues, Vary,
};
pub use percuss_input::{InputError, Origin};
pub use symbolic::{
    BuiltMechanism, LawForm, Observable, Sample, SetForm, SymbolicSystem, assemble_law,
};
