//! Problem files: the methods of percuss against each other, and against Siconos where it is installed.
//!
//! Every method runs in a child process with a time limit, from zero impulses, to 1e-8 in the residual R1 of
//! the problem collection, recomputed here from W r + q for both. The time is CPU time of the solve alone;
//! short solves are repeated and the minimum counts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::attempt::{Solved, TOLERANCE, bytes, own, peer, python, read};
use crate::clock::Progress;
use crate::engine::words;
use crate::options::Options;
use crate::ratio::{Bound, Ratio};
use crate::report::{Part, Table, aim, short};

/// Methods of Siconos, those that are fast on most files first.
const PEERS: [&str; 5] = ["NSN_AC", "ADMM", "NSGS:full", "PROX", "NSGS"];

/// The fastest method that reached the tolerance, with its time.
fn fastest(found: &[(&'static str, Option<Solved>)]) -> Option<(&'static str, f64)> {
    let reached = found
        .iter()
        .filter_map(|(name, s)| s.filter(Solved::reached).map(|s| (*name, s.seconds)));
    reached.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The problem files of the repository, those of a larger collection beside it if there is one, and those of a
/// given directory.
fn files(more: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let mut places = vec![
        crate::root().join("data/fclib"),
        crate::root().join("../shared/fclib"),
    ];
    if let Some(more) = more {
        std::fs::read_dir(more).map_err(|e| format!("{}: {e}", more.display()))?;
        places.push(more.to_path_buf());
    }
    // Each file name once, small files first.
    let mut found: Vec<PathBuf> = Vec::new();
    for place in &places {
        let Ok(entries) = std::fs::read_dir(place) else {
            continue;
        };
        for entry in entries {
            let path = entry.map_err(words)?.path();
            let known = found.iter().any(|p| p.file_name() == path.file_name());
            if path.extension().is_some_and(|e| e == "hdf5") && !known {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err("no problem files in data/fclib".into());
    }
    found.sort_by_key(|path| std::fs::metadata(path).map_or(0, |m| m.len()));
    Ok(found)
}

/// Results of all methods on one file.
struct Row {
    name: String,
    contacts: usize,
    own: Vec<(&'static str, Option<Solved>)>,
    peer: Vec<(&'static str, Option<Solved>)>,
}

fn row(path: &Path, python: Option<&Path>, scratch: &Path, limit: Duration) -> Result<Row, String> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_string();
    let problem = read(path)?;
    let mut progress = Progress::new(&name, percuss_solve::NAMES.len() + PEERS.len());
    let mut all = Row {
        name,
        contacts: problem.num_contacts(),
        own: Vec::new(),
        peer: Vec::new(),
    };
    // Time limit relative to the best so far, with a margin for a busy machine: a slower method is not the
    // best.
    let room = |found: &[(&'static str, Option<Solved>)]| {
        let best = fastest(found).map_or(limit.as_secs_f64(), |b| 2.0 * b.1 + 2.0);
        Duration::from_secs_f64(best).min(limit)
    };
    for method in percuss_solve::NAMES {
        // The default method gets the full limit: whether it solves every file is the question.
        let limit = if method == "auto" {
            10 * limit
        } else {
            room(&all.own)
        };
        all.own.push((method, own(path, method, limit)?));
        progress.at(all.own.len());
    }
    let Some(python) = python else {
        return Ok(all);
    };
    let Some(bytes) = bytes(&problem) else {
        return Ok(all);
    };
    std::fs::write(scratch.join("problem"), bytes).map_err(words)?;
    for method in PEERS {
        all.peer.push((
            method,
            peer(python, &problem, method, scratch, room(&all.peer))?,
        ));
        progress.at(all.own.len() + all.peer.len());
    }
    Ok(all)
}

/// Time in seconds, or how it failed.
fn shown(solved: Option<Solved>) -> String {
    match solved {
        Some(s) if s.reached() => short(s.seconds),
        Some(s) => format!("– ({:.0e})", s.error),
        None => "– (limit)".into(),
    }
}

fn best(found: &[(&'static str, Option<Solved>)]) -> String {
    fastest(found).map_or("–".into(), |(name, s)| format!("{name}, {}", short(s)))
}

fn figures(row: &Row) -> Value {
    let side = |found: &[(&'static str, Option<Solved>)]| -> Value {
        let one = |(name, s): &(&'static str, Option<Solved>)| json!({ "method": name, "seconds": s.map(|s| s.seconds), "error": s.map(|s| s.error) });
        found.iter().map(one).collect()
    };
    json!({ "file": row.name, "contacts": row.contacts, "percuss": side(&row.own), "siconos": side(&row.peer) })
}

/// The result of the default method on a file.
fn default(row: &Row) -> Option<Solved> {
    let auto = row.own.iter().find(|(name, _)| *name == "auto");
    auto.and_then(|(_, solved)| *solved)
}

/// Times of the default method and of the best method of Siconos on a file that both solve.
fn sides(row: &Row) -> Option<[f64; 2]> {
    let own = default(row).filter(Solved::reached)?;
    Some([own.seconds, fastest(&row.peer)?.1])
}

/// Ratios of the default method to the best of Siconos, file by file and in total.
fn ratios(rows: &[Row]) -> Vec<Ratio> {
    const PEER: &str = "best method of Siconos";
    let of = |name: &str, [own, peer]: [f64; 2]| {
        Ratio::new(&format!("files.{name}"), "s", own, (PEER, peer))
    };
    let mut total = [0.0; 2];
    let mut all = Vec::new();
    // Files that both solve, and their sum.
    for row in rows {
        if let Some(sides) = sides(row) {
            total = [total[0] + sides[0], total[1] + sides[1]];
            all.push(of(&row.name, sides));
        }
    }
    if !all.is_empty() {
        all.push(of("all", total).aim(Bound::AtMost(0.1)));
    }
    all
}

/// Number of files solved, and sums over those that some method of Siconos solves.
fn summary(rows: &[Row], python: bool) -> String {
    let solved = rows
        .iter()
        .filter(|r| default(r).is_some_and(|s| s.reached()))
        .count();
    let mut text = format!(
        "The default solves {solved} of {} files to {TOLERANCE:e}.",
        rows.len()
    );
    if !python {
        return text
            + " Siconos is not installed here (python3-siconos and scipy): no second column.";
    }
    // Sums over the files that both solve.
    let (mut own, mut peer, mut both) = (0.0, 0.0, 0);
    for row in rows {
        if let Some(sides) = sides(row) {
            own += sides[0];
            peer += sides[1];
            both += 1;
        }
    }
    let some = rows.iter().filter(|r| fastest(&r.peer).is_some()).count();
    text += &format!(
        " Some method of Siconos solves {some}. Over the {both} that both solve, the best of its five methods file by file takes {} s, the default of percuss {} s: a ratio of {}.",
        short(peer),
        short(own),
        short(peer / own)
    );
    text += &format!(" {}", aim("every file", solved == rows.len()));
    text += &format!(
        " {}",
        aim("a tenth of the time of Siconos", peer >= 10.0 * own)
    );
    text
}

/// All files.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("files");
    let python = python();
    let scratch = std::env::temp_dir().join(format!("percuss-bench-files-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(words)?;
    let limit = Duration::from_secs(if options.quick { 3 } else { options.limit });
    let mut paths = files(options.files.as_deref())?;
    if options.quick {
        paths.truncate(8);
    }
    let mut table = Table::new(&[
        "file",
        "contacts",
        "default, s",
        "best of percuss, s",
        "best of Siconos, s",
        "methods of Siconos that solve it",
    ]);
    let mut each = vec!["file"];
    each.extend(percuss_solve::NAMES);
    let mut each = Table::new(&each);
    let mut rows = Vec::new();
    let mut progress = Progress::new("problem files", paths.len());
    // All methods on each file.
    for (done, path) in paths.iter().enumerate() {
        let row = row(path, python.as_deref(), &scratch, limit)?;
        let solved = row
            .peer
            .iter()
            .filter(|(_, s)| s.is_some_and(|s| s.reached()));
        let solved: Vec<&str> = solved.map(|(name, _)| *name).collect();
        table.row([
            row.name.clone(),
            row.contacts.to_string(),
            shown(row.own[0].1),
            best(&row.own),
            best(&row.peer),
            solved.join(", "),
        ]);
        each.row(std::iter::once(row.name.clone()).chain(row.own.iter().map(|(_, s)| shown(*s))));
        rows.push(row);
        progress.at(done + 1);
    }
    drop(progress);
    // A temporary directory that remains does no harm.
    let _ = std::fs::remove_dir_all(&scratch);
    // Summary, tables and ratios.
    part.say(summary(&rows, python.is_some()));
    part.table(&table);
    part.say("All methods of percuss, s; a method is ended when it takes twice as long as the best before it:");
    part.table(&each);
    part.figures = rows.iter().map(figures).collect();
    part.ratios = ratios(&rows);
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_is_one_that_reached_the_error() {
        let solved = |seconds, error| Some(Solved { seconds, error });
        let found = [
            ("a", solved(1.0, 1e-3)),
            ("b", None),
            ("c", solved(3.0, 1e-9)),
            ("d", solved(2.0, 1e-8)),
        ];
        assert_eq!(fastest(&found), Some(("d", 2.0)));
        assert_eq!(fastest(&found[..2]), None);
        assert_eq!(
            found.map(|(_, s)| shown(s)),
            ["– (1e-3)", "– (limit)", "3.00", "2.00"]
        );
    }
}
