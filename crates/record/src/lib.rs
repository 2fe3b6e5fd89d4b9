//! Run directories: the files that a run writes, and their readers and writers.
//!
//! ```text
//! DIR/run.json                     the manifest: scene, settings, tables, certificate, findings
//! DIR/steps-000000.parquet         one row per step: residual, errors, energies; chunk by chunk
//! DIR/coordinates-000000.parquet   positions and velocities
//! DIR/contacts-000000.parquet      active constraints with velocities and impulses
//! DIR/events-000000.parquet        impacts, changes of status
//! DIR/checkpoint-000123.bin        checkpoints while the run is under way
//! ```
//!
//! These are the tables of a mechanism. A run of bodies has `names`, `steps`, `bodies`, `contacts`, with a periodic
//! cell `cell`, with joints or position correction `midpoints` and `joints`, and at its end `observables`, `profiles`
//! and `distributions` (see [`BodiesRecorder`]).
//!
//! Every file is written under a temporary name, flushed and renamed (atomic replacement), so that a file with its
//! final name is complete. A run that is killed loses at most the rows that were not yet a chunk or in a checkpoint,
//! and a directory can be read while the run goes on. Memory is bounded by one chunk for each table.

mod begin;
mod body_tables;
mod checkpoint;
mod checkpoint_rows;
mod checksummed_file;
mod chosen;
mod chunk;
mod chunk_writer;
mod column;
mod compression;
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
mod observer;
mod output_directory;
mod partial_read;
mod reader;
mod rows;
mod run_writer;
mod saved;
mod schema;
mod selection;
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
pub use checkpoint::{Restored, Snapshot};
pub use checkpoint_rows::CheckpointRows;
pub use checksummed_file::{EncodedBytes, decode, encode};
pub use chunk::replace_file;
pub use column::{CellValue, Column, ColumnType, ColumnValues};
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
pub use run_writer::RunWriter;
pub use schema::schema_page;
pub use surveys::{CountedDistribution, ProfileRow, Surveys};
pub use table_writer::TableWriter;
pub use tables::{MechanismLayout, TABLES};
pub use writer::MechanismRecorder;
