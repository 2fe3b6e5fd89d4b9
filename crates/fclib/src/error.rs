//! Errors of reading and writing a problem file; each message says what to do.

use std::path::PathBuf;

/// Why a problem file could not be read or written.
///
/// Every message names the file; where a dataset is at fault it names the dataset, what was found,
/// what was expected and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: cannot {action} this file: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: `read`, `create`, `write` or `replace`.
        action: &'static str,
        /// What the operating system answered.
        source: std::io::Error,
    },
    /// The file does not carry the HDF5 signature.
    #[error("{}: not an HDF5 file ({first}), {hint}", path.display())]
    NotHdf5 {
        /// The file.
        path: PathBuf,
        /// What the file starts with, made printable.
        first: String,
        /// What the file probably is and what to do.
        hint: &'static str,
    },
    /// An HDF5 file of another kind.
    #[error(
        "{}: an HDF5 file but not a frictional contact problem: it holds {found} at the top, \
         expected the group fclib_local or fclib_global{hint}",
        path.display()
    )]
    NotFclib {
        /// The file.
        path: PathBuf,
        /// The groups and datasets at the top of the file.
        found: String,
        /// What the file probably is, empty when nothing can be said.
        hint: &'static str,
    },
    /// A dataset or group that the layout requires is not there.
    #[error(
        "{}: {dataset} is missing; the file was not written completely or by another layout, \
         write it again with FCLIB or percuss",
        path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// Full name of the missing object inside the file.
        dataset: String,
    },
    /// A dataset holds elements of the wrong kind.
    #[error(
        "{}: {dataset} holds {found}, expected {expected}; write it again with that element type",
        path.display()
    )]
    WrongType {
        /// The file.
        path: PathBuf,
        /// Full name of the dataset or attribute.
        dataset: String,
        /// The element type the layout asks for.
        expected: &'static str,
        /// The element type found.
        found: String,
    },
    /// A size that contradicts the rest of the file.
    #[error("{}: {dataset} is {found}, expected {expected}; {hint}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// Full name of the dataset.
        dataset: String,
        /// The size that would fit.
        expected: String,
        /// The size found.
        found: String,
        /// Where the expected size comes from, or what to do.
        hint: String,
    },
    /// A number outside its range.
    #[error("{}: {dataset}[{index}] = {value}, expected {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Full name of the dataset.
        dataset: String,
        /// Position in the dataset, counted from 0.
        index: usize,
        /// The number found, as text.
        value: String,
        /// The numbers that are allowed, and what to do.
        expected: String,
    },
    /// The HDF5 structure itself is damaged or truncated.
    #[error(
        "{}: the HDF5 structure is damaged or of an unsupported kind ({detail}); \
         fetch or write the file again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the HDF5 layer found.
        detail: String,
    },
    /// The problem cannot be expressed in the layout.
    #[error("{}: this problem cannot be stored in the FCLIB layout: {detail}", path.display())]
    Encode {
        /// The file that was to be written.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
}
