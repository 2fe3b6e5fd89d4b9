//! Partial reads: some rows of a chunk, or its metadata, without reading the whole file.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use percuss_scene::{Scene, SceneError};

use super::chunk::{get, text};
use super::column::{Column, ColumnValues};
use super::error::RecordError;
use super::reader::{Chunk, Record, Table};
use super::renamed::{index_in_file, rename_words};

impl Chunk {
    /// Number of its rows, from the Parquet metadata.
    ///
    /// # Errors
    /// The file is damaged or unreadable.
    pub fn rows(&self) -> Result<usize, RecordError> {
        guarded(self.path(), |file| {
            let reader = SerializedFileReader::new(file).map_err(text)?;
            let rows = reader.metadata().file_metadata().num_rows();
            usize::try_from(rows).map_err(|_| "a negative number of rows".into())
        })
    }

    /// Compares its bytes with the checksum in the manifest, where there is one.
    ///
    /// # Errors
    /// They differ from those that were written, or cannot be read.
    pub fn verify_checksum(&self) -> Result<(), RecordError> {
        let Some(checksum) = self.checksum() else {
            return Ok(());
        };
        let bytes = fs::read(self.path()).map_err(|e| unread(self.path(), &e))?;
        match crc32fast::hash(&bytes) == checksum {
            true => Ok(()),
            false => Err(RecordError::damaged(
                self.path(),
                "its checksum is not the one in run.json",
            )),
        }
    }
}

impl Record {
    /// Reads columns of some rows of one chunk, fewer where there are no more. The checksum of the chunk is not
    /// compared ([`Chunk::verify_checksum`]): the rest of the file is not read.
    ///
    /// # Errors
    /// The chunk is damaged or unreadable.
    pub fn read_rows_unverified(
        &self,
        table: &str,
        chunk: &Chunk,
        places: &[usize],
        rows: Range<usize>,
    ) -> Result<Table, RecordError> {
        let all = &self.entry(table)?.columns;
        let columns: Vec<Column> = places.iter().filter_map(|&p| all.get(p).cloned()).collect();
        let (values, rows) = guarded(chunk.path(), |file| part(file, &columns, &rows))?;
        Ok(Table {
            columns,
            values,
            rows,
        })
    }

    /// The scene as it was run: the text of the manifest with its overrides.
    ///
    /// # Errors
    /// The text cannot be parsed by this version.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        self.manifest().recorded_scene()
    }
}

fn unread(path: &Path, error: &io::Error) -> RecordError {
    RecordError::fault(path, "read this file", error)
}

/// Runs a read and turns panics into errors: the Parquet library panics on some damaged files.
fn guarded<T>(path: &Path, look: impl FnOnce(File) -> Result<T, String>) -> Result<T, RecordError> {
    let file = File::open(path).map_err(|e| unread(path, &e))?;
    catch_unwind(AssertUnwindSafe(|| look(file)))
        .unwrap_or_else(|_| Err("it contradicts itself".into()))
        .map_err(|why| RecordError::damaged(path, why))
}

/// Columns of rows that may span several row groups.
fn part(
    file: File,
    columns: &[Column],
    rows: &Range<usize>,
) -> Result<(Vec<ColumnValues>, usize), String> {
    let reader = SerializedFileReader::new(file).map_err(text)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let mut all: Vec<ColumnValues> = columns.iter().map(ColumnValues::empty).collect();
    let (mut before, mut taken) = (0, 0);
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g).map_err(text)?;
        let count = group.metadata().num_rows();
        let count = usize::try_from(count).map_err(|_| "a negative number of rows")?;
        // Part of the range in this row group.
        let begin = rows.start.saturating_sub(before).min(count);
        let end = rows.end.saturating_sub(before).min(count);
        before += count;
        if begin >= end {
            continue;
        }
        for (values, column) in all.iter_mut().zip(columns) {
            let name = &column.name;
            let place = index_in_file(&schema, name)?;
            let mut source = group.get_column_reader(place).map_err(text)?;
            // Rows before the range are skipped, not decoded.
            let passed = skip(&mut source, begin).map_err(text)?;
            let mut read = get(source, end - begin, column.optional).map_err(text)?;
            rename_words(name, &mut read);
            if passed != begin || read.len() != end - begin || !values.append(read) {
                return Err(format!(
                    "column `{name}` does not hold {count} values of its type"
                ));
            }
        }
        taken += end - begin;
    }
    Ok((all, taken))
}

fn skip(column: &mut ColumnReader, count: usize) -> Result<usize, ParquetError> {
    if count == 0 {
        return Ok(0);
    }
    match column {
        ColumnReader::Int64ColumnReader(c) => c.skip_records(count),
        ColumnReader::BoolColumnReader(c) => c.skip_records(count),
        ColumnReader::DoubleColumnReader(c) => c.skip_records(count),
        ColumnReader::ByteArrayColumnReader(c) => c.skip_records(count),
        _ => Err(ParquetError::General(
            "a type that percuss does not write".into(),
        )),
    }
}
