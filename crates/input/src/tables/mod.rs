//! Tables of a scene as specifications whose expressions are still text: what `[run]`, `[[contact]]`, `[[body]]` say.
//!
//! The `read_*` modules and `bodies::read` turn the tables of a [`Reader`](crate::Reader) into the specifications of
//! `spec` and `process` (mechanisms and sweeping processes), `bodies` (bodies), `drawing`, `record`, `survey` and
//! `certificate`. `percuss-scene` evaluates them. A field without a comment of its own is the key of its name, which
//! docs/scenes.md and docs/bodies.md explain.

#[allow(missing_docs, reason = "fields are keys of tables")]
pub mod bodies;
mod bounds;
pub mod certificate;
mod checkpoint;
mod crowd;
mod drawing;
#[allow(missing_docs, reason = "fields are keys of tables")]
mod process;
mod read_checkpoint;
mod read_constraints;
mod read_drawing;
mod read_mechanism;
mod read_model;
mod read_nonfirm;
mod read_run;
mod read_sweep;
#[allow(missing_docs, reason = "fields are keys of tables")]
pub mod record;
mod selection;
#[allow(missing_docs, reason = "fields are keys of tables")]
mod spec;
mod survey;

pub use bounds::CertificateBounds;
pub use certificate::CertificateSpec;
pub use checkpoint::CheckpointPolicy;
pub use crowd::{CrowdSpec, KEYS as CROWD_KEYS};
pub use drawing::{DrawingShapeSpec, DrawingSpec, OverSpec, PointSpec};
pub use process::SweepSpec;
pub use read_checkpoint::cadence as checkpoint_policy;
pub use read_constraints::MOST_ROWS;
pub use read_mechanism::mechanism;
pub use read_sweep::sweep;
pub use record::RecordSpec;
pub use selection::{
    BodySubset, OPTIONAL_BODY_TABLES, OPTIONAL_MECHANISM_TABLES, RecordSelection, RowSelection,
    TableCompression,
};
pub use spec::{
    BilateralSpec, ContactSpec, CoordinateKind, CoordinateSpec, DynamicsSpec, END_TOLERANCE,
    FrictionSpec, MechanismRunSpec, MechanismSpec, NonFirmSpec, NonholonomicSpec, ProjectSpec,
    RestitutionSpec, SetSpec, StepSpec, Word,
};
pub use survey::{DistributionQuantity, DistributionSpec, ProfileSpec};

/// The kind of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneKind {
    /// Few coordinates; energies and constraints are expressions. Sweeping processes are of this kind.
    Mechanism,
    /// Rigid bodies with shapes in contact.
    Bodies,
}
