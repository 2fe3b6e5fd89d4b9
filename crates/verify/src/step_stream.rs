//! Sequential reader of a table, step by step, with one chunk in memory.

use std::sync::Arc;

use percuss_record::{Chunk, ColumnValues, Record, RecordError, Table};

/// The rows of one step of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct StepRows {
    pub step: i64,
    pub t: f64,
    /// Number of rows.
    pub rows: usize,
    /// Numbers by column, NaN where a value is absent.
    pub numbers: Vec<Vec<f64>>,
    /// Texts by column.
    pub texts: Vec<Vec<Arc<str>>>,
}

impl StepRows {
    /// The number in a column and row.
    pub fn at(&self, column: usize, row: usize) -> f64 {
        let column = self.numbers.get(column);
        column.and_then(|c| c.get(row)).copied().unwrap_or(f64::NAN)
    }

    /// Up to three numbers in consecutive columns; the missing third component of the plane is 0.
    pub fn vector(&self, first: Option<usize>, count: usize, row: usize) -> [f64; 3] {
        let mut out = [0.0; 3];
        if let Some(first) = first {
            for (k, out) in out.iter_mut().enumerate().take(count) {
                *out = self.at(first + k, row);
            }
        }
        out
    }

    /// The text in a column and row.
    pub fn text(&self, column: usize, row: usize) -> &str {
        let column = self.texts.get(column);
        column.and_then(|c| c.get(row)).map_or("", |text| text)
    }
}

/// A table whose rows are ordered by step.
#[derive(Debug)]
pub(super) struct StepStream<'a> {
    record: &'a Record,
    table: &'a str,
    chunks: Vec<Chunk>,
    next: usize,
    held: Option<Table>,
    row: usize,
    numbers: Vec<Option<usize>>,
    texts: Vec<Option<usize>>,
    places: Vec<usize>,
    /// Whether all rows of the last step read are present: another step follows, or the table is closed.
    last_step_complete: bool,
    ahead: Option<StepRows>,
}

impl<'a> StepStream<'a> {
    /// Opens a table with the named columns; an absent column has no values. `None` where there is no such table.
    pub fn open(
        record: &'a Record,
        table: &'a str,
        numbers: &[String],
        texts: &[&str],
    ) -> Result<Option<Self>, RecordError> {
        let Ok(entry) = record.entry(table) else {
            return Ok(None);
        };
        let columns = &entry.columns;
        let mut places = Vec::new();
        // Only the requested columns are read; an absent one has no index.
        let mut find = |name: &str| {
            let place = columns.iter().position(|c| c.name == name)?;
            places.push(place);
            Some(places.len() - 1)
        };
        let step_and_time = [find("step"), find("t")];
        let numbers = numbers.iter().map(|name| find(name)).collect();
        let texts = texts.iter().map(|name| find(name)).collect();
        if step_and_time[0].is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            record,
            table,
            chunks: record.chunks(table)?,
            next: 0,
            held: None,
            row: 0,
            numbers,
            texts,
            places,
            last_step_complete: entry.checksums.is_some(),
            ahead: None,
        }))
    }

    /// The rows of the next step; `None` at the end.
    pub fn next(&mut self) -> Result<Option<StepRows>, RecordError> {
        // A step that was read too early is returned first.
        if let Some(group) = self.ahead.take() {
            return Ok(Some(group));
        }
        let mut group: Option<StepRows> = None;
        loop {
            // Next chunk where the current one is used up.
            let spent = self.held.as_ref().is_none_or(|held| self.row >= held.rows);
            if spent && !self.load()? {
                return Ok(group);
            }
            let Some(held) = &self.held else {
                return Ok(group);
            };
            let Some(first) = held.values.first().filter(|_| self.row < held.rows) else {
                continue;
            };
            let step = first.number(self.row) as i64;
            if group.as_ref().is_some_and(|g| g.step != step) {
                return Ok(group);
            }
            // All rows of the step in this chunk; it may continue in the next.
            let mut end = self.row + 1;
            while end < held.rows && first.number(end) as i64 == step {
                end += 1;
            }
            let (numbers, texts) = (&self.numbers, &self.texts);
            let group = group.get_or_insert_with(|| StepRows {
                step,
                t: held.values.get(1).map_or(f64::NAN, |t| t.number(self.row)),
                rows: 0,
                numbers: vec![Vec::new(); numbers.len()],
                texts: vec![Vec::new(); texts.len()],
            });
            take(group, held, self.row..end, numbers, texts);
            self.row = end;
        }
    }

    /// The rows of a given step, empty where it has none. Skips the steps before it.
    pub fn at(&mut self, step: i64) -> Result<StepRows, RecordError> {
        while let Some(group) = self.next()? {
            if group.step == step {
                return Ok(group);
            }
            // Past the requested step: kept for the next call.
            if group.step > step {
                self.ahead = Some(group);
                break;
            }
        }
        Ok(StepRows {
            step,
            numbers: vec![Vec::new(); self.numbers.len()],
            texts: vec![Vec::new(); self.texts.len()],
            ..StepRows::default()
        })
    }

    /// Whether the table is closed, so that its last step is complete.
    pub fn closed(&self) -> bool {
        self.last_step_complete
    }

    fn load(&mut self) -> Result<bool, RecordError> {
        let Some(chunk) = self.chunks.get(self.next) else {
            return Ok(false);
        };
        self.held = Some(self.record.read_chunk(self.table, chunk, &self.places)?);
        self.next += 1;
        self.row = 0;
        Ok(true)
    }
}

fn take(
    group: &mut StepRows,
    held: &Table,
    rows: std::ops::Range<usize>,
    numbers: &[Option<usize>],
    texts: &[Option<usize>],
) {
    group.rows += rows.len();
    // Absent columns are NaN.
    for (out, place) in group.numbers.iter_mut().zip(numbers) {
        match place.and_then(|place| held.values.get(place)) {
            Some(values) => out.extend(rows.clone().map(|row| values.number(row))),
            None => out.extend(rows.clone().map(|_| f64::NAN)),
        }
    }
    for (out, place) in group.texts.iter_mut().zip(texts) {
        if let Some(ColumnValues::Text(all)) = place.and_then(|place| held.values.get(place)) {
            out.extend(all.get(rows.clone()).unwrap_or(&[]).iter().cloned());
        }
    }
}
