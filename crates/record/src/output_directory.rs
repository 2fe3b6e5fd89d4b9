//! Choice and creation of the output directory of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::lock::{LOCK, Lock, LockState};

/// Parent folder of run directories without `-o`.
pub const RUNS: &str = "runs";

/// Prefix and suffix of the temporary file of a manifest.
const DRAFT: [&str; 2] = ["run.", ".part"];

/// Largest N of `runs/NAME-N`.
const MOST: usize = 1_000_000;

/// The output directory of a run. It is created with the first step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputDirectory {
    /// A directory that the user named; new, or empty.
    Given(PathBuf),
    /// The next free `FOLDER/NAME-N`.
    NextFree {
        /// The folder, by default `runs`.
        folder: PathBuf,
        /// The name.
        name: String,
    },
}

impl OutputDirectory {
    /// The directory of `-o`, or the next free `runs/NAME-N`.
    pub fn new(given: Option<&Path>, name: &str) -> Self {
        match given {
            Some(path) => Self::Given(path.into()),
            None => Self::NextFree {
                folder: RUNS.into(),
                name: name.into(),
            },
        }
    }

    /// Refuses a directory that is not empty; creates nothing.
    ///
    /// # Errors
    /// It is not empty, or cannot be read.
    pub fn check(&self) -> Result<(), RecordError> {
        let Self::Given(path) = self else {
            return Ok(());
        };
        require_empty(path)?;
        match Lock::state(path) {
            LockState::Held => Err(RecordError::Busy { path: path.clone() }),
            LockState::Abandoned | LockState::Free => Ok(()),
        }
    }

    /// Creates the directory and returns its path.
    ///
    /// # Errors
    /// It is taken, or a file operation fails.
    pub fn make(&self) -> Result<PathBuf, RecordError> {
        match self {
            Self::Given(path) => {
                self.check()?;
                let made = fs::create_dir_all(path);
                made.map_err(|e| RecordError::fault(path, "make this directory", &e))?;
                Ok(path.clone())
            }
            Self::NextFree { folder, name } => next(folder, name),
        }
    }
}

/// Refuses a directory that is not empty. An abandoned lock and the temporary file of a manifest do not count: a run
/// that was killed before it had a manifest leaves them.
pub(super) fn require_empty(path: &Path) -> Result<(), RecordError> {
    let occupied = |what| {
        Err(RecordError::Occupied {
            path: path.into(),
            what,
        })
    };
    let fault = |e| RecordError::fault(path, "look into this directory", &e);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => return occupied("is a file"),
        Err(e) => return Err(fault(e)),
    };
    for entry in entries {
        let name = entry.map_err(fault)?.file_name();
        let draft = |name: &str| name.starts_with(DRAFT[0]) && name.ends_with(DRAFT[1]);
        if name != LOCK && !name.to_str().is_some_and(draft) {
            return occupied("directory is not empty");
        }
    }
    Ok(())
}

/// Creates the directory with the first free number: `create_dir` fails for all but one of several concurrent
/// processes.
fn next(folder: &Path, name: &str) -> Result<PathBuf, RecordError> {
    let made = fs::create_dir_all(folder);
    made.map_err(|e| RecordError::fault(folder, "make this directory", &e))?;
    let mut path = folder.join(name);
    for n in 1..=MOST {
        path = folder.join(format!("{name}-{n}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(RecordError::fault(&path, "make this directory", &e)),
        }
    }
    Err(RecordError::fault(
        &path,
        "make this directory",
        &io::Error::from(io::ErrorKind::AlreadyExists),
    ))
}
