//! TOML tree with line numbers.
//!
//! The `toml` crate parses to byte ranges; here they become line numbers, integers and floats become `f64`, and
//! tables keep the order of the file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{InputError, Origin};

/// A value with its first line and its source text.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// First line, from 1.
    pub line: usize,
    /// The value as it is written in the file.
    pub raw: String,
    /// The value by type.
    pub value: Value,
}

/// A TOML value by type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer or a float.
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A date or a time, which no key takes.
    Date,
    /// An array.
    List(Vec<Item>),
    /// A table, its keys in the order of the file.
    Table(Vec<Entry>),
}

/// A key with its line and value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Line of the key, from 1.
    pub line: usize,
    /// Its value.
    pub item: Item,
}

impl Value {
    /// Name of the type, for messages.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Truth(_) => "true or false",
            Self::Date => "a date",
            Self::List(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

/// Parses a whole file into the entries of its root table.
pub fn parse(file: &str, text: &str) -> Result<Vec<Entry>, Box<InputError>> {
    let lines = Lines::new(text);
    let document = DeTable::parse(text).map_err(|error| {
        Box::new(InputError {
            file: file.to_string(),
            origin: match error.span() {
                Some(span) => Origin::Line(lines.line(span.start)),
                None => Origin::Whole,
            },
            part: String::new(),
            key: String::new(),
            value: String::new(),
            problem: format!(
                "this is not valid TOML: {}",
                error.message().replace('\n', ", ")
            ),
            advice: String::new(),
        })
    })?;
    Ok(lines.table(document.get_ref()))
}

struct Lines<'a> {
    text: &'a str,
    /// Byte offsets at which lines begin.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        // Offsets after every newline.
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        Self {
            text,
            starts: starts.collect(),
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    fn raw(&self, span: Range<usize>) -> String {
        self.text.get(span).unwrap_or_default().to_string()
    }

    fn table(&self, table: &DeTable<'_>) -> Vec<Entry> {
        let mut entries: Vec<(usize, Entry)> = table
            .iter()
            .map(|(key, value)| {
                let at = key.span().start;
                let entry = Entry {
                    key: key.get_ref().to_string(),
                    line: self.line(at),
                    item: self.item(value),
                };
                (at, entry)
            })
            .collect();
        // The parser sorts keys by name: restore the order of the file.
        entries.sort_by_key(|(at, _)| *at);
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    fn item(&self, value: &Spanned<DeValue<'_>>) -> Item {
        let parsed = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            // Integers may be decimal, hexadecimal, octal or binary.
            DeValue::Integer(integer) => {
                let digits = integer.as_str();
                Value::Number(match integer.radix() {
                    10 => digits.parse().unwrap_or(f64::NAN),
                    radix => i128::from_str_radix(digits, radix).map_or(f64::NAN, |n| n as f64),
                })
            }
            DeValue::Float(float) => Value::Number(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(truth) => Value::Truth(*truth),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => Value::List(items.iter().map(|i| self.item(i)).collect()),
            DeValue::Table(table) => Value::Table(self.table(table)),
        };
        Item {
            line: self.line(value.span().start),
            raw: self.raw(value.span()),
            value: parsed,
        }
    }
}
