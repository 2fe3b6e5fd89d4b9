//! `percuss verify`: recomputes recorded quantities independently.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use percuss_record::Record;
use percuss_verify::{Location, MissedSteps, Report, RowRange, VerifyError, VerifyOptions, verify};
use serde_json::json;

use crate::error::{CommandError, CommandStatus};
use crate::numbers::format_short;
use crate::output;
use crate::progress::Progress;

/// Maximal number of offenders printed; the JSON has more.
const SHOWN: usize = 12;

/// Recompute gaps, laws, momentum and energy from the records of a run
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss verify runs/wall-1\n  \
    percuss verify runs/wall-1 --every 10              every tenth recorded step\n  \
    percuss verify runs/wall-1 --steps 1000..2000 --json | jq .offenders\n\n\
    Everything is computed anew from recorded placements, velocities and impulses, by code that\n\
    shares nothing with the solvers. docs/verify.md says what is compared and to what bound.\n\
    Exit status: 0 all agree; 1 something disagrees (it is listed), or steps missed their tolerance;\n\
    2 this is no run, or nothing in it can be verified; 3 it cannot be read.")]
pub struct VerifyArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Only steps from A to B, as the table `steps` numbers them
    #[arg(long, value_name = "A..B", value_parser = range)]
    steps: Option<(i64, i64)>,

    /// Only every N-th recorded step
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,

    /// Print one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line
    #[arg(long, short)]
    quiet: bool,
}

fn range(text: &str) -> Result<(i64, i64), String> {
    let wrong = || "two numbers of steps were expected, as in 100..200".to_string();
    let (a, b) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str, open: i64| match text.trim() {
        "" => Ok(open),
        digits => digits.parse::<i64>().map_err(|_| wrong()),
    };
    let (a, b) = (number(a, 0)?, number(b.trim_start_matches('='), i64::MAX)?);
    match a <= b {
        true => Ok((a, b)),
        false => Err("the first step must not be behind the last".into()),
    }
}

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    let progress = Progress::of_shares(args.quiet);
    progress.at("verifying");
    let mut tell = |done: f64| progress.share(done, || "verifying".into());
    let mut asked = VerifyOptions::all(&mut tell);
    asked.steps = args.steps;
    asked.every = args.every as usize;
    let report = verify(&record, &mut asked).map_err(|error| match error {
        VerifyError::Record(error) => error.into(),
        VerifyError::Scene(error) => error.into(),
        VerifyError::Nothing(text) => CommandError::Input(text),
    })?;
    drop(progress);
    // JSON, one line, or the whole report.
    if args.json {
        output::print_json(&json!({
            "ok": report.ok(),
            "agrees": report.agrees(),
            "steps": report.steps,
            "consecutive": report.consecutive,
            "contacts": report.contacts,
            "checks": report.checks,
            "offenders": report.offenders,
            "unchecked": report.unchecked,
            "unchecked_columns": report.unread,
            "missed": report.missed,
            "ends": report.ends,
        }))?;
    } else if args.quiet {
        output::print(&(summary(&report) + "\n"))?;
    } else {
        output::print(&text(&report))?;
    }
    Ok(match report.ok() {
        true => CommandStatus::Success,
        false => CommandStatus::NotMet,
    })
}

fn summary(report: &Report) -> String {
    // Agreement of recomputed values, and whether steps met their tolerance.
    let verdict = match (report.agrees(), &report.missed) {
        (true, None) => "all figures agree".to_string(),
        (true, Some(_)) => "the figures agree, but steps MISSED their tolerance".to_string(),
        (false, _) => {
            let bad = report.checks.iter().filter(|check| !check.ok);
            let names: Vec<&str> = bad.map(|check| check.name).collect();
            format!("DISAGREEMENT in {}", names.join(", "))
        }
    };
    let compared: usize = report.checks.iter().map(|check| check.compared).sum();
    format!(
        "{verdict}: {} recorded steps, {} contacts, {compared} comparisons",
        report.steps, report.contacts
    )
}

fn where_(place: &Location) -> String {
    match (place.step, place.t) {
        (Some(step), Some(t)) => format!("step {step}, t = {}: {}", format_short(t), place.what),
        _ => place.what.clone(),
    }
}

/// Number of steps that missed their tolerance, and the first of them.
fn missed_line(missed: &MissedSteps) -> String {
    let first = match missed.first {
        Some((step, t)) => format!("first step {step} at t = {}", format_short(t)),
        None => "none of them is recorded".to_string(),
    };
    let steps = if missed.count == 1 { "step" } else { "steps" };
    format!("{} {steps} missed their tolerance, {first}\n", missed.count)
}

/// Columns that are not verified: one line for each table and reason.
fn columns(report: &Report) -> String {
    // Group the columns by table and reason.
    let mut groups: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for unread in &report.unread {
        let (table, why) = (&*unread.table, unread.why);
        let column = match unread.rows {
            RowRange::All => unread.column.clone(),
            RowRange::Unrecorded => format!("{} of steps without a state", unread.column),
            RowRange::First => format!("{} of the first state", unread.column),
        };
        match groups.iter_mut().find(|g| g.0 == table && g.1 == why) {
            Some(group) => group.2.push(column),
            None => groups.push((table, why, vec![column])),
        }
    }
    let line = |(table, why, names): &(&str, &str, Vec<String>)| {
        format!("not checked: {table}: {} ({why})\n", names.join(", "))
    };
    groups.iter().map(line).collect()
}

fn text(report: &Report) -> String {
    let heading = [
        "check",
        "compared",
        "worst",
        "bound",
        "",
        "where the worst is",
    ];
    let mut rows = vec![heading.map(String::from)];
    // One row for each check that compared anything.
    for check in report.checks.iter().filter(|check| check.compared > 0) {
        rows.push([
            check.name.into(),
            check.compared.to_string(),
            format!("{:.1e}", check.worst),
            format!("{:.1e}", check.bound),
            if check.ok { "ok" } else { "NO" }.into(),
            match check.worst > 0.0 {
                true => check.place.as_ref().map_or(String::new(), where_),
                false => String::new(),
            },
        ]);
    }
    let mut text = crate::text_table::aligned(&rows);
    // Values beyond their bound.
    if !report.offenders.is_empty() {
        text += "\nDisagreements, worst first in each check:\n";
        for offender in report.offenders.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "  {}: {:.1e} (bound {:.1e}) at {}",
                offender.check,
                offender.value,
                offender.bound,
                where_(&offender.place)
            );
        }
        let beyond: usize = report.checks.iter().map(|check| check.beyond).sum();
        if beyond > SHOWN.min(report.offenders.len()) {
            let _ = writeln!(
                text,
                "  {beyond} in all; --json has the worst ten of each check"
            );
        }
    }
    // Steps beyond their tolerance, and what was not verified.
    if let Some(missed) = &report.missed {
        text += &missed_line(missed);
    }
    for what in &report.unchecked {
        let _ = writeln!(text, "not looked at: {what}");
    }
    text += &columns(report);
    if let Some(ends) = &report.ends {
        let _ = writeln!(text, "verified as far as the records go: {ends}");
    }
    text + &summary(report) + "\n"
}
