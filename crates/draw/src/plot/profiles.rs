//! Plots of spatial profiles and distributions, from the tables of a run.

use percuss_record::{CellValue, PlotError, Record};
use percuss_scene::Scene;
use percuss_scene::file::{DistributionSpec, ProfileSpec};

use super::figure::{Figure, Series, SeriesStyle};
use super::unit;

/// Names and titles of a scene's profiles and distributions.
pub(super) fn list(scene: &Scene) -> Vec<(String, String)> {
    let Some(bodies) = scene.bodies() else {
        return Vec::new();
    };
    let profiles = bodies.profiles.iter().map(|p| {
        let title = p.title.clone();
        (p.name.clone(), title.unwrap_or_else(|| "profile".into()))
    });
    let counts = bodies.distributions.iter().map(|d| {
        let title = d.title.clone();
        (
            d.name.clone(),
            title.unwrap_or_else(|| "distribution".into()),
        )
    });
    profiles.chain(counts).collect()
}

/// The plot of a profile or distribution; `None` for an unknown name.
pub(super) fn figure(
    record: &Record,
    scene: &Scene,
    name: &str,
) -> Result<Option<Figure>, PlotError> {
    let Some(bodies) = scene.bodies() else {
        return Ok(None);
    };
    if let Some(spec) = bodies.profiles.iter().find(|p| p.name == name) {
        let cut = bodies.regions.iter().find(|r| r.name == spec.region.text);
        let axis = cut.and_then(|r| r.slices).map_or(0, |(axis, _)| axis);
        return profile(record, scene, spec, axis, bodies.dimension).map(Some);
    }
    let found = bodies.distributions.iter().find(|d| d.name == name);
    let drawn = found.map(|spec| distribution(record, scene, spec, bodies.dimension));
    drawn.transpose()
}

fn title(scene: &Scene, given: &Option<String>, name: &str) -> String {
    let plain = || format!("{}: {name}", scene.title());
    given.clone().unwrap_or_else(plain)
}

/// Means over the slices with their standard errors as error bars; heights are on the vertical axis.
fn profile(
    record: &Record,
    scene: &Scene,
    spec: &ProfileSpec,
    axis: usize,
    dimension: usize,
) -> Result<Figure, PlotError> {
    let table = record.table("profiles", None)?;
    let text = |column: &str, row: usize| match table.column(column).map(|c| c.cell(row)) {
        Some(CellValue::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    let [position, mean, error] = ["position", "mean", "error"].map(|c| table.numbers(c));
    // Along the vertical axis, position is on the y axis.
    let up = axis + 1 == dimension;
    let place = |at: f64, value: f64| if up { (value, at) } else { (at, value) };
    let mut series: Vec<Series> = Vec::new();
    // One series per quantity, with error bars.
    for (colour, quantity) in spec.quantity.iter().enumerate() {
        let own = |row: &usize| {
            text("profile", *row) == spec.name && text("quantity", *row) == quantity.text
        };
        let rows: Vec<usize> = (0..table.rows).filter(own).collect();
        let points = rows.iter().map(|r| place(position[*r], mean[*r]));
        series.push(Series {
            label: quantity.text.clone(),
            points: points.collect(),
            style: SeriesStyle::Line,
            colour,
        });
        let mut bars = Vec::new();
        for row in rows.iter().filter(|r| error[**r].is_finite()) {
            let (at, mean, error) = (position[*row], mean[*row], error[*row]);
            bars.extend([place(at, mean - error), place(at, mean + error)]);
            // NaN separates one error bar from the next.
            bars.push((f64::NAN, f64::NAN));
        }
        if !bars.is_empty() {
            series.push(Series {
                label: format!("{}, standard error", quantity.text),
                points: bars,
                style: SeriesStyle::Line,
                colour: colour + spec.quantity.len(),
            });
        }
    }
    // Labels.
    let values = match spec.quantity.as_slice() {
        [one] => one.text.clone(),
        _ => "mean over time".into(),
    };
    let along = unit::label(["x", "y", "z"][axis.min(2)], "length");
    let (x_label, y_label) = if up { (values, along) } else { (along, values) };
    Ok(Figure {
        title: title(scene, &spec.title, &spec.name),
        x_label,
        y_label,
        series,
        ..Figure::default()
    })
}

/// Probability densities as step functions.
fn distribution(
    record: &Record,
    scene: &Scene,
    spec: &DistributionSpec,
    dimension: usize,
) -> Result<Figure, PlotError> {
    let table = record.table("distributions", None)?;
    let own = |row: &usize| {
        let name = table.column("distribution").map(|c| c.cell(*row));
        name == Some(CellValue::Text(&spec.name))
    };
    let [low, high, density] = ["low", "high", "density"].map(|c| table.numbers(c));
    // A step function: two points per bin.
    let mut points = Vec::new();
    for row in (0..table.rows).filter(own) {
        points.extend([(low[row], density[row]), (high[row], density[row])]);
    }
    Ok(Figure {
        title: title(scene, &spec.title, &spec.name),
        x_label: spec.quantity.label(dimension).into(),
        y_label: "density".into(),
        series: vec![Series {
            label: spec.of.text.clone(),
            points,
            style: SeriesStyle::Line,
            colour: 0,
        }],
        ..Figure::default()
    })
}
