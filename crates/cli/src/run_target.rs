//! Run target: the directory that a run writes to, new or of an interrupted run.

use std::path::PathBuf;

use percuss_record::{Lock, Manifest, OutputDirectory, RunWriter};
use percuss_scene::{DataFile, Scene};

use crate::args::RunArgs;
use crate::console;
use crate::error::CommandError;

/// The directory that a run writes to.
pub enum RunTarget {
    /// A new directory.
    New(OutputDirectory),
    /// The directory of an interrupted run.
    Resumed {
        /// The directory.
        directory: PathBuf,
        /// Its lock, held.
        lock: Lock,
        /// Its data files at the start of the run.
        files: Vec<DataFile>,
    },
}

impl RunTarget {
    /// Verb for messages.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::New(_) => "run",
            Self::Resumed { .. } => "resumed run",
        }
    }

    /// The run writer with this manifest; reports the checkpoint a resumed run continues from.
    pub fn writer(
        self,
        args: &RunArgs,
        scene: &Scene,
        manifest: Manifest,
    ) -> Result<RunWriter, CommandError> {
        let (directory, lock, files) = match self {
            Self::New(place) => {
                let cadence = args.checkpoint.overriding(scene.checkpoint_schedule());
                return Ok(RunWriter::new(place, manifest, cadence)?);
            }
            Self::Resumed {
                directory,
                lock,
                files,
            } => (directory, lock, files),
        };
        // Resume only with the same data files, from the last checkpoint.
        require_same(scene, &files, &manifest.files)?;
        let (mut session, notes) =
            RunWriter::resume(&directory, lock, manifest, scene.checkpoint_schedule())?;
        session.policy = args.checkpoint.overriding(session.policy);
        notes.iter().for_each(|note| console::message(note));
        let shown = directory.display();
        match session.checkpoint_number() {
            0 => console::message(&format!(
                "{shown}: there is no checkpoint to go on from; the run is made again from its start"
            )),
            number if !args.quiet => {
                console::message(&format!("{shown}: going on from checkpoint {number}"));
            }
            _ => {}
        }
        Ok(session)
    }
}

/// Rejects data files that differ from those the run began with.
fn require_same(scene: &Scene, old: &[DataFile], new: &[DataFile]) -> Result<(), CommandError> {
    for file in new {
        // Files are compared by checksum.
        let known = old.iter().find(|known| known.name == file.name);
        if known.is_none_or(|known| known.checksum != file.checksum) {
            let at = file.path.as_ref().unwrap_or(&file.name);
            return Err(CommandError::Input(format!(
                "{}: the file {at} is not the one that the run began with; put that one back, or \
                 run the scene anew",
                scene.origin()
            )));
        }
    }
    Ok(())
}
