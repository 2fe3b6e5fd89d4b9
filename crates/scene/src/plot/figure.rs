//! A picture before it is drawn.

use super::axis::Scale;

/// How the points of a series are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeriesStyle {
    /// Joined by a line.
    #[default]
    Line,
    /// Joined by a dashed line.
    Dashed,
    /// Joined by a finely dashed line.
    Dotted,
    /// Dots.
    Points,
    /// Straight pieces from point to point with feet: bars of errors.
    ErrorBars,
    /// A line with what is below it filled.
    Area,
}

/// A coloured cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatMapCell {
    /// Its ends along x.
    pub x: (f64, f64),
    /// Its ends along y.
    pub y: (f64, f64),
    /// What its colour says; no number is left white.
    pub value: f64,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// What the legend calls them.
    pub label: String,
    /// The points; one that is no number breaks a line.
    pub points: Vec<(f64, f64)>,
    /// How they are shown.
    pub style: SeriesStyle,
    /// Colour: number in the palette.
    pub colour: usize,
}

impl Series {
    /// A line.
    pub fn line(label: impl Into<String>, x: &[f64], y: &[f64], colour: usize) -> Self {
        Self {
            label: label.into(),
            points: x.iter().copied().zip(y.iter().copied()).collect(),
            style: SeriesStyle::Line,
            colour,
        }
    }

    /// The same shown otherwise.
    #[must_use]
    pub fn with_style(mut self, mark: SeriesStyle) -> Self {
        self.style = mark;
        self
    }
}

/// A picture before it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// Its title.
    pub title: String,
    /// Label of the x axis.
    pub x_label: String,
    /// Label of the y axis.
    pub y_label: String,
    /// What is shown.
    pub series: Vec<Series>,
    /// One scale on both axes: circles are round.
    pub equal_aspect: bool,
    /// Scale of x.
    pub x_scale: Scale,
    /// Scale of y.
    pub y_scale: Scale,
    /// The y axis begins at 0.
    pub from_zero: bool,
    /// Coloured cells under the series.
    pub heat_map: Vec<HeatMapCell>,
    /// What their colours say.
    pub heat_map_label: String,
}

impl Figure {
    /// Whether anything at all can be shown.
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
