//! Errors of the facade: each names the part, the key and the value.

use percuss_bodies::WorldError;
use percuss_mechanism::MechanismError;
use percuss_scene::SceneError;

/// Why a world or a mechanism cannot be built, read or continued.
///
/// ```
/// use percuss::plane::{Body, World};
///
/// let error = World::builder().body("disc", Body::disc(f64::NAN)).build().unwrap_err();
/// assert_eq!(error.to_string(), "body `disc`: radius is NaN: a positive, finite length was expected");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number out of range.
    #[error("{part}: `{key} = {value}`: {expected} was expected")]
    Value {
        /// The body, law, joint or setting.
        part: String,
        /// The key.
        key: &'static str,
        /// The value given.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A part that is invalid as a whole.
    #[error("{part}: {problem}")]
    Part {
        /// The body, law, joint or setting.
        part: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A name or handle that nothing has.
    #[error("there is no {what} {name}{known}")]
    Unknown {
        /// Body, joint, material or coordinate.
        what: &'static str,
        /// The name, quoted, or the handle.
        name: String,
        /// The known names, as the end of the sentence.
        known: String,
    },
    /// The engine refused the model or could not make a step; bodies are named.
    #[error("{message}")]
    World {
        /// The message with the names of the bodies.
        message: String,
        /// The error of the engine.
        source: WorldError,
    },
    /// A mechanism cannot start or cannot be continued.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// An expression, or another part of a mechanism of expressions, is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// Result of the facade.
///
/// ```
/// fn start() -> percuss::Result<percuss::plane::World> {
///     percuss::plane::World::builder().build()
/// }
/// assert_eq!(start().unwrap().time(), 0.0);
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Largest number of known names in a message.
const LISTED: usize = 8;

impl Error {
    /// A number out of range.
    pub(crate) fn value(part: &str, key: &'static str, value: f64, expected: &'static str) -> Self {
        Self::Value {
            part: part.to_string(),
            key,
            value: value.to_string(),
            expected,
        }
    }

    /// A part that is invalid as a whole.
    pub(crate) fn part(part: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Part {
            part: part.into(),
            problem: problem.into(),
        }
    }

    /// A name that nothing has, with the names that there are.
    pub(crate) fn unknown<'a>(
        what: &'static str,
        name: impl Into<String>,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let names: Vec<String> = known.map(|name| format!("`{name}`")).collect();
        let more = match names.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let known = match names.is_empty() {
            true => String::new(),
            false => format!(
                "; there are {}{more}",
                names[..names.len().min(LISTED)].join(", ")
            ),
        };
        Self::Unknown {
            what,
            name: name.into(),
            known,
        }
    }
}

/// Checks that a number is positive and finite.
pub(crate) fn positive(part: &str, key: &'static str, value: f64) -> Result<f64> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(Error::value(part, key, value, "a positive, finite number")),
    }
}

/// Checks that a number is finite and not negative.
pub(crate) fn not_negative(part: &str, key: &'static str, value: f64) -> Result<f64> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(Error::value(
            part,
            key,
            value,
            "a finite number, 0 or more,",
        )),
    }
}

/// Checks that a number is between 0 and 1.
pub(crate) fn share(part: &str, key: &'static str, value: f64) -> Result<f64> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(value),
        false => Err(Error::value(part, key, value, "a number from 0 to 1")),
    }
}

/// Checks that all numbers are finite.
pub(crate) fn finite(part: &str, key: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::value(part, key, *value, "a finite number")),
    }
}

/// An error of a name, with the part that has it.
pub(crate) fn within(part: impl Into<String>, error: Error) -> Error {
    Error::part(part, error.to_string())
}
