//! A run that was killed or interrupted, before it is resumed.

use std::path::{Path, PathBuf};

use percuss_record::{Lock, Manifest, RunStatus};
use percuss_scene::{DataFile, Scene};

use crate::recorded::RunError;

/// A run that was killed or interrupted: its scene, and its directory with the lock held.
#[derive(Debug)]
pub struct InterruptedRun {
    /// The scene as it was run, with its overrides.
    pub scene: Scene,
    directory: PathBuf,
    lock: Lock,
    /// The data files at the start of the run.
    files: Vec<DataFile>,
}

impl InterruptedRun {
    /// Takes the lock of a run directory and reads its scene. `force` accepts a run that another
    /// version began, whose bits may differ.
    ///
    /// # Errors
    /// The directory is not that of a run, another process is writing to it, the run has come to
    /// its end ([`RunError::NothingToResume`]), or another version began it.
    pub fn open(directory: &Path, force: bool) -> Result<Self, RunError> {
        // The lock is taken before anything is read: the process that holds it may be about to finish.
        let lock = match directory.is_dir() {
            true => Lock::take_abandoned(directory)?,
            false => None,
        };
        let manifest = Manifest::read(directory)?;
        if manifest.kind != "run" {
            return Err(RunError::OtherKind {
                directory: directory.into(),
                kind: manifest.kind,
            });
        }
        let lock = match (lock, manifest.status) {
            (Some(lock), _) => lock,
            (None, status @ (RunStatus::Finished | RunStatus::Stopped)) => {
                return Err(RunError::NothingToResume {
                    directory: directory.into(),
                    status,
                });
            }
            (None, RunStatus::Running | RunStatus::Interrupted) => Lock::take(directory)?,
        };
        // Another version may compute other bits.
        let this = env!("CARGO_PKG_VERSION");
        if manifest.percuss != this && !force {
            return Err(RunError::OtherVersion {
                directory: directory.into(),
                began: manifest.percuss,
                this,
            });
        }
        Ok(Self {
            scene: manifest.recorded_scene()?,
            directory: directory.into(),
            lock,
            files: manifest.files,
        })
    }

    /// Directory and lock, for the same data files.
    pub(super) fn take(self, files: &[DataFile]) -> Result<(PathBuf, Lock), RunError> {
        for file in files {
            // Files are compared by checksum.
            let known = self.files.iter().find(|known| known.name == file.name);
            if known.is_none_or(|known| known.checksum != file.checksum) {
                return Err(RunError::OtherFile {
                    scene: self.scene.origin().to_string(),
                    file: file.path.as_ref().unwrap_or(&file.name).clone(),
                });
            }
        }
        Ok((self.directory, self.lock))
    }
}
