//! `percuss table`: tables of the records as text.

use std::path::PathBuf;

use clap::Args;
use percuss_equilibrium::FORCES;
use percuss_record::{
    CellValue, Record, RecordError, Table, renamed_column, renamed_column_warning, table_names,
};
use percuss_run::study::STUDY_TABLE;

use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::lines::{RowTextWriter, TableFormat};
use crate::output;

/// Print a table of the records as text
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss table runs/ball-e05-1 coordinates > ball.csv\n  \
    percuss table runs/ball-e05-1 steps --at 0.5 --columns t,kinetic,potential\n  \
    percuss table runs/ball-e05-1 events --format json\n  \
    percuss table runs/ball-e05-1 findings\n  \
    percuss table runs/wall-1 bodies --at 2.5 --columns name,x,y,angle\n\n\
    The files themselves are Parquet and can be read as they are, for example in Python with\n\
    polars.read_parquet(\"runs/ball-e05-1/steps-*.parquet\").\n\
    Exit status: 0 printed; 2 there is no such run, table or column; 3 it cannot be read.")]
pub struct TableArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    #[arg(value_name = "TABLE", help = table_help())]
    table: String,

    /// Only what is nearest to this time
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time)]
    at: Option<f64>,

    /// Only these columns, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: TableFormat,

    /// No line with the names of the columns (CSV)
    #[arg(long, short)]
    quiet: bool,
}

/// The tables that there are, from the lists of what writes them.
fn table_help() -> String {
    let [mechanisms, bodies] = table_names().map(|names| names.join(", "));
    format!(
        "Of a mechanism {mechanisms}; of bodies {bodies}, and {FORCES} where `percuss forces` has written it; of \
         either findings; of a study {STUDY_TABLE}"
    )
}

/// A time on the command line.
pub fn time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(t) if t.is_finite() => Ok(t),
        _ => Err("it must be a number".into()),
    }
}

/// Runs the command.
pub fn run(args: &TableArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    let mut out = output::print_bytes;
    // Findings are in the manifest; other tables are in chunks.
    match args.table.as_str() {
        "findings" if record.manifest().kind != "study" => {
            let columns = finding_columns(args)?;
            let mut lines = RowTextWriter::new(args.format, &columns, !args.quiet, &mut out);
            findings(&record, &columns, &mut lines)?;
            lines.close()?;
        }
        table => {
            let view = Columns::of(&record, table, args.columns.as_deref())?;
            let mut lines = RowTextWriter::new(args.format, &view.headings, !args.quiet, &mut out);
            match args.at {
                Some(t) => rows_at(&record, table, t, &view, &mut lines)?,
                None => all_rows(&record, table, &view, &mut lines, &mut |_| ())?,
            }
            lines.close()?;
        }
    }
    Ok(CommandStatus::Success)
}

/// Reads chunk by chunk, so that memory does not grow with the run. `progress` receives the fraction done.
pub fn all_rows(
    record: &Record,
    table: &str,
    view: &Columns,
    lines: &mut RowTextWriter<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), CommandError> {
    let chunks = record.chunks(table)?;
    for (k, chunk) in chunks.iter().enumerate() {
        let part = record.read_chunk(table, chunk, &view.places)?;
        (0..part.rows).try_for_each(|row| view.write(&part, row, lines))?;
        progress((k + 1) as f64 / chunks.len() as f64);
    }
    Ok(())
}

/// The rows of the recorded time nearest to `t`; other chunks are not read.
fn rows_at(
    record: &Record,
    table: &str,
    t: f64,
    view: &Columns,
    lines: &mut RowTextWriter<'_>,
) -> Result<(), CommandError> {
    let Some(nearest) = record.nearest(table, t)? else {
        return Ok(());
    };
    // The time is read in addition to the chosen columns and not written.
    let mut places = view.places.clone();
    places.extend(record.column_indices(table, Some(&["t".into()]))?);
    for chunk in &nearest.chunks {
        let part = record.read_chunk(table, chunk, &places)?;
        let seen = |row: &usize| {
            let time = part.values.last().map(|t| t.number(*row));
            time == Some(nearest.time)
        };
        let mut rows = (0..part.rows).filter(seen);
        rows.try_for_each(|row| view.write(&part, row, lines))?;
    }
    Ok(())
}

/// Derived columns: names of bodies, after the columns of their indices.
const JOINED: [(&str, &str, &str); 3] = [
    ("bodies", "body", "name"),
    ("contacts", "a", "name_a"),
    ("contacts", "b", "name_b"),
];

