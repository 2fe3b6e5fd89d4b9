//! `percuss study`: a scene over a grid or a sample of parameters, one table.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use scene::record::{Cell, Place, Record, write_study};
use scene::{StudyFile, StudyResult};
use serde_json::{Value, json};

use crate::interrupt;
use crate::log::LogArgs;
use crate::output::{self, Stop, Verdict};
use crate::progress::Progress;
use crate::run::{SetArgs, ThreadArgs};
use crate::summary::short;

/// Runs printed at most; the rest is in the table.
const SHOWN: usize = 40;

/// Widest cell of the table for people.
const WIDEST: usize = 28;

/// Run a scene over a grid or a sample of parameters
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss study steps.toml\n  \
    percuss study steps.toml -o runs/steps --threads 4\n  \
    percuss study steps.toml --json | jq .outcomes\n\n\
    The file has kind = \"study\", the scene, what is varied and what is observed. The findings of\n\
    the scene that need no further runs become columns, too. The table is the same for any number\n\
    of threads. A run that cannot go on is a row that says so.\n\
    Exit status: 0 all runs made; 2 the study or its scene is not right; 3 the table cannot be\n\
    written.")]
pub struct StudyArgs {
    /// A study file
    #[arg(value_name = "STUDY")]
    study: String,

    /// Directory of the table, new or empty [default: the next free runs/NAME-N]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    set: SetArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    log: LogArgs,

    /// Print one JSON object to standard output instead of the table
    #[arg(long)]
    json: bool,

    /// No progress bar, and one line instead of the table
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &StudyArgs) -> Result<Verdict, Stop> {
    let study = StudyFile::load(&args.study)?.with(args.set.pairs())?;
    let place = Place::new(args.output.as_deref(), study.name());
    place.check()?;
    let threads = args.threads.get().get();
    args.log.open(&format!("study {}", study.name()), threads)?;
    interrupt::listen()?;
    let result = {
        let words = "interrupted; nothing of the study is written: run it again";
        let _at_once = interrupt::at_once(words.into());
        follow(args, &study)?
    };
    let directory = write_study(&place, &study, &result)?;
    show(&Record::open(&directory)?, args.json, args.quiet)?;
    Ok(Verdict::Well)
}

fn follow(args: &StudyArgs, study: &StudyFile) -> Result<StudyResult, Stop> {
    let runs = study.runs()?;
    let progress = Progress::of_shares(args.quiet);
    progress.at("running");
    let result = study.run(args.threads.get(), &mut |done| {
        progress.share(done, || format!("{runs} runs"));
        true
    })?;
    Ok(result)
}

/// The summary of a recorded study.
pub fn show(record: &Record, json: bool, quiet: bool) -> Result<(), Stop> {
    let table = record.table("runs", None)?;
    let manifest = record.manifest();
    let stopped = table.column("stopped").map_or(0, |column| {
        (0..table.rows)
            .filter(|row| column.cell(*row) != Cell::Text(""))
            .count()
    });
    let directory = record.directory().display().to_string();
    if json {
        let rows = (0..table.rows).map(|row| {
            let cells = table.columns.iter().zip(&table.values);
            let cells = cells.map(|(c, v)| (c.name.clone(), value(v.cell(row))));
            Value::Object(cells.collect())
        });
        return output::print_json(&json!({
            "study": manifest.scene,
            "title": manifest.title,
            "directory": directory,
            "status": manifest.status.name(),
            "runs": table.rows,
            "stopped": stopped,
            "outcomes": manifest.settings["outcomes"],
            "rows": rows.collect::<Vec<_>>(),
        }));
    }
    let line = format!(
        "{}: {} runs, {stopped} stopped before their end; table in {directory}\n",
        manifest.scene, table.rows
    );
    if quiet {
        return output::print(&line);
    }
    let mut text = format!("{}\n\n", manifest.title);
    text += &rows_text(&table);
    text += &outcomes_text(&manifest.settings);
    output::print(&(text + "\n" + &line))
}

fn value(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Integer(x) => x.into(),
        Cell::Real(x) => x.into(),
        Cell::Truth(x) => x.into(),
        Cell::Text(x) => x.into(),
        Cell::Null => Value::Null,
    }
}

/// The first runs; a column for what stopped them only where one was.
fn rows_text(table: &scene::record::Table) -> String {
    let cell = |cell: Cell<'_>| match cell {
        Cell::Real(x) => short(x),
        Cell::Text(x) if x.chars().count() > WIDEST => {
            x.chars().take(WIDEST - 1).chain(['…']).collect()
        }
        Cell::Text(x) => x.into(),
        Cell::Null => "-".into(),
        other => value(other).to_string(),
    };
    let any = |column: &scene::record::Values| {
        (0..table.rows).any(|row| column.cell(row) != Cell::Text(""))
    };
    let columns = table.columns.iter().zip(&table.values);
    let columns: Vec<_> = columns.filter(|(_, v)| any(v)).collect();
    let shown = table.rows.min(SHOWN);
    let texts: Vec<Vec<String>> = columns
        .iter()
        .map(|(c, v)| {
            let below = (0..shown).map(|row| cell(v.cell(row)));
            std::iter::once(c.name.clone()).chain(below).collect()
        })
        .collect();
    let widths: Vec<usize> = texts
        .iter()
        .map(|column| column.iter().map(|c| c.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in 0..=shown {
        let cells = texts
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{:<w$}", c[row]));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    if table.rows > shown {
        let _ = writeln!(text, "… {} more", table.rows - shown);
    }
    text
}

fn outcomes_text(settings: &Value) -> String {
    let mut text = String::new();
    if let Some(reason) = settings["outcomes_reason"].as_str() {
        let _ = writeln!(text, "\nno outcomes: {reason}");
    }
    let Some(outcomes) = settings["outcomes"].as_array() else {
        return text;
    };
    let names: Vec<&str> = settings["outcomes_of"]
        .as_array()
        .map_or_else(Vec::new, |n| n.iter().filter_map(Value::as_str).collect());
    let noun = if outcomes.len() == 1 {
        "outcome"
    } else {
        "outcomes"
    };
    let _ = writeln!(text, "\n{} {noun} of {}", outcomes.len(), names.join(", "));
    for outcome in outcomes {
        let share = outcome["share"].as_f64().unwrap_or(0.0);
        let centre = outcome["centre"].as_array().map_or(&[][..], Vec::as_slice);
        let centre: Vec<String> = centre
            .iter()
            .map(|x| x.as_f64().map_or("?".into(), short))
            .collect();
        let runs = outcome["runs"].as_u64().unwrap_or(0);
        let percent = 100.0 * share;
        let _ = writeln!(
            text,
            "  {:<30} {runs:>6} runs  {percent:>5.1} %",
            centre.join(", ")
        );
    }
    text
}
