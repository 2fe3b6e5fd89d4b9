//! Errors; each message names the argument, its value and what was expected.

/// Errors of this crate: invalid input, an empty set, or an iteration that did not converge.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvexError {
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
    /// An entry is NaN or infinite where a number is needed.
    #[error("{what}[{index}] is {value}, expected a finite number")]
    NotFinite {
        /// Name of the argument.
        what: &'static str,
        /// Position of the first bad entry.
        index: usize,
        /// The bad entry.
        value: f64,
    },
    /// A scalar is outside its admissible range.
    #[error("{what} is {value}, expected {expected}")]
    Invalid {
        /// Name of the argument.
        what: &'static str,
        /// The value given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// Lower bound above upper bound.
    #[error("bounds are empty at index {index}: lower {lower} exceeds upper {upper}")]
    EmptyBounds {
        /// Coordinate with the crossing bounds.
        index: usize,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// A matrix that must be symmetric differs from its transpose.
    #[error("{what} is not symmetric: entry ({row},{col}) is {value}, its mirror {mirror}")]
    NotSymmetric {
        /// Name of the argument.
        what: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// Entry (row, col).
        value: f64,
        /// Entry (col, row).
        mirror: f64,
    },
    /// A matrix that must be positive definite has a non-positive pivot.
    #[error("{what} is not positive definite: pivot {pivot} is {value}")]
    NotPositiveDefinite {
        /// Name of the argument.
        what: &'static str,
        /// Index of the failing pivot.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// A matrix to be inverted is singular to working precision.
    #[error("{what} is singular: no pivot left in column {column}")]
    Singular {
        /// Name of the argument.
        what: &'static str,
        /// Column without a usable pivot.
        column: usize,
    },
    /// Linear constraints contradict each other (Farkas): Σ weight·row = 0, Σ weight·bound < 0.
    #[error(
        "constraints {rows:?} contradict each other: their combination with weights {weights:?} reads 0 <= {combined}"
    )]
    Inconsistent {
        /// Indices of the rows in conflict (equality rows first, then inequality rows).
        rows: Vec<usize>,
        /// Weights of the combination, one per row in conflict.
        weights: Vec<f64>,
        /// The combined bound, negative.
        combined: f64,
    },
    /// An impact law would send a contact inwards (u⁺ ∉ V).
    #[error(
        "row {row} would close at speed {speed} after the impact because it was opening before it; give only rows with g.u >= 0"
    )]
    InwardVelocity {
        /// Row g with g·u⁺ > 0.
        row: usize,
        /// The value of g·u⁺.
        speed: f64,
    },
    /// A set has no point.
    #[error("{what} is empty: its parts are separated by at least {gap:e}")]
    Empty {
        /// Name of the set.
        what: &'static str,
        /// Lower estimate of how far the constraints miss each other (scaled rows).
        gap: f64,
    },
    /// A list that needs at least one element has none.
    #[error("{what} has no element, expected at least one")]
    NoElement {
        /// Name of the argument.
        what: &'static str,
    },
    /// The operation is defined for cones only.
    #[error("{what} must be a cone with apex 0")]
    NotACone {
        /// Name of the argument.
        what: &'static str,
    },
    /// A polygon's vertices are not in convex counter-clockwise order around 0.
    #[error("vertex {index} of the section turns clockwise or leaves 0 outside")]
    NotConvexPolygon {
        /// Index of the offending vertex.
        index: usize,
    },
    /// An iteration ended above its stated accuracy; no point is returned in its place.
    #[error("{what} stopped after {iterations} iterations at residual {residual:e}")]
    NotConverged {
        /// Name of the algorithm.
        what: &'static str,
        /// Iterations done.
        iterations: usize,
        /// Best residual reached (relative to the data).
        residual: f64,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, ConvexError>;

/// Checks the length of an argument.
pub(crate) fn check_len(what: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        Ok(())
    } else {
        Err(ConvexError::Dimension {
            what,
            expected,
            got,
        })
    }
}

/// Checks that every entry is finite.
pub(crate) fn check_finite(what: &'static str, x: &[f64]) -> Result<()> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(ConvexError::NotFinite {
            what,
            index,
            value: x[index],
        }),
    }
}

/// Checks length and finiteness of a vector argument.
pub(crate) fn check_vector(what: &'static str, x: &[f64], expected: usize) -> Result<()> {
    check_len(what, x.len(), expected)?;
    check_finite(what, x)
}

/// Checks a scalar that must be finite and non-negative.
pub(crate) fn check_non_negative(what: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(ConvexError::Invalid {
            what,
            value,
            expected: "a finite number >= 0",
        })
    }
}
