//! Errors of input, with the messages that a user reads.
//!
//! A message names the file, the line, the key, its value, what was expected, and where it helps what
//! to do. Nothing is repaired silently.

use std::fmt;

/// Longest value quoted in a message, in characters.
const QUOTED: usize = 72;

/// How the problem of an unknown key begins; it names the key.
pub(crate) const UNKNOWN_KEY: &str = "unknown key";

/// Position of a value in the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// On a line of the file, from 1.
    Line(usize),
    /// In an override (`--set`, a case, a study).
    Override,
    /// No position: the input as a whole.
    #[default]
    Whole,
}

/// Invalid input: position, part, key, value, problem and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file, or the name of a built-in scene.
    pub file: String,
    /// The line, or that it is an override.
    pub origin: Origin,
    /// The part of the scene: `[run]`, ``contact `floor` ``; empty at the top.
    pub part: String,
    /// The key; empty where no key is at fault.
    pub key: String,
    /// Its value as written; empty where it has none or the message shows it.
    pub value: String,
    /// What is wrong and what was expected.
    pub problem: String,
    /// What the user can do; may be empty.
    pub advice: String,
}

impl std::error::Error for InputError {}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Position first, in the form `file:line:` that editors recognise.
        match self.origin {
            Origin::Line(line) => write!(f, "{}:{line}: ", self.file)?,
            Origin::Override => write!(f, "{}, overridden: ", self.file)?,
            Origin::Whole => write!(f, "{}: ", self.file)?,
        }
        // Part, key and value.
        if !self.part.is_empty() {
            write!(f, "{}: ", self.part)?;
        }
        let named = self.key.is_empty() || self.problem.starts_with(UNKNOWN_KEY);
        match (named, self.value.is_empty()) {
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

/// A value on one line, cut to a readable length.
fn shorten(value: &str) -> String {
    let line: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > QUOTED {
        true => line.chars().take(QUOTED).chain("...".chars()).collect(),
        false => line,
    }
}
