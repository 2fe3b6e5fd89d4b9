//! Standard plots of every run.

use percuss_record::{CellValue, Column, PlotError, Record, RecordError};
use percuss_run::finding::Finding;

use super::body_paths::TRAJECTORY;
use super::figure::{Figure, Series, SeriesStyle};
use super::options::unknown;
use super::unit;
use crate::axis::Scale;

/// Names and titles of the standard plots; `phase:NAME` exists for every coordinate.
pub(super) const STANDARD: [(&str, &str); 8] = [
    (
        "energy",
        "kinetic, potential, total energy and what was lost",
    ),
    ("residual", "residual of each step, logarithmic"),
    (
        "penetration",
        "deepest penetration and joint error over time",
    ),
    (
        "contacts",
        "number of constraints that take part, over time",
    ),
    ("iterations", "iterations of the solver in each step"),
    ("impulses", "impulses of the constraints in each step"),
    ("trajectory", "all coordinates over time"),
    (
        "orders",
        "errors over the step, with the orders fitted to them",
    ),
];

/// Name of the convergence plot, which runs with orders of convergence among their findings have.
pub(super) const ORDERS: &str = "orders";

/// Prefix of the names of phase portraits.
pub(super) const PHASE: &str = "phase:";

/// A standard plot; `None` for an unknown name.
pub(super) fn figure(record: &Record, name: &str) -> Result<Option<Figure>, PlotError> {
    let title = &record.manifest().title;
    let of = |what: &str| format!("{title}: {what}");
    Ok(Some(match name {
        "energy" => energy(record, of("energy"))?,
        "residual" => residual(record, of("residual of each step"))?,
        "penetration" => penetration(record, of("penetration"))?,
        "contacts" => count(record, "active", "constraints that took part")?,
        "iterations" => count(record, "iterations", "iterations of each step")?,
        "impulses" => impulses(record, of("impulses"))?,
        "trajectory" => trajectory(record, None, of("coordinates"))?,
        ORDERS => orders(record, of("order of convergence"))?,
        _ => match (name.strip_prefix(PHASE), name.strip_prefix(TRAJECTORY)) {
            (Some(coordinate), _) => phase(record, coordinate, of("phase portrait"))?,
            (None, Some(names)) => trajectory(record, Some(names), of("coordinates"))?,
            (None, None) => return Ok(None),
        },
    }))
}

/// An integer column of the table of steps over time.
pub(super) fn count(record: &Record, column: &str, label: &str) -> Result<Figure, RecordError> {
    let steps = record.table("steps", Some(&["t", column]))?;
    let series = Series::line(column, &steps.numbers("t"), &steps.numbers(column), 0);
    let title = format!("{}: {label}", record.manifest().title);
    Ok(Figure {
        from_zero: true,
        ..over_time(title, label, vec![series])
    })
}

pub(super) fn over_time(title: String, y_label: &str, series: Vec<Series>) -> Figure {
    Figure {
        title,
        x_label: unit::label("t", "time"),
        y_label: y_label.into(),
        series,
        ..Figure::default()
    }
}

fn energy(record: &Record, title: String) -> Result<Figure, RecordError> {
    let columns = ["t", "kinetic", "potential", "impact", "sliding"];
    let steps = record.table("steps", Some(&columns))?;
    let [t, kinetic, potential, impact, sliding] = columns.map(|c| steps.numbers(c));
    let (potential, label) = from_start(potential, &kinetic);
    let total: Vec<f64> = kinetic.iter().zip(&potential).map(|(a, b)| a + b).collect();
    let mut series = vec![Series::line("kinetic", &t, &kinetic, 0)];
    // Without a potential there is only kinetic energy.
    if potential.iter().any(|p| *p != 0.0) {
        series.push(Series::line("potential", &t, &potential, 1));
        series.push(Series::line("total", &t, &total, 2));
    }
    let works = [("lost in impacts", impact), ("lost in sliding", sliding)];
    series.extend(lost(&t, works));
    Ok(over_time(title, &label, series))
}

/// A potential relative to its initial value where its own zero is so far away that variations would be
/// invisible, and the axis label.
pub(super) fn from_start(potential: Vec<f64>, kinetic: &[f64]) -> (Vec<f64>, String) {
    let label = unit::label("energy", "energy");
    let first = potential.first().copied().unwrap_or(0.0);
    let changes = potential.iter().map(|p| (p - first).abs());
    let seen = changes.chain(kinetic.iter().copied()).fold(0.0, f64::max);
    // At rest up to rounding: no variation to show.
    match first.abs() > 4.0 * seen && seen > 1e-9 * first.abs() {
        false => (potential, label),
        true => {
            let since = potential.iter().map(|p| p - first).collect();
            (since, format!("{label}, potential from its start"))
        }
    }
}

