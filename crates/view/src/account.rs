//! Downsampled table of steps: at most as many rows as a plot has points.
//!
//! ```text
//! rows j·w .. (j+1)·w of `steps` become row j,     w = 2^k the smallest with ⌈n/w⌉ ≤ LIMIT
//! ```
//!
//! Of state columns the last value of a group is kept, of work columns the sum, of residuals the worst value:
//! the one of largest magnitude, NaN above all. As the run goes on, rows are merged in pairs: the result does
//! not depend on when it is computed.

use percuss_record::{Column, ColumnType, Record, RecordError, Table};
use serde_json::{Map, Value, json};

use crate::pack::{BinaryTable, BinaryValues};
use crate::shelf::{LiveTable, VerifiedChunks};

/// Maximal number of rows.
pub(crate) const LIMIT: usize = 4000;

/// How several values of a column are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergeRule {
    Last,
    Sum,
    Worst,
    /// The smallest; absent values do not count.
    Least,
}

impl MergeRule {
    fn of(name: &str) -> Self {
        match name {
            "work" | "impact" | "sliding" | "boundary" | "motor" | "spring" | "joint_friction"
            | "bilateral" => Self::Sum,
            "residual" | "penetration" | "drift" | "momentum" | "energy" | "gain"
            | "iterations" | "active" | "pairs" | "apart" | "resting" | "resting_share" => {
                Self::Worst
            }
            "reached" | "gamma" => Self::Least,
            _ => Self::Last,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Sum => "sum",
            Self::Worst => "worst",
            Self::Least => "least",
        }
    }

    fn merge(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Last => b,
            Self::Sum => a + b,
            Self::Worst if a.is_nan() || b.is_nan() => f64::NAN,
            Self::Worst => {
                if b.abs() > a.abs() {
                    b
                } else {
                    a
                }
            }
            Self::Least => a.min(b),
        }
    }
}

/// The step with the worst value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Worst {
    pub value: f64,
    pub step: f64,
    pub t: f64,
}

/// Columns whose worst step is reported.
const JUDGED: [&str; 6] = [
    "residual",
    "penetration",
    "drift",
    "momentum",
    "energy",
    "gain",
];

/// Downsampled rows of the table `steps`.
#[derive(Debug, Clone, Default)]
pub(crate) struct DownsampledSteps {
    columns: Vec<Column>,
    rules: Vec<MergeRule>,
    /// Values, row by row.
    values: Vec<f64>,
    /// Rows of the table merged into one row; number of them in the last row.
    width: usize,
    filled: usize,
    /// Rows of the table in total.
    pub rows: usize,
    /// Worst step by column.
    worst: Vec<Option<Worst>>,
    /// Number of steps that missed their tolerance.
    pub missed: usize,
}

impl DownsampledSteps {
    /// For a table with these columns; text columns are left out.
    pub fn new(columns: &[Column]) -> Self {
        let numbers = columns.iter().filter(|c| c.kind != ColumnType::Text);
        let columns: Vec<Column> = numbers.cloned().collect();
        Self {
            rules: columns.iter().map(|c| MergeRule::of(&c.name)).collect(),
            worst: vec![None; columns.len()],
            columns,
            width: 1,
            ..Self::default()
        }
    }

    /// Names of the columns.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|c| c.name.as_str()).collect()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// Adds rows with these columns.
    pub fn take(&mut self, part: &Table, keep: impl Fn(f64) -> bool) {
        let (step, t) = (self.place("step"), self.place("t"));
        let reached = self.place("reached");
        for row in 0..part.rows {
            let at = |k: usize| part.values.get(k).map_or(f64::NAN, |v| v.number(row));
            let time = t.map_or(f64::NAN, at);
            if !keep(time) {
                continue;
            }
            let step = step.map_or(f64::NAN, at);
            self.missed += usize::from(reached.is_some_and(|k| at(k) == 0.0));
            // Worst value of each column.
            for k in 0..self.columns.len() {
                let value = at(k);
                if let Some(worst) = self.worst.get_mut(k)
                    && worst.is_none_or(|w| worse(w.value, value))
                {
                    *worst = Some(Worst {
                        value,
                        step,
                        t: time,
                    });
                }
            }
            self.push(at);
        }
    }

    fn push(&mut self, at: impl Fn(usize) -> f64) {
        let count = self.columns.len();
        if count == 0 {
            return;
        }
        self.rows += 1;
        // A new row; when the table is full, rows are merged in pairs first.
        if self.filled == self.width || self.values.is_empty() {
            if self.values.len() / count == LIMIT {
                self.halve();
            }
            self.values.extend((0..count).map(at));
            self.filled = 1;
            return;
        }
        // Otherwise merge into the last row.
        let last = self.values.len() - count;
        let row = self.values.get_mut(last..).unwrap_or(&mut []);
        for (k, (value, rule)) in row.iter_mut().zip(&self.rules).enumerate() {
            *value = rule.merge(*value, at(k));
        }
        self.filled += 1;
    }

