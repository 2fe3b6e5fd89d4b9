//! Plots of studies: a finding over the varied parameters.

use percuss_record::number::format_short;
use percuss_record::{Column, ColumnType, ColumnValues, PlotError, Record, Table};
use percuss_run::study::{REPEATED, STUDY_TABLE, VARIED};

use super::figure::{Figure, HeatMapCell, Series, SeriesStyle};
use super::options::{PlotOptions, unknown};
use super::unit;
use crate::axis::Scale;

/// Maximal number of series.
const MOST: usize = 12;

/// Options supported by plots of studies.
const HEEDED: [&str; 4] = ["--against", "--by", "--log-x", "--log-y"];

/// Every numeric column of a study is a plot.
pub(super) fn list(record: &Record) -> Result<Vec<(String, String)>, PlotError> {
    let columns = &record.entry(STUDY_TABLE)?.columns;
    let keys = keys(columns);
    let over = match keys.as_slice() {
        [] => "run".to_string(),
        [one] => one.clone(),
        all => all.join(" and "),
    };
    let drawn = columns.iter().filter(|c| {
        c.kind == ColumnType::Real && ![VARIED, REPEATED].contains(&c.meaning.as_str())
    });
    Ok(drawn
        .map(|c| (c.name.clone(), format!("{} over {over}", c.name)))
        .collect())
}

/// Numeric parameters that were varied.
fn keys(columns: &[Column]) -> Vec<String> {
    let varied = columns
        .iter()
        .filter(|c| c.meaning == VARIED && c.kind == ColumnType::Real);
    varied.map(|c| c.name.clone()).collect()
}

/// One run, or the mean of its repetitions.
#[derive(Debug, Clone, PartialEq)]
struct Point {
    /// Index of its first row.
    row: usize,
    x: f64,
    by: String,
    mean: f64,
    /// Standard error of the mean; NaN for a single run.
    error: f64,
}

/// The plot of a column; `None` for an unknown name.
pub(super) fn figure(
    record: &Record,
    name: &str,
    wish: &PlotOptions,
) -> Result<Option<Figure>, PlotError> {
    let columns = &record.entry(STUDY_TABLE)?.columns;
    let Some(column) = columns.iter().find(|c| c.name == name) else {
        return Ok(None);
    };
    // Only numeric columns can be plotted.
    if column.kind == ColumnType::Text {
        let problem = format!("`{name}` holds texts: a column of numbers was expected");
        return Err(PlotError::Unknown(problem));
    }
    wish.require(name, &HEEDED)?;
    let table = record.table(STUDY_TABLE, None)?;
    let keys = keys(columns);
    let title = format!("{}: {name}", record.manifest().title);
    let base = Figure {
        title,
        y_label: label(column),
        ..Figure::default()
    };
    // A full grid of two parameters is a heat map.
    if let ([first, second], None, None) = (keys.as_slice(), &wish.against, &wish.by)
        && let Some(tiles) = heat_map(&table, (first, second), name, wish)
    {
        return Ok(Some(Figure {
            x_label: label_of(columns, first),
            y_label: label_of(columns, second),
            heat_map_label: label(column),
            heat_map: tiles,
            ..base
        }));
    }
    // Otherwise series over the first parameter.
    let along = match &wish.against {
        Some(key) => known(columns, key, true)?,
        None => keys.first().cloned().unwrap_or_else(|| "run".into()),
    };
    let by = wish.by.as_deref();
    let by = by.map(|key| known(columns, key, false)).transpose()?;
    let points = points(&table, &along, by.as_deref(), name);
    Ok(Some(Figure {
        x_label: label_of(columns, &along),
        series: series(points, by.as_deref())?,
        ..base
    }))
}

/// A column by name; the error suggests the nearest names.
fn known(columns: &[Column], key: &str, number: bool) -> Result<String, PlotError> {
    let fits = |c: &&Column| !number || c.kind != ColumnType::Text;
    match columns.iter().filter(fits).any(|c| c.name == key) {
        true => Ok(key.to_string()),
        false => {
            let all = columns.iter().filter(fits).map(|c| c.name.clone());
            let sort = if number {
                "column of numbers"
            } else {
                "column"
            };
            Err(unknown(sort, key, &all.collect::<Vec<_>>()))
        }
    }
}

