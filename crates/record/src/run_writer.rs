//! The writer of a run directory: lock, manifest, writer thread for chunks, checkpoints.
//!
//! ```text
//! new ── open (first step) ── submit_full_chunk, …, write_checkpoint, submit_full_chunk, … ── flush ── finish
//! resume (an interrupted run) ───┘                                      └── or left as it is, to be resumed
//! ```
//!
//! The directory is created with the first step: a run that is refused leaves nothing behind. `run.lock` stays until
//! `finish`: a run that ends before, by a kill, a full disk or on request, leaves a directory that `resume`
//! continues.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use percuss_scene::CheckpointPolicy;
use serde::Serialize;

use super::checkpoint::{self, Checkpoint, Restored, Snapshot};
use super::error::RecordError;
use super::format::MANIFEST;
use super::lock::Lock;
use super::manifest::{Manifest, RunStatus};
use super::saved::TableState;
use super::table_writer::TableWriter;
use crate::checksummed_file as seal;
use crate::checksummed_file::EncodedBytes;
use crate::chunk_writer::ChunkWriter;
use crate::output_directory as place;
use crate::output_directory::OutputDirectory;

/// A run directory that is being written.
#[derive(Debug)]
pub struct RunWriter {
    place: OutputDirectory,
    open: Option<OpenDirectory>,
    /// The manifest as it stands; written by [`RunWriter::write_manifest`].
    pub manifest: Manifest,
    /// When checkpoints are written.
    pub policy: CheckpointPolicy,
    /// Number of the last checkpoint, steps since, and when it was written.
    number: usize,
    since: usize,
    last: Instant,
    restored: Option<RestoredCheckpoint>,
}

/// A directory that has been created.
#[derive(Debug)]
struct OpenDirectory {
    directory: PathBuf,
    /// Whether the directory existed before, and whether there was a run in it.
    old: bool,
    resumed: bool,
    lock: Option<Lock>,
    chunk_writer: ChunkWriter,
}

/// The restored checkpoint of a resumed run.
#[derive(Debug)]
struct RestoredCheckpoint {
    tables: Vec<TableState>,
    recorder: EncodedBytes,
    motion: Restored,
}

impl RunWriter {
    /// A writer for a new run. Creates nothing yet.
    ///
    /// # Errors
    /// The output directory is not empty.
    pub fn new(
        place: OutputDirectory,
        manifest: Manifest,
        cadence: CheckpointPolicy,
    ) -> Result<Self, RecordError> {
        place.check()?;
        Ok(Self {
            place,
            open: None,
            manifest,
            policy: cadence,
            number: 0,
            since: 0,
            last: Instant::now(),
            restored: None,
        })
    }

