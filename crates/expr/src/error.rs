//! Errors in texts, with their location.
//!
//! A message is meant for the author of the text: the location with the line and a caret, what was found and what was
//! expected, and for an unknown name the known ones that resemble it.

use std::fmt;

use thiserror::Error;

/// Characters of a line shown on either side of the location.
const SHOWN: usize = 60;

/// An expression, a definition or a name that cannot be used, with its location in the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.render())]
pub struct ExprError {
    kind: Box<ErrorKind>,
    location: Option<Box<SourceLocation>>,
    source_name: Option<Box<str>>,
}

/// Location of an error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// Byte offset in the whole text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, or the part of it around the location.
    excerpt: String,
    /// Characters of the excerpt before the location.
    indent: usize,
    /// Characters to underline, at least one.
    width: usize,
}

/// Kind of error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ErrorKind {
    /// Nothing but blanks.
    #[error("the expression is empty")]
    Empty,
    /// Something else was expected here.
    #[error("found {found} where {expected} was expected")]
    Unexpected {
        /// What is there.
        found: String,
        /// What could be there.
        expected: String,
    },
    /// A character that is not part of the language.
    #[error("the character `{}` is not part of an expression{hint}", .character.escape_debug())]
    Character {
        /// The character.
        character: char,
        /// What to write instead, if there is a guess.
        hint: String,
    },
    /// Digits that make no number, or one out of range.
    #[error("`{0}` is not a number that can be represented")]
    Number(String),
    /// Two operands side by side.
    #[error("an operator is missing here: a product is written with `*`")]
    MissingOperator,
    /// `a < b < c`.
    #[error("comparisons cannot be chained: write `a < b and b < c`")]
    ChainedComparison,
    /// A bracket without its partner.
    #[error("this bracket is never closed")]
    Unclosed,
    /// A name that means nothing here.
    #[error("unknown name `{name}`{}", suggest(.nearest, .available))]
    UnknownName {
        /// The name.
        name: String,
        /// Known names that resemble it, best first.
        nearest: Vec<String>,
        /// All names known here.
        available: Vec<String>,
    },
    /// A function that does not exist.
    #[error("unknown function `{name}`{}", suggest(.nearest, .available))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Functions that resemble it, best first.
        nearest: Vec<String>,
        /// All functions.
        available: Vec<String>,
    },
    /// A value used as a function.
    #[error("`{0}` is a value, not a function: a product is written `{0}*(...)`")]
    NotAFunction(String),
    /// A function used as a value.
    #[error("the function `{0}` needs its argument in brackets: `{0}(...)`")]
    FunctionWithoutArgument(String),
    /// Wrong number of arguments.
    #[error("`{function}` takes {expected}, not {found}")]
    Arguments {
        /// The function.
        function: String,
        /// How many it takes, in words.
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// Brackets, signs or powers nested too deeply.
    #[error("the expression is nested more than {0} levels deep")]
    TooDeep(usize),
    /// A text too long to be an expression.
    #[error("the expression has {length} bytes, more than the {limit} allowed")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// Definitions that need each other.
    #[error("cyclic definition: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// Something with this name exists.
    #[error("the name `{0}` is used twice")]
    NameTaken(String),
    /// A word of the language.
    #[error("`{0}` is a word of the expression language and cannot be used as a name")]
    Reserved(String),
    /// Not a name.
    #[error(
        "`{0}` is not a name: names begin with a letter or `_` and go on with letters, digits and `_`"
    )]
    NotAName(String),
    /// A parameter that is NaN or infinite.
    #[error("the parameter `{0}` is {1}; it must be a finite number")]
    ParameterNotFinite(String, String),
}

