//! Rows that are not yet a chunk, as a checkpoint stores them, bit by bit.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::column::ColumnValues;

/// State of a table in a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TableState {
    pub name: String,
    /// Checksums of its chunks.
    pub chunks: Vec<u32>,
    /// Their rows.
    pub rows: usize,
    /// The rows that are not yet a chunk.
    pub values: Vec<SavedValues>,
}

/// The values of a column in a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum SavedValues {
    Integer(Vec<i64>),
    Real(Vec<f64>),
    Optional(Vec<Option<f64>>),
    Truth(Vec<bool>),
    /// Dictionary encoding: distinct texts, and the index of the text of each row.
    Text(Vec<String>, Vec<u32>),
}

impl SavedValues {
    pub fn of(values: &ColumnValues) -> Self {
        match values {
            ColumnValues::Integer(v) => Self::Integer(v.clone()),
            ColumnValues::Real(v) => Self::Real(v.clone()),
            ColumnValues::Optional(v) => Self::Optional(v.clone()),
            ColumnValues::Truth(v) => Self::Truth(v.clone()),
            ColumnValues::Text(v) => {
                let mut places: HashMap<&str, u32> = HashMap::new();
                let mut words = Vec::new();
                let rows = v.iter().map(|text| {
                    *places.entry(text).or_insert_with(|| {
                        words.push(text.to_string());
                        words.len() as u32 - 1
                    })
                });
                let rows = rows.collect();
                Self::Text(words, rows)
            }
        }
    }

    /// Decodes the values; `None` where an index is out of range.
    pub fn values(&self) -> Option<ColumnValues> {
        Some(match self {
            Self::Integer(v) => ColumnValues::Integer(v.clone()),
            Self::Real(v) => ColumnValues::Real(v.clone()),
            Self::Optional(v) => ColumnValues::Optional(v.clone()),
            Self::Truth(v) => ColumnValues::Truth(v.clone()),
            Self::Text(words, rows) => {
                let words: Vec<Arc<str>> = words.iter().map(|w| Arc::from(w.as_str())).collect();
                let rows = rows.iter().map(|k| words.get(*k as usize).cloned());
                ColumnValues::Text(rows.collect::<Option<_>>()?)
            }
        })
    }
}
