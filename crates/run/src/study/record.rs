//! A parameter study on disk: the table `runs` and a manifest of the kind `study`.

use std::path::Path;
use std::sync::Arc;

use percuss_record::{Column, ColumnType, Manifest, Override, RecordError, RunStatus, TableWriter};
use serde_json::json;

use crate::finding::Value;
use crate::study::{StudyFile, StudyResult, StudyRow};

/// Meaning of a column that was varied.
pub const VARIED: &str = "varied";

/// Meaning of a column that only numbers repetitions.
pub const REPEATED: &str = "repetition";

/// Meaning of a column that was observed or is a finding.
pub const OBSERVED: &str = "observed";

/// The table of a study.
pub const STUDY_TABLE: &str = "runs";

/// Meaning of a column that says whether a finding is as expected.
pub const JUDGED: &str = "whether the finding is as expected: 1 or 0";

/// Figures of the certificate that every run has as columns, with unit and meaning.
const FIGURES: [(&str, &str, &str); 4] = [
    ("missed", "1", "steps that did not reach their tolerance"),
    ("worst_residual", "1", "largest residual of a step"),
    ("worst_penetration", "length", "deepest penetration"),
    (
        "worst_energy",
        "1",
        "largest error of the balance of energy, relative",
    ),
];

/// Writes the table of a study into its directory, replacing an earlier one. `numbers` are those of the runs from 0;
/// with a `reason` the table is incomplete.
///
/// # Errors
/// A file operation fails.
pub fn write_study(
    directory: &Path,
    study: &StudyFile,
    result: &StudyResult,
    numbers: &[usize],
    reason: Option<String>,
) -> Result<(), RecordError> {
    let columns = columns(result);
    let mut table = TableWriter::new(STUDY_TABLE, columns);
    for (number, row) in numbers.iter().zip(&result.table.rows) {
        push(&mut table, *number, row);
        table.spill(directory)?;
    }
    // Manifest: the text of the study, the scene with overrides, the outcomes.
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
        "runs": result.table.asked,
        "outcomes": result.outcomes,
        "outcomes_of": study.outcome_columns(),
        "outcomes_reason": result.outcomes_reason,
    });
    table.close(directory)?;
    manifest.tables = vec![table.entry(true)];
    manifest.status = match reason {
        None => RunStatus::Finished,
        Some(_) => RunStatus::Running,
    };
    manifest.reason = reason;
    manifest.write(directory)
}

/// Numbers and booleans (1 and 0) are numeric columns; a column with any other value is text.
fn columns(result: &StudyResult) -> Vec<Column> {
    let table = &result.table;
    let run = Column::new("run", ColumnType::Integer, "1", "number of the run, from 1");
    let mut all = vec![run];
    // Varied keys and repetitions.
    for (k, key) in table.keys.iter().enumerate() {
        let numbers = table
            .rows
            .iter()
            .all(|row| row.settings[k].number().is_some());
        let meaning = match table.repeated.as_ref() == Some(key) {
            true => REPEATED,
            false => VARIED,
        };
        all.push(column(key, numbers, meaning));
    }
    // Observed values and findings, then the verdicts on the findings.
    let judged = table.columns.len() - table.judged.min(table.columns.len());
    for (k, name) in table.columns.iter().enumerate() {
        let mut values = table
            .rows
            .iter()
            .filter_map(|row| row.cells[k].value.as_ref());
        let meaning = if k < judged { OBSERVED } else { JUDGED };
        let numbers = values.all(|v| v.number().is_some());
        all.push(column(name, numbers, meaning));
    }
    // Certificate figures and how each run ended.
    for (name, unit, meaning) in FIGURES {
        let name = free(&all, name);
        all.push(Column::new(name, ColumnType::Real, unit, meaning).or_null());
    }
    let ended = "how the run ended: finished, missed, stopped, refused or fault";
    let ended = Column::new(free(&all, "end"), ColumnType::Text, "1", ended);
    all.push(ended);
    let why = "why the run stopped before its end; empty where it did not";
    let why = Column::new(free(&all, "stopped"), ColumnType::Text, "1", why);
    all.push(why);
    all
}

/// A name that no column has yet: a user's observable may have the same.
fn free(columns: &[Column], name: &str) -> String {
    let mut name = name.to_string();
    while columns.iter().any(|column| column.name == name) {
        name.push('_');
    }
    name
}

fn column(name: &str, numbers: bool, meaning: &str) -> Column {
    match numbers {
        true => Column::new(name, ColumnType::Real, "as the value", meaning).or_null(),
        false => Column::new(name, ColumnType::Text, "1", meaning),
    }
}

fn push(table: &mut TableWriter, number: usize, row: &StudyRow) {
    let settings = row.settings.iter().map(Some);
    let cells = row.cells.iter().map(|cell| cell.value.as_ref());
    let values: Vec<Option<&Value>> = settings.chain(cells).collect();
    let [
        run,
        rest @ ..,
        missed,
        residual,
        penetration,
        energy,
        end,
        stopped,
    ] = table.values()
    else {
        return;
    };
    run.push_integer(number + 1);
    for (column, value) in rest.iter_mut().zip(values) {
        column.push_optional(value.and_then(Value::number));
        // A text column takes the value as text, an absent one as an empty text.
        let text = value.map_or_else(String::new, ToString::to_string);
        column.push_text(&Arc::from(text));
    }
    // Figures of the certificate; null for a run that was refused.
    let of = row.certificate.as_ref();
    missed.push_optional(of.map(|c| c.missed as f64));
    residual.push_optional(of.map(|c| c.worst_residual));
    penetration.push_optional(of.map(|c| c.worst_penetration));
    energy.push_optional(of.map(|c| c.worst_energy));
    end.push_text(&Arc::from(row.end.name()));
    stopped.push_text(&Arc::from(row.stopped.clone().unwrap_or_default()));
}
