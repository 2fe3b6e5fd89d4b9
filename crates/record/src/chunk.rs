//! One chunk of a table: a Parquet file with one row group.
//!
//! A chunk is written under a temporary name, flushed to the disk and renamed (atomic replacement): a file with its
//! final name is complete. Any Parquet reader can read a table as the files `NAME-*.parquet` in the order of their
//! names.

use std::fs::{self, File};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type as Schema;

use super::column::{Column, ColumnType, ColumnValues};
use super::error::RecordError;
use super::format::CHUNK_ROWS;
use super::renamed::{index_in_file, rename_words};
use crate::compression as packing;

/// File name of a chunk of a table.
pub fn file_name(table: &str, chunk: usize) -> String {
    format!("{table}-{chunk:06}.parquet")
}

/// Writes one chunk by atomic replacement. Returns its checksum (CRC-32).
///
/// # Errors
/// The disk is full, or the directory is missing or not writable.
pub fn write(
    directory: &Path,
    table: &str,
    chunk: usize,
    columns: &[Column],
    values: &[ColumnValues],
) -> Result<u32, RecordError> {
    let path = directory.join(file_name(table, chunk));
    let bytes = encode(table, columns, values)
        .map_err(|e| RecordError::fault(&path, "write this file", &io::Error::other(e)))?;
    replace(&path, |mut file| file.write_all(&bytes))?;
    Ok(crc32fast::hash(&bytes))
}

/// Atomic replacement: writes a temporary file beside `path`, flushes it to the disk, renames it.
///
/// # Errors
/// A file operation fails; the temporary file is removed.
pub fn replace(path: &Path, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<(), RecordError> {
    // The process number keeps the temporary files of two processes apart.
    let draft = path.with_extension(format!("{}.part", std::process::id()));
    let done = File::create(&draft).and_then(|file| {
        fill(&file)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    });
    // The rename survives a power failure once the directory is flushed; where a directory cannot be opened, nothing
    // more can be done.
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        let _ = directory.sync_all();
    }
    done.map_err(|e| {
        let _ = fs::remove_file(&draft);
        RecordError::fault(path, "write this file", &e)
    })
}

/// Writes bytes to a file by atomic replacement.
///
/// # Errors
/// A file operation fails.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    replace(path, |mut file| file.write_all(bytes))
}

/// Encodes a chunk as Parquet.
fn encode(
    table: &str,
    columns: &[Column],
    values: &[ColumnValues],
) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|c| field(c).map(Arc::new));
    let schema = Schema::group_type_builder("percuss")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let properties = Arc::new(packing::properties(table, columns, values));
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties)?;
    // One row group, column by column.
    let mut group = writer.next_row_group()?;
    for values in values {
        put(&mut group, values)?;
    }
    group.close()?;
    writer.into_inner()
}

fn field(column: &Column) -> Result<Schema, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnType::Integer => (Physical::INT64, None),
        ColumnType::Real => (Physical::DOUBLE, None),
        ColumnType::Truth => (Physical::BOOLEAN, None),
        ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if column.optional {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Schema::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

fn put(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &ColumnValues,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("more values than columns".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    match values {
        ColumnValues::Integer(v) => batch(column.typed::<Int64Type>(), v, None)?,
        ColumnValues::Real(v) => batch(column.typed::<DoubleType>(), v, None)?,
        ColumnValues::Truth(v) => batch(column.typed::<BoolType>(), v, None)?,
        ColumnValues::Optional(v) => {
            // Non-null values with definition levels 0 (null) or 1.
            let there: Vec<f64> = v.iter().flatten().copied().collect();
            let levels: Vec<i16> = v.iter().map(|x| i16::from(x.is_some())).collect();
            batch(column.typed::<DoubleType>(), &there, Some(&levels))?;
        }
        ColumnValues::Text(v) => {
            let bytes = shared(v);
            batch(column.typed::<ByteArrayType>(), &bytes, None)?;
        }
    }
    column.close()
}

/// Texts as byte arrays of the Parquet library. Long columns have few distinct texts: each is copied once, as long as
/// it is among the last few.
fn shared(texts: &[Arc<str>]) -> Vec<ByteArray> {
    const KEPT: usize = 8;
    let mut kept: Vec<(&Arc<str>, ByteArray)> = Vec::with_capacity(KEPT);
    let mut next = 0;
    let one = |text| {
        if let Some((_, known)) = kept.iter().find(|(known, _)| Arc::ptr_eq(known, text)) {
            return known.clone();
        }
        let made = ByteArray::from(&**text);
        match kept.len() < KEPT {
            true => kept.push((text, made.clone())),
            false => kept[next % KEPT] = (text, made.clone()),
        }
        next += 1;
        made
    };
    texts.iter().map(one).collect()
}

fn batch<T: DataType>(
    column: &mut ColumnWriterImpl<'_, T>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    column.write_batch(values, levels, None).map(|_| ())
}

/// Reads the chosen columns of a chunk, given as indices in `columns`, and the number of rows. With a checksum the
/// bytes are compared first.
///
/// # Errors
/// The file is missing, truncated, altered, or holds other columns.
pub fn read(
    path: &Path,
    columns: &[Column],
    chosen: &[usize],
    checksum: Option<u32>,
) -> Result<(Vec<ColumnValues>, usize), RecordError> {
    let fault = |e: io::Error| RecordError::fault(path, "read this file", &e);
    if let Some(checksum) = checksum
        && crc32fast::hash(&fs::read(path).map_err(fault)?) != checksum
    {
        return Err(RecordError::damaged(
            path,
            "its checksum is not the one in run.json",
        ));
    }
    let file = File::open(path).map_err(fault)?;
    // The Parquet library panics on some damaged files, and the chunks of a killed run have no checksum to detect
    // them by.
    catch_unwind(AssertUnwindSafe(|| decode(file, columns, chosen)))
        .unwrap_or_else(|_| Err("it contradicts itself".into()))
        .map_err(|why| RecordError::damaged(path, why))
}

fn decode(
    file: File,
    columns: &[Column],
    chosen: &[usize],
) -> Result<(Vec<ColumnValues>, usize), String> {
    let reader = SerializedFileReader::new(file).map_err(text)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let mut all: Vec<ColumnValues> = chosen
        .iter()
        .map(|&c| ColumnValues::empty(&columns[c]))
        .collect();
    let mut rows = 0;
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g).map_err(text)?;
        let count = group.metadata().num_rows();
        let count = usize::try_from(count).map_err(|_| "a negative number of rows")?;
        // Columns are found by name: their order in the file may differ.
        for (values, &c) in all.iter_mut().zip(chosen) {
            let name = &columns[c].name;
            let place = index_in_file(&schema, name)?;
            let column = group.get_column_reader(place).map_err(text)?;
            let mut read = get(column, count, columns[c].optional).map_err(text)?;
            rename_words(name, &mut read);
            if read.len() != count || !values.append(read) {
                return Err(format!(
                    "column `{name}` does not hold {count} values of its type"
                ));
            }
        }
        rows += count;
    }
    Ok((all, rows))
}

