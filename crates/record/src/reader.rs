//! Reader of run directories, also of runs that are under way or were killed.

use std::path::{Path, PathBuf};

use super::chunk::{self, file_name};
use super::column::{Column, ColumnValues};
use super::error::RecordError;
use super::format::CHUNK_ROWS;
use super::manifest::{Manifest, TableEntry};
use super::renamed::renamed_column;
use crate::selection::left_out;

/// A run directory.
#[derive(Debug, Clone)]
pub struct Record {
    directory: PathBuf,
    manifest: Manifest,
}

/// A chunk of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    path: PathBuf,
    /// Checksum from the manifest; absent while the run is under way.
    checksum: Option<u32>,
}

impl Chunk {
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its checksum from the manifest; `None` while the run is under way.
    pub(super) fn checksum(&self) -> Option<u32> {
        self.checksum
    }

    /// Smallest and largest value of a numeric column, from the Parquet statistics; `None` without rows.
    ///
    /// # Errors
    /// The file is damaged or unreadable, or has no such column.
    pub fn bounds(&self, column: &str) -> Result<Option<(f64, f64)>, RecordError> {
        chunk::bounds(&self.path, column)
    }
}

/// Columns of a table, or of a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The columns, in the order they were asked for.
    pub columns: Vec<Column>,
    /// Their values.
    pub values: Vec<ColumnValues>,
    /// Number of rows.
    pub rows: usize,
}

impl Table {
    /// The values of a column by name.
    pub fn column(&self, name: &str) -> Option<&ColumnValues> {
        let place = self.columns.iter().position(|c| c.name == name)?;
        self.values.get(place)
    }

    /// A column as numbers, NaN where a value is null; empty for an unknown name.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.column(name).map_or_else(Vec::new, |values| {
            (0..self.rows).map(|row| values.number(row)).collect()
        })
    }
}

impl Record {
    /// Opens a run directory.
    ///
    /// # Errors
    /// It is not a run directory, or its manifest is damaged or of a later version.
    pub fn open(directory: &Path) -> Result<Self, RecordError> {
        Ok(Self {
            directory: directory.into(),
            manifest: Manifest::read(directory)?,
        })
    }

    /// The directory as given.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The manifest's entry of a table.
    ///
    /// # Errors
    /// There is no such table; the error lists the tables.
    pub fn entry(&self, table: &str) -> Result<&TableEntry, RecordError> {
        let entry = self.manifest.tables.iter().find(|t| t.name == table);
        entry.ok_or_else(|| {
            // A table that the scene left out has its own message.
            if let Some(why) = left_out(&self.manifest.settings, table) {
                return RecordError::Unknown(format!("{}: {why}", self.directory.display()));
            }
            let names: Vec<&str> = self.manifest.tables.iter().map(|t| &*t.name).collect();
            RecordError::Unknown(format!(
                "{}: there is no table `{table}`; it has {}",
                self.directory.display(),
                names.join(", ")
            ))
        })
    }

    /// The chunks of a table in order: those that the manifest lists, or while the run is under way those on the
    /// disk.
    ///
    /// # Errors
    /// There is no such table, or a chunk is missing.
    pub fn chunks(&self, table: &str) -> Result<Vec<Chunk>, RecordError> {
        let entry = self.entry(table)?;
        let paths = (0..).map(|k| self.directory.join(file_name(table, k)));
        // Run under way: the chunks that exist, in order.
        let Some(checksums) = &entry.checksums else {
            let there = paths.take_while(|p| p.exists());
            return Ok(there
                .map(|path| Chunk {
                    path,
                    checksum: None,
                })
                .collect());
        };
        let count = checksums.len();
        let chunks = paths.zip(checksums).map(|(path, sum)| Chunk {
            path,
            checksum: Some(*sum),
        });
        let chunks: Vec<Chunk> = chunks.collect();
        // All chunks of the manifest must exist.
        match chunks.iter().find(|c| !c.path.exists()) {
            None => Ok(chunks),
            Some(chunk) => Err(RecordError::Missing {
                path: chunk.path.clone(),
                counted: format!("run.json counts {count} chunks of `{table}`"),
            }),
        }
    }

