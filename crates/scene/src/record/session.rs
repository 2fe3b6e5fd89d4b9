//! A run directory while it is written: its lock, its manifest, the thread that writes its chunks, its
//! checkpoints.
//!
//! ```text
//! new ── open (first step) ── spill, spill, keep, spill, … ── settle ── finish
//! resume (an interrupted run) ───┘                              └── or left as it is, to be resumed
//! ```
//!
//! The directory is made with the first step: a run that is refused leaves nothing behind. `run.lock`
//! stays until `finish`: whatever ends a run before, a kill, a full disk, a request, leaves a
//! directory that `resume` goes on from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::checkpoint::{self, Checkpoint, CheckpointPolicy, Restored, Snapshot};
use super::error::RecordError;
use super::lock::Lock;
use super::manifest::{MANIFEST, Manifest, RunStatus};
use super::place::{self, OutputDirectory};
use super::saved::TableState;
use super::scribe::ChunkWriter;
use super::seal::{self, EncodedBytes};
use super::writer::TableWriter;

/// A run directory while it is written.
#[derive(Debug)]
pub struct RunWriter {
    place: OutputDirectory,
    open: Option<OpenDirectory>,
    /// The manifest as it stands; written by [`Session::publish`].
    pub manifest: Manifest,
    /// When checkpoints are written.
    pub policy: CheckpointPolicy,
    /// Number of the last checkpoint, steps since, and when it was.
    number: usize,
    since: usize,
    last: Instant,
    restored: Option<RestoredCheckpoint>,
}

/// What a directory that has been made needs.
#[derive(Debug)]
struct OpenDirectory {
    directory: PathBuf,
    /// Whether the directory was there before, and whether there was a run in it.
    old: bool,
    resumed: bool,
    lock: Option<Lock>,
    scribe: ChunkWriter,
}

/// What is left of a checkpoint once the motion is taken from it.
#[derive(Debug)]
struct RestoredCheckpoint {
    tables: Vec<TableState>,
    recorder: EncodedBytes,
    motion: Restored,
}

impl RunWriter {
    /// A session of a new run. Nothing is made yet.
    ///
    /// # Errors
    /// The place is taken.
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

