//! `percuss verify` tested by mutation: every column of every table of runs of different kinds is altered in
//! single rows, the checksums are made good, and each alteration is found unless the command itself says that
//! the column is not checked.
//!
//! The runs of [`RUNS`] take a minute. `PERCUSS_MUTATIONS=all` adds [`MORE`] and alters more rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use percuss_record::{ColumnValues, Manifest, Record, Table, TableWriter};
use percuss_verify::{Report, RowRange, UncheckedColumn, VerifyOptions, verify};

use crate::common::alter::begin;
use crate::common::folder;
use crate::verify::{HINGES, SHEAR};

/// A scene, how it is set, and its text where it is not built in.
type Run = (&'static str, &'static [&'static str], Option<&'static str>);

/// Runs of different kinds.
const RUNS: [Run; 13] = [
    ("ladder-detach", &["until=0.03"], None),
    (
        "pendulum",
        &["integrator=theta", "theta=0.6", "until=0.2"],
        None,
    ),
    ("ladder-detach", &["integrator=paoli", "until=0.03"], None),
    ("ladder-detach", &["integrator=event", "until=0.1"], None),
    (
        "rolling-disc",
        &["integrator=projected", "until=0.02"],
        None,
    ),
    ("newtons-cradle", &["until=0.1", "record.every=5"], None),
    ("three-discs", &["until=0.02"], None),
    ("rolling-resistance", &["until=0.02"], None),
    ("hinges.toml", &["until=0.02"], Some(HINGES)),
    (
        "three-discs",
        &["until=0.03", "correction=true", "record_every=5"],
        None,
    ),
    ("quake-column", &["until=0.02"], None),
    ("shear.toml", &["until=2"], Some(SHEAR)),
    ("sweep-square", &["until=0.3"], None),
];

/// More of them, for a night.
const MORE: [Run; 8] = [
    ("wedge", &["until=0.1"], None),
    ("double-pendulum", &["until=0.05"], None),
    ("newtons-cradle", &["law=poisson", "until=0.1"], None),
    ("arch", &["until=0.02", "record_every=4"], None),
    ("dome", &["until=0.005"], None),
    ("trapdoor", &["until=0.05"], None),
    (
        "hinges.toml",
        &["until=0.05", "record_every=7"],
        Some(HINGES),
    ),
    (
        "wall-perfect",
        &["until=0.02", "correction=true", "record_every=5"],
        None,
    ),
];

/// Whether the larger list is asked for.
fn all() -> bool {
    std::env::var("PERCUSS_MUTATIONS").is_ok_and(|v| v == "all")
}

#[test]
fn every_altered_column_is_found_or_listed_as_not_checked() {
    let more: &[Run] = if all() { &MORE } else { &[] };
    let only = std::env::var("PERCUSS_ONLY").unwrap_or_default();
    let runs: Vec<&Run> = RUNS
        .iter()
        .chain(more)
        .filter(|r| format!("{r:?}").contains(&only))
        .collect();
    let mut missed = Vec::new();
    let (mut made, mut columns) = (0, 0);
    for (scene, set, text) in runs {
        let folder = folder();
        if let Some(text) = text {
            fs::write(folder.path().join(scene), text).expect("written");
        }
        begin(folder.path(), scene, set);
        let directory = folder.path().join("run");
        let untouched = check(&directory);
        assert!(
            untouched.agrees(),
            "{scene} {set:?}: {:?}",
            untouched.offenders
        );
        let listed = Listed::of(&directory, untouched);
        let tables: Vec<String> = Record::open(&directory)
            .expect("a run")
            .manifest()
            .tables
            .iter()
            .map(|t| t.name.clone())
            .collect();
        for table in &tables {
            let (tried, not_found) = alter_table(&directory, table, &listed);
            made += tried.1;
            columns += tried.0;
            missed.extend(
                not_found
                    .into_iter()
                    .map(|what| format!("{scene} {set:?}: {what}")),
            );
        }
        let again = check(&directory);
        assert!(again.agrees(), "{scene} {set:?}: {:?}", again.offenders);
    }
    println!("{made} alterations of {columns} columns");
    assert!(
        missed.is_empty(),
        "{} of {made} not found:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// What the command says that it does not check.
struct Listed {
    unread: Vec<UncheckedColumn>,
    /// Steps whose state is recorded.
    states: BTreeSet<i64>,
}

impl Listed {
    fn of(directory: &Path, report: Report) -> Self {
        let record = Record::open(directory).expect("a run");
        let table = ["bodies", "coordinates"]
            .into_iter()
            .find_map(|t| record.table(t, None).ok());
        let table = table.expect("states");
        Self {
            unread: report.unread,
            states: (0..table.rows)
                .filter_map(|row| step_of(&table, row))
                .collect(),
        }
    }

    /// Whether an entry is one of those.
    fn has(&self, table: &str, column: &str, step: Option<i64>) -> bool {
        let of_row = |rows: RowRange| match rows {
            RowRange::All => true,
            RowRange::Unrecorded => step.is_some_and(|step| !self.states.contains(&step)),
            RowRange::First => step.is_some() && step == self.states.first().copied(),
        };
        let mut all = self
            .unread
            .iter()
            .filter(|u| u.table == table && u.column == column);
        all.any(|u| of_row(u.rows))
    }
}

fn step_of(table: &Table, row: usize) -> Option<i64> {
    table.column("step").map(|steps| steps.number(row) as i64)
}

fn check(directory: &Path) -> Report {
    let record = Record::open(directory).expect("a run");
    let mut quiet = |_: f64| {};
    verify(&record, &mut VerifyOptions::all(&mut quiet)).expect("it can be verified")
}

/// Alters every column of a table in some rows; columns and alterations, and what was not found.
fn alter_table(directory: &Path, name: &str, listed: &Listed) -> ((usize, usize), Vec<String>) {
    let record = Record::open(directory).expect("a run");
    let whole = record.table(name, None).expect("the table");
    let manifest = record.manifest().clone();
    let files: Vec<_> = record
        .chunks(name)
        .expect("its chunks")
        .iter()
        .map(|c| c.path().to_path_buf())
        .collect();
    assert!(files.len() <= 1, "these runs are short");
    let saved: Vec<Vec<u8>> = files.iter().map(|f| fs::read(f).expect("read")).collect();
    let (mut made, mut columns, mut missed) = (0, 0, Vec::new());
    if whole.rows == 0 {
        return ((0, 0), missed);
    }
    for (place, column) in whole.columns.iter().enumerate() {
        columns += 1;
        for row in rows(&whole) {
            if listed.has(name, &column.name, step_of(&whole, row)) {
                continue;
            }
            for kind in 0..2 {
                let mut table = whole.clone();
                let Some(what) = alter(&mut table.values[place], row, kind) else {
                    continue;
                };
                write(directory, &manifest, name, table);
                made += 1;
                // What cannot even be read is found, too.
                let found =
                    std::panic::catch_unwind(|| check(directory)).map_or(true, |r| !r.agrees());
                if !found {
                    missed.push(format!(
                        "{name}.{} row {row} of {}: {what}",
                        column.name, whole.rows
                    ));
                }
            }
        }
    }
    for (file, bytes) in files.iter().zip(saved) {
        fs::write(file, bytes).expect("written");
    }
    manifest.write(directory).expect("the manifest is written");
    ((columns, made), missed)
}

/// The rows that are altered: first, last and one between; more of them in the larger list.
fn rows(table: &Table) -> Vec<usize> {
    let n = table.rows;
    let shares: &[usize] = if all() {
        &[0, 1, 3, 5, 6, 8, 10]
    } else {
        &[0, 6, 10]
    };
    let mut rows: Vec<usize> = shares.iter().map(|s| (n - 1) * s / 10).collect();
    rows.dedup();
    rows
}

/// Alters one entry, well above rounding: up or down by a thousandth of the largest of its column; what it
/// was altered to.
fn alter(values: &mut ColumnValues, row: usize, kind: usize) -> Option<String> {
    let largest = |all: &mut dyn Iterator<Item = f64>| {
        let most = all.fold(0.0, |m: f64, x| m.max(x.abs()));
        // Of a column of rounding errors, or of zeros, a thousandth of 1.
        if most < 1e-6 { 1.0 } else { most }
    };
    let changed = |x: f64, most: f64| match kind {
        0 => x + 1e-3 * most,
        _ => x - 1e-3 * most,
    };
    match values {
        ColumnValues::Integer(all) => {
            let was = all[row];
            all[row] += if kind == 0 { 1 } else { -1 };
            Some(format!("{was} to {}", all[row]))
        }
        ColumnValues::Real(all) => {
            let most = largest(&mut all.iter().copied());
            let was = all[row];
            all[row] = changed(was, most);
            Some(format!("{was:e} to {:e}", all[row]))
        }
        ColumnValues::Optional(all) => {
            let most = largest(&mut all.iter().flatten().copied());
            let was = all[row];
            all[row] = match (was, kind) {
                (Some(x), 0) => Some(changed(x, most)),
                (Some(_), _) => None,
                (None, 0) => Some(1e-3 * most),
                (None, _) => return None,
            };
            Some(format!("{was:?} to {:?}", all[row]))
        }
        ColumnValues::Truth(all) if kind == 0 => {
            all[row] = !all[row];
            Some(format!("to {}", all[row]))
        }
        ColumnValues::Text(all) => {
            let was = all[row].clone();
            let other = match kind {
                0 => all.iter().find(|t| **t != was).cloned()?,
                _ => "another".into(),
            };
            all[row] = other;
            Some(format!("{was} to {}", all[row]))
        }
        _ => None,
    }
}

/// Writes a table with its checksum.
fn write(directory: &Path, manifest: &Manifest, name: &str, table: Table) {
    let mut writer = TableWriter::new(name, table.columns.clone());
    for (to, from) in writer.values().iter_mut().zip(table.values) {
        *to = from;
    }
    writer.close(directory).expect("the chunk is written");
    let mut manifest = manifest.clone();
    let entry = manifest.tables.iter_mut().find(|t| t.name == name);
    *entry.expect("the entry") = writer.entry(true);
    manifest.write(directory).expect("the manifest is written");
}
