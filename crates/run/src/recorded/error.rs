//! Why a run could not be made, recorded or resumed.

use std::path::{Path, PathBuf};

use percuss_record::{RecordError, RunStatus};
use percuss_scene::SceneError;
use thiserror::Error;

/// Why a run could not be made, recorded or resumed. A motion that cannot start or cannot go on is
/// no such error: it is an end of the run.
#[derive(Debug, Clone, Error)]
pub enum RunError {
    /// The scene, a finding or a plot has an error, or a checkpoint cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The records cannot be written or read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The records cannot be written any further. What was recorded before is kept, and the run
    /// can be resumed.
    #[error(
        "{fault}. What was recorded before is kept; `percuss resume {}` goes on from there",
        .directory.display()
    )]
    RecordKept {
        /// The error of the machine.
        fault: RecordError,
        /// The directory of the run.
        directory: PathBuf,
    },
    /// The directory to be resumed is not that of a run.
    #[error("{}: this is the directory of a {kind}, not of a run", .directory.display())]
    OtherKind {
        /// The directory as given.
        directory: PathBuf,
        /// What it is the directory of.
        kind: String,
    },
    /// The run to be resumed has come to its end.
    #[error(
        "{}: this run is {}, there is nothing to go on with", .directory.display(), .status.name()
    )]
    NothingToResume {
        /// The directory as given.
        directory: PathBuf,
        /// The status of the run.
        status: RunStatus,
    },
    /// Another version began the run to be resumed.
    #[error(
        "{}: percuss {began} began this run and this is percuss {this}, which may compute other \
         bits; use percuss {began}", .directory.display()
    )]
    OtherVersion {
        /// The directory as given.
        directory: PathBuf,
        /// The version that began the run.
        began: String,
        /// This version.
        this: &'static str,
    },
    /// A data file differs from the one that the run to be resumed began with.
    #[error(
        "{scene}: the file {file} is not the one that the run began with; put that one back, or run \
         the scene anew"
    )]
    OtherFile {
        /// The scene file.
        scene: String,
        /// The data file.
        file: String,
    },
    /// The findings have no form in JSON.
    #[error("cannot write the findings as JSON: {0}")]
    Json(String),
}

impl RunError {
    /// Whether the cause is the machine (disk, permission) and not the input.
    pub fn is_machine(&self) -> bool {
        match self {
            Self::Scene(error) => error.is_machine(),
            Self::Record(error) => error.is_fault(),
            Self::RecordKept { .. } | Self::Json(_) => true,
            Self::OtherKind { .. }
            | Self::NothingToResume { .. }
            | Self::OtherVersion { .. }
            | Self::OtherFile { .. } => false,
        }
    }

    /// The error of records that cannot be written any further.
    pub(super) fn of_fault(fault: RecordError, directory: Option<&Path>) -> Self {
        match directory.filter(|directory| directory.is_dir()) {
            Some(directory) if fault.is_fault() => Self::RecordKept {
                fault,
                directory: directory.into(),
            },
            _ => Self::Record(fault),
        }
    }

    /// The error of the records alone; any other as a fault of the directory.
    pub(crate) fn into_record_error(self, directory: &Path) -> RecordError {
        match self {
            Self::Record(fault) | Self::RecordKept { fault, .. } => fault,
            other => {
                let reason = std::io::Error::other(other.to_string());
                RecordError::fault(directory, "record a run in this directory", &reason)
            }
        }
    }
}
