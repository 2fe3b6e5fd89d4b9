//! Reading an accelerogram: rows of time and acceleration.

use std::fmt;

/// Fewest rows of an accelerogram.
const FEWEST: usize = 3;
/// A time step longer than this multiple of the median is a gap.
const GAP: f64 = 10.0;

/// Why a text is not an accelerogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccelerogramError {
    /// The line at fault, from 1; `None`: the text as a whole.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub problem: String,
    /// What the user can do; may be empty.
    pub advice: String,
}

impl std::error::Error for AccelerogramError {}

impl fmt::Display for AccelerogramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}", self.problem)?;
        if !self.advice.is_empty() {
            write!(f, ". {}", self.advice)?;
        }
        Ok(())
    }
}

impl AccelerogramError {
    fn at(line: usize, problem: impl Into<String>, advice: &str) -> Self {
        Self {
            line: Some(line),
            problem: problem.into(),
            advice: advice.into(),
        }
    }
}

/// An accelerogram: at least three rows, times increasing, without gaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Accelerogram {
    rows: Vec<[f64; 2]>,
}

impl Accelerogram {
    /// Reads comma-separated text: two columns, time and acceleration. Empty lines are skipped, `#`
    /// begins a comment, and a first line without any number is a header.
    ///
    /// # Errors
    /// A row is invalid, rows are too few, or a time step is a gap; with the line.
    pub fn parse(text: &str) -> Result<Self, AccelerogramError> {
        // A byte order mark is ignored.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut rows: Vec<[f64; 2]> = Vec::new();
        let mut lines: Vec<usize> = Vec::new();
        let mut header = true;
        for (line, content) in text.lines().enumerate() {
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            // The first line with content may be a header.
            let may_be_header = std::mem::take(&mut header);
            let fields: Vec<&str> = content.split(',').map(str::trim).collect();
            if may_be_header && fields.iter().all(|field| field.parse::<f64>().is_err()) {
                continue;
            }
            let row = read_row(line + 1, &fields)?;
            if let (Some(before), Some(above)) = (rows.last(), lines.last()) {
                follows(line + 1, row[0], before[0], *above)?;
            }
            rows.push(row);
            lines.push(line + 1);
        }
        if rows.len() < FEWEST {
            return Err(AccelerogramError {
                line: None,
                problem: format!(
                    "{} rows are no record: {FEWEST} or more were expected",
                    rows.len()
                ),
                advice: "A row has a time and an acceleration: 0.01, -0.2".into(),
            });
        }
        no_gaps(&rows, &lines)?;
        Ok(Self { rows })
    }

    /// Time and acceleration of every row.
    pub fn rows(&self) -> &[[f64; 2]] {
        &self.rows
    }
}

fn read_row(line: usize, fields: &[&str]) -> Result<[f64; 2], AccelerogramError> {
    let [time, acceleration] = fields else {
        let problem = format!(
            "2 columns were expected, time and acceleration: there are {}",
            fields.len()
        );
        return Err(AccelerogramError::at(
            line,
            problem,
            "Separate them by a comma",
        ));
    };
    Ok([number(line, time)?, number(line, acceleration)?])
}

fn number(line: usize, field: &str) -> Result<f64, AccelerogramError> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(AccelerogramError::at(
            line,
            format!("`{field}` is not finite"),
            "",
        )),
        Err(_) => {
            let shown: String = field.chars().take(40).collect();
            let problem = format!("`{shown}` is not a number");
            Err(AccelerogramError::at(
                line,
                problem,
                "Write it like -0.25 or 1.5e-3",
            ))
        }
    }
}

fn follows(line: usize, time: f64, before: f64, above: usize) -> Result<(), AccelerogramError> {
    if time > before {
        return Ok(());
    }
    let what = if time == before {
        "repeats"
    } else {
        "is before"
    };
    let problem = format!("the time {time} {what} that of line {above}, {before}");
    Err(AccelerogramError::at(line, problem, "Times must increase"))
}

fn no_gaps(rows: &[[f64; 2]], lines: &[usize]) -> Result<(), AccelerogramError> {
    let steps: Vec<f64> = rows
        .windows(2)
        .map(|pair| pair[1][0] - pair[0][0])
        .collect();
    // Compare each step with the median.
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    for (index, step) in steps.iter().enumerate() {
        if *step > GAP * median {
            let problem = format!(
                "a gap of {step} since line {}, more than {GAP} times the usual step of {median}",
                lines[index]
            );
            return Err(AccelerogramError::at(
                lines[index + 1],
                problem,
                "Fill in the rows that are missing",
            ));
        }
    }
    Ok(())
}
