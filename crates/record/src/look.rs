//! Why something cannot be shown of a record.

use percuss_scene::SceneError;
use thiserror::Error;

use super::error::RecordError;

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The scene in the manifest is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Unknown name.
    #[error("{0}")]
    Unknown(String),
    /// There are no data to show.
    #[error("{0}")]
    Nothing(String),
    /// The drawing library reports an error.
    #[error("cannot draw the picture: {0}")]
    Drawing(String),
}
