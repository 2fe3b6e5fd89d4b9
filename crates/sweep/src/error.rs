//! Errors of the crate; messages name the time, the part and what was expected.

use percuss_convex::ConvexError;

/// Errors of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepingError {
    /// A vector or matrix has the wrong length.
    #[error("{what} has length {got}, expected {expected}")]
    Dimension {
        /// Name of the argument.
        what: &'static str,
        /// Length that fits the other arguments.
        expected: usize,
        /// Length that was given.
        got: usize,
    },
    /// A number is NaN, infinite or out of range.
    #[error("{what} is {value}, expected {expected}")]
    Invalid {
        /// Name of the argument.
        what: &'static str,
        /// The value given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A function of time (or of time and position) returned a value that is not finite.
    #[error("{what}[{index}] is {value} at t = {time}, expected a finite number")]
    NotFinite {
        /// Which function.
        what: &'static str,
        /// Its component.
        index: usize,
        /// The value returned.
        value: f64,
        /// Time at which it was evaluated.
        time: f64,
    },
    /// C(t) has no point.
    #[error("C(t) is empty at t = {time}: {reason}")]
    Empty {
        /// The instant.
        time: f64,
        /// Constraints that contradict each other, where they are known by number.
        rows: Vec<usize>,
        /// What was found.
        reason: String,
    },
    /// The initial point is not in C(t₀).
    #[error(
        "the start is at distance {distance:e} outside C(t) at t = {time}; move it inside or ask for its projection"
    )]
    StartOutside {
        /// The initial instant.
        time: f64,
        /// Distance from the initial point to the set.
        distance: f64,
    },
    /// A function that must be convex in x was found not to be.
    #[error(
        "constraint {constraint} is not convex at t = {time}: its tangent at {at:?} lies {excess:e} above its value at {seen:?}"
    )]
    NotConvex {
        /// The instant.
        time: f64,
        /// Which c_k.
        constraint: usize,
        /// Point of tangency.
        at: Vec<f64>,
        /// Point where the tangent lies above the function.
        seen: Vec<f64>,
        /// By how much.
        excess: f64,
    },
    /// The penalty coefficient of the regularised flow is not a positive number.
    #[error("the penalty coefficient is {value} at t = {time}, expected a positive number")]
    Penalty {
        /// End of the step.
        time: f64,
        /// λ there.
        value: f64,
    },
    /// A set that is not convex has no unique nearest point within its declared radius of prox-regularity.
    #[error("C(t) at t = {time}, at {at:?}: {reason}")]
    NotProxRegular {
        /// The instant.
        time: f64,
        /// Which c_k decides, where one does.
        constraint: Option<usize>,
        /// The place.
        at: Vec<f64>,
        /// What was found: radius, distance, or two nearest points.
        reason: String,
    },
    /// An iteration ended above its tolerance.
    #[error(
        "{what} stopped at t = {time} after {iterations} iterations with residual {residual:e}"
    )]
    NotConverged {
        /// Name of the algorithm.
        what: &'static str,
        /// The instant.
        time: f64,
        /// Iterations done.
        iterations: usize,
        /// Best residual.
        residual: f64,
    },
    /// The set does not provide what the method needs.
    #[error("{method} needs {need}, which this set does not give")]
    Unsupported {
        /// The method asked for.
        method: &'static str,
        /// What is missing.
        need: &'static str,
    },
    /// A failure inside the convex geometry.
    #[error("at t = {time}: {source}")]
    Geometry {
        /// The instant.
        time: f64,
        /// What failed.
        source: ConvexError,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, SweepingError>;

/// Turns an error of `convex` into one with the instant; contradictions become [`SweepingError::Empty`].
pub(crate) fn at(time: f64) -> impl Fn(ConvexError) -> SweepingError {
    move |source| match source {
        ConvexError::Inconsistent { ref rows, .. } => SweepingError::Empty {
            time,
            rows: rows.clone(),
            reason: source.to_string(),
        },
        ConvexError::Empty { .. } | ConvexError::EmptyBounds { .. } => SweepingError::Empty {
            time,
            rows: Vec::new(),
            reason: source.to_string(),
        },
        source => SweepingError::Geometry { time, source },
    }
}

/// Checks the length of an argument.
pub(crate) fn check_len(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        Ok(())
    } else {
        Err(SweepingError::Dimension {
            what,
            expected,
            got,
        })
    }
}

/// Checks that a function of time returned numbers.
pub(crate) fn check_finite(what: &'static str, x: &[f64], time: f64) -> Result<()> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(SweepingError::NotFinite {
            what,
            index,
            value: x[index],
            time,
        }),
    }
}
