//! The command `percuss`: scenes and problems in; records, tables, pictures or JSON out.
//!
//! Exit status: 0 success; 1 completed, but the certificate or a finding is not as required; 2 bad input; 3
//! failure of the machine; 130 interrupted. Machine-readable output goes to standard output, progress and
//! messages to standard error; progress bars are drawn on a terminal only.

mod attempt;
mod audit;
mod check;
mod collection;
mod compare;
mod digest;
mod examples;
mod export;
mod film;
mod forces;
mod gallery;
mod html;
mod image;
mod interrupt;
mod limit;
mod lines;
mod log;
mod mechanism;
mod notes;
mod output;
mod pace;
mod plot;
mod progress;
mod record;
mod records;
mod resume;
mod run;
mod show;
mod site;
mod solve;
mod study;
mod summary;
mod table;
mod verify;
mod view;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    Run(run::RunArgs),
    Resume(resume::ResumeArgs),
    Show(show::ShowArgs),
    Table(records::TableArgs),
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
    Solve(solve::SolveArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    output::exit_code(match cli.command {
        Command::Examples(args) => examples::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Resume(args) => resume::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Table(args) => records::run(&args),
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
        Command::Solve(args) => return solve::run(&args),
    })
}
