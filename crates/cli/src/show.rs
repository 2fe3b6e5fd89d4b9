//! `percuss show`: prints the summary of a recorded run or study.

use std::path::PathBuf;

use clap::Args;
use percuss_record::{Lock, LockState, Record, RunStatus};

use crate::error::{CommandError, CommandStatus};
use crate::output;
use crate::study;
use crate::summary::RunSummary;

/// Show the summary of a recorded run or study again
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss show runs/pendulum-1\n  \
    percuss show runs/pendulum-1 --json\n\n\
    Exit status: 0 shown (whatever the run came to); 2 this is not the directory of a run;\n\
    3 it cannot be read.")]
pub struct ShowArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Print one JSON object to standard output, as `percuss run --json` did
    #[arg(long)]
    pub(crate) json: bool,

    /// One line
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    // Studies have a summary of their own.
    if record.manifest().kind == "study" {
        study::show(&record, args.json, args.quiet)?;
        return Ok(CommandStatus::Success);
    }
    let report = RunSummary {
        manifest: record.manifest(),
        directory: Some(&args.directory),
    };
    if args.json {
        output::print_json(&report.json())?;
    } else if args.quiet {
        output::print(&report.line())?;
    } else {
        output::print(&(report.text() + &standing(&record)))?;
    }
    Ok(CommandStatus::Success)
}

/// Whether the run is in progress, or can be resumed.
fn standing(record: &Record) -> String {
    let shown = record.directory().display();
    let resume = format!("percuss resume {shown} goes on with it");
    match (Lock::state(record.directory()), record.manifest().status) {
        (LockState::Held, _) => "\nthe run is under way\n".into(),
        (_, RunStatus::Running) => format!("\nthe run was killed; {resume}\n"),
        (LockState::Abandoned, _) => format!("\nthe run did not come to its end; {resume}\n"),
        (LockState::Free, _) => String::new(),
    }
}
