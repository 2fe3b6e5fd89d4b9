//! Errors: invalid shapes, invalid models, and steps that fail.

/// Why a model or a state is invalid, or why a step failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A movable body whose mass or moment of inertia is not positive and finite.
    #[error("body {body}: its {what} is {value}, a positive, finite number was expected")]
    Mass {
        /// Index of the body.
        body: usize,
        /// Mass or moment of inertia.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A quantity of a body that is not finite.
    #[error("body {body}: its {what} at t = {t} is not finite")]
    NotFinite {
        /// Index of the body.
        body: usize,
        /// Name of the quantity.
        what: &'static str,
        /// Time at which it was found.
        t: f64,
    },
    /// A reference to something that the model does not contain, or sizes that do not agree.
    #[error("{0}")]
    Reference(String),
    /// Invalid joints, or joints whose constraints contradict each other.
    #[error("{0}")]
    Joint(String),
    /// A setting out of range.
    #[error("{what} is {value}: {expected} was expected")]
    Setting {
        /// Name of the setting.
        what: &'static str,
        /// The value given.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A contact problem that cannot be assembled.
    #[error("bodies {bodies:?} at t = {t}: {reason}")]
    Contact {
        /// Indices of the two bodies.
        bodies: [u32; 2],
        /// Time of the step.
        t: f64,
        /// The reason, from the problem builder.
        reason: String,
    },
    /// A periodic cell that is invalid, or has become so.
    #[error("the periodic cell at t = {t}: {reason}")]
    Cell {
        /// Time at which it was found.
        t: f64,
        /// The reason.
        reason: String,
    },
}
