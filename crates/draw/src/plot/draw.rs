//! Draws a figure as SVG.
//!
//! The drawing library rounds to whole pixels. The canvas is therefore `FINE` times larger than the picture,
//! with all sizes in canvas units, and the view box scales it to the picture's size.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::figure::{Figure, Series, SeriesStyle};
use super::{decimate as thin, legend};
use crate::axis::{Axis, Scale};

/// Canvas units per pixel.
pub(super) const FINE: u32 = 8;

/// Width and height of a picture in pixels.
pub(super) const SIZE: (u32, u32) = (860, 560);

/// The palette of Okabe and Ito, distinguishable with every common type of colour vision (its yellow is left
/// out: too pale for a line on white).
pub(super) const OKABE_ITO: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Dash and gap lengths in pixels, by round of the palette: series also differ in print.
const DASHES: [(i32, i32); 3] = [(8, 4), (3, 3), (14, 3)];

pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pixels in canvas units.
pub(super) fn px(pixels: u32) -> u32 {
    pixels * FINE
}

/// The picture as SVG text.
///
/// # Errors
/// The drawing library reports an error.
pub fn svg(figure: &Figure) -> Result<String, String> {
    let mut text = String::new();
    let canvas = (px(SIZE.0), px(SIZE.1));
    draw(figure, SVGBackend::with_string(&mut text, canvas)).map_err(|e| e.to_string())?;
    let of = |(w, h): (u32, u32)| format!("width=\"{w}\" height=\"{h}\" viewBox");
    Ok(text.replacen(&of(canvas), &of(SIZE), 1))
}

fn draw<'a, B: DrawingBackend + 'a>(figure: &Figure, backend: B) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    let canvas = backend.into_drawing_area();
    canvas.fill(&WHITE)?;
    let area = titled(&canvas, &figure.title)?;
    // The legend is beside the plot area and covers no curve.
    let (area, beside) = area.split_horizontally(px(SIZE.0 - legend::width(figure)));
    legend::draw(&beside, figure)?;
    // Axes, and room for the tick labels.
    let (mut x, mut y) = axes(figure);
    let label_room = px(26) + px(8) * u32::try_from(y.longest_label()).unwrap_or(10);
    let build = |x: Axis, y: Axis| {
        ChartBuilder::on(&area)
            .margin(px(14))
            .margin_top(px(4))
            .margin_right(px(22))
            .x_label_area_size(px(46))
            .y_label_area_size(label_room)
            .build_cartesian_2d(x, y)
    };
    // The plot area is built once to learn its size, and again with equal scales.
    let (wide, tall) = build(x.clone(), y.clone())?.plotting_area().dim_in_pixel();
    if figure.equal_aspect {
        equalise(&mut x, &mut y, f64::from(wide) / f64::from(tall));
    }
    // Grid and axes.
    let mut chart = build(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.13).stroke_width(FINE))
        .axis_style(BLACK.mix(0.6).stroke_width(FINE))
        .x_desc(&figure.x_label)
        .y_desc(&figure.y_label)
        .x_label_formatter(&|m| x.label(*m))
        .y_label_formatter(&|m| y.label(*m))
        .set_all_tick_mark_size(px(4))
        .label_style(("sans-serif", px(14)))
        .axis_desc_style(("sans-serif", px(16)))
        .draw()?;
    // Layers: heat map, zero lines, series.
    draw_heat_map(&mut chart, figure, &x, &y)?;
    zero_lines(&mut chart, &x, &y)?;
    all_series(&mut chart, figure, &x, &y, (wide / FINE, tall / FINE))?;
    canvas.present()?;
    Ok(())
}

