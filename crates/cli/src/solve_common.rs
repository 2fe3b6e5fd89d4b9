//! What `percuss solve` has in common with and without `--compare`: arguments, reading of problems, history of
//! residuals, closing line and outcome.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use percuss_contact::ResidualMeasure;
use percuss_solve::Goal;

use crate::attempt::{self, Attempt, LoadedProblem};
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::output::{self, OutputFile};
use crate::progress::Progress;
use crate::solve_json::{ProblemsSummary, Skipped};
use crate::text_table;

/// What `percuss solve` is asked to do.
#[derive(Args)]
#[command(
    about = "Solve frictional contact problems from files (FCLIB HDF5)",
    long_about = "Solve frictional contact problems from files (FCLIB HDF5, local or global form) \
                  and judge the answers by code that knows no solver.\n\n\
                  Every file gives one line: contacts, degrees of freedom of the bodies, the \
                  methods that were used, iterations, the residuals RV, R1 and R2, and the time of \
                  the solve (reading excluded). RV decides by default: the largest velocity defect \
                  of a contact over the speed at stake, which no impulse makes smaller. R1 is the \
                  error that the public problem collection publishes; it changes with the units of \
                  the file. R2 is dimensionless and relative to the impulses. A problem that no \
                  velocity satisfies is named infeasible. Problems are summed up by class, the \
                  leading word of the file name.",
    after_help = "Examples:\n  \
        percuss solve data/fclib/*.hdf5 --tol 1e-8\n  \
        percuss solve pile.hdf5 --solver admm --json\n  \
        percuss solve pile.hdf5 --history pile.csv\n  \
        percuss solve data/fclib/*.hdf5 --compare -o profile.svg\n\n\
        Exit status: 0 all solved; 1 a problem did not reach the tolerance; 2 a file could not\n\
        be read or posed (it is named and skipped, the others are solved); 3 output could not\n\
        be written."
)]
pub struct SolveArgs {
    /// Problem files in the FCLIB HDF5 layout
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The method; `auto` chooses and hands over
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        conflicts_with = "compare"
    )]
    #[arg(value_parser = PossibleValuesParser::new(percuss_solve::NAMES))]
    pub solver: String,

    /// Residual to reach, in the chosen measure
    #[arg(
        long,
        value_name = "X",
        default_value = "1e-6",
        allow_hyphen_values = true
    )]
    #[arg(value_parser = tolerance)]
    pub tol: f64,

    /// Largest number of iterations, in the method's own unit [default: the method's own limit]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = iterations)]
    pub max_iterations: Option<usize>,

    /// The residual that decides: rv, the largest velocity defect of a contact; r1, the collection's; or r2,
    /// dimensionless, relative to the impulses
    #[arg(
        long,
        value_name = "NAME",
        default_value = "rv",
        hide_possible_values = true
    )]
    pub measure: MeasureName,

    /// Print one JSON object to standard output instead of tables
    #[arg(long)]
    pub json: bool,

    /// No progress bar and no tables: the closing line alone (or the JSON object)
    #[arg(long, short)]
    pub quiet: bool,

    /// Run every method on every file and draw the performance profile
    #[arg(long)]
    pub compare: bool,

    /// Where --compare puts the profile
    #[arg(long, short, value_name = "FILE.svg", default_value = "profile.svg")]
    #[arg(requires = "compare")]
    pub output: PathBuf,

    /// Write the residual of every judged iterate as CSV: file,method,iteration,residual
    #[arg(long, value_name = "FILE.csv")]
    pub history: Option<PathBuf>,
}

/// The residuals by their names on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MeasureName {
    /// The velocity residual.
    Rv,
    /// The collection's residual.
    R1,
    /// The dimensionless residual.
    R2,
}

impl MeasureName {
    fn text(self) -> &'static str {
        match self {
            Self::Rv => "rv",
            Self::R1 => "r1",
            Self::R2 => "r2",
        }
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value: f64 = text
        .parse()
        .map_err(|_| "a tolerance is a number such as 1e-6".to_owned())?;
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(
            "a tolerance must be positive and finite: rounding keeps every residual above 0, so \
             give a number such as 1e-6"
                .into(),
        )
    }
}

