#![doc = include_str!("../README.md")]

pub mod bodies_run;
mod drive;
mod evaluate;
mod execute;
pub mod finding;
mod mechanism_run;
mod nonunique;
mod parallel;
mod progress;
mod recorded;
mod resume;
mod scan;
mod simulation;
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
pub use execute::{
    ActiveRun, CheckpointOverrides, EndedRun, FindingsOf, InterruptedRun, Run, RunEnd, RunOptions,
    RunTarget, WorldRecordSpec, WorldRunSpan, execute, record_snapshot,
};
pub use finding::Value;
pub use mechanism_run::{MechanismOutcome, MotionSpan, run_mechanism, run_motion};
pub use nonunique::nonunique_instants;
pub use parallel::Threads;
pub use percuss_record::StepReport;
pub use progress::{RunProgress, Warnings};
pub use recorded::{ResumePoint, RunError, RunListener, RunOutcome, decomposition_errors};
pub use simulation::{Checkpoint, Simulation, SimulationState};
pub use stop::{EarlyStop, StopReason};
pub use study::study_directory::{StudyDirectory, StudyError, StudyProgress};
pub use study::{Shard, StudyFile, StudyResult, StudyTable};
pub use trajectory::{Interpolation, Trajectory};
