//! Row selection: rows of a table at a time and with given values, as numbers.

use std::sync::Arc;

use percuss_record::{CellValue, Column, ColumnType, ColumnValues, PlotError, Record, Table};

use super::options::{PlotOptions, unknown};

/// Columns that contain body indices.
const BODIES: [&str; 3] = ["body", "a", "b"];

/// Name columns and their index columns, as `percuss table` prints them.
const NAMED: [(&str, &str); 3] = [("name", "body"), ("name_a", "a"), ("name_b", "b")];

/// Selected rows of a table.
#[derive(Debug, Default)]
pub(super) struct SelectedRows {
    /// The requested columns, as numbers.
    pub numbers: Vec<Vec<f64>>,
    /// Values of the grouping column; empty without one.
    pub by: Vec<Arc<str>>,
}

/// A condition on a row.
struct Condition {
    /// Index among the columns read.
    place: usize,
    value: ConditionValue,
}

enum ConditionValue {
    Number(f64),
    Text(String),
}

/// The manifest's entry of a column.
pub(super) fn column<'a>(
    record: &'a Record,
    table: &str,
    name: &str,
) -> Result<&'a Column, PlotError> {
    let entry = entry(record, table)?;
    let found = entry.iter().find(|c| c.name == name);
    found.ok_or_else(|| {
        let known: Vec<String> = entry.iter().map(|c| c.name.clone()).collect();
        unknown(&format!("column of `{table}`"), name, &known)
    })
}

/// The columns of a table.
pub(super) fn entry<'a>(record: &'a Record, table: &str) -> Result<&'a [Column], PlotError> {
    let tables = &record.manifest().tables;
    let found = tables.iter().find(|t| t.name == table);
    found.map(|t| t.columns.as_slice()).ok_or_else(|| {
        let known: Vec<String> = tables.iter().map(|t| t.name.clone()).collect();
        unknown("table", table, &known)
    })
}

/// A column of numbers, which can be plotted.
pub(super) fn drawable<'a>(
    record: &'a Record,
    table: &str,
    name: &str,
) -> Result<&'a Column, PlotError> {
    let column = column(record, table, name)?;
    match column.kind {
        ColumnType::Text => Err(PlotError::Unknown(format!(
            "the column `{name}` of `{table}` holds texts: a column of numbers was expected"
        ))),
        _ => Ok(column),
    }
}

