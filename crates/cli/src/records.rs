//! `percuss table`: the records as text.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use scene::record::{Cell, Record, RecordError, Table};
use serde_json::{Map, Value};

use crate::output::{self, Stop, Verdict, quoted};

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

    /// steps, coordinates, contacts, events or findings; of bodies steps, bodies, contacts,
    /// observables, profiles, distributions, names or findings; of a study runs
    #[arg(value_name = "TABLE")]
    table: String,

    /// Only what is nearest to this time
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time)]
    at: Option<f64>,

    /// Only these columns, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: Format,

    /// No line with the names of the columns (CSV)
    #[arg(long, short)]
    quiet: bool,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A heading and one line for each row; nothing stands for null.
    Csv,
    /// An array of objects.
    Json,
}

/// A time as an argument.
pub fn time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(t) if t.is_finite() => Ok(t),
        _ => Err("it must be a number".into()),
    }
}

/// Runs the command.
pub fn run(args: &TableArgs) -> Result<Verdict, Stop> {
    let record = Record::open(&args.directory)?;
    let mut writer = Writer::new(args);
    match args.table.as_str() {
        "findings" if record.manifest().kind != "study" => findings(args, &record, &mut writer)?,
        _ => rows(args, &record, &mut writer)?,
    }
    writer.end()?;
    Ok(Verdict::Well)
}

/// Chunk by chunk, so that a long run needs no more memory than a short one.
fn rows(args: &TableArgs, record: &Record, writer: &mut Writer) -> Result<(), Stop> {
    let name = args.table.as_str();
    let view = Columns::of(record, name, args.columns.as_deref())?;
    writer.heading(view.headings.clone());
    let bodies = record.entry("bodies").is_ok();
    if let (Some(t), true) = (args.at, bodies) {
        // States of many bodies are found without reading the others.
        let (first, count) = record.rows_near(name, t)?;
        let columns = &record.entry(name)?.columns;
        let names: Vec<&str> = view.places.iter().map(|p| &*columns[*p].name).collect();
        let part = record.rows(name, &names, first, count)?;
        return (0..part.rows).try_for_each(|row| writer.row(view.cells(&part, row, args.format)));
    }
    let nearest = match args.at {
        None => None,
        Some(t) => match record.nearest_time(name, t)? {
            None => return Ok(()),
            nearest => nearest,
        },
    };
    // The time is read beside the chosen columns and not written.
    let mut places = view.places.clone();
    if nearest.is_some() {
        places.extend(record.places(name, Some(&["t".into()]))?);
    }
    for chunk in record.chunks(name)? {
        let part = record.read_chunk(name, &chunk, &places)?;
        let seen = |row: usize| {
            let time = part.values.last().map(|t| t.number(row));
            nearest.is_none() || time == nearest
        };
        for row in (0..part.rows).filter(|row| seen(*row)) {
            writer.row(view.cells(&part, row, args.format))?;
        }
    }
    Ok(())
}

/// Columns that are not stored: names of bodies, after the columns of their numbers.
const JOINED: [(&str, &str, &str); 3] = [
    ("bodies", "body", "name"),
    ("contacts", "a", "name_a"),
    ("contacts", "b", "name_b"),
];

/// What is printed of a table.
struct Columns {
    headings: Vec<String>,
    /// Stored columns that are read.
    places: Vec<usize>,
    /// For every printed column the one that is read, and whether it is a number to be named.
    sources: Vec<(usize, bool)>,
    /// Names of the bodies, where they are printed.
    names: Table,
}

