//! The documentation page of the records, generated from the column definitions.

use percuss_bodies::{Plane, Space};
use percuss_scene::{RecordSelection, TableCompression};

use super::CHUNK_ROWS;
use super::column::{Column, ColumnType};
use super::format::SCHEMA;
use super::tables::{MechanismLayout, path_columns};
use crate::body_tables::{body_columns, distribution_columns, profile_columns, shifts};

const HEAD: &str = "\
# Records: tables and columns

<!-- Written by `cargo xtask schema --write` from the code that writes the records. Do not edit. -->

A run is a directory with a manifest, `run.json`, and tables as Parquet files, `TABLE-000000.parquet`,
`TABLE-000001.parquet`, … ([run.md](run.md#records) tells how to read them and which rows are kept). Units
are those of the scene, coherent: `length`, `time`, `mass` stand for whatever its author took.";

/// A table and the condition under which it is written.
struct TableDoc {
    name: &'static str,
    rows: &'static str,
    there: &'static str,
    /// Columns with the condition under which each is written; an empty text: always.
    columns: Vec<(Column, &'static str)>,
}

/// Generates the page `docs/records.md`.
pub fn schema_page() -> String {
    let packings = TableCompression::ALL
        .map(|(name, _)| format!("`{name}`"))
        .join(", ");
    let mut page = format!(
        "{HEAD}\n\nSchema version {SCHEMA}. A full file has {CHUNK_ROWS} rows and one row group, with \
         smallest and largest values of each column. Integers are INT64, reals DOUBLE, truths BOOLEAN, \
         texts UTF-8; encodings are plain and dictionaries. Compression is one of {packings}. Each file \
         carries `percuss.schema`, `percuss.table` and `percuss.columns` (JSON: name, type, unit, \
         meaning of every column) in its key-value metadata; `run.json` has the same for all tables.\n"
    );
    page += "\n## Runs of bodies\n";
    bodies().iter().for_each(|part| page += &section(part));
    page += "\n## Runs of mechanisms\n";
    mechanisms().iter().for_each(|part| page += &section(part));
    page
}

/// Names of the tables that a run of a mechanism, and that a run of bodies can have.
pub fn table_names() -> [Vec<&'static str>; 2] {
    [mechanisms(), bodies()].map(|tables| tables.iter().map(|table| table.name).collect())
}

fn section(part: &TableDoc) -> String {
    let mut text = format!(
        "\n### {}\n\nOne row for {}. {}\n\n",
        part.name, part.rows, part.there
    );
    text += "| column | type | unit | there | meaning |\n|---|---|---|---|---|\n";
    for (column, place) in &part.columns {
        let kind = match column.kind {
            ColumnType::Integer => "integer",
            ColumnType::Real => "real",
            ColumnType::Truth => "truth",
            ColumnType::Text => "text",
        };
        // Condition and nullability of the column.
        let there = match (*place, column.optional) {
            ("", false) => "always".to_string(),
            ("", true) => "or null".to_string(),
            (place, false) => place.to_string(),
            (place, true) => format!("{place}, or null"),
        };
        let meaning = column.meaning.replace('|', "\\|");
        text += &format!(
            "| `{}` | {kind} | {} | {there} | {meaning} |\n",
            column.name, column.unit
        );
    }
    text
}

/// Merges the columns of the plane and of space into one order.
fn both(table: &str) -> Vec<(Column, &'static str)> {
    let plane = body_columns::<Plane>(table);
    let space = body_columns::<Space>(table);
    let has = |all: &[Column], column: &Column| all.iter().any(|c| c.name == column.name);
    let mut all: Vec<(Column, &'static str)> = Vec::new();
    let mut rest = space.iter().peekable();
    for column in &plane {
        if !has(&space, column) {
            all.push((column.clone(), "plane"));
            continue;
        }
        // Columns of space alone keep their position before the next common one.
        while let Some(other) = rest.next_if(|other| other.name != column.name) {
            all.push((other.clone(), "space"));
        }
        rest.next();
        all.push((column.clone(), ""));
    }
    all.extend(rest.map(|other| (other.clone(), "space")));
    all
}

fn always(columns: Vec<Column>) -> Vec<(Column, &'static str)> {
    columns.into_iter().map(|column| (column, "")).collect()
}

fn bodies() -> Vec<TableDoc> {
    let chosen = "Left out where `[record]` has `tables` without it.";
    let part = |name: &'static str, rows: &'static str, there: &'static str| TableDoc {
        name,
        rows,
        there,
        columns: both(name),
    };
    // `observables`: step and time, then one column per expression.
    let mut observables = body_columns::<Plane>("cell");
    observables.truncate(2);
    observables.push(Column::new(
        "EXPRESSION",
        ColumnType::Real,
        "as the observable",
        "a column for every expression that findings and plots look at, named by its text",
    ));
    let mut contacts = part("contacts", "every contact of every recorded step", chosen);
    // Shifts of periodic images follow the other columns of `contacts`.
    let images = shifts::<Space>().into_iter().enumerate();
    let images = images.map(|(axis, column)| match axis {
        2 => (column, "space, with a periodic cell"),
        _ => (column, "with a periodic cell"),
    });
    contacts.columns.extend(images);
    vec![
        part("names", "every body", "Always there."),
        part("steps", "every step", "Always there."),
        part("bodies", "every body in every recorded state", chosen),
        contacts,
        part("cell", "every recorded state", "Only with a periodic cell."),
        part(
            "midpoints",
            "every body that follows forces, in every recorded step but the start",
            "Only with joints, `correction`, or the integrator `projected`.",
        ),
        part(
            "joints",
            "every row of every joint in every recorded step but the start",
            "Only with joints.",
        ),
        part(
            "end_contacts",
            "every contact that is projected at the end of a recorded step but the start",
            "Only with the integrator `projected`.",
        ),
        TableDoc {
            name: "observables",
            rows: "every step, the start first",
            there: "Written when the run has ended; left out where `[record]` has `tables` without it.",
            columns: always(observables),
        },
        TableDoc {
            name: "profiles",
            rows: "every slice of every quantity of every `[[profile]]`",
            there: "Written when the run has ended, if the scene has any.",
            columns: always(profile_columns()),
        },
        TableDoc {
            name: "distributions",
            rows: "every bin of every `[[distribution]]`",
            there: "Written when the run has ended, if the scene has any.",
            columns: always(distribution_columns()),
        },
    ]
}

fn mechanisms() -> Vec<TableDoc> {
    let layout = MechanismLayout::example();
    let chosen = "Left out where `[record]` has `tables` without it.";
    let part = |name: &'static str, rows: &'static str, there: &'static str| TableDoc {
        name,
        rows,
        there,
        columns: always(layout.columns(name)),
    };
    let mut steps = part("steps", "every recorded step", "Always there.");
    let path = path_columns()
        .into_iter()
        .map(|column| (column, "sweeping processes"));
    steps.columns.extend(path);
    vec![
        steps,
        part(
            "coordinates",
            "every recorded step, row 0 the start; a column for every position and every velocity, by \
             name",
            chosen,
        ),
        part(
            "contacts",
            "every constraint that took part in a recorded step; constraints of more than six rows go \
             on with `row7`, …",
            chosen,
        ),
        part(
            "events",
            "every event, whether its step is recorded or not",
            chosen,
        ),
    ]
}

impl MechanismLayout {
    /// The layout of a mechanism with one position and one velocity.
    fn example() -> Self {
        Self::plain(
            vec!["POSITION".into()],
            vec!["VELOCITY".into()],
            RecordSelection::default(),
        )
    }
}
