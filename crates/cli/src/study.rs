//! `percuss study`: runs a scene over a grid or a sample of parameters; one table of results.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use percuss_record::{CellValue, Column, ColumnValues, OutputDirectory, Record, Table};
use percuss_run::study::{OBSERVED, Planned, REPEATED, VARIED};
use percuss_run::{Shard, StudyDirectory, StudyFile, StudyProgress};
use serde_json::{Value, json};

use crate::args::ManyRunsArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::log;
use crate::numbers::format_short;
use crate::output;
use crate::progress::Progress;
use crate::study_summary::{StudySummary, listed};
use crate::text_table;

/// Maximal number of runs printed; the table has all.
const SHOWN: usize = 40;

/// Maximal width of a cell in the text table.
const WIDEST: usize = 28;

/// Run a scene over a grid or a sample of parameters
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss study steps.toml --plan                        list the runs, make none\n  \
    percuss study steps.toml -o runs/steps --threads 4     killed or not: again, and it goes on\n  \
    percuss study steps.toml -o runs/steps --shard 3/16    one share of a job array\n  \
    percuss study steps.toml -o runs/steps --gather        put the shares together\n  \
    percuss study steps.toml --json | jq .outcomes\n\n\
    The file has kind = \"study\", the scene, what is varied and what is observed. The findings of\n\
    the scene that need no further runs become columns, too. A run is on disk the moment it has\n\
    ended; the table is the same for any number of threads, shares and interruptions. A run that\n\
    cannot go on is a row that says so.\n\
    Exit status: 0 all runs made; 1 some failed, missed their tolerance or (--gather) are not there\n\
    yet; 2 the study or its scene is not right, or the directory is of another study or in use;\n\
    3 the directory cannot be written.")]
pub struct StudyArgs {
    /// A study file
    #[arg(value_name = "STUDY")]
    study: String,

    /// Directory of the study: new, empty, or of this very study to go on with [default: the next
    /// free runs/NAME-N]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Make only the runs of share I of N, for job arrays; several machines may share DIR
    #[arg(long, value_name = "I/N", requires = "output")]
    shard: Option<Shard>,

    /// Make no run; write the table of those that all shares have made
    #[arg(long, requires = "output", conflicts_with = "shard")]
    gather: bool,

    /// List the runs with their values, make none, write nothing
    #[arg(long, alias = "dry-run", conflicts_with_all = ["gather", "output"])]
    plan: bool,

    #[command(flatten)]
    pub(crate) common: ManyRunsArgs,
}

/// Runs the command.
pub fn run(args: &StudyArgs) -> Result<CommandStatus, CommandError> {
    let study = StudyFile::load(&args.study)?.with(args.common.set.pairs())?;
    console::warnings(study.warnings());
    // List the runs, or gather those of all shards.
    if args.plan {
        return plan(args, &study);
    }
    if args.gather {
        let directory = args.output.clone().unwrap_or_default();
        return gather(args, &StudyDirectory::open_existing(&study, &directory)?);
    }
    // Otherwise make the missing runs.
    let place = OutputDirectory::new(args.output.as_deref(), study.name());
    let threads = args.common.threads.get().get();
    log::open(
        &args.common.log,
        &format!("study {}", study.name()),
        threads,
    )?;
    interrupt::install_handler()?;
    let campaign = StudyDirectory::open(&study, &place)?;
    let told = {
        let words = format!(
            "interrupted; the runs that have ended are in {}: the same command with that -o makes the rest",
            campaign.directory().display()
        );
        let _at_once = interrupt::exit_at_once(words);
        follow(args, &campaign)?
    };
    match args.shard {
        None => gather(args, &campaign),
        Some(shard) => share(args, &campaign, shard, &told),
    }
}

/// Makes the runs that are missing.
fn follow(args: &StudyArgs, campaign: &StudyDirectory<'_>) -> Result<StudyProgress, CommandError> {
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let progress = Progress::of_shares(args.common.quiet);
    progress.at("running");
    let begun = Instant::now();
    // Runs in parallel, with progress.
    let told = campaign.run(shard, args.common.threads.get(), &mut |told| {
        let done = told.done as f64 / told.all.max(1) as f64;
        progress.share(done, || words(told, begun.elapsed().as_secs_f64()));
        true
    })?;
    drop(progress);
    if !(args.common.quiet || args.common.json) {
        let seconds = begun.elapsed().as_secs_f64();
        console::message(&made(&told, seconds));
    }
    Ok(told)
}

