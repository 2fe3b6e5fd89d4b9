//! Any two columns of any table: `TABLE:X:Y`.

use std::sync::Arc;

use percuss_record::{PlotError, Record};

use super::figure::{Figure, Series, SeriesStyle};
use super::options::PlotOptions;
use super::row_selection::{SelectedRows, body_names, drawable, entry, select_rows};
use super::unit;

/// Maximal number of series: more cannot be identified in a legend.
const MOST: usize = 20;

/// Up to this many bodies get a series each by default.
const FEW: usize = 12;

/// Supported options.
pub(super) const HEEDED: [&str; 5] = ["--at", "--where", "--by", "--log-x", "--log-y"];

/// The plot of two columns.
pub(super) fn figure(
    record: &Record,
    table: &str,
    (x, y): (&str, &str),
    wish: &PlotOptions,
) -> Result<Figure, PlotError> {
    entry(record, table)?;
    let (along, across) = (drawable(record, table, x)?, drawable(record, table, y)?);
    let bodies = table == "bodies" && wish.at.is_none() && body_names(record)?.len() <= FEW;
    let by = wish.by.as_deref().or(bodies.then_some("body"));
    let picked = select_rows(record, table, &[x, y], by, wish)?;
    let series = split(&picked, by.unwrap_or_default())?;
    // One row per step is a curve; many contacts or bodies per step are a point cloud.
    let curve = match table {
        "steps" | "coordinates" | "observables" | "cell" => wish.by.is_none(),
        "bodies" => {
            by == Some("body")
                || wish
                    .conditions
                    .iter()
                    .any(|(k, _)| k == "body" || k == "name")
        }
        "profiles" | "distributions" => by.is_some(),
        _ => false,
    };
    let mark = match curve && wish.at.is_none() {
        true => SeriesStyle::Line,
        false => SeriesStyle::Points,
    };
    let lengths = along.unit == "length" && across.unit == "length";
    let at = wish.at.map_or(String::new(), |t| format!(", t = {t} s"));
    Ok(Figure {
        title: format!("{}: {table}{at}", record.manifest().title),
        x_label: unit::of_column(along),
        y_label: unit::of_column(across),
        series: series.into_iter().map(|s| s.with_style(mark)).collect(),
        // Positions are plotted with equal aspect ratio.
        equal_aspect: lengths && table == "bodies",
        ..Figure::default()
    })
}

/// One series for each value of the grouping column, in order of first appearance.
fn split(picked: &SelectedRows, by: &str) -> Result<Vec<Series>, PlotError> {
    let [x, y] = picked.numbers.as_slice() else {
        return Ok(Vec::new());
    };
    if picked.by.is_empty() {
        return Ok(vec![Series::line("", x, y, 0)]);
    }
    let mut labels: Vec<Arc<str>> = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    // Rows to series by the value of the grouping column.
    for (row, word) in picked.by.iter().enumerate() {
        let place = match labels.iter().position(|known| known == word) {
            Some(place) => place,
            None if labels.len() < MOST => {
                labels.push(word.clone());
                series.push(Series {
                    label: word.to_string(),
                    colour: series.len(),
                    ..Series::default()
                });
                series.len() - 1
            }
            None => {
                let problem = format!(
                    "--by {by}: there are more than {MOST} values of `{by}`; choose a column with \
                     fewer, or some of its rows with --where"
                );
                return Err(PlotError::Unknown(problem));
            }
        };
        series[place].points.push((x[row], y[row]));
    }
    Ok(series)
}