    /// Indices of the named columns in a table, all of them for `None`.
    ///
    /// # Errors
    /// An unknown name; the error lists the columns.
    pub fn column_indices(
        &self,
        table: &str,
        names: Option<&[String]>,
    ) -> Result<Vec<usize>, RecordError> {
        let columns = &self.entry(table)?.columns;
        // All columns.
        let Some(names) = names else {
            return Ok((0..columns.len()).collect());
        };
        let place = |name: &String| {
            let index = |name: &str| columns.iter().position(|c| c.name == name);
            // A name of an earlier version means the column as it is called now.
            let place = index(name).or_else(|| index(&renamed_column(table, name)?));
            place.ok_or_else(|| {
                let all: Vec<&str> = columns.iter().map(|c| &*c.name).collect();
                RecordError::Unknown(format!(
                    "{}: the table `{table}` has no column `{name}`; it has {}",
                    self.directory.display(),
                    all.join(", ")
                ))
            })
        };
        names.iter().map(place).collect()
    }

    /// Reads columns of one chunk.
    ///
    /// # Errors
    /// The chunk is damaged or unreadable.
    pub fn read_chunk(
        &self,
        table: &str,
        chunk: &Chunk,
        places: &[usize],
    ) -> Result<Table, RecordError> {
        let columns = &self.entry(table)?.columns;
        let (values, rows) = chunk::read(&chunk.path, columns, places, chunk.checksum)?;
        Ok(Table {
            columns: places.iter().map(|&p| columns[p].clone()).collect(),
            values,
            rows,
        })
    }

    /// Reads columns of a whole table.
    ///
    /// # Errors
    /// There is no such table or column, or a chunk is damaged.
    pub fn table(&self, table: &str, names: Option<&[&str]>) -> Result<Table, RecordError> {
        let names: Option<Vec<String>> =
            names.map(|names| names.iter().map(|n| (*n).into()).collect());
        let places = self.column_indices(table, names.as_deref())?;
        let columns = &self.entry(table)?.columns;
        let chosen = places.iter().map(|&p| columns[p].clone());
        let mut all = Table {
            columns: chosen.collect(),
            values: places
                .iter()
                .map(|&p| ColumnValues::empty(&columns[p]))
                .collect(),
            rows: 0,
        };
        // Chunks are concatenated.
        for chunk in self.chunks(table)? {
            let part = self.read_chunk(table, &chunk, &places)?;
            for (whole, part) in all.values.iter_mut().zip(part.values) {
                whole.append(part);
            }
            all.rows += part.rows;
        }
        Ok(all)
    }

    /// Reads columns of `count` rows from row `first` of a table that is written row by row, so that all its chunks
    /// but the last are full: only the chunks that hold them are opened. Returns fewer rows at the end of the table.
    ///
    /// # Errors
    /// There is no such table or column, or a chunk is damaged.
    pub fn rows(
        &self,
        table: &str,
        names: &[&str],
        first: usize,
        count: usize,
    ) -> Result<Table, RecordError> {
        let names: Vec<String> = names.iter().map(|n| (*n).into()).collect();
        let places = self.column_indices(table, Some(&names))?;
        let columns = &self.entry(table)?.columns;
        let mut all = Table {
            columns: places.iter().map(|&p| columns[p].clone()).collect(),
            values: places
                .iter()
                .map(|&p| ColumnValues::empty(&columns[p]))
                .collect(),
            rows: 0,
        };
        let chunks = self.chunks(table)?;
        // Rows of each chunk that overlap the range.
        for (k, chunk) in chunks.iter().enumerate().skip(first / CHUNK_ROWS) {
            let begin = first.saturating_sub(k * CHUNK_ROWS);
            let end = (first + count).saturating_sub(k * CHUNK_ROWS);
            if end == 0 {
                break;
            }
            let part = self.read_chunk(table, chunk, &places)?;
            for (whole, part) in all.values.iter_mut().zip(part.values) {
                whole.append(part.part(begin, end.min(CHUNK_ROWS)));
            }
            all.rows += end.min(part.rows).saturating_sub(begin);
        }
        Ok(all)
    }

