//! Errors of a statics problem.

use percuss_contact::law::LawError;
use thiserror::Error;

/// Errors of the input and of the solver.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StaticsError {
    /// A law whose admissible impulses do not form a convex cone.
    #[error("contact {contact}: the law {law} has no convex cone of admissible impulses")]
    Law {
        /// Which contact.
        contact: usize,
        /// Name of its law.
        law: &'static str,
    },
    /// A law that does not fit its rows.
    #[error("contact {contact}: {source}")]
    Rows {
        /// Which contact.
        contact: usize,
        /// What is wrong with it.
        source: LawError,
    },
    /// A number that is not finite.
    #[error("{what} holds {value}; every number must be finite")]
    NotFinite {
        /// Where.
        what: String,
        /// What it holds.
        value: f64,
    },
    /// A list of another length than expected.
    #[error("{what} has {found} entries, {expected} were expected")]
    Size {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// What fits.
        expected: usize,
    },
    /// The solver gave no usable answer.
    #[error("the conic solver ended without an answer ({status}) {during}")]
    Solver {
        /// What it said.
        status: String,
        /// What it was asked for.
        during: &'static str,
    },
}

/// An error at the first number that is not finite.
pub(crate) fn finite(what: impl Fn() -> String, values: &[f64]) -> Result<(), StaticsError> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(StaticsError::NotFinite {
            what: what(),
            value,
        }),
    }
}

/// An error for a list of the wrong length.
pub(crate) fn sized(what: &str, found: usize, expected: usize) -> Result<(), StaticsError> {
    match found == expected {
        true => Ok(()),
        false => Err(StaticsError::Size {
            what: what.into(),
            found,
            expected,
        }),
    }
}
