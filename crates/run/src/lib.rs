#![doc = include_str!("../README.md")]

pub mod bodies_run;
mod evaluate;
pub mod finding;
mod mechanism_run;
mod nonunique;
mod parallel;
mod progress;
mod resume;
mod scan;
pub mod statistics;
mod stop;
pub mod study;
mod sweeping;
mod trajectory;

pub use bodies_run::world_run::{AnyWorld, RunTemplate, WorldRun};
pub use bodies_run::{
    BodiesObservable, BodiesOutcome, ObservableRequest, PreparationOutcome, run_bodies,
};
pub use evaluate::compiled_findings::{
    check_collection, check_findings, compile_findings, observable_request,
};
pub use evaluate::{evaluate_bodies_findings, evaluate_findings, run_bodies_observing};
pub use finding::Value;
pub use mechanism_run::{MechanismOutcome, run_mechanism, worst_constraint_name};
pub use nonunique::nonunique_instants;
pub use parallel::Threads;
pub use progress::{RunProgress, Warnings};
pub use stop::{EarlyStop, StopReason};
pub use study::study_directory::{StudyDirectory, StudyError, StudyProgress};
pub use study::{Shard, StudyFile, StudyResult, StudyTable};
pub use trajectory::{Interpolation, Trajectory};
