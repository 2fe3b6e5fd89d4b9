//! Legend: a sample of every series with its label, beside the plot area.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{Failure, Style, px};
use super::figure::{Figure, SeriesStyle};
use crate::axis::Ticks;
use crate::picture::ColourMap;

/// Height of a line in pixels.
const LINE: u32 = 22;

/// Maximal number of lines beside the plot area.
const LINES: usize = 22;

/// Length of a line sample in pixels.
const SAMPLE: u32 = 28;

/// Width of the colour bar in pixels.
const BAR: u32 = 20;

/// Maximal length of a label in characters.
const LONGEST: usize = 26;

/// Width in pixels; 0 for a single series, whose label is on the axis.
pub(super) fn width(figure: &Figure) -> u32 {
    if !figure.heat_map.is_empty() {
        return BAR + 110;
    }
    if lines(figure) < 2 {
        return 0;
    }
    let longest = figure.series.iter().map(|s| s.label.chars().count()).max();
    let longest = u32::try_from(longest.unwrap_or(0).min(LONGEST)).unwrap_or(0);
    // Characters of 14 pixels are about 8 wide.
    SAMPLE + 24 + 8 * longest
}

/// Draws the legend into the area beside the plot.
pub(super) fn draw<'a, B: DrawingBackend + 'a>(
    area: &DrawingArea<B, Shift>,
    figure: &Figure,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    if let Some(ramp) = ramp(figure) {
        return bar(area, figure, &ramp);
    }
    // A single series needs no legend.
    let count = figure.series.len();
    if lines(figure) < 2 {
        return Ok(());
    }
    let names = figure.series.iter().filter(|s| !s.label.is_empty()).count();
    let at = |pixels: u32| i32::try_from(px(pixels)).unwrap_or(i32::MAX);
    let text = |text: String, height: u32| {
        let style = ("sans-serif", px(14)).into_font().color(&BLACK);
        let style = style.pos(Pos::new(HPos::Left, VPos::Center));
        Text::new(text, (at(SAMPLE + 8), at(height)), style)
    };
    // An unnamed series belongs to the previous one.
    let named = figure.series.iter().enumerate();
    let named = named.filter(|(_, series)| !series.label.is_empty());
    for (line, (k, series)) in named.take(LINES).enumerate() {
        let height = 20 + LINE * u32::try_from(line).unwrap_or(0);
        let style = Style::of(series, k, count);
        let ends = [(0, at(height)), (at(SAMPLE), at(height))];
        // Sample of the series in its own style.
        match (series.style, style.dash) {
            (SeriesStyle::Points, _) => {
                let middle = (at(SAMPLE / 2), at(height));
                area.draw(&Circle::new(middle, style.radius, style.colour.filled()))?;
            }
            (SeriesStyle::ErrorBars, _) => {
                let (x, half) = (at(SAMPLE / 2), at(8));
                let foot = |y: i32| [(x - at(4), y), (x + at(4), y)];
                let (low, high) = (at(height) - half, at(height) + half);
                for line in [[(x, low), (x, high)], foot(low), foot(high)] {
                    area.draw(&PathElement::new(line, style.shape))?;
                }
            }
            (_, None) => area.draw(&PathElement::new(ends, style.shape))?,
            (_, Some((dash, gap))) => {
                area.draw(&DashedPathElement::new(ends, dash, gap, style.shape))?;
            }
        }
        area.draw(&text(shortened(&series.label), height))?;
    }
    // The rest is only counted.
    if names > LINES {
        let height = 20 + LINE * u32::try_from(LINES).unwrap_or(0);
        area.draw(&text(format!("… {} more", count - LINES), height))?;
    }
    Ok(())
}

/// Number of named series; of all where none is named.
fn lines(figure: &Figure) -> usize {
    figure.series.iter().filter(|s| !s.label.is_empty()).count()
}

/// The colour map of a figure's heat map.
pub(super) fn ramp(figure: &Figure) -> Option<ColourMap> {
    let values = || figure.heat_map.iter().map(|t| t.value);
    // Rounding errors below 0 do not make the map diverging.
    let (low, high) = values()
        .filter(|v| v.is_finite())
        .fold((0.0, 0.0), |(low, high), v| {
            (f64::min(low, v), f64::max(high, v))
        });
    let signed = high.min(-low) > 0.05 * high.max(-low);
    (!figure.heat_map.is_empty()).then(|| ColourMap::over(values(), false, signed))
}

/// The colour of a value.
pub(super) fn colour(ramp: &ColourMap, value: f64) -> RGBColor {
    let [r, g, b] = ramp.colour(value).parts();
    RGBColor(r, g, b)
}

/// The colour bar of a heat map.
fn bar<'a, B: DrawingBackend + 'a>(
    area: &DrawingArea<B, Shift>,
    figure: &Figure,
    ramp: &ColourMap,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    /// Its ends in pixels.
    const ENDS: (f64, f64) = (440.0, 60.0);
    /// Number of its segments.
    const PIECES: i32 = 64;
    let at = |pixels: f64| (pixels * f64::from(super::draw::FINE)) as i32;
    let height = |share: f64| at(ENDS.0 + share * (ENDS.1 - ENDS.0));
    let place = |value: f64| (value - ramp.low) / (ramp.high - ramp.low);
    for k in 0..PIECES {
        let ends = [k, k + 1].map(|k| f64::from(k) / f64::from(PIECES));
        let value = ramp.low + 0.5 * (ends[0] + ends[1]) * (ramp.high - ramp.low);
        // Each segment extends to the top and is overpainted by the next: no seams.
        let corners = [(0, height(ends[0])), (at(f64::from(BAR)), height(1.0))];
        area.draw(&Rectangle::new(corners, colour(ramp, value).filled()))?;
    }
    let style = ("sans-serif", px(14)).into_font().color(&BLACK);
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    for (value, text) in Ticks::between(ramp.low, ramp.high, 6).all() {
        let y = height(place(value));
        let line = [(at(f64::from(BAR)), y), (at(f64::from(BAR) + 5.0), y)];
        area.draw(&PathElement::new(line, BLACK.mix(0.6).stroke_width(px(1))))?;
        let left = at(f64::from(BAR) + 9.0);
        area.draw(&Text::new(text, (left, y), style.clone()))?;
    }
    let name = shortened(&figure.heat_map_label);
    area.draw(&Text::new(name, (0, at(ENDS.1 - 24.0)), style))?;
    Ok(())
}

fn shortened(label: &str) -> String {
    match label.chars().count() > LONGEST {
        true => label.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => label.into(),
    }
}