/// Names of the bodies by index; empty where there are none.
pub(super) fn body_names(record: &Record) -> Result<Vec<String>, PlotError> {
    if record.entry("names").is_err() {
        return Ok(Vec::new());
    }
    let table = record.table("names", Some(&["name"]))?;
    let text = |row: usize| match table.values.first().map(|v| v.cell(row)) {
        Some(CellValue::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    Ok((0..table.rows).map(text).collect())
}

/// The index of a body by its name, or by the index itself.
pub(super) fn body_number(names: &[String], name: &str) -> Result<usize, PlotError> {
    if let Some(found) = names.iter().position(|known| known == name) {
        return Ok(found);
    }
    match name.parse::<usize>() {
        Ok(number) if number < names.len() => Ok(number),
        _ => Err(unknown("body", name, names)),
    }
}

/// Reads columns of the rows that meet the plot's conditions.
pub(super) fn select_rows(
    record: &Record,
    table: &str,
    columns: &[&str],
    by: Option<&str>,
    wish: &PlotOptions,
) -> Result<SelectedRows, PlotError> {
    for name in columns {
        drawable(record, table, name)?;
    }
    // Columns to read: the plotted ones, the grouping column, those of conditions.
    let names = body_names(record)?;
    let mut read: Vec<String> = columns.iter().map(|c| (*c).to_string()).collect();
    if let Some(by) = by {
        column(record, table, by)?;
        read.push(by.to_string());
    }
    let mut conditions = Vec::with_capacity(wish.conditions.len());
    // A condition on a name is one on the body index.
    for (key, value) in &wish.conditions {
        let named = NAMED.iter().find(|(name, stored)| {
            *name == key && entry(record, table).is_ok_and(|e| e.iter().any(|c| c.name == *stored))
        });
        let stored = named.map_or(key.as_str(), |(_, stored)| *stored);
        let kind = column(record, table, stored)?.kind;
        conditions.push(Condition {
            place: read.len(),
            value: wanted(stored, value, kind, &names)?,
        });
        read.push(stored.to_string());
    }
    let mut picked = SelectedRows {
        numbers: vec![Vec::new(); columns.len()],
        by: Vec::new(),
    };
    // Body indices are replaced by names in labels.
    let named = by.filter(|by| BODIES.contains(by) && !names.is_empty());
    let names = named.map_or(&[][..], |_| names.as_slice());
    each_part(record, table, &mut read, wish.at, |part, seen| {
        picked.take(part, seen, &conditions, by.is_some(), names);
    })?;
    Ok(picked)
}

/// Reads a table part by part; the second argument of the callback is the range of rows at the requested time.
fn each_part(
    record: &Record,
    table: &str,
    read: &mut Vec<String>,
    at: Option<f64>,
    mut take: impl FnMut(&Table, &dyn Fn(usize) -> bool),
) -> Result<(), PlotError> {
    if at.is_some() {
        column(record, table, "t")?;
    }
    if let (Some(t), true) = (at, record.entry("bodies").is_ok()) {
        // The rows of a state are found by the step index, without reading the others.
        let (first, count) = record.rows_near(table, t)?;
        let names: Vec<&str> = read.iter().map(String::as_str).collect();
        take(&record.rows(table, &names, first, count)?, &|_| true);
        return Ok(());
    }
    let nearest = match at {
        None => None,
        Some(t) => match record.nearest_time(table, t)? {
            None => return Ok(()),
            nearest => nearest,
        },
    };
    if nearest.is_some() {
        read.push("t".into());
    }
    let places = record.column_indices(table, Some(read))?;
    for chunk in record.chunks(table)? {
        let part = record.read_chunk(table, &chunk, &places)?;
        let time = |row: usize| part.values.last().map(|t| t.number(row));
        take(&part, &|row| nearest.is_none() || time(row) == nearest);
    }
    Ok(())
}

fn wanted(
    column: &str,
    value: &str,
    kind: ColumnType,
    names: &[String],
) -> Result<ConditionValue, PlotError> {
    if kind == ColumnType::Text {
        return Ok(ConditionValue::Text(value.into()));
    }
    if BODIES.contains(&column) && !names.is_empty() {
        return Ok(ConditionValue::Number(body_number(names, value)? as f64));
    }
    let number = match (value, kind) {
        ("true", ColumnType::Truth) => Some(1.0),
        ("false", ColumnType::Truth) => Some(0.0),
        _ => value.parse().ok(),
    };
    number.map(ConditionValue::Number).ok_or_else(|| {
        PlotError::Unknown(format!(
            "--where {column}={value}: the column `{column}` holds numbers, `{value}` is none"
        ))
    })
}

impl SelectedRows {
    fn take(
        &mut self,
        part: &Table,
        seen: &dyn Fn(usize) -> bool,
        conditions: &[Condition],
        by: bool,
        names: &[String],
    ) {
        let cell = |place: usize, row: usize| part.values.get(place).map(|v| v.cell(row));
        // All conditions must hold.
        let holds = |row: usize| {
            conditions.iter().all(|c| match &c.value {
                ConditionValue::Text(text) => cell(c.place, row) == Some(CellValue::Text(text)),
                ConditionValue::Number(x) => part
                    .values
                    .get(c.place)
                    .is_some_and(|v| v.number(row) == *x),
            })
        };
        for row in (0..part.rows).filter(|row| seen(*row) && holds(*row)) {
            for (all, values) in self.numbers.iter_mut().zip(&part.values) {
                all.push(values.number(row));
            }
            if by && let Some(values) = part.values.get(self.numbers.len()) {
                self.by.push(word(values, row, names));
            }
        }
    }
}

/// The text of a value as a series label.
fn word(values: &ColumnValues, row: usize, names: &[String]) -> Arc<str> {
    match values.cell(row) {
        CellValue::Text(text) => text.into(),
        CellValue::Integer(n) => {
            let name = usize::try_from(n).ok().and_then(|n| names.get(n));
            name.map_or_else(|| n.to_string().into(), |name| name.as_str().into())
        }
        CellValue::Real(x) => percuss_record::number::format_short(x).into(),
        CellValue::Truth(truth) => truth.to_string().into(),
        CellValue::Null => "-".into(),
    }
}
