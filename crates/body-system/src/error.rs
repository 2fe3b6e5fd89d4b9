//! What the event-driven integration of bodies refuses.

use percuss_mechanism::MechanismError;
use thiserror::Error;

/// Why bodies have no event-driven motion.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BodySystemError {
    /// Something of the model without an event-driven form.
    #[error(
        "the event-driven integrator does not treat {what}; take a time-stepping integrator \
         (`integrator = \"midpoint\"`)"
    )]
    Unsupported {
        /// What, with the names of its bodies or its joint.
        what: String,
    },
    /// More than it can follow.
    #[error(
        "{count} {what}: the event-driven integrator takes at most {limit}; take a time-stepping integrator \
         (`integrator = \"midpoint\"`)"
    )]
    TooMany {
        /// How many.
        count: usize,
        /// Of what.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// The motion cannot start or cannot go on.
    #[error(transparent)]
    Motion(#[from] MechanismError),
}
