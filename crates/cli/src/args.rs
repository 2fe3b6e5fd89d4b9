//! Arguments of `percuss run` and `percuss resume`, and those that several commands share.

use std::path::{Path, PathBuf};

use clap::Args;
use percuss_run::{CheckpointOverrides, Threads};

/// Run a scene and record it
#[derive(Args)]
#[command(after_help = "Examples:\n  \
        percuss run pendulum                       a built-in scene, see `percuss examples`\n  \
        percuss run arm.toml -o runs/arm           a file of your own\n  \
        percuss run ball-e05 --set e=0.9 --set step=1e-4\n  \
        percuss run wall --fast                    with the settings of its table [fast]\n  \
        percuss run ball-e05 --json | jq .findings\n\n\
        Exit status: 0 all well; 1 ran, but the certificate is not met or a finding is outside\n\
        its expectation; 2 the scene is not right or its motion cannot go on (what was computed\n\
        is kept); 3 the records cannot be written; 130 interrupted: Ctrl-C or SIGTERM finishes the\n\
        step and keeps what was computed, a second one ends at once.")]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,

    /// Directory of the records, new or empty [default: the next free runs/NAME-N]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Take the settings that the scene declares for a short run, in its table `[fast]`
    #[arg(long)]
    pub(crate) fast: bool,

    #[command(flatten)]
    pub(crate) set: SetArgs,

    #[command(flatten)]
    pub(crate) common: OneRunArgs,
}

/// What `percuss run` and `percuss resume` both take.
#[derive(Args, Clone)]
pub struct OneRunArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    #[command(flatten)]
    pub(crate) log: LogArgs,

    /// Print one JSON object to standard output instead of the summary
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line instead of the summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Do not measure the findings (and run none of the cases and studies they need)
    #[arg(long)]
    pub(crate) no_findings: bool,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArgs,
}

/// Go on with a run that was killed or interrupted
#[derive(Args)]
#[command(after_help = "Examples:\n  \
        percuss resume runs/heap-1\n  \
        percuss resume runs/heap-1 --threads 8\n\n\
        The run ends with the same records, to the last bit, as one that was not interrupted: it goes\n\
        on from its last checkpoint that is whole, or from the start where there is none.\n\
        Exit status: as of `percuss run`; 0 also where the run had come to its end already; 2 also\n\
        where another process is writing to the directory.")]
pub struct ResumeArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    #[command(flatten)]
    pub(crate) common: OneRunArgs,

    /// Go on although another version of percuss began the run: bits may differ
    #[arg(long)]
    pub(crate) force: bool,
}

/// What commands take that make many runs and print a table.
#[derive(Args)]
pub struct ManyRunsArgs {
    #[command(flatten)]
    pub(crate) set: SetArgs,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    #[command(flatten)]
    pub(crate) log: LogArgs,

    /// Print one JSON object to standard output instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line instead of the table
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Overrides, shared by several commands.
#[derive(Args)]
pub struct SetArgs {
    /// Override a parameter, a key of [run] such as step, until, integrator, or of `[record]` such as
    /// record.every (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
}

impl SetArgs {
    /// Keys and values in the order given.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.set
    }
}

/// Threads, shared by several commands.
#[derive(Args, Clone)]
pub struct ThreadArgs {
    /// Threads for cases and studies, and for detecting contacts of bodies in the main run; results
    /// do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// Number of threads.
    pub fn get(&self) -> Threads {
        self.threads.map_or_else(Threads::all, Threads::new)
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().into(), value.trim().into()))
        }
        _ => Err("it must be KEY=VALUE, for example --set mu=0.3".into()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

/// When checkpoints are written; shared by several commands.
#[derive(Args, Clone)]
pub struct CheckpointArgs {
    /// Write a checkpoint after every N steps
    #[arg(long, value_name = "N", value_parser = steps, allow_hyphen_values = true)]
    checkpoint_every: Option<usize>,

    /// Write a checkpoint after S seconds, 0: never [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    checkpoint_seconds: Option<f64>,
}

fn steps(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s >= 0.0 && s.is_finite() => Ok(s),
        _ => Err("it must be a number, 0 or more".into()),
    }
}

impl CheckpointArgs {
    /// What the command line sets; it takes precedence over the scene.
    pub fn overrides(&self) -> CheckpointOverrides {
        CheckpointOverrides {
            every: self.checkpoint_every,
            seconds: self.checkpoint_seconds,
        }
    }
}

/// The log, shared by several commands.
#[derive(Args, Clone)]
pub struct LogArgs {
    /// Append what is said, and a line of progress about every second, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl LogArgs {
    /// The file of the log, if one was requested.
    pub fn file(&self) -> Option<&Path> {
        self.log.as_deref()
    }
}