impl Columns {
    fn of(record: &Record, table: &str, asked: Option<&[String]>) -> Result<Self, Stop> {
        let stored = &record.entry(table)?.columns;
        let joined: Vec<_> = JOINED
            .iter()
            .filter(|(of, ..)| *of == table && record.entry("names").is_ok())
            .collect();
        let headings = match asked {
            Some(asked) => asked.to_vec(),
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
        for heading in &headings {
            let named = joined.iter().find(|(_, _, name)| name == heading);
            let key = named.map_or_else(|| heading.clone(), |(_, key, _)| (*key).to_string());
            sources.push((places.len(), named.is_some()));
            places.extend(record.places(table, Some(&[key]))?);
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

    fn cells(&self, table: &Table, row: usize, format: Format) -> Vec<Value> {
        let one = |&(place, named): &(usize, bool)| {
            let cell = table.values.get(place).map_or(Cell::Null, |v| v.cell(row));
            match (named, cell) {
                (true, Cell::Integer(body)) => {
                    let body = usize::try_from(body).unwrap_or(usize::MAX);
                    let names = self.names.values.first();
                    value(names.map_or(Cell::Null, |n| n.cell(body)), format)
                }
                (_, cell) => value(cell, format),
            }
        };
        self.sources.iter().map(one).collect()
    }
}

/// JSON has no NaN and no infinity; readers of CSV know them by name.
fn number(x: f64, format: Format) -> Value {
    match (serde_json::Number::from_f64(x), format) {
        (Some(number), _) => Value::Number(number),
        (None, Format::Json) => Value::Null,
        (None, Format::Csv) => Value::from(x.to_string()),
    }
}

fn value(cell: Cell<'_>, format: Format) -> Value {
    match cell {
        Cell::Integer(x) => Value::from(x),
        Cell::Real(x) => number(x, format),
        Cell::Truth(x) => Value::from(x),
        Cell::Text(x) => Value::from(x),
        Cell::Null => Value::Null,
    }
}

fn findings(args: &TableArgs, record: &Record, writer: &mut Writer) -> Result<(), Stop> {
    const COLUMNS: [&str; 10] = [
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
    if args.at.is_some() {
        let problem = "findings are of the whole run: --at does not apply to them";
        return Err(Stop::Input(problem.into()));
    }
    let all = COLUMNS.map(String::from).to_vec();
    let columns = args.columns.clone().unwrap_or(all);
    if let Some(unknown) = columns.iter().find(|c| !COLUMNS.contains(&c.as_str())) {
        return Err(RecordError::Unknown(format!(
            "{}: the table `findings` has no column `{unknown}`; it has {}",
            args.directory.display(),
            COLUMNS.join(", ")
        ))
        .into());
    }
    let Some(findings) = &record.manifest().findings else {
        let problem = format!(
            "{}: the findings of this run have not been measured",
            args.directory.display()
        );
        return Err(Stop::Input(problem));
    };
    writer.heading(columns.clone());
    for finding in findings {
        writer.row(
            columns
                .iter()
                .map(|c| finding[c.as_str()].clone())
                .collect(),
        )?;
    }
    Ok(())
}

/// Text is passed on in pieces of about this many bytes.
const PIECE: usize = 1 << 16;

/// Writes rows one after the other.
struct Writer {
    format: Format,
    headless: bool,
    columns: Vec<String>,
    text: String,
    first: bool,
}

impl Writer {
    fn new(args: &TableArgs) -> Self {
        Self {
            format: args.format,
            headless: args.quiet,
            columns: Vec::new(),
            text: String::new(),
            first: true,
        }
    }

    fn heading(&mut self, columns: Vec<String>) {
        if self.format == Format::Csv && !self.headless {
            let names = columns.iter().map(|c| quoted(c));
            self.text += &(names.collect::<Vec<_>>().join(",") + "\n");
        }
        self.columns = columns;
    }

    fn row(&mut self, cells: Vec<Value>) -> Result<(), Stop> {
        match self.format {
            Format::Csv => {
                let cells = cells.iter().map(field);
                self.text += &(cells.collect::<Vec<_>>().join(",") + "\n");
            }
            Format::Json => {
                let named = self.columns.iter().cloned().zip(cells);
                let object: Map<String, Value> = named.collect();
                self.text += if self.first { "[\n  " } else { ",\n  " };
                self.text += &Value::Object(object).to_string();
            }
        }
        self.first = false;
        if self.text.len() >= PIECE {
            output::print(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        if self.format == Format::Json {
            self.text += if self.first { "[]\n" } else { "\n]\n" };
        }
        output::print(&self.text)
    }
}

/// A value as a CSV field (RFC 4180).
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}
