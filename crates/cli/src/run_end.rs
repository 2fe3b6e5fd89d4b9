//! The end of a run: its report on the console.

use std::path::Path;

use percuss_draw::plot::RunPlots;
use percuss_record::{Record, RunStatus};
use percuss_run::{EarlyStop, Run, StopReason};

use crate::args::OneRunArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::numbers::format_short;
use crate::output;
use crate::summary::RunSummary;

/// Prints the summary of a run as the arguments require.
pub fn report(run: &Run, args: &OneRunArgs) -> Result<CommandStatus, CommandError> {
    let directory = run.directory.as_deref();
    if let Some(stop) = run.outcome.stopped() {
        match stop.reason {
            StopReason::Mechanism(_) | StopReason::Bodies(_) => {
                console::message(&format!("{}: {stop}", run.manifest.origin));
            }
            StopReason::Requested => console::message(&interruption(stop, directory)),
            StopReason::Observer(_) => {}
        }
    }
    let report = RunSummary {
        manifest: &run.manifest,
        directory,
    };
    if args.json {
        output::print_json(&report.json())?;
    } else if run.outcome.refused() {
        // Reported already.
    } else if args.quiet {
        output::print(&report.line())?;
    } else {
        output::print(&(report.text() + &where_to_look(run)))?;
    }
    Ok(report.verdict())
}

/// Message about an interrupted run: where its records are, and how to resume.
fn interruption(stop: &EarlyStop, directory: Option<&Path>) -> String {
    let when = match stop.started {
        true => format!("at t = {}", format_short(stop.t)),
        false => "during a preparation".into(),
    };
    match directory {
        Some(directory) => format!(
            "interrupted {when}; the records are in {0}, and `percuss resume {0}` goes on from \
             there",
            directory.display()
        ),
        None => "interrupted before the run began; nothing is recorded".into(),
    }
}

/// Message about the directory of the records and the plots available.
fn where_to_look(run: &Run) -> String {
    let Some(directory) = run.directory.as_deref() else {
        return String::new();
    };
    let shown = directory.display();
    let mut text = format!("\nrecords in {shown}\n");
    if run.manifest.status == RunStatus::Interrupted {
        text += &format!("percuss resume {shown} goes on with the run\n");
    }
    // The plots available.
    let names = Record::open(directory).ok().and_then(|record| {
        let list = RunPlots::of(&record).and_then(|gallery| gallery.list());
        Some(
            list.ok()?
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>(),
        )
    });
    if let Some([first, rest @ ..]) = names.as_deref() {
        text += &format!("pictures: percuss plot {shown} {first}");
        if !rest.is_empty() {
            text += &format!("    (or {})", rest.join(", "));
        }
        text += "\n";
    }
    text
}