fn label(column: &Column) -> String {
    // Run times have units whatever the scene's are.
    match column.name.trim_start_matches("run.") {
        "step" | "until" | "start" if column.meaning == VARIED => unit::label(&column.name, "time"),
        _ => unit::of_column(column),
    }
}

fn label_of(columns: &[Column], name: &str) -> String {
    let found = columns.iter().find(|c| c.name == name);
    found.map_or_else(|| name.into(), label)
}

fn text(values: Option<&ColumnValues>, row: usize) -> String {
    match values.map(|v| (v.cell(row), v.number(row))) {
        Some((percuss_record::CellValue::Text(text), _)) => text.to_string(),
        Some((_, number)) => format_short(number),
        None => String::new(),
    }
}

/// Runs as points; runs that differ by their repetition alone are averaged, in the order of the runs.
fn points(table: &Table, along: &str, by: Option<&str>, name: &str) -> Vec<Point> {
    let columns = table.columns.iter();
    let repeated = columns.clone().any(|c| c.meaning == REPEATED) && along != "run";
    let varied: Vec<&ColumnValues> = columns
        .zip(&table.values)
        .filter(|(c, _)| c.meaning == VARIED)
        .map(|(_, values)| values)
        .collect();
    let same = |a: usize, b: usize| varied.iter().all(|v| v.cell(a) == v.cell(b));
    let (x, y) = (table.numbers(along), table.numbers(name));
    // The repetition index varies fastest: repetitions of a point are consecutive rows.
    let rows: Vec<usize> = (0..table.rows).collect();
    let groups = rows.chunk_by(|a, b| repeated && same(*a, *b));
    let point = |group: &[usize]| {
        let first = *group.first()?;
        let values = group.iter().map(|row| y[*row]).filter(|y| y.is_finite());
        let values: Vec<f64> = values.collect();
        let (mean, error) = mean_and_error(&values);
        Some(Point {
            row: first,
            x: x[first],
            by: by.map_or(String::new(), |by| text(table.column(by), first)),
            mean,
            error,
        })
    };
    groups.filter_map(point).collect()
}

/// Mean and its standard error, s/√n.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    match values.len() {
        0 | 1 => (mean, f64::NAN),
        _ => (mean, (squares / (n - 1.0) / n).sqrt()),
    }
}

/// Series by the second parameter; repetitions as means with error bars.
fn series(points: Vec<Point>, by: Option<&str>) -> Result<Vec<Series>, PlotError> {
    // Distinct values of the grouping column.
    let mut labels: Vec<String> = Vec::new();
    for point in &points {
        if !labels.contains(&point.by) {
            labels.push(point.by.clone());
        }
    }
    if let Some(by) = by.filter(|_| labels.len() > MOST) {
        return Err(PlotError::Unknown(format!(
            "--by {by}: it has {} values, at most {MOST} can be told apart; choose another key, or \
             draw over it with --against {by}",
            labels.len()
        )));
    }
    let bars = points.iter().any(|p| p.error.is_finite());
    let mut all = Vec::new();
    // For each: points, a line where x is single-valued, error bars.
    for (colour, label) in labels.iter().enumerate() {
        let mut own: Vec<&Point> = points.iter().filter(|p| p.by == *label).collect();
        let name = match (by, bars) {
            (Some(by), _) => format!("{by} = {label}"),
            (None, true) => "mean".into(),
            (None, false) => String::new(),
        };
        all.push(Series {
            label: name,
            points: own.iter().map(|p| (p.x, p.mean)).collect(),
            style: SeriesStyle::Points,
            colour,
        });
        own.sort_by(|a, b| a.x.total_cmp(&b.x));
        // A grid study, whose points may be joined: every value of x once.
        let once = own.windows(2).all(|w| w[0].x < w[1].x);
        if once && (by.is_some() || bars) {
            all.push(Series {
                points: own.iter().map(|p| (p.x, p.mean)).collect(),
                colour,
                ..Series::default()
            });
        }
        let ends = |p: &&Point| [(p.x, p.mean - p.error), (p.x, p.mean + p.error)];
        let gap = (f64::NAN, f64::NAN);
        let drawn = own.iter().filter(|p| p.error.is_finite());
        let drawn: Vec<(f64, f64)> = drawn.flat_map(|p| [ends(p)[0], ends(p)[1], gap]).collect();
        if !drawn.is_empty() {
            let label = (by.is_none()).then(|| "standard error".to_string());
            all.push(Series {
                label: label.unwrap_or_default(),
                points: drawn,
                style: SeriesStyle::ErrorBars,
                colour,
            });
        }
    }
    Ok(all)
}

