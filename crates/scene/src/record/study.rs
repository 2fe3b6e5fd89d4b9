//! A study on disk: the table `runs` and a manifest of the kind `study`.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::column::{Column, Type};
use super::error::RecordError;
use super::manifest::{Manifest, Override, Status};
use super::place::Place;
use super::writer::TableWriter;
use crate::finding::Value;
use crate::study::{Row, StudyFile, StudyResult};

/// What a column of runs is called in the manifest when it was varied.
pub const VARIED: &str = "varied";

/// Writes the table of a study and returns its directory.
///
/// # Errors
/// The place is taken, or the machine refuses.
pub fn write_study(
    place: &Place,
    study: &StudyFile,
    result: &StudyResult,
) -> Result<PathBuf, RecordError> {
    let columns = columns(result);
    let mut table = TableWriter::new("runs", columns);
    for (number, row) in result.table.rows.iter().enumerate() {
        push(&mut table, number, row);
    }
    let directory = place.make()?;
    let mut manifest = Manifest::new("study", study.name());
    manifest.title = study.title().into();
    manifest.source = study.scene().source().into();
    manifest.origin = study.scene().name().into();
    manifest.text = study.text().into();
    let overrides = study
        .scene()
        .overrides()
        .iter()
        .map(|(key, value)| Override {
            key: key.clone(),
            value: value.clone(),
        });
    manifest.overrides = overrides.collect();
    manifest.settings = json!({
        "scene": study.scene().name(),
        "scene_text": study.scene().text(),
        "outcomes": result.outcomes,
        "outcomes_of": study.outcome_columns(),
        "outcomes_reason": result.outcomes_reason,
    });
    manifest.tables = vec![table.entry(false)];
    manifest.write(&directory)?;
    table.close(&directory)?;
    manifest.tables = vec![table.entry(true)];
    manifest.status = Status::Finished;
    manifest.write(&directory)?;
    Ok(directory)
}

/// Numbers and truths (1 and 0) are numbers; a column with anything else is text.
fn columns(result: &StudyResult) -> Vec<Column> {
    let table = &result.table;
    let run = Column::new("run", Type::Integer, "1", "number of the run, from 1");
    let mut all = vec![run];
    for (k, key) in table.keys.iter().enumerate() {
        let numbers = table
            .rows
            .iter()
            .all(|row| row.settings[k].number().is_some());
        all.push(column(key, numbers, VARIED));
    }
    for (k, name) in table.columns.iter().enumerate() {
        let mut values = table
            .rows
            .iter()
            .filter_map(|row| row.cells[k].value.as_ref());
        all.push(column(
            name,
            values.all(|v| v.number().is_some()),
            "observed",
        ));
    }
    let why = "why the run stopped before its end; empty where it did not";
    all.push(Column::new("stopped", Type::Text, "1", why));
    all
}

fn column(name: &str, numbers: bool, meaning: &str) -> Column {
    match numbers {
        true => Column::new(name, Type::Real, "as the value", meaning).or_null(),
        false => Column::new(name, Type::Text, "1", meaning),
    }
}

fn push(table: &mut TableWriter, number: usize, row: &Row) {
    let settings = row.settings.iter().map(Some);
    let cells = row.cells.iter().map(|cell| cell.value.as_ref());
    let values: Vec<Option<&Value>> = settings.chain(cells).collect();
    let columns = table.values();
    let [run, rest @ .., stopped] = columns else {
        return;
    };
    run.push_integer(number + 1);
    for (column, value) in rest.iter_mut().zip(values) {
        column.push_optional(value.and_then(Value::number));
        // A column of text takes what has no number, and nothing as an empty text.
        let text = value.map_or_else(String::new, ToString::to_string);
        column.push_text(&Arc::from(text));
    }
    stopped.push_text(&Arc::from(row.stopped.clone().unwrap_or_default()));
}
