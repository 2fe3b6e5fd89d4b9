#![doc = include_str!("../README.md")]

use std::path::Path;

mod check;
pub mod convert;
mod error;
mod matrix;
mod model;
mod read;
mod source;
mod write;

pub use error::FileError;
pub use matrix::SparseMatrix;
pub use model::{
    GlobalBilateral, GlobalProblem, Info, LocalBilateral, LocalProblem, ProblemFile, ProblemForm,
    SolutionVectors,
};

/// Reads a problem file and checks its contents.
///
/// # Errors
/// When the file cannot be opened, is not a problem file, is damaged or contradicts itself.
pub fn read(path: &Path) -> Result<ProblemFile, FileError> {
    let bytes = std::fs::read(path).map_err(|source| FileError::Io {
        path: path.into(),
        action: "read",
        source,
    })?;
    read::problem(path, bytes)
}

/// Reads a problem from the bytes of a file; `name` is the file's name in messages.
///
/// # Errors
/// When the bytes are not a problem file, are damaged or contradict themselves.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<ProblemFile, FileError> {
    read::problem(Path::new(name), bytes.to_vec())
}

/// Checks a problem and writes it; the file is replaced atomically.
///
/// # Errors
/// When the problem contradicts itself or does not fit the layout (32-bit integers, text without
/// NUL), or the file cannot be written.
pub fn write(path: &Path, problem: &ProblemFile) -> Result<(), FileError> {
    let bytes = write::encode(path, problem)?;
    write::replace(path, &bytes)
}

/// Checks a problem and returns the bytes that [`write()`] would put into a file; `name` is the
/// file's name in messages.
///
/// # Errors
/// When the problem contradicts itself or does not fit the layout.
pub fn write_bytes(name: &str, problem: &ProblemFile) -> Result<Vec<u8>, FileError> {
    write::encode(Path::new(name), problem)
}
