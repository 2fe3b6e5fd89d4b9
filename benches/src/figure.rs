//! A log–log plot as SVG.

use std::path::Path;

use plotters::prelude::*;

/// A series of points.
#[derive(Debug, Clone)]
pub struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
    /// Whether markers are hollow.
    hollow: bool,
}

impl Curve {
    pub fn new(name: String, points: Vec<(f64, f64)>, hollow: bool) -> Self {
        Self {
            name,
            points,
            hollow,
        }
    }
}

/// Colours that are distinguishable with red–green colour blindness (Okabe and Ito).
const COLOURS: [RGBColor; 3] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
];

/// Smallest and largest of some numbers, with a margin.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let found = values.fold((f64::INFINITY, 0.0_f64), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    (0.7 * found.0, 1.6 * found.1)
}

/// Draws the series, in pairs of one colour, and the slope of a square root.
pub fn draw(path: &Path, along: &str, up: &str, curves: &[Curve]) -> Result<(), String> {
    let mut text = String::new();
    paint(&mut text, along, up, curves).map_err(|e| format!("figure: {e}"))?;
    std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
}

fn paint(
    text: &mut String,
    along: &str,
    up: &str,
    curves: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let all = || curves.iter().flat_map(|c| &c.points);
    let ((left, right), (low, high)) = (ends(all().map(|p| p.0)), ends(all().map(|p| p.1)));
    // Room for the legend above the points.
    let high = 8.0 * high;
    let area = SVGBackend::with_string(text, (760, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    // Logarithmic axes and grid.
    let mut chart = ChartBuilder::on(&area)
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d((left..right).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(along)
        .y_desc(up)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .draw()?;
    // Series: line and markers.
    for (k, curve) in curves.iter().enumerate() {
        let colour = COLOURS[k / 2 % COLOURS.len()];
        let style = if curve.hollow {
            colour.stroke_width(1)
        } else {
            colour.filled()
        };
        chart.draw_series(LineSeries::new(
            curve.points.iter().copied(),
            colour.stroke_width(1),
        ))?;
        let marks = curve.points.iter().map(|p| Circle::new(*p, 4, style));
        chart
            .draw_series(marks)?
            .label(&curve.name)
            .legend(move |at| Circle::new((at.0 + 9, at.1), 4, style));
    }
    // Reference slope.
    let top = all().map(|p| p.1).fold(0.0, f64::max);
    let slope = [left, right].map(|x| (x, top * (x / right).sqrt()));
    chart
        .draw_series(DashedLineSeries::new(slope, 6, 4, BLACK.stroke_width(1)))?
        .label("square root")
        .legend(|at| PathElement::new([(at.0, at.1), (at.0 + 18, at.1)], BLACK));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 14))
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_and_named() {
        let points = vec![(8.0, 20.0), (64.0, 70.0)];
        let curves = [
            Curve::new("cold".into(), points.clone(), false),
            Curve::new("warm".into(), points, true),
        ];
        let mut text = String::new();
        paint(&mut text, "height", "sweeps", &curves).expect("drawn");
        // Two points and one legend marker for each series.
        assert_eq!(text.matches("<circle").count(), 6);
        for word in ["cold", "warm", "height", "sweeps", "square root"] {
            assert!(text.contains(word), "{word}");
        }
    }
}
