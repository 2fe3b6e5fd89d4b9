#![doc = include_str!("../README.md")]

pub mod audit;
pub mod builtin;
mod certificate;
pub mod collection;
pub mod equilibrium;
mod error;
mod evaluate;
pub mod file;
pub mod finding;
mod nonunique;
pub mod number;
mod parallel;
mod progress;
pub mod record;
mod resume;
mod run;
mod scan;
mod stop;
pub mod study;
pub mod survey;
mod sweeping;
pub mod text;
mod trajectory;
pub mod watch;

pub use certificate::{
    Certificate, CertificateJson, Criterion, NotMet, Violation, preparation_warnings,
};
pub use error::{InputError, Origin, SceneError};
pub use evaluate::{
    check_collection, check_findings, evaluate_bodies_findings, evaluate_findings,
    observable_request, run_bodies_observing,
};
pub use file::{
    Bisect, BodySubset, Case, CertificateBounds, Check, CheckpointPolicy, Colour, DataFile, Datum,
    DistributionQuantity, FindingSpec, Formula, OPTIONAL_BODY_TABLES, OPTIONAL_MECHANISM_TABLES,
    Overrides, Picture, Plot, PlotKind, RecordSelection, RowSelection, Scene, SceneKind, Spacing,
    Study, TableCompression, VariedValues, Vary,
};
pub use finding::Value;
pub use nonunique::nonunique_instants;
pub use parallel::Threads;
pub use progress::{RunProgress, Warnings};
pub use record::{MechanismObserver, NonuniqueInstant, NullObserver};
pub use run::{MechanismOutcome, run_mechanism, worst_constraint_name};
pub use stop::{EarlyStop, StopReason};
pub use study::{
    Shard, StudyDirectory, StudyError, StudyFile, StudyProgress, StudyResult, StudyTable,
};
pub use text::{
    BuiltMechanism, LawForm, Observable, Sample, SetForm, SymbolicSystem, assemble_law,
};
pub use trajectory::{Interpolation, Trajectory};
pub use watch::{
    AnyWorld, BodiesObservable, BodiesOutcome, ObservableRequest, PreparationOutcome, RunTemplate,
    WorldRun, run_bodies,
};
