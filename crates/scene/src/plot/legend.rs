//! The legend: a sample of every series with its name, beside the curves.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{Failure, Style, px};
use super::figure::{Figure, Mark};

/// Height of a line in pixels.
const LINE: u32 = 22;

/// Lines that fit beside the curves.
const LINES: usize = 22;

/// Length of a sample in pixels.
const SAMPLE: u32 = 28;

/// Longest name in characters.
const LONGEST: usize = 26;

/// Width in pixels; none for a single series, whose name is on the axis.
pub(super) fn width(figure: &Figure) -> u32 {
    if figure.series.len() < 2 {
        return 0;
    }
    let longest = figure.series.iter().map(|s| s.label.chars().count()).max();
    let longest = u32::try_from(longest.unwrap_or(0).min(LONGEST)).unwrap_or(0);
    // Letters of 14 pixels are about 8 wide.
    SAMPLE + 24 + 8 * longest
}

/// Draws it into the area beside the curves.
pub(super) fn draw<'a, B: DrawingBackend + 'a>(
    area: &DrawingArea<B, Shift>,
    figure: &Figure,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    let count = figure.series.len();
    if count < 2 {
        return Ok(());
    }
    let names = figure.series.iter().filter(|s| !s.label.is_empty()).count();
    let at = |pixels: u32| i32::try_from(px(pixels)).unwrap_or(i32::MAX);
    let text = |text: String, height: u32| {
        let style = ("sans-serif", px(14)).into_font().color(&BLACK);
        let style = style.pos(Pos::new(HPos::Left, VPos::Center));
        Text::new(text, (at(SAMPLE + 8), at(height)), style)
    };
    // A series without a name belongs to the one before.
    let named = figure.series.iter().enumerate();
    let named = named.filter(|(_, series)| !series.label.is_empty());
    for (line, (k, series)) in named.take(LINES).enumerate() {
        let height = 20 + LINE * u32::try_from(line).unwrap_or(0);
        let style = Style::of(series, k, count);
        let ends = [(0, at(height)), (at(SAMPLE), at(height))];
        match (series.mark, style.dash) {
            (Mark::Points, _) => {
                let middle = (at(SAMPLE / 2), at(height));
                area.draw(&Circle::new(middle, style.radius, style.colour.filled()))?;
            }
            (_, None) => area.draw(&PathElement::new(ends, style.shape))?,
            (_, Some((dash, gap))) => {
                area.draw(&DashedPathElement::new(ends, dash, gap, style.shape))?;
            }
        }
        area.draw(&text(shortened(&series.label), height))?;
    }
    if names > LINES {
        let height = 20 + LINE * u32::try_from(LINES).unwrap_or(0);
        area.draw(&text(format!("… {} more", count - LINES), height))?;
    }
    Ok(())
}

fn shortened(label: &str) -> String {
    match label.chars().count() > LONGEST {
        true => label.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => label.into(),
    }
}
