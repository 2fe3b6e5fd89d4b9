//! `percuss resume`: continues a run that was killed or interrupted, from its last checkpoint.

use std::path::{Path, PathBuf};

use clap::Args;
use percuss_record::{Lock, Manifest, RunStatus};
use percuss_scene::Scene;

use crate::log::LogArgs;
use crate::output::{self, CommandError, CommandStatus};
use crate::run::{self, RunArgs, ThreadArgs};
use crate::site::{CheckpointArgs, RunTarget};

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
    directory: PathBuf,

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

    /// Go on although another version of percuss began the run: bits may differ
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &ResumeArgs) -> Result<CommandStatus, CommandError> {
    let directory = &args.directory;
    // The lock is taken before anything is read: the process that holds it may be about to finish.
    let lock = match directory.is_dir() {
        true => Lock::take_abandoned(directory)?,
        false => None,
    };
    let manifest = Manifest::read(directory)?;
    let shown = directory.display();
    if manifest.kind != "run" {
        let kind = &manifest.kind;
        return Err(CommandError::Input(format!(
            "{shown}: this is the directory of a {kind}, not of a run; give one that `percuss run` \
             has written"
        )));
    }
    let lock = match (lock, manifest.status) {
        (Some(lock), _) => lock,
        (None, RunStatus::Finished | RunStatus::Stopped) => {
            let status = manifest.status.name();
            output::message(&format!(
                "{shown}: this run is {status}, there is nothing to go on with; `percuss show \
                 {shown}` shows it"
            ));
            return Ok(CommandStatus::Success);
        }
        (None, RunStatus::Running | RunStatus::Interrupted) => Lock::take(directory)?,
    };
    require_version(&manifest, directory, args.force)?;
    let scene = scene_of(&manifest)?;
    let site = RunTarget::Resumed {
        directory: directory.clone(),
        lock,
        files: manifest.files,
    };
    run::run_scene(&RunArgs::resuming(args), &scene, site)
}

/// Rejects another version unless `force` is set: results may differ in the last bits.
fn require_version(manifest: &Manifest, directory: &Path, force: bool) -> Result<(), CommandError> {
    let (old, new) = (manifest.percuss.as_str(), env!("CARGO_PKG_VERSION"));
    match old == new || force {
        true => Ok(()),
        false => Err(CommandError::Input(format!(
            "{}: percuss {old} began this run and this is percuss {new}, which may compute other \
             bits; use percuss {old}, or add --force",
            directory.display()
        ))),
    }
}

/// The scene as it was run.
fn scene_of(manifest: &Manifest) -> Result<Scene, CommandError> {
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?;
    let overrides = manifest.overrides.iter();
    let overrides: Vec<(&str, &str)> = overrides
        .map(|change| (change.key.as_str(), change.value.as_str()))
        .collect();
    // Overrides and data folder of the original run.
    let scene = scene.with_overrides(&overrides)?;
    let machine = manifest.machine.as_ref();
    let folder = machine.and_then(|machine| machine.folder.as_deref());
    Ok(match folder {
        Some(folder) => scene.from_folder(Path::new(folder)),
        None => scene,
    })
}
