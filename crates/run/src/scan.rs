//! Cuts the calls of measures out of a value expression.
//!
//! `abs(final(x) - 2)` becomes `abs(_1    - 2)` and the call `final(x)`: the rest is an expression
//! of `percuss-expr`, with every character at its old offset.

pub use percuss_simulation::TextError;

/// A part of a text and its offset in the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Part<'a> {
    /// A whole text.
    pub fn whole(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The bytes `from..to` of the part.
    pub fn sub(&self, from: usize, to: usize) -> Self {
        Self {
            text: &self.text[from..to],
            at: self.at + from,
        }
    }

    /// The part without surrounding blanks.
    pub fn trim(&self) -> Self {
        let lead = self.text.len() - self.text.trim_start().len();
        let text = self.text.trim();
        self.sub(lead, lead + text.len())
    }

    /// An error about the whole part.
    pub fn error(&self, problem: impl Into<String>) -> TextError {
        TextError::new(self.at, self.text.len(), problem)
    }
}

/// A call `name(...)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawCall<'a> {
    /// The whole call.
    pub whole: Part<'a>,
    pub name: Part<'a>,
    /// The text between the brackets.
    pub inside: Part<'a>,
}

/// A value expression with its calls cut out.
pub struct Cut<'a> {
    /// The text with `_1`, `_2`, … in the place of the calls.
    pub rest: String,
    pub calls: Vec<RawCall<'a>>,
    /// The text between quotes, where there is nothing else.
    pub literal: Option<&'a str>,
    /// Whether the outermost operation is a comparison or `and`, `or`, `not`.
    pub truth: bool,
}

/// Tokens, as far as cutting needs to know them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Name,
    Number,
    Quoted,
    Open,
    Close,
    Comma,
    Semicolon,
    Comparison,
    Other,
}

/// The token at `at` and its end.
fn token(part: Part<'_>, at: usize) -> Result<(Token, usize), TextError> {
    let rest = &part.text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    let width = first.len_utf8();
    // Names, numbers and quoted texts; everything else is one character.
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        return Ok((Token::Name, at + length));
    }
    let numeral = |c: char| c.is_ascii_digit() || c == '.';
    if numeral(first) {
        let mut length = rest.find(|c| !numeral(c)).unwrap_or(rest.len());
        // An exponent belongs to the number: `1e-3` is no name.
        let tail = &rest[length..];
        if tail.starts_with(['e', 'E']) {
            let signed = usize::from(tail[1..].starts_with(['+', '-']));
            let digits = tail[1 + signed..].bytes().take_while(u8::is_ascii_digit);
            match digits.count() {
                0 => {}
                count => length += 1 + signed + count,
            }
        }
        return Ok((Token::Number, at + length));
    }
    // Quoted up to the same quote.
    if first == '"' || first == '\'' {
        return match rest[1..].find(first) {
            Some(length) => Ok((Token::Quoted, at + length + 2)),
            None => Err(part.sub(at, at + 1).error("this quote is never closed")),
        };
    }
    let kind = match first {
        // Brackets and separators.
        '(' => Token::Open,
        ')' => Token::Close,
        ',' => Token::Comma,
        ';' => Token::Semicolon,
        '<' | '>' | '=' | '!' => Token::Comparison,
        _ => Token::Other,
    };
    Ok((kind, at + width))
}