/// Smallest and largest value of a numeric column, from the Parquet statistics: no values are read. `None` where it
/// has no rows; infinite bounds where the file has no statistics.
///
/// # Errors
/// The file is missing or truncated, or has no such column.
pub fn bounds(path: &Path, column: &str) -> Result<Option<(f64, f64)>, RecordError> {
    let file = File::open(path).map_err(|e| RecordError::fault(path, "read this file", &e))?;
    catch_unwind(AssertUnwindSafe(|| extent(file, column)))
        .unwrap_or_else(|_| Err("it contradicts itself".into()))
        .map_err(|why| RecordError::damaged(path, why))
}

fn extent(file: File, column: &str) -> Result<Option<(f64, f64)>, String> {
    let reader = SerializedFileReader::new(file).map_err(text)?;
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let place = index_in_file(schema, column)?;
    let mut all: Option<(f64, f64)> = None;
    for group in metadata.row_groups().iter().filter(|g| g.num_rows() > 0) {
        // Row groups without statistics bound nothing.
        let known = match group.columns().get(place).and_then(|c| c.statistics()) {
            Some(Statistics::Double(s)) => s.min_opt().copied().zip(s.max_opt().copied()),
            Some(Statistics::Int64(s)) => {
                let both = s.min_opt().zip(s.max_opt());
                both.map(|(low, high)| (*low as f64, *high as f64))
            }
            _ => None,
        };
        let (low, high) = known.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let (least, most) = all.unwrap_or((low, high));
        all = Some((least.min(low), most.max(high)));
    }
    Ok(all)
}

/// The message of an error without the prefix of the library.
pub(super) fn text(error: ParquetError) -> String {
    let text = error.to_string();
    match text.split_once(": ") {
        Some((_, rest)) => rest.into(),
        None => text,
    }
}

pub(super) fn get(
    column: ColumnReader,
    count: usize,
    optional: bool,
) -> Result<ColumnValues, ParquetError> {
    Ok(match column {
        ColumnReader::Int64ColumnReader(c) => ColumnValues::Integer(all(c, count, None)?),
        ColumnReader::BoolColumnReader(c) => ColumnValues::Truth(all(c, count, None)?),
        ColumnReader::DoubleColumnReader(c) if !optional => {
            ColumnValues::Real(all(c, count, None)?)
        }
        ColumnReader::DoubleColumnReader(c) => {
            // Definition levels tell which values are null.
            let mut levels = Vec::new();
            let mut there = all(c, count, Some(&mut levels))?.into_iter();
            let one = |level: &i16| if *level == 0 { None } else { there.next() };
            ColumnValues::Optional(levels.iter().map(one).collect())
        }
        ColumnReader::ByteArrayColumnReader(c) => {
            let bytes = all(c, count, None)?;
            let texts = bytes.iter().map(|b| b.as_utf8().map(Arc::from));
            ColumnValues::Text(texts.collect::<Result<_, _>>()?)
        }
        _ => {
            return Err(ParquetError::General(
                "a type that percuss does not write".into(),
            ));
        }
    })
}

fn all<T: DataType>(
    mut column: ColumnReaderImpl<T>,
    count: usize,
    mut levels: Option<&mut Vec<i16>>,
) -> Result<Vec<T::T>, ParquetError> {
    // The row count of the file is not trusted for allocation.
    let mut values = Vec::new();
    let mut done = 0;
    while done < count {
        let (records, _, _) = column.read_records(
            (count - done).min(CHUNK_ROWS),
            levels.as_deref_mut(),
            None,
            &mut values,
        )?;
        if records == 0 {
            break;
        }
        done += records;
    }
    Ok(values)
}