/// Progress as text.
fn words(told: &StudyProgress, elapsed: f64) -> String {
    let left = (told.all - told.done) as f64 * elapsed / told.made.max(1) as f64;
    let failed = match told.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let (done, all) = (told.done, told.all);
    format!(
        "{done} of {all} runs{failed}, {} left",
        text_table::time(left)
    )
}

fn made(told: &StudyProgress, seconds: f64) -> String {
    let earlier = match told.done - told.made {
        0 => String::new(),
        n => format!(" ({n} were there already)"),
    };
    let noun = if told.made == 1 { "run" } else { "runs" };
    format!(
        "{} {noun} made in {}{earlier}",
        told.made,
        text_table::time(seconds)
    )
}

/// Summary of a shard.
fn share(
    args: &StudyArgs,
    campaign: &StudyDirectory<'_>,
    shard: Shard,
    told: &StudyProgress,
) -> Result<CommandStatus, CommandError> {
    let directory = campaign.directory().display().to_string();
    if args.common.json {
        output::print_json(&json!({
            "directory": directory, "shard": shard.index(), "of": shard.of(),
            "runs": told.all, "made": told.made, "failed": told.failed,
        }))?;
    } else {
        let (all, failed) = (told.all, told.failed);
        output::print(&format!(
            "share {shard}: {all} runs are there, {failed} of those made now failed; put all shares \
             together with `percuss study {} -o {directory} --gather`\n",
            args.study
        ))?;
    }
    // A failed run fails the shard.
    Ok(match told.failed {
        0 => CommandStatus::Success,
        _ => CommandStatus::NotMet,
    })
}

/// Writes the table of all runs and prints it.
fn gather(args: &StudyArgs, campaign: &StudyDirectory<'_>) -> Result<CommandStatus, CommandError> {
    campaign.write_table()?;
    let record = Record::open(campaign.directory())?;
    let mut verdict = show(&record, args.common.json, args.common.quiet)?;
    // Missing runs, and the shards that would make them.
    let missing = campaign.missing()?;
    if !missing.is_empty() {
        let shards = campaign.missing_shards(&missing)?;
        let numbers: Vec<usize> = missing.iter().map(|run| run + 1).collect();
        let shards: Vec<String> = shards.iter().map(ToString::to_string).collect();
        let shards = match shards.as_slice() {
            [one] if one == "1/1" => String::new(),
            shards => format!("; make the shares {}", shards.join(", ")),
        };
        console::message(&format!(
            "{}: {} of {} runs are missing: {}{shards}",
            campaign.directory().display(),
            missing.len(),
            campaign.runs(),
            listed(&numbers)
        ));
        verdict = CommandStatus::NotMet;
    }
    Ok(verdict)
}

/// Lists the runs without making them.
fn plan(args: &StudyArgs, study: &StudyFile) -> Result<CommandStatus, CommandError> {
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let (keys, rows) = StudyDirectory::plan(study, shard)?;
    // JSON object.
    if args.common.json {
        let object = |(run, values): &Planned| {
            let settings = keys.iter().zip(values).map(|(k, v)| (k.clone(), json!(v)));
            let number = ("run".to_string(), json!(run + 1));
            Value::Object(std::iter::once(number).chain(settings).collect())
        };
        let rows: Vec<Value> = rows.iter().map(object).collect();
        output::print_json(&json!({ "study": study.name(), "runs": rows }))?;
        return Ok(CommandStatus::Success);
    }
    // Text table: run numbers and varied values.
    let number = |(run, _): &Planned| (run + 1).to_string();
    let mut columns = vec![column_texts("run", rows.iter().map(number))];
    for (k, key) in keys.iter().enumerate() {
        let texts = rows.iter().map(|(_, values)| match values.get(k) {
            Some(percuss_run::Value::Number(x)) => format_short(*x),
            Some(other) => other.to_string(),
            None => String::new(),
        });
        columns.push(column_texts(key, texts));
    }
    let count = rows.len();
    let line = format!(
        "\n{}: {count} runs of `{}`\n",
        study.name(),
        study.scene().name()
    );
    output::print(&(columns_text(&columns) + &line))?;
    Ok(CommandStatus::Success)
}

