#![doc = include_str!("../README.md")]

pub mod builtin;
mod certificate;
mod error;
mod file;
pub mod finding;
mod nonunique;
pub mod plot;
pub mod record;
mod run;
mod sink;
pub mod study;
mod text;
mod trajectory;

pub use certificate::Certificate;
pub use error::{InputError, Origin, SceneError};
pub use file::{
    Bisect, Case, Check, Datum, Finding, Formula, Overrides, Plot, PlotKind, Range, Scene, Study,
    Vary,
};
pub use finding::{Threads, Value, check_findings, evaluate_findings};
pub use nonunique::{Nonunique, nonunique};
pub use run::{RunOutcome, Stop, StopReason, run};
pub use sink::{Discard, Sink};
pub use study::{StudyFile, StudyResult, StudyTable};
pub use text::{Built, Observable, Sample, TextSystem};
pub use trajectory::{Between, Trajectory};
