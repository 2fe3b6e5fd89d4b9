//! From a scene to a motion, and what is found in it.

pub mod audit;
mod certificate;
mod driver;
pub mod equilibrium;
mod evaluate;
pub mod finding;
mod nonunique;
pub mod number;
mod parallel;
mod progress;
mod resume;
mod scan;
mod stop;
pub mod study;
pub mod survey;
mod sweeping;
mod trajectory;
pub mod watch;

pub use certificate::{
    Certificate, CertificateJson, Criterion, NotMet, Violation, preparation_warnings,
};
pub use driver::{MechanismOutcome, run_mechanism, worst_constraint_name};
pub use evaluate::{
    check_collection, check_findings, evaluate_bodies_findings, evaluate_findings,
    observable_request, run_bodies_observing,
};
pub use finding::Value;
pub use nonunique::nonunique_instants;
pub use parallel::Threads;
pub use progress::{RunProgress, Warnings};
pub use stop::{EarlyStop, StopReason};
pub use study::{
    Shard, StudyDirectory, StudyError, StudyFile, StudyProgress, StudyResult, StudyTable,
};
pub use trajectory::{Interpolation, Trajectory};
pub use watch::{
    AnyWorld, BodiesObservable, BodiesOutcome, ObservableRequest, PreparationOutcome, RunTemplate,
    WorldRun, run_bodies,
};
