//! Summary of a study: statistics of each finding, and failures with advice.

use percuss_record::{CellValue, Table};
use percuss_run::study::{JUDGED, OBSERVED, REPEATED, VARIED};
use serde_json::{Map, Value, json};

use crate::numbers::format_short;

/// Maximal number of run numbers listed.
const LISTED: usize = 12;

/// Maximal number of different reasons listed.
const REASONS: usize = 8;

/// Minimum, mean and maximum of a column.
struct Figures {
    name: String,
    count: usize,
    low: f64,
    mean: f64,
    high: f64,
    /// Number of runs in which it is as expected, of those that can be compared.
    expected: Option<(usize, usize)>,
}

/// Runs that failed for the same reason.
struct Failure {
    end: String,
    reason: String,
    runs: Vec<usize>,
}

/// Summary of the runs of a study.
pub struct StudySummary {
    figures: Vec<Figures>,
    failures: Vec<Failure>,
    stopped: usize,
    missed: usize,
}

fn text(table: &Table, column: &str, row: usize) -> String {
    match table.column(column).map(|values| values.cell(row)) {
        Some(CellValue::Text(text)) => text.to_string(),
        _ => String::new(),
    }
}

impl StudySummary {
    /// From the table `runs`.
    pub fn of(table: &Table) -> Self {
        let observed = table.columns.iter().filter(|c| c.meaning == OBSERVED);
        let figures = observed.filter_map(|c| figures(table, &c.name)).collect();
        let mut digest = Self {
            figures,
            failures: Vec::new(),
            stopped: 0,
            missed: 0,
        };
        // Group the failures by outcome and reason.
        for row in 0..table.rows {
            let (end, reason) = (text(table, "end", row), text(table, "stopped", row));
            match end.as_str() {
                "finished" => continue,
                "missed" => digest.missed += 1,
                _ => digest.stopped += 1,
            }
            let failures = &mut digest.failures;
            let same = |f: &&mut Failure| f.end == end && f.reason == reason;
            match failures.iter_mut().find(same) {
                Some(failure) => failure.runs.push(row),
                None => failures.push(Failure {
                    end,
                    reason,
                    runs: vec![row],
                }),
            }
        }
        digest
    }

    /// Number of runs that did not complete successfully.
    pub fn num_failed(&self) -> usize {
        self.stopped + self.missed
    }

    /// Number of runs that were refused, stopped by an error, or in which the program failed.
    pub fn stopped(&self) -> usize {
        self.stopped
    }

    /// Runs with a step that missed its tolerance.
    pub fn missed(&self) -> usize {
        self.missed
    }

    /// The statistics as JSON.
    pub fn json(&self) -> Value {
        let each = self.figures.iter().map(|f| {
            let expected = f.expected.map(|(met, of)| json!({ "met": met, "of": of }));
            let figures = json!({
                "runs": f.count, "low": f.low, "mean": f.mean, "high": f.high,
                "expected": expected,
            });
            (f.name.clone(), figures)
        });
        Value::Object(each.collect::<Map<_, _>>())
    }

    /// The statistics as text.
    pub fn text(&self) -> String {
        if self.figures.is_empty() {
            return String::new();
        }
        // One row per observed quantity.
        let head = ["", "runs", "lowest", "mean", "highest", "as expected"].map(String::from);
        let each = self.figures.iter().map(|f| {
            let expected = f.expected.map(|(met, of)| format!("{met} of {of}"));
            [
                f.name.clone(),
                f.count.to_string(),
                format_short(f.low),
                format_short(f.mean),
                format_short(f.high),
                expected.unwrap_or_default(),
            ]
        });
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(each).collect();
        format!("\n{}", crate::text_table::aligned(&rows))
    }