/// Columns to print.
pub struct Columns {
    /// Names of the printed columns.
    pub headings: Vec<String>,
    /// Indices of the stored columns that are read.
    places: Vec<usize>,
    /// For every printed column its source among those read, and whether it is a body index to be replaced by a
    /// name.
    sources: Vec<(usize, bool)>,
    /// Names of the bodies, where they are printed.
    names: Table,
}

/// The name of a column; an old name is replaced by the new one, with a warning.
fn todays_name(table: &str, name: &str) -> String {
    console::warnings(&renamed_column_warning(table, name));
    renamed_column(table, name).unwrap_or_else(|| name.to_string())
}

impl Columns {
    /// The requested columns, or all.
    pub fn of(
        record: &Record,
        table: &str,
        asked: Option<&[String]>,
    ) -> Result<Self, CommandError> {
        let stored = &record.entry(table)?.columns;
        let joined: Vec<_> = JOINED
            .iter()
            .filter(|(of, ..)| *of == table && record.entry("names").is_ok())
            .collect();
        // Requested columns, or all with the names of bodies after their indices.
        let headings = match asked {
            Some(asked) => asked.iter().map(|name| todays_name(table, name)).collect(),
            None => {
                let mut all = Vec::new();
                for column in stored {
                    all.push(column.name.clone());
                    let named = joined.iter().find(|(_, key, _)| *key == column.name);
                    all.extend(named.map(|(_, _, name)| (*name).to_string()));
                }
                all
            }
        };
        let mut places = Vec::new();
        let mut sources = Vec::new();
        // Source column of each heading.
        for heading in &headings {
            let named = joined.iter().find(|(_, _, name)| name == heading);
            let key = named.map_or_else(|| heading.clone(), |(_, key, _)| (*key).to_string());
            sources.push((places.len(), named.is_some()));
            places.extend(record.column_indices(table, Some(&[key]))?);
        }
        let names = match sources.iter().any(|(_, named)| *named) {
            true => record.table("names", Some(&["name"]))?,
            false => Table {
                columns: Vec::new(),
                values: Vec::new(),
                rows: 0,
            },
        };
        Ok(Self {
            headings,
            places,
            sources,
            names,
        })
    }

    fn write(
        &self,
        table: &Table,
        row: usize,
        lines: &mut RowTextWriter<'_>,
    ) -> Result<(), CommandError> {
        lines.begin();
        for &(place, named) in &self.sources {
            let cell = table
                .values
                .get(place)
                .map_or(CellValue::Null, |v| v.cell(row));
            // A body index is replaced by its name.
            lines.cell(match (named, cell) {
                (true, CellValue::Integer(body)) => {
                    let body = usize::try_from(body).unwrap_or(usize::MAX);
                    let names = self.names.values.first();
                    names.map_or(CellValue::Null, |n| n.cell(body))
                }
                (_, cell) => cell,
            });
        }
        lines.end()
    }
}

/// Columns of the findings.
pub const FINDINGS: [&str; 10] = [
    "name",
    "value",
    "expected",
    "tolerance",
    "at_least",
    "at_most",
    "ok",
    "case",
    "source",
    "reason",
];

fn finding_columns(args: &TableArgs) -> Result<Vec<String>, CommandError> {
    if args.at.is_some() {
        let problem = "findings are of the whole run: --at does not apply to them";
        return Err(CommandError::Input(problem.into()));
    }
    let all = FINDINGS.map(String::from).to_vec();
    let columns = args.columns.clone().unwrap_or(all);
    match columns.iter().find(|c| !FINDINGS.contains(&c.as_str())) {
        None => Ok(columns),
        Some(unknown) => Err(RecordError::Unknown(format!(
            "{}: the table `findings` has no column `{unknown}`; it has {}",
            args.directory.display(),
            FINDINGS.join(", ")
        ))
        .into()),
    }
}

/// Writes the findings of a run.
pub fn findings(
    record: &Record,
    columns: &[String],
    lines: &mut RowTextWriter<'_>,
) -> Result<(), CommandError> {
    let Some(findings) = &record.manifest().findings else {
        let problem = format!(
            "{}: the findings of this run have not been measured",
            record.directory().display()
        );
        return Err(CommandError::Input(problem));
    };
    for finding in findings {
        lines.begin();
        columns
            .iter()
            .for_each(|c| lines.value(&finding[c.as_str()]));
        lines.end()?;
    }
    Ok(())
}
