//! Typed columns in memory, with names, units and meaning.

use std::sync::Arc;

use percuss_scene::TableCompression;
use serde::{Deserialize, Serialize};

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Integers, 64 bits.
    Integer,
    /// 64-bit floating point.
    Real,
    /// Booleans (`truth` in the manifest).
    Truth,
    /// UTF-8 text.
    Text,
}

/// A column and its description; part of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Type of its values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Whether values may be absent (null).
    pub optional: bool,
    /// Unit, in words: scenes use any coherent system of units.
    pub unit: String,
    /// Meaning of the values.
    pub meaning: String,
    /// Compression of its values in the files.
    #[serde(default, skip_serializing_if = "TableCompression::is_default")]
    pub compression: TableCompression,
}

impl Column {
    /// A column without nulls.
    pub fn new(
        name: impl Into<String>,
        kind: ColumnType,
        unit: &str,
        meaning: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            optional: false,
            unit: unit.into(),
            meaning: meaning.into(),
            compression: TableCompression::default(),
        }
    }

    /// The same column with nulls allowed.
    #[must_use]
    pub fn or_null(mut self) -> Self {
        self.optional = true;
        self
    }
}

/// The values of a column; `None` is null.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Integers.
    Integer(Vec<i64>),
    /// Numbers.
    Real(Vec<f64>),
    /// Numbers or null.
    Optional(Vec<Option<f64>>),
    /// Booleans.
    Truth(Vec<bool>),
    /// Texts.
    Text(Vec<Arc<str>>),
}

/// One value, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellValue<'a> {
    /// An integer.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A boolean.
    Truth(bool),
    /// A text.
    Text(&'a str),
    /// Null.
    Null,
}

impl ColumnValues {
    /// No values yet, of the type of `column`. Only numbers may be null in this schema.
    pub fn empty(column: &Column) -> Self {
        match (column.kind, column.optional) {
            (ColumnType::Integer, _) => Self::Integer(Vec::new()),
            (ColumnType::Real, false) => Self::Real(Vec::new()),
            (ColumnType::Real, true) => Self::Optional(Vec::new()),
            (ColumnType::Truth, _) => Self::Truth(Vec::new()),
            (ColumnType::Text, _) => Self::Text(Vec::new()),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(v) => v.len(),
            Self::Real(v) => v.len(),
            Self::Optional(v) => v.len(),
            Self::Truth(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all values and keeps the capacity.
    pub fn clear(&mut self) {
        match self {
            Self::Integer(v) => v.clear(),
            Self::Real(v) => v.clear(),
            Self::Optional(v) => v.clear(),
            Self::Truth(v) => v.clear(),
            Self::Text(v) => v.clear(),
        }
    }

    /// The value in a row; null beyond the end.
    pub fn cell(&self, row: usize) -> CellValue<'_> {
        match self {
            Self::Integer(v) => v
                .get(row)
                .map_or(CellValue::Null, |x| CellValue::Integer(*x)),
            Self::Real(v) => v.get(row).map_or(CellValue::Null, |x| CellValue::Real(*x)),
            Self::Optional(v) => v
                .get(row)
                .copied()
                .flatten()
                .map_or(CellValue::Null, CellValue::Real),
            Self::Truth(v) => v.get(row).map_or(CellValue::Null, |x| CellValue::Truth(*x)),
            Self::Text(v) => v.get(row).map_or(CellValue::Null, |x| CellValue::Text(x)),
        }
    }

    /// The value in a row as a number: NaN where it is not a number.
    pub fn number(&self, row: usize) -> f64 {
        match self.cell(row) {
            CellValue::Integer(x) => x as f64,
            CellValue::Real(x) => x,
            CellValue::Truth(x) => f64::from(u8::from(x)),
            CellValue::Text(_) | CellValue::Null => f64::NAN,
        }
    }

    /// Moves the values of `other` to the end of these; returns whether both have the same type.
    pub fn append(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.extend(b),
            (Self::Real(a), Self::Real(b)) => a.extend(b),
            (Self::Optional(a), Self::Optional(b)) => a.extend(b),
            (Self::Truth(a), Self::Truth(b)) => a.extend(b),
            (Self::Text(a), Self::Text(b)) => a.extend(b),
            _ => return false,
        }
        true
    }

    /// Copies the values from `begin` to before `end`, as far as there are any.
    pub fn slice(&self, begin: usize, end: usize) -> Self {
        fn cut<T: Clone>(all: &[T], begin: usize, end: usize) -> Vec<T> {
            let end = end.min(all.len());
            all[begin.min(end)..end].to_vec()
        }
        match self {
            Self::Integer(v) => Self::Integer(cut(v, begin, end)),
            Self::Real(v) => Self::Real(cut(v, begin, end)),
            Self::Optional(v) => Self::Optional(cut(v, begin, end)),
            Self::Truth(v) => Self::Truth(cut(v, begin, end)),
            Self::Text(v) => Self::Text(cut(v, begin, end)),
        }
    }

    /// Keeps the values from `begin` to before `end`, as far as there are any.
    pub(super) fn part(self, begin: usize, end: usize) -> Self {
        fn cut<T>(mut all: Vec<T>, begin: usize, end: usize) -> Vec<T> {
            all.truncate(end);
            all.drain(..begin.min(all.len()));
            all
        }
        match self {
            Self::Integer(v) => Self::Integer(cut(v, begin, end)),
            Self::Real(v) => Self::Real(cut(v, begin, end)),
            Self::Optional(v) => Self::Optional(cut(v, begin, end)),
            Self::Truth(v) => Self::Truth(cut(v, begin, end)),
            Self::Text(v) => Self::Text(cut(v, begin, end)),
        }
    }

    /// Appends a count to a column of integers; other columns are left as they are.
    pub fn push_integer(&mut self, x: usize) {
        if let Self::Integer(v) = self {
            // A count never reaches the sign bit.
            v.push(i64::try_from(x).unwrap_or(i64::MAX));
        }
    }

    /// Appends a number to a column of reals or optional reals.
    pub fn push_real(&mut self, x: f64) {
        match self {
            Self::Real(v) => v.push(x),
            Self::Optional(v) => v.push(Some(x)),
            _ => {}
        }
    }

    /// Appends a number or its absence to a column of optional reals.
    pub fn push_optional(&mut self, x: Option<f64>) {
        if let Self::Optional(v) = self {
            v.push(x);
        }
    }

    /// Appends to a column of truth values.
    pub fn push_truth(&mut self, x: bool) {
        if let Self::Truth(v) = self {
            v.push(x);
        }
    }

    /// Appends to a column of texts.
    pub fn push_text(&mut self, x: &Arc<str>) {
        if let Self::Text(v) = self {
            v.push(Arc::clone(x));
        }
    }
}
