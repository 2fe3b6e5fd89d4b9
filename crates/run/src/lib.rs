#![doc = include_str!("../README.md")]

mod evaluate;
mod execute;
pub mod finding;
mod recorded;
mod scan;
pub mod study;

pub use evaluate::compiled_findings::{
    check_collection, check_findings, compile_findings, observable_request,
};
pub use evaluate::{evaluate_bodies_findings, evaluate_findings, run_bodies_observing};
pub use execute::{
    ActiveRun, CheckpointOverrides, EndedRun, FindingsOf, InterruptedRun, Run, RunEnd, RunOptions,
    RunTarget, WorldRecordSpec, WorldRunSpan, execute, record_snapshot,
};
pub use finding::Value;
pub use percuss_simulation::{
    AnyWorld, BodiesObservable, BodiesOutcome, Checkpoint, EarlyStop, Interpolation,
    MechanismOutcome, MotionSpan, ObservableRequest, PreparationOutcome, RunProgress, RunTemplate,
    Simulation, SimulationState, StepReport, StopReason, Threads, Trajectory, Warnings, WorldRun,
    bodies_run, nonunique_instants, run_bodies, run_mechanism, run_motion, statistics,
};
pub use recorded::{ResumePoint, RunError, RunListener, RunOutcome, decomposition_errors};
pub use study::study_directory::{StudyDirectory, StudyError, StudyProgress};
pub use study::{Shard, StudyFile, StudyResult, StudyTable};
