//! `run.lock`: one run at a time writes to a directory.
//!
//! The file is there from the first step of a run until it has ended with all that belongs to it; the
//! process that runs holds a lock of the system on it. A process that is killed loses its lock: the
//! file alone says that a run was not brought to its end, the lock that it is under way.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordError;

/// Name of the lock in its directory.
pub const LOCK: &str = "run.lock";

/// A lock that is held; let go when dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The system lets go of the lock when this is closed.
    _file: File,
}

/// Whether a run was brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockState {
    /// Another process is writing.
    Held,
    /// There is the file, and nobody holds it: the run was killed or stopped on the way.
    Abandoned,
    /// There is none.
    Free,
}

impl Lock {
    /// Takes the lock of a directory, which must exist.
    ///
    /// # Errors
    /// Another process holds it, or a file operation fails.
    pub fn take(directory: &Path) -> Result<Self, RecordError> {
        let mut options = OpenOptions::new();
        let lock = Self::open(directory, options.write(true).create(true))?;
        lock.ok_or_else(|| fault(directory, &io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Takes the lock of a directory that has one.
    ///
    /// # Errors
    /// Another process holds it, or a file operation fails.
    pub fn take_abandoned(directory: &Path) -> Result<Option<Self>, RecordError> {
        Self::open(directory, OpenOptions::new().write(true))
    }

    fn open(directory: &Path, options: &OpenOptions) -> Result<Option<Self>, RecordError> {
        let path = directory.join(LOCK);
        let file = match options.open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(fault(directory, &e)),
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(RecordError::Busy {
                path: directory.into(),
            }),
            // Some file systems have no locks: two runs are then told apart by what is in the
            // directory alone.
            Ok(()) | Err(TryLockError::Error(_)) => {
                // A run that ended in between took the file away.
                Ok(path.exists().then_some(Self { path, _file: file }))
            }
        }
    }

    /// Takes the file away: the run is brought to its end.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn end(self) -> Result<(), RecordError> {
        fs::remove_file(&self.path)
            .map_err(|e| RecordError::fault(&self.path, "remove this file", &e))
    }

    /// How a directory stands; takes nothing.
    pub fn state(directory: &Path) -> LockState {
        match Self::take_abandoned(directory) {
            Ok(Some(_)) => LockState::Abandoned,
            Ok(None) => LockState::Free,
            Err(RecordError::Busy { .. }) => LockState::Held,
            // Not ours to write to: the file is there.
            Err(_) => LockState::Abandoned,
        }
    }
}

fn fault(directory: &Path, reason: &io::Error) -> RecordError {
    RecordError::fault(&directory.join(LOCK), "write this file", reason)
}
