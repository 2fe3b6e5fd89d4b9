//! `run.lock`: one process at a time writes to a run directory.
//!
//! The file exists from the first step of a run until the run has ended completely; the process that runs holds an
//! advisory lock of the operating system on it. A process that is killed loses its lock: the file alone means that a
//! run did not end, the lock that it is under way.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordError;

/// File name of the lock.
pub const LOCK: &str = "run.lock";

/// A lock that is held; released when dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The operating system releases the lock when this is closed.
    _file: File,
}

/// State of the lock of a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockState {
    /// Another process is writing.
    Held,
    /// The file exists and no process holds its lock: the run was killed or stopped on the way.
    Abandoned,
    /// There is no lock file.
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

    /// Takes the lock of a directory that has a lock file; `None` without one.
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
            // Some file systems have no locks: concurrent runs are then told apart by the content of the directory
            // alone.
            Ok(()) | Err(TryLockError::Error(_)) => {
                // A run that ended in between removed the file.
                Ok(path.exists().then_some(Self { path, _file: file }))
            }
        }
    }

    /// Removes the file: the run has ended completely.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn end(self) -> Result<(), RecordError> {
        fs::remove_file(&self.path)
            .map_err(|e| RecordError::fault(&self.path, "remove this file", &e))
    }

    /// The state of a directory, without taking the lock.
    pub fn state(directory: &Path) -> LockState {
        match Self::take_abandoned(directory) {
            Ok(Some(_)) => LockState::Abandoned,
            Ok(None) => LockState::Free,
            Err(RecordError::Busy { .. }) => LockState::Held,
            // Not writable for this user, but the file is there.
            Err(_) => LockState::Abandoned,
        }
    }
}

fn fault(directory: &Path, reason: &io::Error) -> RecordError {
    RecordError::fault(&directory.join(LOCK), "write this file", reason)
}
