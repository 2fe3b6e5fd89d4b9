//! `percuss resume`: continues a run that was killed or interrupted, from its last checkpoint.

use std::path::Path;

use percuss_record::{Lock, Manifest, RunStatus};
use percuss_scene::Scene;

use crate::args::{ResumeArgs, RunArgs};
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::run::run_scene;
use crate::run_target::RunTarget;

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
            console::message(&format!(
                "{shown}: this run is {status}, there is nothing to go on with; `percuss show \
                 {shown}` shows it"
            ));
            return Ok(CommandStatus::Success);
        }
        (None, RunStatus::Running | RunStatus::Interrupted) => Lock::take(directory)?,
    };
    require_version(&manifest, directory, args.force)?;
    let scene = scene_of(&manifest)?;
    let target = RunTarget::Resumed {
        directory: directory.clone(),
        lock,
        files: manifest.files,
    };
    run_scene(&RunArgs::resuming(args), &scene, target)
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
