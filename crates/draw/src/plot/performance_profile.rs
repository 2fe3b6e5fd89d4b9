//! Performance profile (Dolan and Moré 2002) as SVG: the fraction of problems solved within a factor τ of the
//! best method.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::draw::OKABE_ITO;

/// The profile of one method.
pub struct PerformanceCurve {
    name: String,
    /// Finite log2 τ in ascending order.
    steps: Vec<f64>,
    /// Number of problems, including the failed ones.
    total: usize,
}

impl PerformanceCurve {
    /// The profile from the ratios τ of all problems, infinite where the method failed.
    pub fn new(name: &str, ratios: Vec<f64>) -> Self {
        let total = ratios.len();
        let finite = ratios.into_iter().filter(|t| t.is_finite());
        let mut steps: Vec<f64> = finite.map(f64::log2).collect();
        steps.sort_by(f64::total_cmp);
        Self {
            name: name.into(),
            steps,
            total,
        }
    }

    /// Corners of the step function from log2 τ = 0 to `end`.
    fn corners(&self, end: f64) -> Vec<(f64, f64)> {
        let level = |k: usize| k as f64 / self.total.max(1) as f64;
        let mut corners = vec![(0.0, 0.0)];
        for (k, &x) in self.steps.iter().enumerate() {
            corners.push((x, level(k)));
            corners.push((x, level(k + 1)));
        }
        corners.push((end, level(self.steps.len())));
        corners
    }
}

/// An axis from 0 to `end` with labels at given positions.
struct Axis {
    end: f64,
    labels: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (value / self.end * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.labels.clone()
        }
    }

    fn range(&self) -> Range<f64> {
        0.0..self.end
    }
}

impl Axis {
    /// log2 τ from 0 to an integer beyond the last step, so that the final level is visible.
    fn of_ratios(curves: &[PerformanceCurve]) -> Self {
        let last = curves.iter().filter_map(|c| c.steps.last());
        let end = last.fold(0.0_f64, |m, x| m.max(*x)).floor() + 1.0;
        // At most about a dozen labels.
        let stride = (end / 12.0).ceil().max(1.0) as usize;
        let labels = (0..=end as usize).step_by(stride).map(|k| k as f64);
        Self {
            end,
            labels: labels.collect(),
        }
    }

    /// Fractions from 0 to 1, with a margin above the highest curve.
    fn of_parts() -> Self {
        Self {
            end: 1.02,
            labels: (0..=5).map(|k| f64::from(k) / 5.0).collect(),
        }
    }
}

/// The palette of the plots, black first: the first curve is that of the method in question.
const COLOURS: [RGBColor; 7] = {
    let [blue, vermilion, green, purple, orange, sky, black] = OKABE_ITO;
    [black, vermilion, blue, green, purple, orange, sky]
};

/// Dash and gap lengths in pixels; a gap of 0 is a solid line. Curves also differ in print.
const DASHES: [(i32, i32); 4] = [(10, 0), (10, 4), (4, 3), (16, 3)];

/// Width and height of the picture in pixels.
const SIZE: (u32, u32) = (860, 560);

/// The profiles as SVG.
pub fn svg(title: &str, curves: &[PerformanceCurve]) -> Result<String, String> {
    let mut text = String::new();
    draw(title, curves, SVGBackend::with_string(&mut text, SIZE)).map_err(|e| e.to_string())?;
    Ok(text)
}

fn draw<'a, B: DrawingBackend + 'a>(
    title: &str,
    curves: &[PerformanceCurve],
    backend: B,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>>
where
    B::ErrorType: 'static,
{
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    // Axes: log2 τ and fraction of problems.
    let ratios = Axis::of_ratios(curves);
    let end = ratios.end;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(60)
        .build_cartesian_2d(ratios, Axis::of_parts())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("time / time of the fastest method (log2 axis)")
        .y_desc("fraction of problems solved")
        .x_label_formatter(&|x| format!("{}", x.exp2()))
        .y_label_formatter(&|y| format!("{y:.1}"))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .draw()?;
    // One step function per method.
    for (k, curve) in curves.iter().enumerate() {
        let style = COLOURS[k % COLOURS.len()].stroke_width(if k == 0 { 3 } else { 2 });
        let (dash, gap) = DASHES[k % DASHES.len()];
        let corners = curve.corners(end);
        let series = if gap == 0 {
            chart.draw_series(LineSeries::new(corners, style))?
        } else {
            chart.draw_series(DashedLineSeries::new(corners, dash, gap, style))?
        };
        series.label(&curve.name).legend(move |(x, y)| {
            // A dash longer than the legend sample makes a solid line.
            let (dash, gap) = if gap == 0 { (40, 1) } else { (dash, gap) };
            DashedPathElement::new([(x, y), (x + 34, y)], dash, gap, style)
        });
    }
    // Legend.
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .legend_area_size(44)
        .margin(14)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 15))
        .draw()?;
    area.present()
}

#[cfg(test)]
mod tests {
    use super::{PerformanceCurve, svg};

    #[test]
    fn curve_rises_by_one_problem_at_each_ratio_and_never_counts_failures() {
        let curve = PerformanceCurve::new("m", vec![4.0, f64::INFINITY, 1.0, 2.0]);
        let corners = curve.corners(3.0);
        let expected = [
            (0.0, 0.0),
            (0.0, 0.0),
            (0.0, 0.25),
            (1.0, 0.25),
            (1.0, 0.5),
            (2.0, 0.5),
            (2.0, 0.75),
            (3.0, 0.75),
        ];
        assert_eq!(corners, expected);
    }

    #[test]
    fn picture_of_no_problems_at_all_is_drawn_without_curves() {
        let text = svg("nothing", &[PerformanceCurve::new("m", Vec::new())]).expect("drawable");
        assert!(text.contains("<svg") && text.trim_end().ends_with("</svg>"));
    }
}
