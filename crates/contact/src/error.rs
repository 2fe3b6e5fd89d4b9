//! Errors of a one-step problem that cannot be posed; each message says what to change.

use crate::law::LawError;

/// A one-step problem that cannot be posed as given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// A number that is not finite.
    #[error(
        "{what} of {owner} is {value}, but every number must be finite; \
         look for a division by zero or an unset value where it is made"
    )]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Which contact, row or group of coordinates.
        owner: String,
        /// The offending value.
        value: f64,
    },
    /// Two sizes that do not fit.
    #[error("{what} has {found} entries where {expected} were expected ({why})")]
    Size {
        /// Which quantity.
        what: String,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
        /// Where the expected length comes from.
        why: String,
    },
    /// A law whose parameters make no sense, or that does not fit the rows of its contact.
    #[error("contact {contact}: {source}")]
    Law {
        /// Index of the contact.
        contact: usize,
        /// What is wrong with the law.
        source: LawError,
    },
    /// A mass matrix that is not symmetric positive definite.
    #[error(
        "the mass matrix of group {group} is not positive definite: pivot {pivot} is {value:e}; \
         check masses and inertias (all must be positive) or, for a mechanism, whether its \
         coordinates are singular in this configuration"
    )]
    Mass {
        /// Index of the group of coordinates.
        group: usize,
        /// Row of the failing pivot.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// A diagonal block H that no mechanical system produces.
    #[error(
        "the diagonal block H of contact {contact} is not positive semidefinite with a positive \
         normal entry ({detail}); the matrix W must be the Delassus operator G A⁻¹ Gᵀ, rows \
         ordered normal first"
    )]
    Block {
        /// Index of the contact.
        contact: usize,
        /// Which test failed, with the figure.
        detail: String,
    },
    /// A contact that names a group of coordinates that does not exist.
    #[error("contact {contact} touches group {group}, but there are only {groups} groups")]
    Group {
        /// Index of the contact.
        contact: usize,
        /// The group it names.
        group: usize,
        /// How many there are.
        groups: usize,
    },
    /// More coordinates or Jacobian entries than the index types can count.
    #[error(
        "the problem is too large: at most 4,294,967,295 coordinates, as many entries of G, and \
         65,535 coordinates in a group; split it"
    )]
    TooLarge,
}

impl ProblemError {
    /// The contact that caused the error, if one did.
    pub fn contact(&self) -> Option<usize> {
        match self {
            Self::Law { contact, .. }
            | Self::Block { contact, .. }
            | Self::Group { contact, .. } => Some(*contact),
            Self::NotFinite { .. } | Self::Size { .. } | Self::Mass { .. } | Self::TooLarge => None,
        }
    }
}
