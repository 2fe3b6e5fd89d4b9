//! Lexer: text to tokens.

use crate::error::{ErrorKind, ExprError};

/// Longest text accepted as an expression, in bytes. The longest term of a mechanism has a few thousand.
const LONGEST: usize = 1 << 20;

/// Longest part of a text quoted in a message, in characters.
const QUOTED: usize = 40;

/// A token and its byte range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// Kind of token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Number(f64),
    Name,
    Plus,
    Minus,
    Times,
    Divide,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    Open,
    Close,
    Comma,
    End,
}

/// All tokens of the text, closed by [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ExprError> {
    if text.len() > LONGEST {
        let (length, limit) = (text.len(), LONGEST);
        return Err(ErrorKind::TooLong { length, limit }.into());
    }
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(character) = text[start..].chars().next() {
        let rest = &text[start..];
        if character.is_whitespace() {
            start += character.len_utf8();
            continue;
        }
        // A number, a word or an operator.
        let (kind, length) = if character.is_ascii_digit() || begins_fraction(rest) {
            number(text, start)?
        } else if starts_name(character) {
            let word = name_length(rest);
            (keyword(&rest[..word]), word)
        } else {
            operator(text, start)?
        };
        let end = start + length;
        found.push(Token { kind, start, end });
        start = end;
    }
    found.push(Token {
        kind: TokenKind::End,
        start: text.trim_end().len(),
        end: text.len(),
    });
    Ok(found)
}

/// A part of the text, shortened for a message.
pub(crate) fn quote(part: &str) -> String {
    match part.char_indices().nth(QUOTED) {
        Some((cut, _)) => format!("{}...", &part[..cut]),
        None => part.to_string(),
    }
}

/// Whether the whole text is one name.
pub(crate) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(starts_name) && name_length(text) == text.len()
}

/// Whether the word is an operator of the language.
pub(crate) fn is_keyword(word: &str) -> bool {
    keyword(word) != TokenKind::Name
}

fn keyword(word: &str) -> TokenKind {
    match word {
        "and" => TokenKind::And,
        "or" => TokenKind::Or,
        "not" => TokenKind::Not,
        _ => TokenKind::Name,
    }
}

fn starts_name(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn name_length(rest: &str) -> usize {
    // Subscripts are part of a name, θ₁; exponents are not, x².
    let subscript = |c: char| ('\u{2080}'..='\u{2089}').contains(&c);
    let goes_on = |c: char| starts_name(c) || c.is_ascii_digit() || subscript(c);
    rest.find(|c| !goes_on(c)).unwrap_or(rest.len())
}

fn begins_fraction(rest: &str) -> bool {
    let mut characters = rest.chars();
    characters.next() == Some('.') && characters.next().is_some_and(|c| c.is_ascii_digit())
}

/// A decimal number with optional fraction and exponent: its token and length.
fn number(text: &str, start: usize) -> Result<(TokenKind, usize), ExprError> {
    let bytes = &text.as_bytes()[start..];
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    // Digits, fraction, exponent.
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    // An `e` without digits after it begins a name, not an exponent.
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let wrong = |end: usize| {
        let kind = ErrorKind::Number(quote(&text[start..end]));
        ExprError::at(kind, text, start, end)
    };
    // A second decimal point.
    if bytes.get(length) == Some(&b'.') {
        return Err(wrong(start + length + 1));
    }
    let end = start + length;
    match text[start..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), length)),
        _ => Err(wrong(end)),
    }
}

/// An operator or bracket; an unknown character gets a hint what to write instead.
fn operator(text: &str, start: usize) -> Result<(TokenKind, usize), ExprError> {
    const OPERATORS: [(&str, TokenKind); 15] = [
        ("**", TokenKind::Power),
        ("<=", TokenKind::LessEqual),
        (">=", TokenKind::GreaterEqual),
        ("==", TokenKind::Equal),
        ("!=", TokenKind::NotEqual),
        ("+", TokenKind::Plus),
        ("-", TokenKind::Minus),
        ("*", TokenKind::Times),
        ("/", TokenKind::Divide),
        ("^", TokenKind::Power),
        ("<", TokenKind::Less),
        (">", TokenKind::Greater),
        ("(", TokenKind::Open),
        (")", TokenKind::Close),
        (",", TokenKind::Comma),
    ];
    let rest = &text[start..];
    if let Some((symbol, kind)) = OPERATORS
        .iter()
        .find(|(symbol, _)| rest.starts_with(symbol))
    {
        return Ok((*kind, symbol.len()));
    }
    let character = rest.chars().next().unwrap_or(' ');
    // Hints for characters that people write in formulas.
    let instead = match character {
        '\u{2212}' | '\u{2013}' => "write `-`",
        '\u{d7}' | '\u{b7}' | '\u{22c5}' => "write `*`",
        '\u{f7}' => "write `/`",
        '\u{b2}' => "write `^2`",
        '\u{b3}' => "write `^3`",
        '\u{221a}' => "write `sqrt(...)`",
        '\u{2264}' => "write `<=`",
        '\u{2265}' => "write `>=`",
        '\u{2260}' => "write `!=`",
        '=' => "equality is written `==`",
        '&' => "write `and`",
        '|' => "write `or`, or `abs(...)`",
        '!' => "write `not`",
        '?' | ':' => "a condition is written `if(condition, a, b)`",
        '%' => "a remainder is written `mod(x, y)`",
        '[' | ']' | '{' | '}' => "write `(` and `)`",
        '.' => "names have no dots, numbers are written like `0.5`",
        '\'' => "derivatives are names of their own, such as `x_dot`",
        ';' => "arguments are separated by `,`",
        _ => "",
    };
    let hint = match instead.is_empty() {
        true => String::new(),
        false => format!("; {instead}"),
    };
    let end = start + character.len_utf8();
    let kind = ErrorKind::Character { character, hint };
    Err(ExprError::at(kind, text, start, end))
}