/// The heat map of a full grid of two parameters; `None` where the grid is incomplete.
fn heat_map(
    table: &Table,
    (first, second): (&str, &str),
    name: &str,
    wish: &PlotOptions,
) -> Option<Vec<HeatMapCell>> {
    let points = points(table, first, None, name);
    let across = table.numbers(second);
    let placed = points.iter().map(|p| (p.x, across[p.row], p.mean));
    let placed: Vec<(f64, f64, f64)> = placed.collect();
    // Distinct parameter values; the grid must be complete.
    let distinct = |values: Vec<f64>| {
        let mut all = values;
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    let xs = distinct(placed.iter().map(|p| p.0).collect());
    let ys = distinct(placed.iter().map(|p| p.1).collect());
    if xs.len() < 2 || ys.len() < 2 || placed.len() != xs.len() * ys.len() {
        return None;
    }
    let scale = |log: bool| if log { Scale::Log } else { Scale::Linear };
    // Cells between the midpoints of neighbouring values.
    let (wide, tall) = (edges(&xs, scale(wish.log_x)), edges(&ys, scale(wish.log_y)));
    let place = |all: &[f64], x: f64| all.iter().position(|known| *known == x);
    let tile = |(x, y, value): &(f64, f64, f64)| {
        let (i, j) = (place(&xs, *x)?, place(&ys, *y)?);
        Some(HeatMapCell {
            x: (wide[i], wide[i + 1]),
            y: (tall[j], tall[j + 1]),
            value: *value,
        })
    };
    placed.iter().map(tile).collect()
}

/// Cell edges half-way between neighbours, on the scale of the axis.
fn edges(values: &[f64], scale: Scale) -> Vec<f64> {
    let log = scale == Scale::Log && values.iter().all(|x| *x > 0.0);
    let to = |x: f64| if log { x.ln() } else { x };
    let back = |x: f64| if log { x.exp() } else { x };
    let n = values.len();
    let edge = |k: usize| match k {
        0 => 1.5 * to(values[0]) - 0.5 * to(values[1]),
        k if k == n => 1.5 * to(values[n - 1]) - 0.5 * to(values[n - 2]),
        k => 0.5 * (to(values[k - 1]) + to(values[k])),
    };
    (0..=n).map(|k| back(edge(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_errors_are_those_of_the_textbook() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squares 32, s² = 32/7.
        let (mean, error) = mean_and_error(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(mean, 5.0);
        assert!((error - (32.0 / 7.0 / 8.0_f64).sqrt()).abs() < 1e-15);
        assert!(mean_and_error(&[3.0]).1.is_nan() && mean_and_error(&[]).0.is_nan());
    }

    #[test]
    fn edges_are_half_way_between_neighbours() {
        assert_eq!(edges(&[1.0, 2.0, 4.0], Scale::Linear), [0.5, 1.5, 3.0, 5.0]);
        let ratios = edges(&[1.0, 100.0], Scale::Log);
        for (edge, exact) in ratios.iter().zip([0.1, 10.0, 1000.0]) {
            assert!((edge / exact - 1.0).abs() < 1e-12, "{ratios:?}");
        }
    }
}