    /// Number of rows of a table; of a run that is under way, of the chunks on the disk.
    ///
    /// # Errors
    /// There is no such table, or a chunk is damaged.
    pub fn num_rows(&self, table: &str) -> Result<usize, RecordError> {
        if let Some(rows) = self.entry(table)?.rows {
            return Ok(rows);
        }
        match self.chunks(table)?.as_slice() {
            [] => Ok(0),
            [full @ .., last] => {
                // All chunks but the last are full.
                let rows = self.read_chunk(table, last, &[0])?.rows;
                Ok(full.len() * CHUNK_ROWS + rows)
            }
        }
    }

    /// Reads columns of the rows of one step, in a table whose column `step` ascends: bisection over the chunks.
    ///
    /// # Errors
    /// There is no such table or column, or a chunk is damaged.
    pub fn step_rows(&self, table: &str, names: &[&str], step: i64) -> Result<Table, RecordError> {
        let rows = self.num_rows(table)?;
        let mut steps = SortedColumn::of(self, table, "step");
        let first = steps.first_from(0, rows, step as f64)?;
        let end = steps.first_from(first, rows, step as f64 + 1.0)?;
        self.rows(table, names, first, end - first)
    }

    /// First row and number of the rows that are nearest in time to `t` (the earlier of two times equally near), in a
    /// table that is written row by row with ascending times: all tables of runs of bodies that have a time.
    /// Bisection over the chunks.
    ///
    /// # Errors
    /// There is no such table, it has no column `t`, or a chunk is damaged.
    pub fn rows_near(&self, table: &str, t: f64) -> Result<(usize, usize), RecordError> {
        let rows = self.num_rows(table)?;
        let mut times = SortedColumn::of(self, table, "t");
        let after = times.first_from(0, rows, t)?;
        let late = times.at(after)?;
        // The nearer of the times before and after `t`.
        let nearest = match after.checked_sub(1) {
            None => late,
            Some(before) => {
                let early = times.at(before)?;
                if late - t < t - early { late } else { early }
            }
        };
        if nearest.is_nan() {
            return Ok((0, 0));
        }
        // All rows of the nearest time.
        let first = times.first_from(0, rows, nearest)?;
        let end = times.first_from(first, rows, nearest.next_up())?;
        Ok((first, end - first))
    }

    /// The time in the table's column `t` that is nearest to `t`; the earlier of two; `None` when the table is empty.
    ///
    /// # Errors
    /// The table has no column `t`, or a chunk is damaged.
    pub fn nearest_time(&self, table: &str, t: f64) -> Result<Option<f64>, RecordError> {
        Ok(self.nearest(table, t)?.map(|nearest| nearest.time))
    }
}

/// An ascending column of a table, with one chunk in memory.
struct SortedColumn<'a> {
    record: &'a Record,
    table: &'a str,
    column: &'static str,
    held: Option<(usize, Table)>,
}

impl<'a> SortedColumn<'a> {
    fn of(record: &'a Record, table: &'a str, column: &'static str) -> Self {
        Self {
            record,
            table,
            column,
            held: None,
        }
    }

    /// The value in a row; NaN beyond the end.
    fn at(&mut self, row: usize) -> Result<f64, RecordError> {
        let chunk = row / CHUNK_ROWS;
        // Load the chunk of the row.
        if self.held.as_ref().is_none_or(|(k, _)| *k != chunk) {
            let first = chunk * CHUNK_ROWS;
            let part = self
                .record
                .rows(self.table, &[self.column], first, CHUNK_ROWS)?;
            self.held = Some((chunk, part));
        }
        let held = self.held.as_ref().and_then(|(_, part)| part.values.first());
        Ok(held.map_or(f64::NAN, |values| values.number(row % CHUNK_ROWS)))
    }

    /// Bisection: the first row between `low` and `high` whose value is not below `bound`.
    fn first_from(
        &mut self,
        mut low: usize,
        mut high: usize,
        bound: f64,
    ) -> Result<usize, RecordError> {
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(middle)? < bound {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }
}
