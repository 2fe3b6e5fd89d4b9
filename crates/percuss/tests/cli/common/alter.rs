//! Records of runs, altered one figure at a time.

use std::path::Path;

use percuss_record::{ColumnValues, Manifest, Record, Table, TableWriter};
use serde_json::Value;

use super::{CommandOutput, folder, percuss};

/// Runs the beginning of a built-in scene into `run`.
pub fn begin(folder: &Path, scene: &str, set: &[&str]) {
    let mut args = vec!["run", scene, "-o", "run", "--no-findings", "--quiet"];
    set.iter().for_each(|one| args.extend(["--set", one]));
    let ran = percuss(folder, &args);
    assert!(ran.status == 0 || ran.status == 1, "{}", ran.err);
}

pub fn verify(folder: &Path, more: &[&str]) -> CommandOutput {
    let mut args = vec!["verify", "run", "--json", "--quiet"];
    args.extend(more);
    percuss(folder, &args)
}

/// Writes a table anew, with its checksum in the manifest: only the mechanics can tell.
pub fn rewrite(folder: &Path, table: &str, change: impl FnOnce(&mut Table)) {
    let directory = folder.join("run");
    let record = Record::open(&directory).expect("a run");
    let mut all = record.table(table, None).expect("the table");
    let chunks = record.chunks(table).expect("its chunks").len();
    assert_eq!(chunks, 1, "these runs are short");
    change(&mut all);
    let mut writer = TableWriter::new(table, all.columns.clone());
    for (to, from) in writer.values().iter_mut().zip(all.values) {
        *to = from;
    }
    writer.close(&directory).expect("the chunk is written");
    let mut manifest: Manifest = record.manifest().clone();
    let entry = manifest.tables.iter_mut().find(|t| t.name == table);
    *entry.expect("the entry") = writer.entry(true);
    manifest.write(&directory).expect("the manifest is written");
}

/// The entry of a column, to be altered.
pub fn entry<'a>(table: &'a mut Table, column: &str, row: usize) -> &'a mut f64 {
    let place = table.columns.iter().position(|c| c.name == column);
    match &mut table.values[place.expect("the column")] {
        ColumnValues::Real(all) => &mut all[row],
        ColumnValues::Optional(all) => all[row].as_mut().expect("a number"),
        _ => panic!("`{column}` has no numbers"),
    }
}

/// The row whose value is the `rank`-th largest of those that are not negligible: within `share` of the
/// largest of all.
pub fn chosen(table: &Table, column: &str, share: f64, rank: f64) -> usize {
    let all = table.numbers(column);
    let largest = all.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut rows: Vec<usize> = (0..all.len())
        .filter(|row| all[*row].abs() > share * largest)
        .collect();
    assert!(!rows.is_empty(), "`{column}` is 0 everywhere");
    rows.sort_by(|a, b| all[*b].abs().total_cmp(&all[*a].abs()));
    rows[((rows.len() - 1) as f64 * rank) as usize]
}

/// The name of a body in a row.
pub fn name_in(folder: &Path, table: &Table, column: &str, row: usize) -> String {
    let directory = folder.join("run");
    let record = Record::open(&directory).expect("a run");
    match table.column(column) {
        Some(ColumnValues::Text(all)) => all[row].to_string(),
        Some(values) => {
            let names = percuss_record::read_body_descriptions(&record).expect("names");
            names[values.number(row) as usize].name.to_string()
        }
        None => panic!("no column `{column}`"),
    }
}

/// Alters one figure by a millionth and expects it to be found: at its step, and by its name.
pub fn altered_is_found(
    folder: &Path,
    (table, column, names): (&str, &str, &[&str]),
    (share, rank): (f64, f64),
) {
    let (mut step, mut found, mut old) = (0, Vec::new(), 0.0);
    rewrite(folder, table, |all| {
        let row = chosen(all, column, share, rank);
        step = all.column("step").map_or(0, |s| s.number(row) as i64);
        found = names
            .iter()
            .map(|name| name_in(folder, all, name, row))
            .collect();
        let value = entry(all, column, row);
        old = *value;
        *value *= 1.0 + 1e-6;
    });
    let ran = verify(folder, &[]);
    let what = format!("{table}.{column} = {old:e} of {found:?} at step {step}");
    assert_eq!(ran.status, 1, "{what} was not found: {}", ran.err);
    let report = ran.json();
    let offenders = report["offenders"].as_array().expect("a list");
    let named = |offender: &&Value| {
        let text = offender["what"].as_str().unwrap_or("");
        let near = offender["step"] == step || offender["step"] == step + 1;
        near && (found.is_empty() || found.iter().any(|name| text.contains(&**name)))
    };
    assert!(
        offenders.iter().any(|o| named(&o)),
        "{what} is not named: {offenders:?}"
    );
    // Back to what it was: the next alteration is again the only one.
    rewrite(folder, table, |all| {
        let values = all.numbers(column);
        let row = (0..all.rows).find(|row| values[*row] == old * (1.0 + 1e-6));
        *entry(all, column, row.expect("the altered row")) = old;
    });
}

/// Alters figures of a run one after the other; what was not altered agrees before and after.
pub fn altered_are_found(scene: &str, set: &[&str], what: &[(&str, &str, &[&str])]) {
    // Down to a thousandth of the largest.
    all_altered_are_found(scene, set, what, 1e-3);
}

pub fn all_altered_are_found(
    scene: &str,
    set: &[&str],
    what: &[(&str, &str, &[&str])],
    share: f64,
) {
    found_in(folder().path(), scene, set, what, share);
}

pub fn found_in(
    folder: &Path,
    scene: &str,
    set: &[&str],
    what: &[(&str, &str, &[&str])],
    share: f64,
) {
    begin(folder, scene, set);
    let untouched = verify(folder, &[]);
    assert_eq!(untouched.status, 0, "{scene}: {}", untouched.out);
    for figure in what {
        for rank in [0.0, 0.37, 0.61, 1.0] {
            altered_is_found(folder, *figure, (share, rank));
        }
    }
    let again = verify(folder, &[]);
    assert_eq!(again.status, 0, "{scene}: {}", again.out);
}