/// Cumulative dissipation for each type of work: the negative of the work done on the bodies. A type that is
/// zero throughout is left out.
pub(super) fn lost<const N: usize>(t: &[f64], works: [(&str, Vec<f64>); N]) -> Vec<Series> {
    let mut all = Vec::new();
    for (k, (label, work)) in works.into_iter().enumerate() {
        let mut sum = 0.0;
        let since = work.iter().map(|w| {
            sum -= w;
            sum
        });
        let since: Vec<f64> = since.collect();
        if since.iter().any(|w| *w != 0.0) {
            let line = Series::line(label, t, &since, 3 + k);
            all.push(line.with_style(SeriesStyle::Dashed));
        }
    }
    all
}

pub(super) fn residual(record: &Record, title: String) -> Result<Figure, RecordError> {
    let steps = record.table("steps", Some(&["t", "residual"]))?;
    let t = steps.numbers("t");
    let mut series = vec![
        Series::line("residual R2", &t, &steps.numbers("residual"), 0)
            .with_style(SeriesStyle::Points),
    ];
    let tolerance = record
        .manifest()
        .settings
        .get("tolerance")
        .and_then(|v| v.as_f64());
    if let (Some(tolerance), Some(first), Some(last)) = (tolerance, t.first(), t.last()) {
        let level = Series::line("tolerance", &[*first, *last], &[tolerance; 2], 1);
        series.push(level.with_style(SeriesStyle::Dashed));
    }
    Ok(Figure {
        y_scale: Scale::Log,
        ..over_time(title, "residual R2 (steps with 0 are not shown)", series)
    })
}

fn penetration(record: &Record, title: String) -> Result<Figure, RecordError> {
    let steps = record.table("steps", Some(&["t", "penetration", "drift"]))?;
    let t = steps.numbers("t");
    let mut series = vec![Series::line(
        "penetration",
        &t,
        &steps.numbers("penetration"),
        0,
    )];
    let drift = steps.numbers("drift");
    if drift.iter().any(|d| *d != 0.0) {
        series.push(Series::line("joint error", &t, &drift, 1));
    }
    let label = unit::label("largest -gap at the end of each step", "length");
    Ok(over_time(title, &label, series))
}

/// Impulses over time; 0 in steps in which a constraint is inactive.
fn impulses(record: &Record, title: String) -> Result<Figure, PlotError> {
    let steps = record.table("steps", Some(&["step", "t"]))?;
    let contacts = record.table("contacts", None)?;
    let (number, t) = (steps.numbers("step"), steps.numbers("t"));
    // Distinct constraints in order of first appearance.
    let mut names: Vec<&str> = Vec::new();
    let constraint = contacts.column("constraint");
    let name_at = |row: usize| match constraint.map(|c| c.cell(row)) {
        Some(CellValue::Text(name)) => name,
        _ => "",
    };
    for row in 0..contacts.rows {
        if !names.contains(&name_at(row)) {
            names.push(name_at(row));
        }
    }
    if names.is_empty() {
        let none = "no constraint took part in any recorded step: there are no impulses to show";
        return Err(PlotError::Nothing(none.into()));
    }
    // One series per constraint and row: normal, first and second tangent.
    let touched = contacts.numbers("step");
    let mut series = Vec::new();
    for (k, name) in names.iter().enumerate() {
        for (column, mark) in [
            ("n", SeriesStyle::Line),
            ("t1", SeriesStyle::Dashed),
            ("t2", SeriesStyle::Dotted),
        ] {
            let impulse = contacts.numbers(&format!("impulse_{column}"));
            let mut all = vec![0.0; t.len()];
            let mut seen = false;
            for row in (0..contacts.rows).filter(|row| name_at(*row) == *name) {
                // A missing row of the constraint is NaN: it has no such direction.
                if let Ok(place) = number.binary_search_by(|n| n.total_cmp(&touched[row]))
                    && impulse[row].is_finite()
                {
                    all[place] = impulse[row];
                    seen = true;
                }
            }
            if seen {
                let label = if column == "n" {
                    (*name).into()
                } else {
                    format!("{name}, {column}")
                };
                series.push(Series::line(label, &t, &all, k).with_style(mark));
            }
        }
    }
    let label = unit::label("impulse over a step", "force*time");
    Ok(over_time(title, &label, series))
}

