//! Data of a plot before it is drawn.

use crate::axis::Scale;

/// Style of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeriesStyle {
    /// A solid line.
    #[default]
    Line,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
    /// Point markers.
    Points,
    /// Error bars: straight segments between pairs of points, with caps.
    ErrorBars,
    /// A line with the area below it filled.
    Area,
}

/// A cell of a heat map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatMapCell {
    /// Interval along x.
    pub x: (f64, f64),
    /// Interval along y.
    pub y: (f64, f64),
    /// Value shown by its colour; NaN is left white.
    pub value: f64,
}

/// A series of points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Legend label.
    pub label: String,
    /// The points; NaN breaks a line.
    pub points: Vec<(f64, f64)>,
    /// Style.
    pub style: SeriesStyle,
    /// Colour index in the palette.
    pub colour: usize,
}

impl Series {
    /// A solid line.
    pub fn line(label: impl Into<String>, x: &[f64], y: &[f64], colour: usize) -> Self {
        Self {
            label: label.into(),
            points: x.iter().copied().zip(y.iter().copied()).collect(),
            style: SeriesStyle::Line,
            colour,
        }
    }

    /// The same with another style.
    #[must_use]
    pub fn with_style(mut self, mark: SeriesStyle) -> Self {
        self.style = mark;
        self
    }
}

/// A plot before it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// Its title.
    pub title: String,
    /// Label of the x axis.
    pub x_label: String,
    /// Label of the y axis.
    pub y_label: String,
    /// The series.
    pub series: Vec<Series>,
    /// Whether both axes have the same scale, so that circles are round.
    pub equal_aspect: bool,
    /// Scale of x.
    pub x_scale: Scale,
    /// Scale of y.
    pub y_scale: Scale,
    /// Whether the y axis begins at 0.
    pub from_zero: bool,
    /// Cells of a heat map, under the series.
    pub heat_map: Vec<HeatMapCell>,
    /// Quantity shown by the colours of the heat map.
    pub heat_map_label: String,
}

impl Figure {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        let shown = |p: &(f64, f64)| {
            p.0.is_finite()
                && p.1.is_finite()
                && (self.x_scale == Scale::Linear || p.0 > 0.0)
                && (self.y_scale == Scale::Linear || p.1 > 0.0)
        };
        let coloured = |t: &HeatMapCell| t.value.is_finite() && shown(&(t.x.1, t.y.1));
        !self.series.iter().any(|s| s.points.iter().any(shown))
            && !self.heat_map.iter().any(coloured)
    }
}