    /// Merges rows in pairs; their number is even.
    fn halve(&mut self) {
        let count = self.columns.len();
        let mut merged = Vec::with_capacity(self.values.len() / 2 + count);
        for pair in self.values.chunks(2 * count) {
            let (a, b) = pair.split_at(count.min(pair.len()));
            for (k, rule) in self.rules.iter().enumerate() {
                let first = a.get(k).copied().unwrap_or(f64::NAN);
                merged.push(b.get(k).map_or(first, |second| rule.merge(first, *second)));
            }
        }
        self.values = merged;
        self.width *= 2;
        self.filled = self.width;
    }

    /// The rows as a binary table.
    pub fn pack(&self) -> BinaryTable {
        let count = self.columns.len().max(1);
        let rows = self.values.len() / count;
        let mut pack = BinaryTable::new();
        let mut rules = Map::new();
        for (k, (column, rule)) in self.columns.iter().zip(&self.rules).enumerate() {
            let values = self.values.iter().skip(k).step_by(count).take(rows);
            pack.add(
                &*column.name,
                &column.unit,
                BinaryValues::F64(values.copied().collect()),
            );
            rules.insert(column.name.clone(), rule.name().into());
        }
        pack.insert_header("spans", true);
        pack.insert_header("rows", self.rows);
        pack.insert_header("width", self.width);
        pack.insert_header("reduction", rules);
        pack
    }

    /// The worst step of a column.
    pub fn worst(&self, name: &str) -> Option<Worst> {
        self.worst.get(self.place(name)?).copied().flatten()
    }

    /// The worst step of each residual column.
    pub fn worst_steps(&self) -> Value {
        let each = JUDGED.iter().filter_map(|name| {
            let worst = self.worst(name)?;
            let told = json!({ "step": worst.step, "t": worst.t, "value": worst.value });
            Some(((*name).to_string(), told))
        });
        Value::Object(each.collect())
    }
}

/// Whether the second value is worse; of equal ones the first stays.
fn worse(known: f64, value: f64) -> bool {
    !known.is_nan() && (value.is_nan() || value.abs() > known.abs())
}

/// Downsampled steps of a run that may still be in progress.
#[derive(Debug, Clone, Default)]
pub(crate) struct IncrementalSteps {
    files: usize,
    last: usize,
    base: DownsampledSteps,
    now: Option<DownsampledSteps>,
}

impl IncrementalSteps {
    /// Adds the rows that are new since the last update.
    pub fn update(
        &mut self,
        record: &Record,
        checked: &VerifiedChunks,
        shelf: &LiveTable,
    ) -> Result<(), RecordError> {
        // Rebuild if the last chunk seen has changed (the run was resumed).
        let files = shelf.parts().iter().filter(|p| p.is_file());
        let seen = files.clone().nth(self.files.wrapping_sub(1));
        let stale = self.files > 0 && seen.is_none_or(|piece| piece.rows != self.last);
        if self.files == 0 || stale {
            (self.files, self.base) = (0, DownsampledSteps::new(shelf.columns()));
        }
        // Add the new chunks.
        for piece in files.skip(self.files) {
            let rows = piece.first..piece.first + piece.rows;
            let part = shelf.read(record, checked, &self.base.names(), rows)?;
            self.base.take(&part, |_| true);
            self.files += 1;
            self.last = piece.rows;
        }
        // Rows in the checkpoint are added to a copy: they will be in a chunk later.
        self.now = None;
        for piece in shelf.parts().iter().filter(|p| !p.is_file()) {
            let now = self.now.get_or_insert_with(|| self.base.clone());
            let part = shelf.read_unverified(record, piece, &now.names())?;
            now.take(&part, |_| true);
        }
        Ok(())
    }

    /// The current rows.
    pub fn ledger(&self) -> &DownsampledSteps {
        self.now.as_ref().unwrap_or(&self.base)
    }
}

/// Downsampled steps between two times.
pub(crate) fn window(
    record: &Record,
    checked: &VerifiedChunks,
    shelf: &LiveTable,
    (from, to): (f64, f64),
) -> Result<BinaryTable, RecordError> {
    // Only parts that overlap the time window are read.
    let mut ledger = DownsampledSteps::new(shelf.columns());
    for piece in shelf.parts() {
        let ends = shelf.bounds(piece, "t")?;
        if ends.is_some_and(|(low, high)| low <= to && high >= from) {
            let rows = piece.first..piece.first + piece.rows;
            let part = shelf.read(record, checked, &ledger.names(), rows)?;
            ledger.take(&part, |t| from <= t && t <= to);
        }
    }
    let mut pack = ledger.pack();
    pack.insert_header("from", from);
    pack.insert_header("to", to);
    Ok(pack)
}
