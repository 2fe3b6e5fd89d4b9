//! Run target: a new directory, or that of an interrupted run.

use std::path::{Path, PathBuf};

use percuss_record::{Lock, Manifest, OutputDirectory, RunStatus, RunWriter};
use percuss_scene::{DataFile, Scene};
use pyo3::prelude::*;

use crate::error;

/// The directory that a run writes to.
pub enum RunTarget {
    /// A new directory.
    New(OutputDirectory),
    /// The directory of an interrupted run: its path, its lock, its data files at the start of the run.
    Resumed(PathBuf, Lock, Vec<DataFile>),
}

/// The scene and the run target of an interrupted run; `None` where there is nothing to resume.
pub fn left(directory: &Path, force: bool) -> PyResult<Option<(Scene, RunTarget)>> {
    // The lock is taken before the manifest is read.
    let lock = match directory.is_dir() {
        true => Lock::take_abandoned(directory).map_err(error::record)?,
        false => None,
    };
    let manifest = Manifest::read(directory).map_err(error::record)?;
    let shown = directory.display();
    if manifest.kind != "run" {
        let kind = &manifest.kind;
        return Err(error::input(format!(
            "{shown}: this is the directory of a {kind}, not of a run"
        )));
    }
    // A completed run has nothing to resume.
    let lock = match (lock, manifest.status) {
        (Some(lock), _) => lock,
        (None, RunStatus::Finished | RunStatus::Stopped) => return Ok(None),
        (None, RunStatus::Running | RunStatus::Interrupted) => {
            Lock::take(directory).map_err(error::record)?
        }
    };
    // Another version may give other bits.
    let (old, new) = (manifest.percuss.as_str(), env!("CARGO_PKG_VERSION"));
    if old != new && !force {
        return Err(error::input(format!(
            "{shown}: percuss {old} began this run and this is percuss {new}, which may compute \
             other bits; use percuss {old}, or force=True"
        )));
    }
    // The scene as it was run, with its data folder.
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text);
    let overrides = manifest.overrides.iter();
    let overrides: Vec<(&str, &str)> = overrides.map(|o| (&*o.key, &*o.value)).collect();
    let scene = scene.and_then(|scene| scene.with_overrides(&overrides));
    let scene = scene.map_err(error::scene)?;
    let machine = manifest.machine.as_ref();
    let folder = machine.and_then(|machine| machine.folder.as_deref());
    let scene = match folder {
        Some(folder) => scene.from_folder(Path::new(folder)),
        None => scene,
    };
    let site = RunTarget::Resumed(directory.into(), lock, manifest.files);
    Ok(Some((scene, site)))
}

/// The run writer with this manifest.
pub fn run_writer(scene: &Scene, site: RunTarget, manifest: Manifest) -> PyResult<RunWriter> {
    match site {
        RunTarget::New(place) => {
            RunWriter::new(place, manifest, scene.checkpoint_schedule()).map_err(error::record)
        }
        RunTarget::Resumed(directory, lock, files) => {
            // Data files must be those the run began with.
            for file in &manifest.files {
                let known = files.iter().find(|known| known.name == file.name);
                if known.is_none_or(|known| known.checksum != file.checksum) {
                    let at = file.path.as_ref().unwrap_or(&file.name);
                    return Err(error::input(format!(
                        "{}: the file {at} is not the one that the run began with; put that one \
                         back, or run the scene anew",
                        scene.origin()
                    )));
                }
            }
            let resumed =
                RunWriter::resume(&directory, lock, manifest, scene.checkpoint_schedule());
            Ok(resumed.map_err(error::record)?.0)
        }
    }
}
