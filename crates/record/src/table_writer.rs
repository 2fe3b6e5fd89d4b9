//! A table that is being written.

use std::mem::discriminant;
use std::path::Path;
use std::sync::Arc;

use super::column::{Column, ColumnValues};
use super::error::RecordError;
use super::format::CHUNK_ROWS;
use super::manifest::TableEntry;
use super::saved::{SavedValues, TableState};
use crate::chunk_writer::{ChunkJob, ChunkWriter, SharedChunks, hold};

/// A table that is being written: one chunk of it is in memory, and few are in the queue of the writer thread.
#[derive(Debug)]
pub struct TableWriter {
    pub(super) name: String,
    pub(super) columns: Arc<[Column]>,
    pub(super) values: Vec<ColumnValues>,
    /// Shared with the writer thread: checksums of the chunks written, cleared columns.
    stock: SharedChunks,
    /// Number of chunks submitted, and their rows.
    given: usize,
    rows: usize,
}

impl TableWriter {
    /// An empty table.
    pub fn new(name: &str, columns: Vec<Column>) -> Self {
        Self {
            name: name.into(),
            values: columns.iter().map(ColumnValues::empty).collect(),
            columns: columns.into(),
            stock: SharedChunks::default(),
            given: 0,
            rows: 0,
        }
    }

    /// The columns of the rows in memory, to append to. All columns must grow by the same number of rows.
    pub fn values(&mut self) -> &mut [ColumnValues] {
        &mut self.values
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn held(&self) -> usize {
        self.values.first().map_or(0, ColumnValues::len)
    }

    /// Whether the rows in memory fill a chunk.
    pub(super) fn full(&self) -> bool {
        self.held() >= CHUNK_ROWS
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// Submits the rows in memory to the writer thread.
    ///
    /// # Errors
    /// An earlier chunk could not be written.
    pub(super) fn submit(&mut self, chunk_writer: &ChunkWriter) -> Result<(), RecordError> {
        let job = self.job();
        chunk_writer.submit(job)
    }

    fn job(&mut self) -> ChunkJob {
        // Reuse cleared columns of the writer thread.
        let spare = hold(&self.stock).spare.pop();
        let spare = spare.unwrap_or_else(|| self.columns.iter().map(ColumnValues::empty).collect());
        let number = self.given;
        self.given += 1;
        self.rows += self.held();
        ChunkJob {
            table: self.name.clone(),
            number,
            columns: Arc::clone(&self.columns),
            values: std::mem::replace(&mut self.values, spare),
            back: Arc::clone(&self.stock),
        }
    }

    /// Writes a chunk synchronously if one is full. Called after every row, so that all chunks but the last have the
    /// same size.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn spill(&mut self, directory: &Path) -> Result<(), RecordError> {
        match self.full() {
            true => crate::chunk_writer::write(directory, self.job()),
            false => Ok(()),
        }
    }

    /// Writes the rows in memory; an empty table gets one chunk without rows, so that readers of the directory find
    /// its columns.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn close(&mut self, directory: &Path) -> Result<(), RecordError> {
        match self.held() > 0 || self.given == 0 {
            true => crate::chunk_writer::write(directory, self.job()),
            false => Ok(()),
        }
    }

    /// Its entry in the manifest; row count and checksums only once it is closed.
    pub fn entry(&self, closed: bool) -> TableEntry {
        TableEntry {
            name: self.name.clone(),
            rows: closed.then_some(self.rows),
            checksums: closed.then(|| hold(&self.stock).checksums.clone()),
            columns: self.columns.to_vec(),
        }
    }

    /// State for a checkpoint; every submitted chunk must be on the disk.
    pub(super) fn save(&self) -> TableState {
        TableState {
            name: self.name.clone(),
            chunks: hold(&self.stock).checksums.clone(),
            rows: self.rows,
            values: self.values.iter().map(SavedValues::of).collect(),
        }
    }

    /// Restores the state of a checkpoint.
    ///
    /// # Errors
    /// The table had other columns.
    pub(super) fn restore(&mut self, state: &TableState) -> Result<(), String> {
        let values = state.values.iter().map(SavedValues::values);
        let values: Option<Vec<ColumnValues>> = values.collect();
        // Number and types of the columns must agree.
        let fits = |values: &Vec<ColumnValues>| {
            let kinds = |(a, b): (&ColumnValues, &ColumnValues)| discriminant(a) == discriminant(b);
            values.len() == self.values.len() && values.iter().zip(&self.values).all(kinds)
        };
        let Some(values) = values.filter(fits) else {
            return Err(format!("its table `{}` has other columns", self.name));
        };
        self.values = values;
        (self.given, self.rows) = (state.chunks.len(), state.rows);
        hold(&self.stock).checksums.clone_from(&state.chunks);
        Ok(())
    }
}