fn trajectory(record: &Record, names: Option<&str>, title: String) -> Result<Figure, PlotError> {
    let states = record.table("coordinates", None)?;
    let t = states.numbers("t");
    let positions = states
        .columns
        .iter()
        .filter(|c| c.meaning.starts_with("position"));
    let known: Vec<String> = positions.clone().map(|c| c.name.clone()).collect();
    let asked: Option<Vec<&str>> = names.map(|names| names.split(',').map(str::trim).collect());
    let asked_of = asked.iter().flatten();
    for name in asked_of {
        if !known.iter().any(|k| k == name) {
            return Err(unknown("coordinate", name, &known));
        }
    }
    let shown = |c: &&Column| asked.as_ref().is_none_or(|all| all.contains(&&*c.name));
    let positions = positions.filter(shown);
    let series = positions
        .enumerate()
        .map(|(k, c)| Series::line(&c.name, &t, &states.numbers(&c.name), k));
    Ok(over_time(title, "coordinates", series.collect()))
}

/// Whether any finding of the run is an order of convergence.
pub(super) fn has_orders(record: &Record) -> bool {
    fitted(record).next().is_some()
}

/// The findings that are orders of convergence.
fn fitted(record: &Record) -> impl Iterator<Item = Finding> {
    let findings = record.manifest().findings.iter().flatten();
    let read = findings.filter_map(|f| serde_json::from_value::<Finding>(f.clone()).ok());
    read.filter(|finding| finding.errors.len() > 1)
}

/// Errors over step lengths of the findings that are orders of convergence, each with a dashed line of its
/// fitted slope.
pub(super) fn orders(record: &Record, title: String) -> Result<Figure, PlotError> {
    let mut series = Vec::new();
    for (k, finding) in fitted(record).enumerate() {
        let points: Vec<(f64, f64)> = finding.errors.iter().map(|p| (p[0], p[1])).collect();
        let order = slope(&points);
        let n = points.len() as f64;
        // Fitted line through the centroid in logarithms.
        let centre = points
            .iter()
            .fold((0.0, 0.0), |c, p| (c.0 + p.0.ln() / n, c.1 + p.1.ln() / n));
        let fitted = points
            .iter()
            .map(|(h, _)| (*h, (centre.1 + order * (h.ln() - centre.0)).exp()));
        series.push(Series {
            label: format!("{}: {order:.2}", finding.name),
            points: fitted.collect(),
            style: SeriesStyle::Dashed,
            colour: k,
        });
        // Measured errors.
        series.push(Series {
            label: String::new(),
            points,
            style: SeriesStyle::Points,
            colour: k,
        });
    }
    if series.is_empty() {
        let none = "no finding of this scene is an order of convergence";
        return Err(PlotError::Nothing(none.into()));
    }
    Ok(Figure {
        title,
        x_label: unit::label("step h", "time"),
        y_label: "error".into(),
        series,
        x_scale: Scale::Log,
        y_scale: Scale::Log,
        ..Figure::default()
    })
}

/// Least-squares slope of ln e over ln h.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(h, e)| (h.ln(), e.ln()));
    let mean = logs().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let over: f64 = logs().map(|p| (p.0 - mean.0) * (p.1 - mean.1)).sum();
    over / logs().map(|p| (p.0 - mean.0).powi(2)).sum::<f64>()
}

fn phase(record: &Record, name: &str, title: String) -> Result<Figure, PlotError> {
    let columns = &record.entry("coordinates")?.columns;
    let rate = format!("{name}_dot");
    let has = |name: &str| columns.iter().any(|c| c.name == name);
    // The coordinate must be recorded with its velocity.
    if !(has(name) && has(&rate)) {
        let all = coordinates(record)?;
        return Err(PlotError::Unknown(format!(
            "there is no coordinate `{name}` with a velocity `{rate}`; there is {}",
            all.join(", ")
        )));
    }
    let states = record.table("coordinates", Some(&[name, &rate]))?;
    Ok(Figure {
        title,
        x_label: name.into(),
        y_label: rate.clone(),
        series: vec![Series::line(
            name,
            &states.numbers(name),
            &states.numbers(&rate),
            0,
        )],
        ..Figure::default()
    })
}

/// Coordinates that have a phase portrait.
pub(super) fn coordinates(record: &Record) -> Result<Vec<String>, RecordError> {
    let columns = &record.entry("coordinates")?.columns;
    let names = columns.iter().map(|c| c.name.clone());
    let moving = |n: &String| columns.iter().any(|c| c.name == format!("{n}_dot"));
    Ok(names.filter(moving).collect())
}
