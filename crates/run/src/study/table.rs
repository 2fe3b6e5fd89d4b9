//! The table of a study, and groups of runs with the same outcome.

use percuss_record::Certificate;
use serde::{Deserialize, Serialize, Serializer};

use crate::finding::Value;

/// How a run of a study ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// It finished and its certificate is met.
    Finished,
    /// It finished, but its certificate is not met.
    Missed,
    /// It stopped early.
    Stopped,
    /// It could not start: a value or the initial state was refused.
    Refused,
    /// The program failed.
    Fault,
}

impl End {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Missed => "missed",
            Self::Stopped => "stopped",
            Self::Refused => "refused",
            Self::Fault => "fault",
        }
    }
}

/// One value of a run, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The value.
    pub value: Option<Value>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Cell {
    /// A cell with a value.
    pub fn of(value: Value) -> Self {
        Self {
            value: Some(value),
            reason: None,
        }
    }

    /// A cell without a value.
    pub fn absent(reason: String) -> Self {
        Self {
            value: None,
            reason: Some(reason),
        }
    }
}

/// One run of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyRow {
    /// Values of the varied keys.
    pub settings: Vec<Value>,
    /// Values of the columns.
    pub cells: Vec<Cell>,
    /// Why the run stopped before its end, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// How it ended.
    pub end: End,
    /// What its certificate, those of its preparations or that of a run of its bisection lack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<String>,
    /// Its certificate; none where there is no motion.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "certified")]
    pub certificate: Option<Certificate>,
}

/// Serialises a certificate in its JSON form.
fn certified<S: Serializer>(all: &Option<Certificate>, out: S) -> Result<S::Ok, S::Error> {
    all.as_ref().map(Certificate::json).serialize(out)
}

impl StudyRow {
    /// A row without values yet.
    pub fn new(settings: Vec<Value>) -> Self {
        Self {
            settings,
            cells: Vec::new(),
            stopped: None,
            end: End::Finished,
            missed: None,
            certificate: None,
        }
    }

    /// A run without any values.
    pub fn failed(settings: Vec<Value>, columns: usize, end: End, reason: &str) -> Self {
        let mut row = Self::new(settings);
        row.leave_out(columns, reason);
        row.end = end;
        row.stopped = Some(reason.to_string());
        row
    }

    /// Adds cells without a value, all for the same reason.
    pub fn leave_out(&mut self, count: usize, reason: &str) {
        let empty = (0..count).map(|_| Cell::absent(reason.to_string()));
        self.cells.extend(empty);
    }
}

/// The result of a study, run by run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyTable {
    /// Name of the study.
    pub name: String,
    /// The varied keys.
    pub keys: Vec<String>,
    /// The key among them that only numbers repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<String>,
    /// The columns.
    pub columns: Vec<String>,
    /// How many of the columns, the last ones, say whether a finding is as expected.
    pub judged: usize,
    /// Number of runs of the study; there are fewer rows when it was stopped.
    pub asked: usize,
    /// Runs in order.
    pub rows: Vec<StudyRow>,
}

impl StudyTable {
    /// How many runs are not certified, and what the first of them lacks.
    pub fn missed(&self) -> Option<String> {
        let missed = self.rows.iter().filter_map(|row| row.missed.as_ref());
        let missed: Vec<&String> = missed.collect();
        let (count, all) = (missed.len(), self.rows.len());
        let first = missed.first()?;
        Some(format!(
            "{count} of {all} runs of study `{}` are not certified, the first: {first}",
            self.name
        ))
    }

    /// A column of numbers, or a varied key.
    ///
    /// # Errors
    /// There is no such column, or a run has no number there; the reason.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, String> {
        let study = &self.name;
        // Fewer rows than runs: the study was stopped.
        if self.rows.len() < self.asked {
            let (made, asked) = (self.rows.len(), self.asked);
            return Err(format!(
                "the study `{study}` was stopped after {made} of {asked} runs"
            ));
        }
        // An observed column: every run must have a number.
        if let Some(at) = self.columns.iter().position(|name| name == column) {
            let each = self.rows.iter().enumerate().map(|(run, row)| {
                let cell = &row.cells[at];
                let number = cell.value.as_ref().and_then(Value::number);
                number.ok_or_else(|| {
                    let (run, runs) = (run + 1, self.rows.len());
                    let reason = match (&cell.reason, &cell.value) {
                        (Some(reason), _) => reason.clone(),
                        (None, Some(value)) => format!("it is {}", value.sort()),
                        (None, None) => "there is none".to_string(),
                    };
                    format!("run {run} of {runs} of the study `{study}` has no number `{column}`: {reason}")
                })
            });
            return each.collect();
        }
        // A varied key.
        let Some(at) = self.keys.iter().position(|key| key == column) else {
            return Err(format!("the study `{study}` has no column `{column}`"));
        };
        let number = |row: &StudyRow| row.settings[at].number();
        let all: Option<Vec<f64>> = self.rows.iter().map(number).collect();
        all.ok_or_else(|| format!("`{column}` of the study `{study}` is not a number"))
    }
}

/// Runs of a study with the same outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutcomeGroup {
    /// Means of the compared columns.
    pub centre: Vec<f64>,
    /// Number of runs.
    pub runs: usize,
    /// Their share of all runs.
    pub share: f64,
    /// The first of them, counted from 1.
    pub first: usize,
}

/// Groups runs whose columns agree within the tolerance with the first run of their group; the
/// largest group first.
pub fn group_outcomes(columns: &[Vec<f64>], tolerance: f64) -> Vec<OutcomeGroup> {
    let runs = columns.first().map_or(0, Vec::len);
    // Members of each group, its first run first.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // A run joins the first group whose first run it agrees with.
    for run in 0..runs {
        let agrees = |group: &&mut Vec<usize>| {
            let mut each = columns.iter();
            each.all(|column| (column[run] - column[group[0]]).abs() <= tolerance)
        };
        match groups.iter_mut().find(agrees) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    // Means relative to the first run: exact where all members are equal.
    let mut all: Vec<OutcomeGroup> = groups
        .iter()
        .map(|group| {
            let count = group.len() as f64;
            let mean = |column: &Vec<f64>| {
                let first = column[group[0]];
                first + group.iter().map(|run| column[*run] - first).sum::<f64>() / count
            };
            OutcomeGroup {
                centre: columns.iter().map(mean).collect(),
                runs: group.len(),
                share: count / runs as f64,
                first: group[0] + 1,
            }
        })
        .collect();
    all.sort_by_key(|outcome| (std::cmp::Reverse(outcome.runs), outcome.first));
    all
}
