//! The end of a run: texts of interruption and failure, findings as JSON, and the report.

use std::path::Path;

use percuss_draw::plot::RunPlots;
use percuss_record::{Manifest, Record, RecordError, RunStatus};
use percuss_run::StopReason;
use serde_json::Value;

use crate::args::RunArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::numbers::format_short;
use crate::output;
use crate::summary::RunSummary;

/// The error of a machine failure during a run, with advice.
pub fn record_failure(fault: &RecordError, directory: Option<&Path>) -> CommandError {
    match directory.filter(|d| d.is_dir()) {
        Some(directory) if fault.is_fault() => CommandError::Machine(format!(
            "{fault}. What was recorded before is kept; `percuss resume {}` goes on from there",
            directory.display()
        )),
        _ => fault.clone().into(),
    }
}

/// Whether a run was ended by a signal.
pub fn interrupted(stop: Option<&percuss_run::EarlyStop>) -> bool {
    stop.is_some_and(|stop| stop.reason == StopReason::Requested)
}

/// Message about an interruption while findings were measured.
pub fn findings_interrupted_text(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => format!(
            "interrupted while the findings were measured; the run itself is complete: its records \
             are in {0}, and `percuss resume {0}` measures the findings",
            directory.display()
        ),
        None => "interrupted while the findings were measured; nothing is recorded".into(),
    }
}

/// Findings as the manifest stores them.
pub fn findings_json(found: &[percuss_run::finding::Finding]) -> Result<Vec<Value>, CommandError> {
    let json = found.iter().map(serde_json::to_value);
    json.collect::<Result<_, _>>()
        .map_err(|e| CommandError::Machine(format!("cannot write the findings as JSON: {e}")))
}

/// How a run ended.
pub struct RunEnd<'a> {
    /// The manifest as it was written, or would have been.
    pub manifest: &'a Manifest,
    /// Where the records are, if there are any.
    pub directory: Option<&'a Path>,
    /// Why it ended early.
    pub stopped: Option<&'a percuss_run::EarlyStop>,
    /// Whether there is no solution from the start.
    pub refused: bool,
    /// The certificate of the run.
    pub certificate: Option<Value>,
}

impl RunEnd<'_> {
    /// Prints the summary as the arguments require.
    pub fn report(&self, args: &RunArgs) -> Result<CommandStatus, CommandError> {
        let mut manifest = self.manifest.clone();
        if let Some(stop) = self.stopped {
            if matches!(
                stop.reason,
                StopReason::Mechanism(_) | StopReason::Bodies(_)
            ) {
                console::message(&format!("{}: {stop}", manifest.origin));
            }
            if interrupted(Some(stop)) {
                console::message(&self.interruption(stop));
            }
            // A refused run has no records to read its status from.
            manifest.status = match interrupted(Some(stop)) {
                true => RunStatus::Interrupted,
                false => RunStatus::Stopped,
            };
            manifest.reason = Some(stop.to_string());
            manifest.certificate.clone_from(&self.certificate);
        }
        let report = RunSummary {
            manifest: &manifest,
            directory: self.directory,
        };
        if args.json {
            output::print_json(&report.json())?;
        } else if self.refused {
            // Reported already.
        } else if args.quiet {
            output::print(&report.line())?;
        } else {
            output::print(&(report.text() + &self.where_to_look()))?;
        }
        Ok(report.verdict())
    }

    /// Message about an interrupted run: where its records are, and how to resume.
    fn interruption(&self, stop: &percuss_run::EarlyStop) -> String {
        let when = match stop.started {
            true => format!("at t = {}", format_short(stop.t)),
            false => "during a preparation".into(),
        };
        match self.directory {
            Some(directory) => format!(
                "interrupted {when}; the records are in {0}, and `percuss resume {0}` goes on from \
                 there",
                directory.display()
            ),
            None => "interrupted before the run began; nothing is recorded".into(),
        }
    }

    /// Message about the directory of the records and the plots available.
    fn where_to_look(&self) -> String {
        let Some(directory) = self.directory else {
            return String::new();
        };
        let shown = directory.display();
        let mut text = format!("\nrecords in {shown}\n");
        if self.manifest.status == RunStatus::Interrupted {
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
}
