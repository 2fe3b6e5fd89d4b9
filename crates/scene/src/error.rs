//! What can be wrong with what a user gave, and how it is said.
//!
//! A message names the file, the line, the key, its value, what was expected, and where it helps what
//! to do. Nothing is repaired silently.

use std::fmt;

use thiserror::Error;

/// Longest value quoted in a message, in characters.
const QUOTED: usize = 72;

/// Why there is no scene, no run or no result.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SceneError {
    /// Something in a scene, a study or an override is not right.
    #[error(transparent)]
    Input(#[from] Box<InputError>),
    /// A name that is neither a file nor a built-in scene, or a file that is no text.
    #[error("{0}")]
    Missing(String),
    /// The motion cannot start or cannot go on.
    #[error(transparent)]
    Mechanism(#[from] mechanism::MechanismError),
    /// The machine failed: a disk is full, a permission is missing.
    #[error("{what}: {reason}")]
    Machine {
        /// What was being done, with the path.
        what: String,
        /// What the system said.
        reason: String,
    },
}

impl SceneError {
    /// A fault of the machine while doing `what`.
    pub fn machine(what: impl Into<String>, reason: &std::io::Error) -> Self {
        Self::Machine {
            what: what.into(),
            reason: reason.to_string(),
        }
    }

    /// Whether the machine is to blame, not the input.
    pub fn is_machine(&self) -> bool {
        matches!(self, Self::Machine { .. })
    }
}

impl From<InputError> for SceneError {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}

/// Where in the input a value stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// On a line of the file, from 1.
    Line(usize),
    /// In an override (`--set`, a case, a study).
    Override,
    /// Nowhere in particular.
    #[default]
    Whole,
}

/// Something that is not right in a scene, a study or an override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file, or the name of a built-in scene.
    pub file: String,
    /// Where.
    pub origin: Origin,
    /// The part of the scene: `[run]`, ``contact `floor` ``; empty at the top.
    pub part: String,
    /// The key; empty where none is to blame.
    pub key: String,
    /// Its value as it stands there; empty where it has none or the message shows it.
    pub value: String,
    /// What is wrong and what was expected.
    pub problem: String,
    /// What to do; may be empty.
    pub advice: String,
}

impl std::error::Error for InputError {}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            Origin::Line(line) => write!(f, "{}:{line}: ", self.file)?,
            Origin::Override => write!(f, "{}, overridden: ", self.file)?,
            Origin::Whole => write!(f, "{}: ", self.file)?,
        }
        if !self.part.is_empty() {
            write!(f, "{}: ", self.part)?;
        }
        match (self.key.is_empty(), self.value.is_empty()) {
            (true, _) => {}
            (false, true) => write!(f, "`{}`: ", self.key)?,
            (false, false) => write!(f, "`{} = {}`: ", self.key, shorten(&self.value))?,
        }
        write!(f, "{}", self.problem)?;
        if !self.advice.is_empty() {
            // A message with an excerpt ends with its carets: advice goes to a line of its own.
            let gap = if self.problem.contains('\n') {
                "\n"
            } else {
                ". "
            };
            write!(f, "{gap}{}", self.advice)?;
        }
        Ok(())
    }
}

/// A value on one line, of a length that can be read.
fn shorten(value: &str) -> String {
    let line: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > QUOTED {
        true => line.chars().take(QUOTED).chain("...".chars()).collect(),
        false => line,
    }
}