/// Axes that cover all data.
fn axes(figure: &Figure) -> (Axis, Axis) {
    let all = || figure.series.iter().flat_map(|s| &s.points);
    if !figure.heat_map.is_empty() {
        let x = figure.heat_map.iter().flat_map(|t| [t.x.0, t.x.1]);
        let y = figure.heat_map.iter().flat_map(|t| [t.y.0, t.y.1]);
        return (
            Axis::tight(x, figure.x_scale, 8),
            Axis::tight(y, figure.y_scale, 7),
        );
    }
    let x = Axis::over(all().map(|p| p.0), figure.x_scale, 8);
    let y = match figure.from_zero && figure.y_scale == Scale::Linear {
        true => Axis::from_zero(all().map(|p| p.1), 7),
        false => Axis::over(all().map(|p| p.1), figure.y_scale, 7),
    };
    (x, y)
}

/// The cells of a heat map.
fn draw_heat_map<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    figure: &Figure,
    x: &Axis,
    y: &Axis,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    let Some(ramp) = legend::ramp(figure) else {
        return Ok(());
    };
    let seen = figure.heat_map.iter().filter(|t| t.value.is_finite());
    let cells = seen.filter_map(|tile| {
        // Cells overlap their neighbours slightly, so that no seam shows.
        let corner = |a: f64, b: f64, more: f64| {
            let place = |at: f64| (at + more).min(1.0);
            (x.at(place(x.fraction(a))), y.at(place(y.fraction(b))))
        };
        let low = corner(tile.x.0, tile.y.0, 0.0);
        let high = corner(tile.x.1, tile.y.1, 1e-3);
        let drawn = [low.0, low.1, high.0, high.1].iter().all(|c| c.is_finite());
        let colour = legend::colour(&ramp, tile.value);
        drawn.then(|| Rectangle::new([low, high], colour.filled()))
    });
    chart.draw_series(cells)?;
    Ok(())
}

/// All series, decimated.
fn all_series<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    figure: &Figure,
    x: &Axis,
    y: &Axis,
    (wide, tall): (u32, u32),
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    // Decimation works in pixels of the picture, y downwards.
    let (wide, tall) = (f64::from(wide), f64::from(tall));
    let pixel = |p: &(f64, f64)| (x.fraction(p.0) * wide, (1.0 - y.fraction(p.1)) * tall);
    let back = |p: &(f64, f64)| (x.at(p.0 / wide), y.at(1.0 - p.1 / tall));
    for (k, series) in figure.series.iter().enumerate() {
        let points: Vec<thin::Point> = series.points.iter().map(pixel).collect();
        let style = Style::of(series, k, figure.series.len());
        if series.style == SeriesStyle::Area {
            // Area under the curve, down to the axis; values not shown on a logarithmic axis are at its foot.
            let foot = |p: &thin::Point| (p.0, if p.1.is_finite() { p.1 } else { tall });
            let all = points.iter().filter(|p| p.0.is_finite()).map(foot);
            let mut below: Vec<(f64, f64)> = all.map(|p| back(&p)).collect();
            let fill = style.colour.mix(0.35).filled();
            chart.draw_series([PathElement::new(below.clone(), style.shape)])?;
            if let (Some(first), Some(last)) = (below.first().copied(), below.last().copied()) {
                below.extend([(last.0, y.at(0.0)), (first.0, y.at(0.0))]);
            }
            chart.draw_series([Polygon::new(below, fill)])?;
            continue;
        }
        if series.style == SeriesStyle::ErrorBars {
            draw_error_bars(chart, &points, &style, &back)?;
            continue;
        }
        // A curve smaller than a pixel would be invisible: it is drawn as a point.
        if series.style == SeriesStyle::Points || thin::is_single_pixel(&points) {
            let dots = thin::decimate_points(&points);
            let dot = |p: &(f64, f64)| Circle::new(back(p), style.radius, style.colour.filled());
            chart.draw_series(dots.iter().map(dot))?;
            continue;
        }
        for piece in thin::decimate_curve(&points) {
            let line: Vec<(f64, f64)> = piece.iter().map(back).collect();
            match style.dash {
                None => chart.draw_series([PathElement::new(line, style.shape)])?,
                Some((dash, gap)) => {
                    let line = DashedPathElement::new(line, dash, gap, style.shape);
                    chart.draw_series([line])?
                }
            };
        }
    }
    Ok(())
}

