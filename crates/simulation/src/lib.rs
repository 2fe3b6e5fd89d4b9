#![doc = include_str!("../README.md")]

pub mod bodies_run;
mod drive;
mod mechanism_run;
mod nonunique;
pub mod parallel;
mod progress;
mod resume;
mod simulation;
pub mod statistics;
mod stop;
mod sweeping;
mod text_error;
mod trajectory;

pub use bodies_run::world_run::{AnyWorld, RunTemplate, WorldRun};
pub use bodies_run::{
    BodiesObservable, BodiesOutcome, ObservableRequest, PreparationOutcome, run_bodies,
};
pub use mechanism_run::{MechanismOutcome, MotionSpan, integrate, run_mechanism, run_motion};
pub use nonunique::nonunique_instants;
pub use parallel::Threads;
pub use percuss_record::StepReport;
pub use progress::{ProgressCallback, RunProgress, Warnings};
pub use simulation::{Checkpoint, Simulation, SimulationState};
pub use stop::{EarlyStop, StopReason};
pub use text_error::TextError;
pub use trajectory::{Interpolation, Segment, Trajectory};
