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

pub use certificate::{Bounds, Certificate, Mark, NotMet, Sheet, Warnings, What};
pub use error::{InputError, Origin, SceneError};
pub use file::{
    Bisect, Case, Check, Colour, Datum, Finding, Formula, Kind, Overrides, Picture, Plot, PlotKind,
    Range, Scene, Spacing, Study, Vary,
};
pub use finding::{
    Threads, Value, check_collection, check_findings, evaluate_bodies_findings, evaluate_findings,
    wanted,
};
pub use nonunique::{Nonunique, nonunique};
pub use run::{RunOutcome, Stop, StopReason, place, run};
pub use sink::{Discard, Sink};
pub use study::{Campaign, CampaignError, Shard, StudyFile, StudyResult, StudyTable, Told};
pub use text::{Built, LawForm, Observable, Sample, SetForm, TextSystem, assemble_law};
pub use trajectory::{Between, Trajectory};
pub use watch::{
    BodiesOutcome, Course, Live, Observer, Prepared, Score, Tick, Wanted, preparation_warnings,
    run_collection, run_wanted,
};