/// Error bars with caps.
fn draw_error_bars<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    points: &[thin::Point],
    style: &Style,
    back: &impl Fn(&(f64, f64)) -> (f64, f64),
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    /// Half the width of a cap in pixels.
    const FOOT: f64 = 4.0;
    // A bar and its two caps for each pair of points.
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if ![a.0, a.1, b.0, b.1].iter().all(|x| x.is_finite()) {
            continue;
        }
        let foot = |p: thin::Point| [(p.0 - FOOT, p.1), (p.0 + FOOT, p.1)];
        for line in [[a, b], foot(a), foot(b)] {
            let line: Vec<(f64, f64)> = line.iter().map(back).collect();
            chart.draw_series([PathElement::new(line, style.shape)])?;
        }
    }
    Ok(())
}

fn titled<'a, B: DrawingBackend + 'a>(
    area: &DrawingArea<B, Shift>,
    title: &str,
) -> Result<DrawingArea<B, Shift>, Failure>
where
    B::ErrorType: 'static,
{
    // A long title must stay inside the picture: letters are about half as wide as high.
    let letters = u32::try_from(title.chars().count())
        .unwrap_or(u32::MAX)
        .max(1);
    let size = (2 * (SIZE.0 - 40) / letters).clamp(11, 20);
    let (top, rest) = area.split_vertically(px(38));
    let style = ("sans-serif", px(size)).into_font().color(&BLACK);
    let style = style.pos(Pos::new(HPos::Center, VPos::Center));
    let middle = i32::try_from(px(SIZE.0) / 2).unwrap_or(0);
    let height = i32::try_from(px(24)).unwrap_or(0);
    top.draw(&Text::new(title.to_owned(), (middle, height), style))?;
    Ok(rest)
}

/// Widens one axis so that both have the same scale, for a plot area with this aspect ratio.
fn equalise(x: &mut Axis, y: &mut Axis, ratio: f64) {
    if x.width() < y.width() * ratio {
        *x = x.widened(y.width() * ratio, 8);
    } else {
        *y = y.widened(x.width() / ratio, 7);
    }
}

type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

fn zero_lines<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    x: &Axis,
    y: &Axis,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    let style = BLACK.mix(0.35).stroke_width(FINE);
    let mut lines = Vec::new();
    if y.shows_zero() {
        lines.push([(x.at(0.0), 0.0), (x.at(1.0), 0.0)]);
    }
    if x.shows_zero() {
        lines.push([(0.0, y.at(0.0)), (0.0, y.at(1.0))]);
    }
    chart.draw_series(lines.into_iter().map(|l| PathElement::new(l, style)))?;
    Ok(())
}

/// Drawing style of a series.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub colour: RGBColor,
    pub shape: ShapeStyle,
    /// Dash and gap in canvas units.
    pub dash: Option<(i32, i32)>,
    pub radius: u32,
}

impl Style {
    pub(super) fn of(series: &Series, place: usize, count: usize) -> Self {
        let colour = OKABE_ITO[series.colour % OKABE_ITO.len()];
        let beyond = series.colour / OKABE_ITO.len();
        let fine = i32::try_from(FINE).unwrap_or(1);
        let scaled = |(dash, gap): (i32, i32)| (dash * fine, gap * fine);
        let dash = match (series.style, beyond) {
            (SeriesStyle::Dashed, n) => Some(scaled(DASHES[n % DASHES.len()])),
            (SeriesStyle::Dotted, n) => Some(scaled(DASHES[(n + 1) % DASHES.len()])),
            (_, 0) => None,
            (_, n) => Some(scaled(DASHES[(n - 1) % DASHES.len()])),
        };
        // Where curves coincide, the first must remain visible under later ones.
        let width = if count > 1 && place == 0 { 28 } else { 14 };
        Self {
            colour,
            shape: colour.stroke_width(width * FINE / 10),
            dash,
            // Large markers for few points, small ones for many.
            radius: match series.points.len() {
                0..=100 => px(7) / 2,
                101..=2000 => px(5) / 2,
                _ => px(1),
            },
        }
    }
}
