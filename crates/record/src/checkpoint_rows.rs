//! Rows of a run under way that are in its newest checkpoint and not yet in a chunk.
//!
//! A table with few rows per step fills a chunk only after many steps. A checkpoint stores the rows that are not in a
//! file yet: a viewer that follows a run, or reads one that was killed, finds them there. A checkpoint is written
//! between two steps, so that its rows end with a complete step.

use super::checkpoint::{self, Checkpoint};
use super::column::Column;
use super::error::RecordError;
use super::reader::{Record, Table};
use crate::checksummed_file as seal;

/// The pending rows of all tables in a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointRows {
    /// Number of the checkpoint.
    pub number: usize,
    tables: Vec<PendingRows>,
}

#[derive(Debug, Clone, PartialEq)]
struct PendingRows {
    name: String,
    /// Number of chunks before the rows.
    chunks: usize,
    rows: Table,
}

impl CheckpointRows {
    /// The rows of a table that follow its first `chunks` chunks; `None` where the checkpoint is older than the last
    /// of these.
    pub fn rows(&self, table: &str, chunks: usize) -> Option<&Table> {
        let rest = self.tables.iter().find(|rest| rest.name == table)?;
        (rest.chunks == chunks).then_some(&rest.rows)
    }
}

impl Record {
    /// Number of the newest checkpoint, if there is one.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn newest_checkpoint(&self) -> Result<Option<usize>, RecordError> {
        let numbers = checkpoint::numbers(self.directory(), "checkpoint-")?;
        Ok(numbers.into_iter().max())
    }

    /// Reads the pending rows of a checkpoint.
    ///
    /// # Errors
    /// It is missing, damaged, or belongs to another scene.
    pub fn checkpoint_rows(&self, number: usize) -> Result<CheckpointRows, RecordError> {
        let path = self.directory().join(checkpoint::checkpoint_name(number));
        let kept: Checkpoint = seal::read(&path)?;
        let damaged = |why: &str| RecordError::damaged(&path, why);
        if kept.scene_hash != checkpoint::scene_hash(self.manifest()) {
            return Err(damaged(
                "it belongs to another scene, other overrides or other files",
            ));
        }
        let mut tables = Vec::new();
        for state in &kept.tables {
            let Ok(entry) = self.entry(&state.name) else {
                continue;
            };
            let values = state.values.iter().map(super::saved::SavedValues::values);
            let values: Option<Vec<_>> = values.collect();
            let values = values.ok_or_else(|| damaged("a row without its word"))?;
            let columns: Vec<Column> = entry.columns.clone();
            let rows = values.first().map_or(0, super::column::ColumnValues::len);
            if columns.len() != values.len() || values.iter().any(|v| v.len() != rows) {
                return Err(damaged("a table with other columns"));
            }
            tables.push(PendingRows {
                name: state.name.clone(),
                chunks: state.chunks.len(),
                rows: Table {
                    columns,
                    values,
                    rows,
                },
            });
        }
        Ok(CheckpointRows { number, tables })
    }
}