fn iterations(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

impl SolveArgs {
    /// The goal of the solves.
    pub fn goal(&self) -> Goal {
        Goal {
            tolerance: self.tol,
            measure: match self.measure {
                MeasureName::Rv => ResidualMeasure::Velocity,
                MeasureName::R1 => ResidualMeasure::Fclib,
                MeasureName::R2 => ResidualMeasure::Dimensionless,
            },
            max_iterations: self.max_iterations,
            keep_history: self.history.is_some(),
        }
    }

    /// The bound that decides, as text: `R1 <= 1e-6`.
    pub fn bound(&self) -> String {
        format!(
            "{} <= {:e}",
            text_table::name(self.goal().measure),
            self.tol
        )
    }

    /// The object that `--json` prints.
    pub fn summary<P>(
        &self,
        problems: Vec<P>,
        solved: usize,
        skipped: Vec<Skipped>,
    ) -> ProblemsSummary<P> {
        ProblemsSummary {
            total: problems.len(),
            problems,
            solved,
            tolerance: self.tol,
            measure: self.measure.text(),
            skipped,
        }
    }
}

/// Counts of problems of a solve, which decide the exit status.
#[derive(Debug, Default, Clone, Copy)]
pub struct SolveCounts {
    /// Inputs that could not be read or assembled.
    pub skipped: usize,
    /// Problems that missed the tolerance.
    pub missed: usize,
}

impl SolveCounts {
    /// How a command that ended with `result` ended.
    pub fn status(self, result: Result<(), CommandError>) -> Result<CommandStatus, CommandError> {
        match result {
            Err(stop) if !matches!(stop, CommandError::ClosedPipe) => Err(stop),
            // A closed pipe is not an error: the problems solved until then count.
            _ if self.skipped > 0 => Ok(CommandStatus::BadInput),
            _ if self.missed > 0 => Ok(CommandStatus::NotMet),
            _ => Ok(CommandStatus::Success),
        }
    }
}

/// Reads one file, or reports it and counts it as skipped.
pub fn load(
    path: &Path,
    progress: &Progress,
    skipped: &mut Vec<Skipped>,
    tally: &mut SolveCounts,
) -> Option<LoadedProblem> {
    match attempt::load(path) {
        Ok(loaded) => Some(loaded),
        // An unreadable file is reported and skipped.
        Err(error) => {
            progress.aside(|| console::message(&format!("{error} (skipped)")));
            tally.skipped += 1;
            skipped.push(Skipped {
                file: path.display().to_string(),
                error,
            });
            None
        }
    }
}

/// One attempt by a method whose name has been validated.
pub fn attempt_by(
    loaded: &LoadedProblem,
    method: &str,
    goal: &Goal,
) -> Result<Attempt, CommandError> {
    attempt::attempt(&loaded.problem, method, goal).ok_or_else(|| {
        CommandError::Machine(format!("the method {method} is not part of this program"))
    })
}

/// The closing line.
pub fn closing(solved: usize, total: usize, skipped: usize, bound: &str, seconds: f64) -> String {
    let mut line = format!(
        "{solved} of {total} solved to {bound} in {}",
        text_table::time(seconds)
    );
    match skipped {
        0 => {}
        1 => line += "; 1 file skipped",
        n => line += &format!("; {n} files skipped"),
    }
    line + "\n"
}

/// The residuals of all iterates, if requested.
pub struct History {
    target: Option<OutputFile>,
    text: String,
}

impl History {
    /// Checks that the file can be written.
    pub fn new(args: &SolveArgs) -> Result<Self, CommandError> {
        Ok(Self {
            target: args.history.as_deref().map(OutputFile::new).transpose()?,
            text: "file,method,iteration,residual\n".into(),
        })
    }

    /// Adds the iterates of one attempt.
    pub fn add(&mut self, file: &str, method: &str, attempt: &Attempt) {
        let file = output::quoted(file);
        for (iteration, residual) in &attempt.report.history {
            let _ = writeln!(self.text, "{file},{method},{iteration},{residual:e}");
        }
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), CommandError> {
        match &self.target {
            None => Ok(()),
            Some(target) => target.write(&self.text),
        }
    }
}