    /// A writer that continues an interrupted run from its newest valid checkpoint, or from the start. `manifest` is
    /// that of the same scene, `cadence` the policy where no checkpoint has one. Files after the checkpoint are
    /// removed. Also returns notes on skipped checkpoints.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn resume(
        directory: &Path,
        lock: Lock,
        manifest: Manifest,
        cadence: CheckpointPolicy,
    ) -> Result<(Self, Vec<String>), RecordError> {
        let found = checkpoint::find(directory, checkpoint::scene_hash(&manifest))?;
        // Split the checkpoint into tables, recorder and motion.
        let (number, kept, known) = match found.last {
            None => (0, None, None),
            Some((number, checkpoint, histories)) => {
                let motion = Restored {
                    motion: checkpoint.motion,
                    histories,
                };
                let kept = RestoredCheckpoint {
                    tables: checkpoint.tables,
                    recorder: checkpoint.recorder,
                    motion,
                };
                (number, Some(kept), Some(checkpoint.cadence))
            }
        };
        // Remove what was written after the checkpoint.
        let tables = kept.as_ref().map_or(&[][..], |kept| &kept.tables);
        checkpoint::rewind(directory, number, tables)?;
        let session = Self {
            place: OutputDirectory::Given(directory.into()),
            open: Some(OpenDirectory {
                directory: directory.into(),
                old: true,
                resumed: true,
                lock: Some(lock),
                chunk_writer: ChunkWriter::new(directory.into()),
            }),
            manifest,
            policy: known.unwrap_or(cadence),
            number,
            since: 0,
            last: Instant::now(),
            restored: kept,
        };
        Ok((session, found.notes))
    }

    /// The number of the checkpoint that a resumed run continues from; 0: from the start.
    pub fn checkpoint_number(&self) -> usize {
        self.number
    }

    /// The directory, once it is created.
    pub fn directory(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.directory.as_path())
    }

    /// Creates the directory, takes its lock and writes the manifest, unless that is done.
    ///
    /// # Errors
    /// The directory is not empty, or a file operation fails.
    pub fn open(&mut self) -> Result<(), RecordError> {
        if self.open.is_some() {
            return Ok(());
        }
        let old = matches!(&self.place, OutputDirectory::Given(path) if path.exists());
        let directory = self.place.make()?;
        // The lock before the check, so that only one process passes it.
        let lock = Lock::take(&directory)?;
        // A process that created it in between has left a manifest there, or holds the lock.
        place::require_empty(&directory)?;
        self.open = Some(OpenDirectory {
            old,
            resumed: false,
            lock: Some(lock),
            chunk_writer: ChunkWriter::new(directory.clone()),
            directory,
        });
        self.write_manifest()
    }

    /// Writes the manifest as it stands, where there is a directory.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn write_manifest(&self) -> Result<(), RecordError> {
        match &self.open {
            Some(open) => self.manifest.write(&open.directory),
            None => Ok(()),
        }
    }

    /// Submits the rows of a table to the writer thread if they fill a chunk. Called after every row, so that all
    /// chunks but the last have the same size.
    ///
    /// # Errors
    /// An earlier chunk could not be written.
    pub fn submit_full_chunk(&self, table: &mut TableWriter) -> Result<(), RecordError> {
        match &self.open {
            Some(open) if table.full() => table.submit(&open.chunk_writer),
            _ => Ok(()),
        }
    }

    /// Waits until every submitted chunk is on the disk; returns the directory, where there is one.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn flush(&self) -> Result<Option<PathBuf>, RecordError> {
        let Some(open) = &self.open else {
            return Ok(None);
        };
        open.chunk_writer.flush()?;
        Ok(Some(open.directory.clone()))
    }

    /// Counts a step; returns whether a checkpoint is due after it.
    pub fn checkpoint_due(&mut self) -> bool {
        self.since += 1;
        let steps = self.policy.every.is_some_and(|every| self.since >= every);
        let seconds = Duration::try_from_secs_f64(self.policy.seconds).unwrap_or(Duration::MAX);
        // By steps or by wall time.
        let clock = self.policy.seconds > 0.0 && self.last.elapsed() >= seconds;
        self.open.is_some() && (steps || clock)
    }

    /// Writes a checkpoint: the state of the tables, of the recorder and of the motion.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn write_checkpoint<'a>(
        &mut self,
        tables: impl Iterator<Item = &'a TableWriter>,
        recorder: &impl Serialize,
        snapshot: Snapshot,
    ) -> Result<(), RecordError> {
        // A checkpoint lists chunks: they must be on the disk before it.
        let Some(directory) = self.flush()? else {
            return Ok(());
        };
        let number = self.number + 1;
        let path = directory.join(checkpoint::checkpoint_name(number));
        let unfit = |e: String| RecordError::fault(&path, "write", &std::io::Error::other(e));
        let checkpoint = Checkpoint {
            scene_hash: checkpoint::scene_hash(&self.manifest),
            cadence: self.policy,
            tables: tables.map(TableWriter::save).collect(),
            recorder: seal::encode(recorder).map_err(unfit)?,
            motion: snapshot.motion,
        };
        // The history before the checkpoint that needs it; then old checkpoints are removed.
        let history = directory.join(checkpoint::history_name(number));
        seal::write(&history, &snapshot.history)?;
        seal::write(&path, &checkpoint)?;
        checkpoint::prune(&directory, number, self.policy.keep)?;
        self.number = number;
        self.since = 0;
        self.last = Instant::now();
        Ok(())
    }

    /// Restores a table from the checkpoint; a table that it does not know stays as it is.
    ///
    /// # Errors
    /// The table had other columns.
    pub fn restore_table(&self, table: &mut TableWriter) -> Result<(), RecordError> {
        let tables = self.restored.iter().flat_map(|kept| &kept.tables);
        match tables.into_iter().find(|known| table.is_named(&known.name)) {
            Some(state) => table.restore(state).map_err(|why| self.unfit(&why)),
            None => Ok(()),
        }
    }

    /// The state of the recorder in the checkpoint.
    ///
    /// # Errors
    /// It is not the state of such a recorder.
    pub fn restored_recorder<T: serde::de::DeserializeOwned>(
        &self,
    ) -> Result<Option<T>, RecordError> {
        let Some(kept) = &self.restored else {
            return Ok(None);
        };
        let unpacked = seal::decode(&kept.recorder);
        unpacked.map(Some).map_err(|why| self.unfit(&why))
    }

    /// Takes the state that the motion continues from.
    pub fn take_restored(&mut self) -> Option<Restored> {
        self.restored.take().map(|kept| kept.motion)
    }

    fn unfit(&self, why: &str) -> RecordError {
        let name = checkpoint::checkpoint_name(self.number);
        let directory = self.directory().unwrap_or(Path::new(""));
        RecordError::damaged(&directory.join(name), why)
    }

    /// Records in the manifest that nothing more can be written. Checkpoints and the lock stay.
    ///
    /// # Errors
    /// That file operation fails, too.
    pub fn fail(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.manifest.status = RunStatus::Stopped;
        self.manifest.reason = Some(reason);
        self.manifest.certificate = serde_json::to_value(certificate).ok();
        self.write_manifest()
    }

    /// The run has ended completely: removes checkpoints, histories and the lock.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        let Some(directory) = self.flush()? else {
            return Ok(());
        };
        // The lock goes last: until then the run counts as unfinished.
        checkpoint::clear(&directory)?;
        let lock = self.open.as_mut().and_then(|open| open.lock.take());
        lock.map_or(Ok(()), Lock::end)
    }

    /// There is no motion: removes the directory that was created for it. Files of an earlier run stay.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn abandon(&mut self) -> Result<(), RecordError> {
        let Some(open) = self.open.take_if(|open| !open.resumed) else {
            return Ok(());
        };
        open.chunk_writer.flush()?;
        let directory = &open.directory;
        checkpoint::rewind(directory, 0, &[])?;
        let fault = |e| RecordError::fault(directory, "take this directory away", &e);
        std::fs::remove_file(directory.join(MANIFEST)).map_err(fault)?;
        open.lock.map_or(Ok(()), Lock::end)?;
        // A directory that existed before stays.
        if !open.old {
            std::fs::remove_dir(directory).map_err(fault)?;
        }
        if let OutputDirectory::NextFree { folder, .. } = &self.place {
            // Succeeds only for an empty folder.
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }
}
