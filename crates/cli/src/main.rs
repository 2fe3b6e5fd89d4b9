//! The command `percuss`: problems in, table or JSON out.
//!
//! Exit status: 0 all well; 1 ran, but something is not solved to the tolerance; 2 bad input; 3 a
//! fault of the machine. Machine-readable output goes to standard output, progress and messages to
//! standard error; bars are drawn on a terminal only.

mod attempt;
mod compare;
mod output;
mod profile;
mod progress;
mod record;
mod solve;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "percuss",
    version,
    about = "Exact nonsmooth contact dynamics, with a certificate for every answer",
    after_help = "Examples:\n  percuss solve data/fclib/*.hdf5\n  percuss solve --help\n\n\
                  Exit status: 0 all well; 1 ran, but a problem is not solved to the tolerance;\n\
                  2 bad input; 3 a fault of the machine (disk full, no permission to write)."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Solve(solve::SolveArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Command::Solve(args) => solve::run(&args),
    }
}
