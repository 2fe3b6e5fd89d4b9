#![doc = include_str!("../README.md")]

pub mod audit;
pub mod builtin;
mod certificate;
pub mod collection;
pub mod drawing;
pub mod equilibrium;
mod error;
pub mod export;
mod file;
pub mod film;
pub mod finding;
pub mod generate;
mod nonunique;
pub mod picture;
pub mod plot;
pub mod record;
mod resume;
mod run;
mod sink;
pub mod study;
pub mod survey;
mod sweep;
mod text;
mod trajectory;
pub mod verify;
mod watch;

pub use certificate::{CertificateBounds, Certificate, Violation, NotMet, CertificateJson, Warnings, Criterion};
pub use error::{InputError, Origin, SceneError};
pub use file::{
    Bisect, Case, Check, Colour, Datum, FindingSpec, Formula, SceneKind, Overrides, Picture, Plot, PlotKind,
    VariedValues, Scene, Spacing, Study, Vary,
};
pub use finding::{
    Threads, Value, check_collection, check_findings, evaluate_bodies_findings, evaluate_findings,
    observable_request,
};
pub use nonunique::{NonuniqueInstant, nonunique_instants};
pub use run::{MechanismOutcome, EarlyStop, StopReason, worst_constraint_name, run_mechanism};
pub use sink::{NullObserver, MechanismObserver};
pub use study::{StudyDirectory, StudyError, Shard, StudyFile, StudyResult, StudyTable, StudyProgress};
pub use text::{BuiltMechanism, LawForm, Observable, Sample, SetForm, SymbolicSystem, assemble_law};
pub use trajectory::{Interpolation, Trajectory};
pub use watch::{
    BodiesOutcome, WorldRun, AnyWorld, BodiesObservable, PreparationOutcome, RunTemplate, RunProgress, ObservableRequest, preparation_warnings,
    run_bodies_observing, run_bodies,
};
