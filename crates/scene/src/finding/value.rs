//! What a value expression comes to.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number, a truth, a text or a list of numbers.
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
    /// What it is, for messages.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Truth(_) => "true or false",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
        }
    }

    /// As a number: a truth is 1 or 0.
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
            Self::List(items) => {
                let texts: Vec<String> = items.iter().map(f64::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

/// Why there is no value although nothing is wrong with the text: the motion has no such impact, a
/// run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Absent(pub String);

impl Absent {
    /// With its reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// A value, or why there is none.
pub(crate) type Valued<T> = Result<T, Absent>;