    /// A session that goes on with an interrupted run: from its newest checkpoint that counts, or from
    /// the start. `manifest` is that of the same scene, `cadence` holds where no checkpoint says
    /// otherwise. What came after the checkpoint is taken away. Also returns what was passed over, in
    /// words.
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
        let tables = kept.as_ref().map_or(&[][..], |kept| &kept.tables);
        checkpoint::rewind(directory, number, tables)?;
        let session = Self {
            place: OutputDirectory::Given(directory.into()),
            open: Some(OpenDirectory {
                directory: directory.into(),
                old: true,
                resumed: true,
                lock: Some(lock),
                scribe: ChunkWriter::new(directory.into()),
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

    /// The number of the checkpoint that a resumed run goes on from; 0: from the start.
    pub fn checkpoint_number(&self) -> usize {
        self.number
    }

    /// The directory, once it is made.
    pub fn directory(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.directory.as_path())
    }

    /// Makes the directory, takes its lock and writes the manifest, unless that is done.
    ///
    /// # Errors
    /// The place is taken, or a file operation fails.
    pub fn open(&mut self) -> Result<(), RecordError> {
        if self.open.is_some() {
            return Ok(());
        }
        let old = matches!(&self.place, OutputDirectory::Given(path) if path.exists());
        let directory = self.place.make()?;
        let lock = Lock::take(&directory)?;
        // Who else made it in between has left a manifest there, or holds the lock.
        place::require_empty(&directory)?;
        self.open = Some(OpenDirectory {
            old,
            resumed: false,
            lock: Some(lock),
            scribe: ChunkWriter::new(directory.clone()),
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

    /// Gives a full chunk of a table to the thread that writes. Asked after every row, all chunks
    /// but the last are of one size.
    ///
    /// # Errors
    /// An earlier chunk could not be written.
    pub fn submit_full_chunk(&self, table: &mut TableWriter) -> Result<(), RecordError> {
        match &self.open {
            Some(open) if table.full() => table.submit(&open.scribe),
            _ => Ok(()),
        }
    }

    /// Waits until everything given is on the disk; gives the directory, where there is one.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn flush(&self) -> Result<Option<PathBuf>, RecordError> {
        let Some(open) = &self.open else {
            return Ok(None);
        };
        open.scribe.flush()?;
        Ok(Some(open.directory.clone()))
    }

    /// Counts a step: whether a checkpoint is due after it.
    pub fn checkpoint_due(&mut self) -> bool {
        self.since += 1;
        let steps = self.policy.every.is_some_and(|every| self.since >= every);
        let seconds = Duration::try_from_secs_f64(self.policy.seconds).unwrap_or(Duration::MAX);
        let clock = self.policy.seconds > 0.0 && self.last.elapsed() >= seconds;
        self.open.is_some() && (steps || clock)
    }

    /// Writes a checkpoint: the tables as they are, what the recorder and the motion need besides.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn write_checkpoint<'a>(
        &mut self,
        tables: impl Iterator<Item = &'a TableWriter>,
        recorder: &impl Serialize,
        snapshot: Snapshot,
    ) -> Result<(), RecordError> {
        // A checkpoint counts chunks: they must be there before it is.
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
        let history = directory.join(checkpoint::history_name(number));
        seal::write(&history, &snapshot.history)?;
        seal::write(&path, &checkpoint)?;
        checkpoint::prune(&directory, number, self.policy.keep)?;
        self.number = number;
        self.since = 0;
        self.last = Instant::now();
        Ok(())
    }

    /// Puts back what a table was at the checkpoint; one that it does not know stays as it is.
    ///
    /// # Errors
    /// It had other columns.
    pub fn restore_table(&self, table: &mut TableWriter) -> Result<(), RecordError> {
        let tables = self.restored.iter().flat_map(|kept| &kept.tables);
        match tables.into_iter().find(|known| table.is_named(&known.name)) {
            Some(state) => table.restore(state).map_err(|why| self.unfit(&why)),
            None => Ok(()),
        }
    }

    /// What the recorder kept in the checkpoint.
    ///
    /// # Errors
    /// It is not what this recorder keeps.
    pub fn restored_recorder<T: serde::de::DeserializeOwned>(
        &self,
    ) -> Result<Option<T>, RecordError> {
        let Some(kept) = &self.restored else {
            return Ok(None);
        };
        let unpacked = seal::decode(&kept.recorder);
        unpacked.map(Some).map_err(|why| self.unfit(&why))
    }

    /// What the motion goes on from; asked once.
    pub fn take_restored(&mut self) -> Option<Restored> {
        self.restored.take().map(|kept| kept.motion)
    }

    fn unfit(&self, why: &str) -> RecordError {
        let name = checkpoint::checkpoint_name(self.number);
        let directory = self.directory().unwrap_or(Path::new(""));
        RecordError::damaged(&directory.join(name), why)
    }

    /// Says in the manifest that nothing more can be written. Checkpoints and the lock stay.
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

    /// The run has ended with all that belongs to it: takes away checkpoints, histories and the lock.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        let Some(directory) = self.flush()? else {
            return Ok(());
        };
        checkpoint::clear(&directory)?;
        let lock = self.open.as_mut().and_then(|open| open.lock.take());
        lock.map_or(Ok(()), Lock::end)
    }

    /// There is no motion after all: takes away the directory that was made for it. What an earlier
    /// run left there stays.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn abandon(&mut self) -> Result<(), RecordError> {
        let Some(open) = self.open.take_if(|open| !open.resumed) else {
            return Ok(());
        };
        open.scribe.flush()?;
        let directory = &open.directory;
        checkpoint::rewind(directory, 0, &[])?;
        let fault = |e| RecordError::fault(directory, "take this directory away", &e);
        std::fs::remove_file(directory.join(MANIFEST)).map_err(fault)?;
        open.lock.map_or(Ok(()), Lock::end)?;
        if !open.old {
            std::fs::remove_dir(directory).map_err(fault)?;
        }
        if let OutputDirectory::NextFree { folder, .. } = &self.place {
            // Only if nothing else is in it.
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }
}
