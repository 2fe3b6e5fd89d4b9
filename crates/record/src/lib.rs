#![doc = include_str!("../README.md")]

mod begin;
mod body_tables;
pub mod certificate;
mod checkpoint;
mod checkpoint_rows;
mod checksummed_file;
mod chosen;
mod chunk;
mod chunk_writer;
mod column;
mod compression;
mod contact_axes;
mod error;
pub mod export;
mod format;
pub mod frame;
mod lock;
mod look;
mod machine;
mod manifest;
mod near;
mod nonunique;
pub mod number;
mod observer;
mod output_directory;
mod partial_read;
mod reader;
mod recorder_methods;
mod renamed;
mod rows;
mod run_writer;
mod saved;
mod schema;
mod selection;
mod step_report;
mod surveys;
mod table_writer;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use body_tables::shape::{Faces, RecordedShape, ShapePart};
pub use body_tables::{
    BODY_TABLES, BodiesRecorder, BodyDescription, BodyMotion, RecordShape, describe_body,
    names_table, read_body_descriptions,
};
pub use certificate::json::{CertificateJson, NotMet};
pub use certificate::{Certificate, Criterion, Violation, preparation_warnings};
pub use checkpoint::{Restored, Snapshot};
pub use checkpoint_rows::CheckpointRows;
pub use checksummed_file::{EncodedBytes, decode, encode};
pub use chunk::replace_file;
pub use column::{CellValue, Column, ColumnType, ColumnValues};
pub use contact_axes::{ContactAxes, contact_axes_columns};
pub use error::RecordError;
pub use format::{CHUNK_ROWS, MANIFEST, SCHEMA};
pub use lock::{LOCK, Lock, LockState};
pub use look::PlotError;
pub use machine::Machine;
pub use manifest::{Manifest, Override, RunStatus, TableEntry, settings_json};
pub use near::Nearest;
pub use nonunique::NonuniqueInstant;
pub use observer::{MechanismRef, NullObserver, Observer, SimulationRef, Step, WorldRef};
pub use output_directory::{OutputDirectory, RUNS};
pub use reader::{Chunk, Record, Table};
pub use renamed::{renamed_column, renamed_column_warning};
pub use run_writer::RunWriter;
pub use schema::{schema_page, table_names};
pub use step_report::StepReport;
pub use surveys::{CountedDistribution, ProfileRow, Surveys};
pub use table_writer::TableWriter;
pub use tables::{MechanismLayout, TABLES};
pub use writer::MechanismRecorder;
