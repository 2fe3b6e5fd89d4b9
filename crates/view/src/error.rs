//! Errors of the viewer.

use percuss_record::RecordError;
use percuss_scene::SceneError;
use thiserror::Error;

/// Why data cannot be shown.
#[derive(Debug, Clone, Error)]
pub enum ViewError {
    /// The records do not hold it.
    #[error("{0}")]
    Absent(String),
    /// The query is invalid.
    #[error("{0}")]
    Question(String),
    /// The records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The scene in the manifest is invalid.
    #[error("{0}")]
    Scene(String),
}

impl From<SceneError> for ViewError {
    fn from(error: SceneError) -> Self {
        Self::Scene(error.to_string())
    }
}

impl ViewError {
    /// The HTTP status of the error.
    pub fn status(&self) -> u16 {
        match self {
            Self::Absent(_) | Self::Record(RecordError::Unknown(_)) => 404,
            Self::Question(_) => 400,
            Self::Record(_) | Self::Scene(_) => 500,
        }
    }

    /// Whether the machine is at fault and not the input.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Record(error) if error.is_fault())
    }
}