    /// The failures as text, with advice.
    pub fn failures(&self, table: &Table, scene: &str) -> String {
        let mut all = String::new();
        for failure in self.failures.iter().take(REASONS) {
            let runs: Vec<usize> = failure.runs.iter().map(|row| number(table, *row)).collect();
            let noun = if runs.len() == 1 { "run" } else { "runs" };
            // What happened, for which runs.
            let what = match failure.end.as_str() {
                "missed" => "a step did not reach its tolerance".to_string(),
                _ => failure.reason.clone(),
            };
            all += &format!("\n{} {noun} {}: {what}\n", failure.end, listed(&runs));
            // Advice: how to repeat the first of these runs.
            let first = failure.runs.first().copied().unwrap_or(0);
            let again = format!("percuss run {scene}{}", settings(table, first));
            all += &match failure.end.as_str() {
                "missed" => format!(
                    "  try a smaller step, or look at it alone: {again}, then percuss plot DIR \
                     residual\n"
                ),
                "refused" => format!("  leave these values out, or try them alone: {again}\n"),
                "stopped" => format!("  look at it alone: {again}\n"),
                _ => format!("  to see it again: {again}\n"),
            };
        }
        if self.failures.len() > REASONS {
            let more = self.failures.len() - REASONS;
            all += &format!("\n… {more} more reasons: column `stopped` of the table\n");
        }
        all
    }
}

fn figures(table: &Table, name: &str) -> Option<Figures> {
    let numbers: Vec<f64> = table.numbers(name);
    let seen: Vec<f64> = numbers.into_iter().filter(|x| x.is_finite()).collect();
    if seen.is_empty() {
        return None;
    }
    let count = seen.len();
    // Mean relative to the first value, so that equal values have exactly that mean.
    let mean = seen[0] + seen.iter().map(|x| x - seen[0]).sum::<f64>() / count as f64;
    let judged = format!("{name}_ok");
    let judged = table
        .columns
        .iter()
        .find(|c| c.meaning == JUDGED && c.name.trim_end_matches('_') == judged);
    let expected = judged.map(|column| {
        let met = table.numbers(&column.name);
        let known = met.iter().filter(|x| x.is_finite());
        (met.iter().filter(|x| **x == 1.0).count(), known.count())
    });
    Some(Figures {
        name: name.into(),
        count,
        low: seen.iter().copied().fold(f64::INFINITY, f64::min),
        mean,
        high: seen.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        expected,
    })
}

/// The run number in a row.
fn number(table: &Table, row: usize) -> usize {
    match table.column("run").map(|values| values.cell(row)) {
        Some(CellValue::Integer(run)) => usize::try_from(run).unwrap_or(0),
        _ => row + 1,
    }
}

/// The varied values of a run as arguments of `percuss run`.
fn settings(table: &Table, row: usize) -> String {
    let varied = table.columns.iter().zip(&table.values);
    let varied = varied.filter(|(c, _)| [VARIED, REPEATED].contains(&c.meaning.as_str()));
    let each = varied.map(|(column, values)| {
        let value = match values.cell(row) {
            CellValue::Real(x) => x.to_string(),
            CellValue::Text(x) => x.to_string(),
            _ => String::new(),
        };
        format!(" --set {}={value}", column.name)
    });
    each.collect()
}

/// Ascending numbers as ranges: 1-4, 7, 9.
pub fn listed(numbers: &[usize]) -> String {
    // Contiguous ranges.
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for n in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => spans.push((*n, *n)),
        }
    }
    let text = |(a, b): &(usize, usize)| match b - a {
        0 => a.to_string(),
        1 => format!("{a}, {b}"),
        _ => format!("{a}-{b}"),
    };
    let mut texts: Vec<String> = spans.iter().take(LISTED).map(text).collect();
    if spans.len() > LISTED {
        texts.push("…".into());
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn numbers_are_written_as_spans() {
        assert_eq!(listed(&[1, 2, 3, 4, 7, 9, 10]), "1-4, 7, 9, 10");
        assert_eq!(listed(&[]), "");
        let odd: Vec<usize> = (0..20).map(|k| 2 * k + 1).collect();
        assert!(listed(&odd).ends_with("23, …"), "{}", listed(&odd));
    }
}
