//! Why a run directory cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a run directory cannot be written or read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The directory to write to holds something already.
    #[error(
        "{}: this {what}; records never overwrite: name a new directory, or leave -o out for the \
         next free runs/NAME-N", .path.display()
    )]
    Occupied {
        /// The directory as given.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// Not the directory of a run.
    #[error("{}: {why}; give a directory that `percuss run` has written", .path.display())]
    NotARun {
        /// The directory as given.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// Written by a later version.
    #[error(
        "{}: its records follow schema {found}, this program reads up to {known}; use percuss \
         {version} or later", .path.display()
    )]
    Newer {
        /// The directory.
        path: PathBuf,
        /// Schema of the records.
        found: u64,
        /// Newest schema known here.
        known: u64,
        /// Version that wrote them.
        version: String,
    },
    /// A file of the records is cut off or altered.
    #[error(
        "{}: this file is damaged: {why}; the other files of the directory are independent of it",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// A chunk that the manifest counts is not there.
    #[error("{}: this file is missing: {counted}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What the manifest says.
        counted: String,
    },
    /// A name that the records do not have.
    #[error("{0}")]
    Unknown(String),
    /// The machine refused.
    #[error("{}: cannot {doing}: {reason}", .path.display())]
    Fault {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the machine said.
        reason: String,
    },
}

impl RecordError {
    /// Whether the machine is at fault (disk, permission) and not the input.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault { .. })
    }

    pub(crate) fn fault(path: &Path, doing: &'static str, reason: &io::Error) -> Self {
        Self::Fault {
            path: path.into(),
            doing,
            reason: reason.to_string(),
        }
    }

    pub(crate) fn damaged(path: &Path, why: impl ToString) -> Self {
        Self::Damaged {
            path: path.into(),
            why: why.to_string(),
        }
    }
}
