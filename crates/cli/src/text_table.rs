//! Text tables with fixed columns, so that a row can be printed as soon as it is known.

use std::path::{Path, PathBuf};

use percuss_contact::ResidualMeasure;

use crate::solve_json::ProblemResult;

/// Rounding leaves W asymmetric by 1e-16 to 1e-13 of its largest entry; a skew part above this comes from the
/// model.
const SKEW: f64 = 1e-10;

/// Width of the column for the sequence of methods; a longer one shifts its row to the right.
const METHOD: usize = 20;

/// Names in the first column: without the folder if all files share it.
pub fn names(files: &[PathBuf]) -> Vec<String> {
    let common = files
        .windows(2)
        .all(|pair| pair[0].parent() == pair[1].parent());
    let short = |path: &PathBuf| match path.file_name() {
        Some(name) if common => Path::new(name).display().to_string(),
        _ => path.display().to_string(),
    };
    files.iter().map(short).collect()
}

/// The length of the longest name, marks included.
pub fn width(names: &[String]) -> usize {
    let widest = names.iter().map(|n| n.chars().count()).max();
    widest.unwrap_or(0).max("file".len()) + 2
}

/// Heading of the table of results.
pub fn heading(width: usize) -> String {
    format!(
        "{:width$} {:>8} {:>7}  {:METHOD$} {:>10} {:>8} {:>8} {:>8} {:>9}\n",
        "file", "contacts", "dof", "method", "iterations", "RV", "R1", "R2", "time"
    )
}

/// The row of one result.
pub fn row(name: &str, record: &ProblemResult, width: usize) -> String {
    let name = format!("{name}{}", marks(record));
    let dof = record.dof.map_or("?".into(), |n| n.to_string());
    let run = &record.run;
    format!(
        "{name:width$} {:>8} {dof:>7}  {:METHOD$} {:>10} {:>8} {:>8} {:>8} {:>9}\n",
        record.contacts,
        run.method,
        run.iterations,
        residual(run.rv),
        residual(run.r1),
        residual(run.r2),
        time(run.seconds)
    )
}

fn marks(record: &ProblemResult) -> &'static str {
    match (record.asymmetry > SKEW, record.run.solved) {
        (false, true) => "",
        (true, true) => "*",
        (false, false) => "!",
        (true, false) => "*!",
    }
}

/// Legend of the marks in a table of these results.
pub fn legend(records: &[ProblemResult], bound: &str) -> String {
    let mut text = String::new();
    let skew: Vec<f64> = records.iter().map(|r| r.asymmetry).collect();
    let skew: Vec<f64> = skew.into_iter().filter(|a| *a > SKEW).collect();
    if !skew.is_empty() {
        let low = skew.iter().copied().fold(f64::INFINITY, f64::min);
        let high = skew.iter().copied().fold(0.0, f64::max);
        let range = match (format!("{low:.0e}"), format!("{high:.0e}")) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        };
        text +=
            &format!("*  W is not symmetric ({range} of its largest entry): solved as stored\n");
    }
    if records.iter().any(|r| !r.run.solved) {
        text += &format!("!  did not reach {bound}\n");
    }
    for record in records.iter().filter(|r| !r.run.infeasible.is_empty()) {
        let shown: Vec<String> = record
            .run
            .infeasible
            .iter()
            .take(6)
            .map(usize::to_string)
            .collect();
        let more = if record.run.infeasible.len() > 6 {
            ", …"
        } else {
            ""
        };
        text += &format!(
            "   {}: infeasible, no velocity satisfies contacts {}{more} together\n",
            record.file,
            shown.join(", ")
        );
    }
    text
}

/// Sums by problem class, in order of first appearance; empty if there is only one class.
pub fn classes(records: &[ProblemResult], measure: ResidualMeasure) -> String {
    let mut order: Vec<&str> = Vec::new();
    for record in records {
        if !order.contains(&record.class.as_str()) {
            order.push(&record.class);
        }
    }
    if order.len() < 2 {
        return String::new();
    }
    let wide = order.iter().map(|c| c.chars().count()).max();
    let wide = wide.unwrap_or(0).max("class".len());
    let worst = format!("worst {}", name(measure));
    let mut text = format!(
        "{:wide$} {:>8} {:>7} {:>9} {:>11} {worst:>9} {:>9}\n",
        "class", "problems", "solved", "contacts", "iterations", "time"
    );
    for class in order {
        let of = || records.iter().filter(|r| r.class == class);
        let residuals = of().map(|r| r.run.residual(measure));
        text += &format!(
            "{class:wide$} {:>8} {:>7} {:>9} {:>11} {:>9} {:>9}\n",
            of().count(),
            of().filter(|r| r.run.solved).count(),
            of().map(|r| r.contacts).sum::<usize>(),
            of().map(|r| r.run.iterations).sum::<usize>(),
            residual(residuals.fold(0.0, f64::max)),
            time(of().map(|r| r.run.seconds).sum())
        );
    }
    text
}

/// Columns as wide as their widest cell, left-aligned.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    // Column widths.
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, w)| format!("{cell:<w$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text += line.trim_end();
        text += "\n";
    }
    text
}

/// The name of a measure in tables.
pub fn name(measure: ResidualMeasure) -> &'static str {
    match measure {
        ResidualMeasure::Velocity => "RV",
        ResidualMeasure::Fclib => "R1",
        ResidualMeasure::Dimensionless => "R2",
    }
}

/// A residual to two digits.
pub fn residual(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value:.1e}")
    }
}

/// A time to three digits in the unit that suits it.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    // Three significant digits.
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::{names, time};

    #[test]
    fn times_keep_three_digits_in_a_unit_that_suits_them() {
        assert_eq!(time(0.0), "0.00 us");
        assert_eq!(time(8.123e-5), "81.2 us");
        assert_eq!(time(0.012_34), "12.3 ms");
        assert_eq!(time(123.4), "123 s");
    }

    #[test]
    fn folders_are_dropped_only_when_all_files_share_one() {
        let shared = names(&["a/x.hdf5".into(), "a/y.hdf5".into()]);
        assert_eq!(shared, ["x.hdf5", "y.hdf5"]);
        let apart = names(&["a/x.hdf5".into(), "b/x.hdf5".into()]);
        assert_eq!(apart, ["a/x.hdf5", "b/x.hdf5"]);
    }
}