/// The bracket that closes the one at `open`.
fn closing(part: Part<'_>, open: usize) -> Result<usize, TextError> {
    let (mut at, mut depth) = (open, 0usize);
    while at < part.text.len() {
        let (kind, end) = token(part, at)?;
        match kind {
            Token::Open => depth += 1,
            Token::Close if depth == 1 => return Ok(at),
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = end;
    }
    Err(part
        .sub(open, open + 1)
        .error("this bracket is never closed"))
}

/// Cuts out every call for which `is_measure` holds, the outermost ones only.
pub fn cut<'a>(part: Part<'a>, is_measure: &dyn Fn(&str) -> bool) -> Result<Cut<'a>, TextError> {
    let text = part.text;
    let mut cut = Cut {
        rest: String::with_capacity(text.len()),
        calls: Vec::new(),
        literal: None,
        truth: is_truth(unwrapped(part)?)?,
    };
    // Token by token; a call is replaced by a placeholder of the same width.
    let mut at = 0;
    while at < text.len() {
        let (kind, end) = token(part, at)?;
        let word = &text[at..end];
        let open = end + text[end..].len() - text[end..].trim_start().len();
        // A call of a measure: the text between its brackets is compiled by itself.
        if kind == Token::Name && text[open..].starts_with('(') && is_measure(word) {
            let close = closing(part, open)?;
            cut.calls.push(RawCall {
                whole: part.sub(at, close + 1),
                name: part.sub(at, end),
                inside: part.sub(open + 1, close),
            });
            let name = placeholder(cut.calls.len() - 1);
            let width = (close + 1 - at).max(name.len());
            cut.rest.push_str(&format!("{name:<width$}"));
            at = close + 1;
            continue;
        }
        // A quoted text must be the whole expression.
        if kind == Token::Quoted {
            if text.trim() != word {
                let problem = "a text stands alone, or between the brackets of a measure";
                return Err(part.sub(at, end).error(problem));
            }
            cut.literal = Some(&text[at + 1..end - 1]);
        }
        cut.rest.push_str(word);
        at = end;
    }
    Ok(cut)
}

/// The placeholder of a call. It is at most as long as the shortest call for the first hundred
/// thousand of them.
pub fn placeholder(call: usize) -> String {
    format!("_{}", call + 1)
}

/// Splits arguments: groups between semicolons of parts between commas.
pub fn arguments<'a>(inside: Part<'a>) -> Result<Vec<Vec<Part<'a>>>, TextError> {
    let mut groups = vec![Vec::new()];
    if inside.text.trim().is_empty() {
        return Ok(groups);
    }
    let (mut at, mut from, mut depth) = (0, 0, 0usize);
    let text = inside.text;
    // Separators count outside brackets only.
    while at < text.len() {
        let (kind, end) = token(inside, at)?;
        match kind {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Comma | Token::Semicolon if depth == 0 => {
                add(&mut groups, inside.sub(from, at))?;
                from = end;
                if kind == Token::Semicolon {
                    groups.push(Vec::new());
                }
            }
            _ => {}
        }
        at = end;
    }
    add(&mut groups, inside.sub(from, text.len()))?;
    Ok(groups)
}

/// Adds an argument to the last group; an empty one is an error.
fn add<'a>(groups: &mut [Vec<Part<'a>>], part: Part<'a>) -> Result<(), TextError> {
    let part = part.trim();
    if part.text.is_empty() {
        return Err(TextError::new(part.at, 1, "an argument is missing here"));
    }
    if let Some(group) = groups.last_mut() {
        group.push(part);
    }
    Ok(())
}

/// The text within brackets that enclose all of it.
fn unwrapped(part: Part<'_>) -> Result<Part<'_>, TextError> {
    let mut part = part.trim();
    // All enclosing pairs.
    while part.text.starts_with('(') && closing(part, 0)? == part.text.len() - 1 {
        part = part.sub(1, part.text.len() - 1).trim();
    }
    Ok(part)
}

/// Whether a comparison or `and`, `or`, `not` stands outside all brackets.
fn is_truth(part: Part<'_>) -> Result<bool, TextError> {
    let (mut at, mut depth) = (0, 0usize);
    while at < part.text.len() {
        let (kind, end) = token(part, at)?;
        // Logical operators are names, comparisons are tokens of their own.
        let logical = matches!(&part.text[at..end], "and" | "or" | "not");
        match kind {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Comparison if depth == 0 => return Ok(true),
            Token::Name if depth == 0 && logical => return Ok(true),
            _ => {}
        }
        at = end;
    }
    Ok(false)
}
