//! Errors of writing and reading run directories.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::format::MANIFEST;

/// Why a run directory cannot be written or read.
#[derive(Debug, Clone, Error)]
pub enum RecordError {
    /// The output directory is not empty.
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
    /// Another process writes there.
    #[error(
        "{}: another run is writing to this directory; wait until it has ended, or name another \
         directory", .path.display()
    )]
    Busy {
        /// The directory as given.
        path: PathBuf,
    },
    /// Not a run directory.
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
    /// A file of the records is truncated or altered.
    #[error(
        "{}: this file is damaged: {why}; {}", .path.display(), salvage(.path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// A chunk that the manifest lists is missing.
    #[error(
        "{}: this file is missing: {counted}; put it back, or run the scene again", .path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// What the manifest says.
        counted: String,
    },
    /// A name of a table, column or body that the records do not have.
    #[error("{0}")]
    Unknown(String),
    /// A file operation failed (disk, permission).
    #[error("{}: cannot {doing}: {reason}", .path.display())]
    Fault {
        /// The file or directory.
        path: PathBuf,
        /// The operation that failed.
        doing: &'static str,
        /// The message of the operating system, and advice.
        reason: String,
    },
}

impl RecordError {
    /// Whether the cause is the machine (disk, permission) and not the input.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault { .. })
    }

    /// A fault of the machine during an operation on a path.
    pub fn fault(path: &Path, doing: &'static str, reason: &io::Error) -> Self {
        Self::Fault {
            path: path.into(),
            doing,
            reason: format!("{reason}{}", advice(reason.kind(), doing)),
        }
    }

    /// A file or directory whose content is not what was written.
    pub fn damaged(path: &Path, why: impl ToString) -> Self {
        Self::Damaged {
            path: path.into(),
            why: why.to_string(),
        }
    }
}

/// Advice on a damaged file.
fn salvage(path: &Path) -> &'static str {
    match path.file_name().is_some_and(|name| name == MANIFEST) {
        true => {
            "put back a copy of it, or run the scene again; the tables beside it are plain Parquet \
             files and can be read as such"
        }
        false => "the other files of the directory are independent of it",
    }
}

/// Advice on a failed file operation.
fn advice(kind: io::ErrorKind, doing: &str) -> &'static str {
    use io::ErrorKind as Kind;
    let (reading, making) = (doing.starts_with("read"), doing.starts_with("make"));
    match kind {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "; free space, or name a directory on another disk"
        }
        Kind::PermissionDenied if reading => "; ask its owner for permission to read it",
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "; name a directory that you may write to"
        }
        Kind::NotFound if making => "; name a directory in one that is there",
        Kind::NotFound => "; it has gone away: leave the directory alone while it is in use",
        Kind::NotADirectory | Kind::AlreadyExists => "; name another directory",
        _ if reading => "; see whether the disk is sound",
        _ => "; see whether the disk is sound, or name a directory on another one",
    }
}