/// Suffix of a message: similar names, and the known ones.
fn suggest(nearest: &[String], available: &[String]) -> String {
    const LISTED: usize = 30;
    let quoted: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    // Similar names first, then a list of the known ones.
    let guess = match quoted.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", quoted.join(" or ")),
    };
    let more = match available.len() {
        0 => return format!("{guess} (no names are known here)"),
        n if n > LISTED => format!(" and {} more", n - LISTED),
        _ => String::new(),
    };
    let shown = available[..available.len().min(LISTED)].join(", ");
    format!("{guess} (known here: {shown}{more})")
}

impl From<ErrorKind> for ExprError {
    fn from(kind: ErrorKind) -> Self {
        ExprError {
            kind: Box::new(kind),
            location: None,
            source_name: None,
        }
    }
}

impl ExprError {
    /// An error about the bytes `start..end` of `text`.
    pub(crate) fn at(kind: ErrorKind, text: &str, start: usize, end: usize) -> Self {
        ExprError {
            kind: Box::new(kind),
            location: Some(Box::new(SourceLocation::find(text, start, end))),
            source_name: None,
        }
    }

    /// The same error with the name of the text it is in (`kinetic_energy`, a definition's name). A name already there
    /// is kept: it is the more specific one.
    #[must_use]
    pub fn in_source(mut self, name: &str) -> Self {
        self.source_name.get_or_insert_with(|| name.into());
        self
    }

    /// Kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Location in the text, if it has one.
    pub fn location(&self) -> Option<&SourceLocation> {
        self.location.as_deref()
    }

    /// The name of the text the error is in, where it has one.
    pub fn source_name(&self) -> Option<&str> {
        self.source_name.as_deref()
    }

    /// The whole message: source, kind, location.
    fn render(&self) -> String {
        let source = match &self.source_name {
            Some(name) => format!("in `{name}`: "),
            None => String::new(),
        };
        match &self.location {
            Some(place) => format!("{source}{}\n{place}", self.kind),
            None => format!("{source}{}", self.kind),
        }
    }
}

impl SourceLocation {
    /// Location of the bytes `start..end` of `text`, with an excerpt of the line.
    fn find(text: &str, start: usize, end: usize) -> Self {
        let start = start.min(text.len());
        // The line of the location.
        let line_begin = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let before = text[line_begin..start].chars().count();
        // Long lines are cut around the location; control characters would shift the caret.
        let skipped = before.saturating_sub(SHOWN);
        let blank = |c: char| if c.is_control() { ' ' } else { c };
        let line = &text[line_begin..line_end];
        let shown = line.chars().skip(skipped).take(2 * SHOWN).map(blank);
        let underlined = text[start..end.clamp(start, line_end)].chars().count();
        SourceLocation {
            offset: start,
            line: 1 + text[..start].matches('\n').count(),
            column: before + 1,
            excerpt: shown.collect::<String>().trim_end().to_string(),
            indent: before - skipped,
            width: underlined.clamp(1, SHOWN),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (indent, carets) = (" ".repeat(self.indent), "^".repeat(self.width));
        let (line, column) = (self.line, self.column);
        writeln!(f, "  line {line}, column {column}")?;
        writeln!(f, "  | {}", self.excerpt)?;
        write!(f, "  | {indent}{carets}")
    }
}

/// Known names that resemble an unknown one: at most a third of its letters changed, dropped, added or exchanged with a
/// neighbour; best first, three at most.
pub fn similar_names(name: &str, known: &[String]) -> Vec<String> {
    let letters: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = (letters.len() / 3).max(1);
    // Candidates of similar length, ranked by distance.
    let mut ranked: Vec<(usize, &String)> = known
        .iter()
        .filter(|candidate| candidate.chars().count().abs_diff(letters.len()) <= allowed)
        .map(|candidate| (edit_distance(&letters, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .collect();
    ranked.sort();
    ranked.into_iter().take(3).map(|(_, n)| n.clone()).collect()
}

/// Damerau–Levenshtein distance in its restricted form (optimal string alignment), without case.
fn edit_distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    // Three rows of the dynamic programme: two above, one above, current.
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            // Replacement, deletion, insertion; then exchange of neighbours.
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}
