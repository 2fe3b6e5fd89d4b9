//! Trajectories and phase portraits of bodies: `trajectory:NAME,NAME` and `phase:NAME.x`.

use percuss_record::{PlotError, Record};

use super::figure::{Figure, Series};
use super::options::{PlotOptions, unknown};
use super::row_selection::{body_names, body_number, column, entry, select_rows};
use super::unit;

/// Prefix of the names of trajectory plots.
pub(super) const TRAJECTORY: &str = "trajectory:";

/// Coordinates of a body with their velocities.
const RATES: [(&str, &str); 4] = [("x", "vx"), ("y", "vy"), ("z", "vz"), ("angle", "spin")];

/// Options that select the rows of one body.
fn of_body(number: usize) -> PlotOptions {
    PlotOptions {
        conditions: vec![("body".into(), number.to_string())],
        ..PlotOptions::default()
    }
}

/// Trajectories of bodies: in the plane y over x, in space coordinates over time.
pub(super) fn trajectory(record: &Record, names: &str) -> Result<Figure, PlotError> {
    let known = body_names(record)?;
    let flat = entry(record, "bodies")?.iter().all(|c| c.name != "z");
    let mut series = Vec::new();
    let mut shown = Vec::new();
    for name in names.split(',').map(str::trim) {
        let number = body_number(&known, name)?;
        let name = known.get(number).map_or(name, String::as_str);
        let only = of_body(number);
        shown.push(name);
        // In the plane: y over x.
        if flat {
            let picked = select_rows(record, "bodies", &["x", "y"], None, &only)?;
            if let [x, y] = picked.numbers.as_slice() {
                series.push(Series::line(name, x, y, series.len()));
            }
            continue;
        }
        // In space: each coordinate over time.
        let picked = select_rows(record, "bodies", &["t", "x", "y", "z"], None, &only)?;
        if let [t, rest @ ..] = picked.numbers.as_slice() {
            for (values, axis) in rest.iter().zip(["x", "y", "z"]) {
                let label = format!("{name}, {axis}");
                series.push(Series::line(label, t, values, series.len()));
            }
        }
    }
    let (x, y) = if flat { ("x", "y") } else { ("t", "x") };
    let mut y_label = unit::of_column(column(record, "bodies", y)?);
    if !flat {
        y_label = unit::label("coordinate", "length");
    }
    Ok(Figure {
        title: format!("{}: {}", record.manifest().title, shown.join(", ")),
        x_label: unit::of_column(column(record, "bodies", x)?),
        y_label,
        series,
        equal_aspect: flat,
        ..Figure::default()
    })
}

/// Phase portrait: the velocity of a coordinate of a body over the coordinate.
pub(super) fn phase(record: &Record, name: &str) -> Result<Figure, PlotError> {
    let columns = entry(record, "bodies")?;
    let has = |c: &str| columns.iter().any(|column| column.name == c);
    let there = RATES.iter().filter(|(x, v)| has(x) && has(v));
    let there: Vec<String> = there.map(|(x, _)| (*x).to_string()).collect();
    // A body name may contain a full stop: the coordinate follows the last one.
    let Some((body, coordinate)) = name.rsplit_once('.') else {
        let problem = format!(
            "`phase:{name}`: a body and its coordinate were expected, phase:NAME.{}",
            there.join(" or NAME.")
        );
        return Err(PlotError::Unknown(problem));
    };
    let rate = RATES
        .iter()
        .find(|(x, _)| *x == coordinate && there.contains(&coordinate.to_string()));
    let Some((x, v)) = rate else {
        return Err(unknown("coordinate", coordinate, &there));
    };
    let only = of_body(body_number(&body_names(record)?, body)?);
    let picked = select_rows(record, "bodies", &[x, v], None, &only)?;
    let [along, across] = picked.numbers.as_slice() else {
        return Err(PlotError::Nothing(format!("`{body}` has no states")));
    };
    Ok(Figure {
        title: format!("{}: phase portrait of {body}", record.manifest().title),
        x_label: unit::of_column(column(record, "bodies", x)?),
        y_label: unit::of_column(column(record, "bodies", v)?),
        series: vec![Series::line(name, along, across, 0)],
        ..Figure::default()
    })
}
