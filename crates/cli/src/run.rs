//! `percuss run`: runs a scene; records, certificate and findings.

use std::path::{Path, PathBuf};

use clap::Args;
use percuss_draw::plot::RunPlots;
use percuss_record::{Manifest, OutputDirectory, Record, RecordError, RunStatus};
use percuss_run::{StopReason, Threads};
use percuss_scene::{Scene, SceneKind};
use serde_json::Value;

use crate::interrupt;
use crate::log::LogArgs;
use crate::output::{self, CommandError, CommandStatus};
use crate::resume::ResumeArgs;
use crate::site::{CheckpointArgs, RunTarget};
use crate::summary::{RunSummary, format_short};
use crate::{collection, mechanism};

/// Run a scene and record it
#[derive(Args)]
#[command(after_help = "Examples:\n  \
        percuss run pendulum                       a built-in scene, see `percuss examples`\n  \
        percuss run arm.toml -o runs/arm           a file of your own\n  \
        percuss run ball-e05 --set e=0.9 --set step=1e-4\n  \
        percuss run ball-e05 --json | jq .findings\n\n\
        Exit status: 0 all well; 1 ran, but the certificate is not met or a finding is outside\n\
        its expectation; 2 the scene is not right or its motion cannot go on (what was computed\n\
        is kept); 3 the records cannot be written; 130 interrupted: Ctrl-C or SIGTERM finishes the\n\
        step and keeps what was computed, a second one ends at once.")]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: String,

    /// Directory of the records, new or empty [default: the next free runs/NAME-N]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    set: SetArgs,

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

impl RunArgs {
    /// The arguments of a run that is resumed.
    pub fn resuming(args: &ResumeArgs) -> Self {
        Self {
            scene: String::new(),
            output: None,
            set: SetArgs { set: Vec::new() },
            threads: args.threads.clone(),
            log: args.log.clone(),
            json: args.json,
            quiet: args.quiet,
            no_findings: args.no_findings,
            checkpoint: args.checkpoint.clone(),
        }
    }
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

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<CommandStatus, CommandError> {
    let scene = Scene::load(&args.scene)?.with_overrides(args.set.pairs())?;
    let place = OutputDirectory::new(args.output.as_deref(), scene.name());
    run_scene(args, &scene, RunTarget::New(place))
}

/// Runs a scene in a new directory, or resumes one.
pub fn run_scene(
    args: &RunArgs,
    scene: &Scene,
    site: RunTarget,
) -> Result<CommandStatus, CommandError> {
    // Log and signal handler, before the work begins.
    let threads = args.threads.get().get();
    let what = format!("{} of {}", site.verb(), scene.name());
    args.log.open(&what, threads)?;
    interrupt::install_handler()?;
    if scene.kind() == SceneKind::Bodies {
        return collection::run(args, scene, site);
    }
    mechanism::run(args, scene, site)
}

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
                output::message(&format!("{}: {stop}", manifest.origin));
            }
            if interrupted(Some(stop)) {
                output::message(&self.interruption(stop));
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
