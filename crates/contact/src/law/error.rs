//! Errors of a law's parameters; each message says what to change.

/// A law whose parameters make no sense, or that does not fit the rows of its contact.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LawError {
    /// A coefficient that is negative or not a finite number.
    #[error("{law}: {name} is {value}, but a coefficient must be a finite number >= 0")]
    Coefficient {
        /// Name of the law.
        law: &'static str,
        /// Name of the coefficient.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A block whose number of rows the law cannot take.
    #[error("{law}: the contact has {found} rows, but this law needs {expected}")]
    Rows {
        /// Name of the law.
        law: &'static str,
        /// Number of rows of the contact.
        found: usize,
        /// What fits.
        expected: &'static str,
    },
    /// A dynamic coefficient above the static one.
    #[error(
        "static and dynamic friction: mu_dynamic = {mu_dynamic} exceeds mu_static = {mu_static}; \
         a sliding contact cannot hold more than a resting one, the two may be exchanged"
    )]
    StaticBelowDynamic {
        /// Static coefficient.
        mu_static: f64,
        /// Dynamic coefficient.
        mu_dynamic: f64,
    },
    /// A polygon that is no convex section.
    #[error("polygonal section: {why} (vertex {vertex}: {x}, {y})")]
    Section {
        /// Index of the vertex where it fails.
        vertex: usize,
        /// Its first coordinate.
        x: f64,
        /// Its second coordinate.
        y: f64,
        /// What fails and what was expected.
        why: &'static str,
    },
    /// A set of impulses that is not closed and convex with 0 in it.
    #[error("non-firm set: {name} is {value} in row {row}, but {expected}")]
    Set {
        /// Which number.
        name: &'static str,
        /// Its row.
        row: usize,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// Two sets of different dimension in one sum.
    #[error("non-firm set: a set of {found} rows cannot be added to one of {expected} rows")]
    Sum {
        /// Rows of the added set.
        found: usize,
        /// Rows of the set it is added to.
        expected: usize,
    },
}

/// Refuses a coefficient that is negative, infinite or NaN.
pub(super) fn coefficient(
    law: &'static str,
    name: &'static str,
    value: f64,
) -> Result<(), LawError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(LawError::Coefficient { law, name, value })
    }
}
