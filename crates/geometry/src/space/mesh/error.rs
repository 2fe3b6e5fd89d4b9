//! Errors of reading a mesh from a file.

use crate::error::ShapeError;

/// Why a file is not a valid mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A line that cannot be read.
    #[error("line {line}: {what}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A triangle of a binary file that cannot be read.
    #[error("triangle {triangle}: {what}")]
    Triangle {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A file that cannot be read at all.
    #[error("{0}")]
    File(String),
    /// What was read is not a valid surface.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Parses one coordinate of a line.
pub(super) fn coordinate(word: Option<&str>, line: usize) -> Result<f64, MeshError> {
    let fault = |what| Err(MeshError::Line { line, what });
    let Some(word) = word else {
        return fault("three coordinates were expected".into());
    };
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => fault(format!("`{}` is no finite number", short(word))),
    }
}

/// A word of a file, truncated to a length that fits a message.
pub(super) fn short(word: &str) -> String {
    let mut cut: String = word.chars().take(40).collect();
    if cut.len() < word.len() {
        cut.push('…');
    }
    cut
}