/// Prints the summary of a recorded study; the status tells whether all its runs succeeded.
pub fn show(record: &Record, json: bool, quiet: bool) -> Result<CommandStatus, CommandError> {
    let table = record.table("runs", None)?;
    let manifest = record.manifest();
    let digest = StudySummary::of(&table);
    let directory = record.directory().display().to_string();
    let verdict = match digest.num_failed() {
        0 => CommandStatus::Success,
        _ => CommandStatus::NotMet,
    };
    // JSON object.
    if json {
        let rows = (0..table.rows).map(|row| {
            let cells = table.columns.iter().zip(&table.values);
            let cells = cells.map(|(c, v)| (c.name.clone(), value(v.cell(row))));
            Value::Object(cells.collect())
        });
        output::print_json(&json!({
            "study": manifest.scene,
            "title": manifest.title,
            "directory": directory,
            "status": manifest.status.name(),
            "reason": manifest.reason,
            "runs": table.rows,
            "stopped": digest.stopped(),
            "missed": digest.missed(),
            "figures": digest.json(),
            "outcomes": manifest.settings["outcomes"],
            "rows": rows.collect::<Vec<_>>(),
        }))?;
        return Ok(verdict);
    }
    // Closing line.
    let missed = match digest.missed() {
        0 => String::new(),
        n => format!(", {n} missed their tolerance"),
    };
    let partial = match &manifest.reason {
        None => String::new(),
        Some(reason) => format!(" ({reason})"),
    };
    let line = format!(
        "{}: {} runs{partial}, {} stopped before their end{missed}; table in {directory}\n",
        manifest.scene,
        table.rows,
        digest.stopped()
    );
    if quiet {
        output::print(&line)?;
        return Ok(verdict);
    }
    // Rows, statistics, outcomes, failures.
    let mut text = format!("{}\n\n", manifest.title);
    text += &rows_text(&table);
    text += &digest.text();
    text += &outcomes_text(&manifest.settings);
    let scene = manifest.settings["scene"].as_str().unwrap_or("SCENE");
    text += &digest.failures(&table, scene);
    output::print(&(text + "\n" + &line))?;
    Ok(verdict)
}

fn value(cell: CellValue<'_>) -> Value {
    match cell {
        CellValue::Integer(x) => x.into(),
        CellValue::Real(x) => x.into(),
        CellValue::Truth(x) => x.into(),
        CellValue::Text(x) => x.into(),
        CellValue::Null => Value::Null,
    }
}

/// The first runs: varied values and findings, and outcomes where one failed.
fn rows_text(table: &Table) -> String {
    let cell = |cell: CellValue<'_>| match cell {
        CellValue::Real(x) => format_short(x),
        CellValue::Text(x) if x.chars().count() > WIDEST => {
            x.chars().take(WIDEST - 1).chain(['…']).collect()
        }
        CellValue::Text(x) => x.into(),
        CellValue::Null => "-".into(),
        other => value(other).to_string(),
    };
    let says = |values: &ColumnValues, nothing: &str| {
        (0..table.rows).any(|row| values.cell(row) != CellValue::Text(nothing))
    };
    // Columns shown: varied and observed values; outcome columns only where a run failed.
    let shown = |(column, values): &(&Column, &ColumnValues)| match column.name.as_str() {
        "run" => true,
        "end" => says(values, "finished"),
        "stopped" => says(values, ""),
        _ => [VARIED, REPEATED, OBSERVED].contains(&column.meaning.as_str()),
    };
    let columns = table.columns.iter().zip(&table.values).filter(shown);
    let count = table.rows.min(SHOWN);
    let texts: Vec<Vec<String>> = columns
        .map(|(c, v)| column_texts(&c.name, (0..count).map(|row| cell(v.cell(row)))))
        .collect();
    let mut text = columns_text(&texts);
    if table.rows > count {
        let _ = writeln!(text, "… {} more", table.rows - count);
    }
    text
}

/// A heading and the cells below it.
fn column_texts(heading: &str, below: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(heading.to_string()).chain(below).collect()
}

/// Columns side by side, each as wide as its widest cell.
fn columns_text(columns: &[Vec<String>]) -> String {
    let width = |column: &Vec<String>| column.iter().map(|c| c.chars().count()).max();
    let widths: Vec<usize> = columns.iter().map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    // Cells padded to the width of their column.
    for row in 0..columns.first().map_or(0, Vec::len) {
        let cells = columns
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{:<w$}", c[row]));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
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
            .map(|x| x.as_f64().map_or("?".into(), format_short))
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
