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

use super::checkpoint::{self, Cadence, Checkpoint, Restored, Snapshot};
use super::error::RecordError;
use super::lock::Lock;
use super::manifest::{MANIFEST, Manifest, Status};
use super::place::{self, Place};
use super::saved::TableState;
use super::scribe::Scribe;
use super::seal::{self, Packed};
use super::writer::TableWriter;

/// A run directory while it is written.
#[derive(Debug)]
pub struct Session {
    place: Place,
    open: Option<Open>,
    /// The manifest as it stands; written by [`Session::publish`].
    pub manifest: Manifest,
    /// When checkpoints are written.
    pub cadence: Cadence,
    /// Number of the last checkpoint, steps since, and when it was.
    number: usize,
    since: usize,
    last: Instant,
    restored: Option<Kept>,
}

/// What a directory that has been made needs.
#[derive(Debug)]
struct Open {
    directory: PathBuf,
    /// Whether the directory was there before, and whether there was a run in it.
    old: bool,
    resumed: bool,
    lock: Option<Lock>,
    scribe: Scribe,
}

/// What is left of a checkpoint once the motion is taken from it.
#[derive(Debug)]
struct Kept {
    tables: Vec<TableState>,
    recorder: Packed,
    motion: Restored,
}

impl Session {
    /// A session of a new run. Nothing is made yet.
    ///
    /// # Errors
    /// The place is taken.
    pub fn new(place: Place, manifest: Manifest, cadence: Cadence) -> Result<Self, RecordError> {
        place.check()?;
        Ok(Self {
            place,
            open: None,
            manifest,
            cadence,
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
    /// The machine refuses.
    pub fn resume(
        directory: &Path,
        lock: Lock,
        manifest: Manifest,
        cadence: Cadence,
    ) -> Result<(Self, Vec<String>), RecordError> {
        let found = checkpoint::find(directory, checkpoint::digest(&manifest))?;
        let (number, kept, known) = match found.last {
            None => (0, None, None),
            Some((number, checkpoint, histories)) => {
                let motion = Restored {
                    motion: checkpoint.motion,
                    histories,
                };
                let kept = Kept {
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
            place: Place::Given(directory.into()),
            open: Some(Open {
                directory: directory.into(),
                old: true,
                resumed: true,
                lock: Some(lock),
                scribe: Scribe::new(directory.into()),
            }),
            manifest,
            cadence: known.unwrap_or(cadence),
            number,
            since: 0,
            last: Instant::now(),
            restored: kept,
        };
        Ok((session, found.notes))
    }

    /// The number of the checkpoint that a resumed run goes on from; 0: from the start.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The directory, once it is made.
    pub fn directory(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.directory.as_path())
    }

    /// Makes the directory, takes its lock and writes the manifest, unless that is done.
    ///
    /// # Errors
    /// The place is taken, or the machine refuses.
    pub fn open(&mut self) -> Result<(), RecordError> {
        if self.open.is_some() {
            return Ok(());
        }
        let old = matches!(&self.place, Place::Given(path) if path.exists());
        let directory = self.place.make()?;
        let lock = Lock::take(&directory)?;
        // Who else made it in between has left a manifest there, or holds the lock.
        place::require_empty(&directory)?;
        self.open = Some(Open {
            old,
            resumed: false,
            lock: Some(lock),
            scribe: Scribe::new(directory.clone()),
            directory,
        });
        self.publish()
    }

    /// Writes the manifest as it stands, where there is a directory.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn publish(&self) -> Result<(), RecordError> {
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
    pub fn spill(&self, table: &mut TableWriter) -> Result<(), RecordError> {
        match &self.open {
            Some(open) if table.full() => table.give(&open.scribe),
            _ => Ok(()),
        }
    }

    /// Waits until everything given is on the disk; gives the directory, where there is one.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn settle(&self) -> Result<Option<PathBuf>, RecordError> {
        let Some(open) = &self.open else {
            return Ok(None);
        };
        open.scribe.settle()?;
        Ok(Some(open.directory.clone()))
    }

    /// Counts a step: whether a checkpoint is due after it.
    pub fn due(&mut self) -> bool {
        self.since += 1;
        let steps = self.cadence.every.is_some_and(|every| self.since >= every);
        let seconds = Duration::try_from_secs_f64(self.cadence.seconds).unwrap_or(Duration::MAX);
        let clock = self.cadence.seconds > 0.0 && self.last.elapsed() >= seconds;
        self.open.is_some() && (steps || clock)
    }

    /// Writes a checkpoint: the tables as they are, what the recorder and the motion need besides.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn keep<'a>(
        &mut self,
        tables: impl Iterator<Item = &'a TableWriter>,
        recorder: &impl Serialize,
        snapshot: Snapshot,
    ) -> Result<(), RecordError> {
        // A checkpoint counts chunks: they must be there before it is.
        let Some(directory) = self.settle()? else {
            return Ok(());
        };
        let number = self.number + 1;
        let path = directory.join(checkpoint::checkpoint_name(number));
        let unfit = |e: String| RecordError::fault(&path, "write", &std::io::Error::other(e));
        let checkpoint = Checkpoint {
            digest: checkpoint::digest(&self.manifest),
            cadence: self.cadence,
            tables: tables.map(TableWriter::save).collect(),
            recorder: seal::pack(recorder).map_err(unfit)?,
            motion: snapshot.motion,
        };
        let history = directory.join(checkpoint::history_name(number));
        seal::write(&history, &snapshot.history)?;
        seal::write(&path, &checkpoint)?;
        checkpoint::prune(&directory, number, self.cadence.keep)?;
        self.number = number;
        self.since = 0;
        self.last = Instant::now();
        Ok(())
    }

    /// Puts back what a table was at the checkpoint; one that it does not know stays as it is.
    ///
    /// # Errors
    /// It had other columns.
    pub fn restore(&self, table: &mut TableWriter) -> Result<(), RecordError> {
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
    pub fn recorder<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, RecordError> {
        let Some(kept) = &self.restored else {
            return Ok(None);
        };
        let unpacked = seal::unpack(&kept.recorder);
        unpacked.map(Some).map_err(|why| self.unfit(&why))
    }

    /// What the motion goes on from; asked once.
    pub fn take_motion(&mut self) -> Option<Restored> {
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
    /// The machine refuses that, too.
    pub fn fail(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.manifest.status = Status::Stopped;
        self.manifest.reason = Some(reason);
        self.manifest.certificate = serde_json::to_value(certificate).ok();
        self.publish()
    }

    /// The run has ended with all that belongs to it: takes away checkpoints, histories and the lock.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        let Some(directory) = self.settle()? else {
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
    /// The machine refuses.
    pub fn abandon(&mut self) -> Result<(), RecordError> {
        let Some(open) = self.open.take_if(|open| !open.resumed) else {
            return Ok(());
        };
        open.scribe.settle()?;
        let directory = &open.directory;
        checkpoint::rewind(directory, 0, &[])?;
        let fault = |e| RecordError::fault(directory, "take this directory away", &e);
        std::fs::remove_file(directory.join(MANIFEST)).map_err(fault)?;
        open.lock.map_or(Ok(()), Lock::end)?;
        if !open.old {
            std::fs::remove_dir(directory).map_err(fault)?;
        }
        if let Place::Next { folder, .. } = &self.place {
            // Only if nothing else is in it.
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }
}
