//! The command `percuss`: scenes and problems in; records, tables, pictures or JSON out.
//!
//! Exit status: 0 success; 1 completed, but the certificate or a finding is not as required; 2 bad input; 3
//! failure of the machine; 130 interrupted. Machine-readable output goes to standard output, progress and
//! messages to standard error; progress bars are drawn on a terminal only.

mod args;
mod attempt;
mod audit;
mod check;
mod compare;
mod console;
mod error;
mod examples;
mod export;
mod film;
mod forces;
mod gallery;
mod html;
mod interrupt;
mod limit;
mod lines;
mod log;
mod numbers;
mod output;
mod pictures;
mod plot;
mod program;
mod progress;
mod rate;
mod resume;
mod run;
mod run_end;
mod run_monitor;
mod show;
mod solve;
mod solve_common;
mod solve_json;
mod study;
mod study_summary;
mod summary;
mod table_command;
mod text_table;
mod verify;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::{CommandError, CommandStatus};
use solve_common::{SolveArgs, SolveCounts};

#[derive(Parser)]
#[command(
    name = "percuss",
    version,
    about = "Exact nonsmooth contact dynamics, with a certificate for every answer",
    after_help = "Examples:\n  \
                  percuss examples                      the built-in systems\n  \
                  percuss run pendulum                  run one of them, or a file of your own\n  \
                  percuss show runs/pendulum-1          its summary again\n  \
                  percuss plot runs/pendulum-1 energy   a picture of it\n  \
                  percuss table runs/pendulum-1 steps   its records as text\n  \
                  percuss solve data/fclib/*.hdf5       problem files\n  \
                  percuss run --help\n\n\
                  Exit status: 0 all well; 1 ran, but the certificate is not met, a finding is\n\
                  outside its expectation or a problem is not solved to the tolerance; 2 bad\n\
                  input; 3 a fault of the machine (disk full, no permission to write); 130 interrupted\n\
                  by Ctrl-C or SIGTERM."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Examples(examples::ExamplesArgs),
    Run(args::RunArgs),
    Resume(args::ResumeArgs),
    Show(show::ShowArgs),
    Table(table_command::TableArgs),
    Plot(plot::PlotArgs),
    Export(Box<export::ExportArgs>),
    Gallery(gallery::GalleryArgs),
    Check(check::CheckArgs),
    Forces(forces::ForcesArgs),
    Limit(limit::LimitArgs),
    Study(study::StudyArgs),
    Verify(verify::VerifyArgs),
    Audit(Box<audit::AuditArgs>),
    View(view::ViewArgs),
    Solve(SolveArgs),
}

/// The command with the arguments of the process.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os()))
}

/// The command with these arguments, the name of the command first; its exit status.
///
/// The log, the progress bar and the handler of signals belong to the process: one call in a process. A second
/// signal, and one during the findings of a run, ends the process itself with status 130.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    log::set_command_line(&arguments);
    match Cli::try_parse_from(arguments) {
        Ok(cli) => {
            let json = cli.command.json();
            exit_status(execute(cli.command), json)
        }
        // Help and version on standard output, errors on standard error.
        Err(error) => {
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}

/// As [`run`], in a process of another program: `program` is what starts the command in a child process, with its
/// first arguments, such as `python -m percuss`.
pub fn run_as(program: Vec<OsString>, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    program::set(program);
    run(arguments)
}

/// Executes a command.
fn execute(command: Command) -> Result<CommandStatus, CommandError> {
    match command {
        Command::Examples(args) => examples::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Table(args) => table_command::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Gallery(args) => gallery::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Forces(args) => forces::run(&args),
        Command::Limit(args) => limit::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::View(args) => view::run(&args),
        Command::Solve(args) => solve_problems(&args),
    }
}

/// Solves problem files by one method, or compares all methods.
fn solve_problems(args: &SolveArgs) -> Result<CommandStatus, CommandError> {
    let mut tally = SolveCounts::default();
    let result = if args.compare {
        compare::run(args, &mut tally)
    } else {
        solve::run(args, &mut tally)
    };
    tally.status(result)
}

impl Command {
    /// Whether the result is asked for as one JSON object.
    fn json(&self) -> bool {
        match self {
            Self::Examples(args) => args.json,
            Self::Run(args) => args.common.json,
            Self::Resume(args) => args.common.json,
            Self::Show(args) => args.json,
            Self::Forces(args) => args.json,
            Self::Limit(args) => args.json,
            Self::Study(args) => args.common.json,
            Self::Verify(args) => args.json,
            Self::Audit(args) => args.common.json,
            Self::Solve(args) => args.json,
            Self::Table(_)
            | Self::Plot(_)
            | Self::Export(_)
            | Self::Gallery(_)
            | Self::Check(_)
            | Self::View(_) => false,
        }
    }
}

/// The exit status of a command, with its message; of an error with `--json` also an object on standard output.
fn exit_status(result: Result<CommandStatus, CommandError>, json: bool) -> u8 {
    let status = match result {
        Ok(CommandStatus::Success) => 0,
        Ok(CommandStatus::NotMet) => 1,
        Ok(CommandStatus::BadInput) => 2,
        Ok(CommandStatus::Interrupted) => interrupt::STATUS,
        Err(error) => match error.sentence() {
            // A closed pipe is not an error.
            None => 0,
            Some((sentence, status)) => {
                console::message(&sentence);
                // The message has been given: nothing is left to do where standard output fails, too.
                if let Some(object) = error.json().filter(|_| json) {
                    let _ = output::print_json(&object);
                }
                status
            }
        },
    };
    console::log_line(&format!("exit status {status}"));
    status
}
