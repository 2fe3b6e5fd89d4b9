//! Sequential reader of a table, one step at a time.

use crate::column::ColumnValues;
use crate::error::RecordError;
use crate::reader::{Chunk, Record, Table};

/// The rows of one step.
#[derive(Debug, Clone)]
pub struct StepRows {
    /// Number of the step.
    pub step: i64,
    /// Its time.
    pub t: f64,
    /// The rows.
    pub table: Table,
}

impl StepRows {
    /// The number in a row and column; NaN where it is null.
    pub fn number(&self, row: usize, column: usize) -> f64 {
        let values = self.table.values.get(column);
        values.map_or(f64::NAN, |values| values.number(row))
    }

    /// The integer in a row and column.
    pub fn integer(&self, row: usize, column: usize) -> i64 {
        match self.table.values.get(column) {
            Some(ColumnValues::Integer(all)) => all.get(row).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The text in a row and column.
    pub fn text(&self, row: usize, column: usize) -> &str {
        match self.table.values.get(column) {
            Some(ColumnValues::Text(all)) => all.get(row).map_or("", |text| text),
            _ => "",
        }
    }
}

/// Reads a table with ascending steps chunk by chunk: one chunk and one step are in memory.
#[derive(Debug)]
pub struct StepReader<'a> {
    record: &'a Record,
    table: &'a str,
    places: Vec<usize>,
    chunks: Vec<Chunk>,
    next: usize,
    held: Option<Table>,
    row: usize,
}

impl<'a> StepReader<'a> {
    /// Opens the chunks of a table whose times overlap `window`; `columns` begin with `step` and `t`.
    pub fn new(
        record: &'a Record,
        table: &'a str,
        columns: &[&str],
        window: (f64, f64),
    ) -> Result<Self, RecordError> {
        let names: Vec<String> = columns.iter().map(|c| (*c).into()).collect();
        let mut chunks = Vec::new();
        for chunk in record.chunks(table)? {
            let known = chunk.bounds("t")?;
            if known.is_some_and(|(low, high)| low <= window.1 && high >= window.0) {
                chunks.push(chunk);
            }
        }
        Ok(Self {
            record,
            table,
            places: record.column_indices(table, Some(&names))?,
            chunks,
            next: 0,
            held: None,
            row: 0,
        })
    }

    /// The fraction of the chunks that has been read.
    pub fn share(&self) -> f64 {
        let rows = self.held.as_ref().map_or(1, |held| held.rows.max(1));
        let within = self.row as f64 / rows as f64;
        let done = self.next as f64 - 1.0 + within;
        (done / self.chunks.len().max(1) as f64).clamp(0.0, 1.0)
    }

    /// The rows of the next step; `None` at the end.
    pub fn step(&mut self) -> Result<Option<StepRows>, RecordError> {
        let mut slab: Option<StepRows> = None;
        loop {
            // Next chunk.
            if self.held.as_ref().is_none_or(|held| self.row >= held.rows) {
                let Some(chunk) = self.chunks.get(self.next) else {
                    return Ok(slab);
                };
                let part = self.record.read_chunk(self.table, chunk, &self.places)?;
                (self.held, self.row) = (Some(part), 0);
                self.next += 1;
                continue;
            }
            let Some(held) = &self.held else {
                return Ok(slab);
            };
            let Some(ColumnValues::Integer(steps)) = held.values.first() else {
                return Ok(slab);
            };
            // A step may span two chunks: its rows are joined.
            let (begin, step) = (self.row, steps[self.row]);
            if slab.as_ref().is_some_and(|slab| slab.step != step) {
                return Ok(slab);
            }
            let same = steps[begin..].iter().take_while(|s| **s == step).count();
            self.row += same;
            let part = held.values.iter().map(|v| v.slice(begin, begin + same));
            match &mut slab {
                None => {
                    slab = Some(StepRows {
                        step,
                        t: held.values.get(1).map_or(f64::NAN, |t| t.number(begin)),
                        table: Table {
                            columns: held.columns.clone(),
                            values: part.collect(),
                            rows: same,
                        },
                    });
                }
                Some(slab) => {
                    for (whole, part) in slab.table.values.iter_mut().zip(part) {
                        whole.append(part);
                    }
                    slab.table.rows += same;
                }
            }
        }
    }

    /// The rows of this step, if there are any; steps must be requested in ascending order.
    pub fn at(
        &mut self,
        step: i64,
        ahead: &mut Option<StepRows>,
    ) -> Result<Option<StepRows>, RecordError> {
        loop {
            match ahead {
                Some(slab) if slab.step == step => return Ok(ahead.take()),
                Some(slab) if slab.step > step => return Ok(None),
                _ => *ahead = self.step()?,
            }
            if ahead.is_none() {
                return Ok(None);
            }
        }
    }
}
