//! Errors of generator parameters.

use std::fmt;

use percuss_bodies::{ShapeError, Vector};

use super::MOST;

/// Why a generator fails: key, problem and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateError {
    /// The key at fault, as written in a scene.
    pub key: &'static str,
    /// What is wrong and what was expected.
    pub problem: String,
    /// What the user can do; may be empty.
    pub advice: String,
}

impl std::error::Error for GenerateError {}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.key, self.problem)?;
        if !self.advice.is_empty() {
            write!(f, ". {}", self.advice)?;
        }
        Ok(())
    }
}

impl GenerateError {
    /// A problem with a key.
    pub fn new(key: &'static str, problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            key,
            problem: problem.into(),
            advice: advice.into(),
        }
    }

    /// A shape that cannot be made from the values of a key.
    pub fn shape(key: &'static str, error: &ShapeError) -> Self {
        Self::new(key, error.to_string(), "")
    }
}

/// Requires a positive, finite length.
pub fn length(key: &'static str, value: f64) -> Result<f64, GenerateError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(GenerateError::new(
        key,
        format!("{value} is not a positive, finite length"),
        "",
    ))
}

/// Requires a finite point.
pub fn point<V: Vector>(key: &'static str, value: V) -> Result<V, GenerateError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(GenerateError::new(
        key,
        format!("{:?} has an entry that is not finite", value.components()),
        "",
    ))
}

/// Requires a number of bodies from 1 to [`MOST`].
pub fn count(key: &'static str, value: usize) -> Result<usize, GenerateError> {
    match value {
        0 => Err(GenerateError::new(
            key,
            "0 bodies are none",
            "Leave the table out, or count from 1",
        )),
        _ if value > MOST => Err(GenerateError::new(
            key,
            format!("{value} bodies are more than the {MOST} one generator makes"),
            "Use fewer",
        )),
        _ => Ok(value),
    }
}
