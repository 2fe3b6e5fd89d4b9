//! Rows of a run under way that are in its newest checkpoint and not yet a chunk.
//!
//! A table of few rows a step fills a chunk only after many steps. A checkpoint keeps the rows that are
//! not a file yet: who follows a run, or looks at one that was killed, reads them there. A checkpoint is
//! made between two steps, so its rows end with a whole step.

use super::checkpoint::{self, Checkpoint};
use super::column::Column;
use super::error::RecordError;
use super::reader::{Record, Table};
use super::seal;

/// Rows that a checkpoint keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointRows {
    /// Number of the checkpoint.
    pub number: usize,
    tables: Vec<PendingRows>,
}

#[derive(Debug, Clone, PartialEq)]
struct PendingRows {
    name: String,
    /// Chunks that come before the rows.
    chunks: usize,
    rows: Table,
}

impl CheckpointRows {
    /// The rows of a table that follow its first `chunks` chunks; none where the checkpoint was made
    /// before the last of these was full.
    pub fn rows(&self, table: &str, chunks: usize) -> Option<&Table> {
        let rest = self.tables.iter().find(|rest| rest.name == table)?;
        (rest.chunks == chunks).then_some(&rest.rows)
    }
}

impl Record {
    /// Number of the newest checkpoint, if there is one.
    ///
    /// # Errors
    /// The directory cannot be looked into.
    pub fn newest_checkpoint(&self) -> Result<Option<usize>, RecordError> {
        let numbers = checkpoint::numbers(self.directory(), "checkpoint-")?;
        Ok(numbers.into_iter().max())
    }

    /// The rows in a checkpoint.
    ///
    /// # Errors
    /// It is gone, damaged, or belongs to another scene.
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
