//! Values of value expressions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number, a truth value, a text or a list of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// A text.
    Text(String),
    /// Numbers.
    List(Vec<f64>),
}

impl Value {
    /// Its type, for messages.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Truth(_) => "true or false",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
        }
    }

    /// As a number: a truth value is 1 or 0.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Truth(truth) => Some(f64::from(*truth)),
            Self::Text(_) | Self::List(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Text(text) => write!(f, "{text}"),
            // Lists in brackets.
            Self::List(items) => {
                let texts: Vec<String> = items.iter().map(f64::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

/// Why there is no value although the expression has no error: the motion has no such impact, a run
/// stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent(pub String);

impl Absent {
    /// With a reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// A value, or why there is none.
pub type Valued<T> = Result<T, Absent>;
