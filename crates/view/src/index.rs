//! Step index: which rows of a table belong to which recorded step.
//!
//! ```text
//! span_k = { step s_k, time t_k, rows first_k .. first_k + n_k },     s_0 < s_1 < …
//! ```
//!
//! A chunk whose smallest and largest step are equal adds to one span, from the statistics in its footer alone;
//! of other chunks the columns `step` and `t` are read. Chunks are immutable: those of a run in progress are
//! indexed once.

use percuss_record::{ColumnValues, Record, RecordError};

use crate::shelf::{LiveTable, TablePart};

/// The rows of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSpan {
    /// The step.
    pub step: i64,
    /// Its time.
    pub t: f64,
    /// Index of its first row.
    pub first: usize,
    /// Number of rows.
    pub rows: usize,
}

/// The steps of a table in ascending order.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepIndex {
    spans: Vec<StepSpan>,
    /// Number of indexed chunks, and rows of the last of them.
    files: usize,
    last: usize,
    /// Number of spans from chunks, and the last of these, which checkpoint rows in memory may have extended.
    kept: usize,
    end: Option<StepSpan>,
    /// Whether the last step is incomplete.
    partial: bool,
}

impl StepIndex {
    /// The spans of complete steps.
    pub fn spans(&self) -> &[StepSpan] {
        match self.spans.as_slice() {
            [whole @ .., _] if self.partial => whole,
            all => all,
        }
    }

    /// The span of a step.
    pub fn of_step(&self, step: i64) -> Option<&StepSpan> {
        let spans = self.spans();
        let place = spans.binary_search_by(|span| span.step.cmp(&step));
        spans.get(place.ok()?)
    }

    /// Number of rows of every step, in a table with equally many for each; the last step may be incomplete.
    /// `None` where it is not known yet.
    pub fn each(&self) -> Option<usize> {
        match self.spans.as_slice() {
            [first, _, ..] => Some(first.rows),
            _ => None,
        }
    }

    /// Rows of the last step, complete or not.
    pub fn last_rows(&self) -> usize {
        self.spans.last().map_or(0, |span| span.rows)
    }

    /// Sets whether the last step is incomplete.
    pub fn set_partial(&mut self, partial: bool) {
        self.partial = partial;
    }

    /// Indexes the rows that are new.
    pub fn update(&mut self, record: &Record, shelf: &LiveTable) -> Result<(), RecordError> {
        let files = shelf.parts().iter().filter(|p| p.is_file());
        let seen = files.clone().nth(self.files.wrapping_sub(1));
        if self.files > 0 && seen.is_none_or(|piece| piece.rows != self.last) {
            // The run was resumed from an earlier checkpoint: the index is rebuilt.
            *self = Self::default();
        }
        self.spans.truncate(self.kept);
        if let (Some(last), Some(end)) = (self.spans.last_mut(), self.end) {
            *last = end;
        }
        for piece in files.skip(self.files) {
            self.add(record, shelf, piece)?;
            self.files += 1;
            self.last = piece.rows;
            (self.kept, self.end) = (self.spans.len(), self.spans.last().copied());
        }
        for piece in shelf.parts().iter().filter(|p| !p.is_file()) {
            self.add(record, shelf, piece)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        record: &Record,
        shelf: &LiveTable,
        piece: &TablePart,
    ) -> Result<(), RecordError> {
        let Some((low, high)) = shelf.bounds(piece, "step")? else {
            return Ok(());
        };
        // A chunk of a single step: the footer statistics suffice.
        if low == high
            && let Some((t, _)) = shelf.bounds(piece, "t")?
        {
            self.extend(low as i64, t, piece.first, piece.rows);
            return Ok(());
        }
        // Otherwise group equal steps.
        let part = shelf.read_unverified(record, piece, &["step", "t"])?;
        let Some(ColumnValues::Integer(steps)) = part.values.first() else {
            return Ok(());
        };
        let mut row = 0;
        while let Some(&step) = steps.get(row) {
            let same = steps.get(row..).unwrap_or(&[]).iter();
            let count = same.take_while(|s| **s == step).count();
            let t = part.values.get(1).map_or(f64::NAN, |t| t.number(row));
            self.extend(step, t, piece.first + row, count);
            row += count;
        }
        Ok(())
    }

    fn extend(&mut self, step: i64, t: f64, first: usize, rows: usize) {
        match self.spans.last_mut() {
            Some(last) if last.step == step => last.rows += rows,
            _ => self.spans.push(StepSpan {
                step,
                t,
                first,
                rows,
            }),
        }
    }
}
