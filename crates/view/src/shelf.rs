//! Live table: the chunks on disk, followed by the rows in the newest checkpoint.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use percuss_record::{CheckpointRows, Chunk, Column, ColumnValues, Record, RecordError, Table};

/// A table of a run that may be in progress.
#[derive(Debug, Clone)]
pub(crate) struct LiveTable {
    table: String,
    columns: Vec<Column>,
    parts: Vec<TablePart>,
    /// Whether the rows end with a complete step.
    pub whole: bool,
    /// Whether the table is closed: no more rows will be written.
    pub closed: bool,
}

/// Contiguous rows of a table: one chunk, or the checkpoint rows.
#[derive(Debug, Clone)]
pub(crate) struct TablePart {
    /// Index of its first row.
    pub first: usize,
    /// Number of rows.
    pub rows: usize,
    held: PartSource,
}

#[derive(Debug, Clone)]
enum PartSource {
    File(Chunk),
    Memory(Arc<Table>),
}

impl TablePart {
    /// Whether they are a chunk on disk, which is immutable.
    pub fn is_file(&self) -> bool {
        matches!(self.held, PartSource::File(_))
    }
}

/// Chunks whose checksums have been verified, by length and modification time of the file.
#[derive(Debug, Default)]
pub(crate) struct VerifiedChunks {
    seen: Mutex<HashMap<PathBuf, (u64, Option<SystemTime>)>>,
}

impl VerifiedChunks {
    /// Verifies the checksum of a chunk, once.
    fn verify_once(&self, chunk: &Chunk) -> Result<(), RecordError> {
        let stamp = std::fs::metadata(chunk.path()).ok();
        let stamp = stamp.map(|meta| (meta.len(), meta.modified().ok()));
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp.is_some() && seen().get(chunk.path()) == stamp.as_ref() {
            return Ok(());
        }
        chunk.verify_checksum()?;
        if let Some(stamp) = stamp {
            seen().insert(chunk.path().into(), stamp);
        }
        Ok(())
    }
}

impl LiveTable {
    /// Opens a table of a record; `old` is the previous snapshot of it.
    pub fn open(
        record: &Record,
        table: &str,
        tail: Option<&CheckpointRows>,
        old: Option<&Self>,
    ) -> Result<Self, RecordError> {
        let entry = record.entry(table)?;
        let chunks = record.chunks(table)?;
        let mut pieces: Vec<TablePart> = Vec::with_capacity(chunks.len() + 1);
        let (count, mut first) = (chunks.len(), 0);
        for (k, chunk) in chunks.into_iter().enumerate() {
            // All chunks but the last are full and immutable.
            let known = old
                .and_then(|old| old.parts.get(k))
                .filter(|_| k + 1 < count);
            let rows = match known {
                Some(piece) if piece.is_file() => piece.rows,
                _ => chunk.rows()?,
            };
            pieces.push(TablePart {
                first,
                rows,
                held: PartSource::File(chunk),
            });
            first += rows;
        }
        // Rows in the checkpoint follow the chunks while the table is open.
        let open = entry.checksums.is_none();
        let rest = tail
            .filter(|_| open)
            .and_then(|tail| tail.rows(table, count));
        if let Some(rest) = rest.filter(|rest| rest.rows > 0) {
            pieces.push(TablePart {
                first,
                rows: rest.rows,
                held: PartSource::Memory(Arc::new(rest.clone())),
            });
        }
        Ok(Self {
            table: table.into(),
            columns: entry.columns.clone(),
            parts: pieces,
            whole: !open || rest.is_some(),
            closed: !open,
        })
    }

    /// Its columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Its parts in order.
    pub fn parts(&self) -> &[TablePart] {
        &self.parts
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.parts
            .last()
            .map_or(0, |piece| piece.first + piece.rows)
    }

    /// Smallest and largest value of a column in a part; `None` where it has no rows.
    pub fn bounds(
        &self,
        piece: &TablePart,
        column: &str,
    ) -> Result<Option<(f64, f64)>, RecordError> {
        // Footer statistics of a chunk, or the values in memory.
        match &piece.held {
            PartSource::File(chunk) => chunk.bounds(column),
            PartSource::Memory(table) => {
                let numbers = table.numbers(column);
                let both = numbers.iter().fold(None, |ends: Option<(f64, f64)>, x| {
                    let (low, high) = ends.unwrap_or((*x, *x));
                    Some((low.min(*x), high.max(*x)))
                });
                Ok(both)
            }
        }
    }

    /// Columns of some rows, counted from the first row of the table. Of the parts that hold them only these
    /// rows are read, but the checksums of the chunks are verified.
    pub fn read(
        &self,
        record: &Record,
        checked: &VerifiedChunks,
        names: &[&str],
        rows: Range<usize>,
    ) -> Result<Table, RecordError> {
        // Parts that overlap the range of rows.
        let pieces = self.parts.iter();
        let wanted = pieces.filter(|p| p.first < rows.end && p.first + p.rows > rows.start);
        let places = self.places(record, names)?;
        let mut all = self.none(&places);
        for piece in wanted {
            if let PartSource::File(chunk) = &piece.held {
                checked.verify_once(chunk)?;
            }
            let within = rows.start.saturating_sub(piece.first)
                ..rows.end.saturating_sub(piece.first).min(piece.rows);
            let part = self.read_part(record, piece, &places, within)?;
            all.rows += part.rows;
            for (whole, part) in all.values.iter_mut().zip(part.values) {
                whole.append(part);
            }
        }
        // Fewer rows than expected: the run was resumed while they were read.
        let there = rows.end.min(self.rows()).saturating_sub(rows.start);
        match all.rows == there {
            true => Ok(all),
            false => Err(RecordError::Unknown(format!(
                "{}: rows of the table `{}` have gone away while they were read; ask again",
                record.directory().display(),
                self.table
            ))),
        }
    }

    /// Columns of a part without verification of its checksum: for data that are read again later.
    pub fn read_unverified(
        &self,
        record: &Record,
        piece: &TablePart,
        names: &[&str],
    ) -> Result<Table, RecordError> {
        let places = self.places(record, names)?;
        self.read_part(record, piece, &places, 0..piece.rows)
    }

    fn places(&self, record: &Record, names: &[&str]) -> Result<Vec<usize>, RecordError> {
        let names: Vec<String> = names.iter().map(|n| (*n).into()).collect();
        record.column_indices(&self.table, Some(&names))
    }

    fn none(&self, places: &[usize]) -> Table {
        let chosen = places.iter().filter_map(|&p| self.columns.get(p));
        let columns: Vec<Column> = chosen.cloned().collect();
        Table {
            values: columns.iter().map(ColumnValues::empty).collect(),
            columns,
            rows: 0,
        }
    }

    fn read_part(
        &self,
        record: &Record,
        piece: &TablePart,
        places: &[usize],
        rows: Range<usize>,
    ) -> Result<Table, RecordError> {
        // Rows from the chunk, or from memory.
        match &piece.held {
            PartSource::File(chunk) => {
                record.read_rows_unverified(&self.table, chunk, places, rows)
            }
            PartSource::Memory(table) => {
                let mut part = self.none(places);
                let chosen = places.iter().filter_map(|&p| table.values.get(p));
                let cut = |values: &ColumnValues| values.slice(rows.start, rows.end);
                part.values = chosen.map(cut).collect();
                part.rows = rows.len();
                Ok(part)
            }
        }
    }
}
