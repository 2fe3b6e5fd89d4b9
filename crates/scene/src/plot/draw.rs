//! Draws a figure as SVG.
//!
//! The drawing library rounds to whole pixels. The canvas is therefore `FINE` times larger than the
//! picture, with all sizes in that measure, and the picture is scaled to its size by its view box.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::coord::Shift;

use super::axis::Axis;
use super::figure::{Figure, Mark, Series};
use super::thin;

/// Canvas points in a pixel.
const FINE: u32 = 8;

/// Width and height of a picture in pixels.
const SIZE: (u32, u32) = (860, 560);

/// The palette of Okabe and Ito, told apart with every common kind of colour vision (its yellow is
/// left out: too pale for a line on white).
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Dash and gap in pixels of lines beyond the palette: they differ in print, too.
const DASHES: [(i32, i32); 3] = [(8, 4), (3, 3), (14, 3)];

/// Legends beyond this many lines hide more than they tell.
const LEGEND: usize = 14;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pixels on the canvas.
fn px(pixels: u32) -> u32 {
    pixels * FINE
}

/// The picture as SVG text.
///
/// # Errors
/// The drawing library refuses; said in its words.
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
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let area = titled(&area, &figure.title)?;
    let all = || figure.series.iter().flat_map(|s| &s.points);
    let mut x = Axis::over(all().map(|p| p.0), figure.x_scale, 8);
    let mut y = Axis::over(all().map(|p| p.1), figure.y_scale, 7);
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
    let (wide, tall) = build(x.clone(), y.clone())?.plotting_area().dim_in_pixel();
    if figure.equal {
        equalise(&mut x, &mut y, f64::from(wide) / f64::from(tall));
    }
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
    zero_lines(&mut chart, &x, &y)?;
    all_series(&mut chart, figure, &x, &y, (wide / FINE, tall / FINE))?;
    area.present()?;
    Ok(())
}

/// All series, thinned, and the legend where the fewest points are.
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
    // Thinned in pixels of the picture, y downwards as on the screen.
    let (wide, tall) = (f64::from(wide), f64::from(tall));
    let pixel = |p: &(f64, f64)| (x.place(p.0) * wide, (1.0 - y.place(p.1)) * tall);
    let back = |p: &(f64, f64)| (x.at(p.0 / wide), y.at(1.0 - p.1 / tall));
    let legend = (2..=LEGEND).contains(&figure.series.len());
    let mut crowd = [0_usize; 4];
    for (k, series) in figure.series.iter().enumerate() {
        let points: Vec<thin::Point> = series.points.iter().map(pixel).collect();
        let style = Style::of(series, k, figure.series.len());
        let pieces = match series.mark {
            Mark::Points => vec![thin::cloud(&points)],
            Mark::Line | Mark::Dashed => thin::curve(&points),
        };
        let seen = pieces.iter().flatten();
        seen.for_each(|p| crowd[corner(p, wide, tall)] += 1);
        let pieces = pieces.iter().map(|piece| piece.iter().map(back).collect());
        put(chart, series, style, pieces.collect(), legend)?;
    }
    if legend {
        chart
            .configure_series_labels()
            .position(emptiest(&crowd))
            .legend_area_size(px(40))
            .margin(px(12))
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.25).stroke_width(FINE))
            .label_font(("sans-serif", px(15)))
            .draw()?;
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
    let letters = u32::try_from(title.chars().count()).unwrap_or(u32::MAX).max(1);
    let size = (2 * (SIZE.0 - 40) / letters).clamp(11, 20);
    let (top, rest) = area.split_vertically(px(38));
    let style = ("sans-serif", px(size)).into_font().color(&BLACK);
    let style = style.pos(plotters::style::text_anchor::Pos::new(
        plotters::style::text_anchor::HPos::Center,
        plotters::style::text_anchor::VPos::Center,
    ));
    let middle = i32::try_from(px(SIZE.0) / 2).unwrap_or(0);
    let height = i32::try_from(px(24)).unwrap_or(0);
    top.draw(&Text::new(title.to_owned(), (middle, height), style))?;
    Ok(rest)
}

/// Makes the scale of both axes the same, for a plot `ratio` times as wide as high.
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

/// How a series looks.
#[derive(Clone, Copy)]
struct Style {
    colour: RGBColor,
    shape: ShapeStyle,
    /// Dash and gap on the canvas.
    dash: Option<(i32, i32)>,
    radius: u32,
}

impl Style {
    fn of(series: &Series, place: usize, count: usize) -> Self {
        let colour = COLOURS[series.colour % COLOURS.len()];
        let beyond = series.colour / COLOURS.len();
        let fine = i32::try_from(FINE).unwrap_or(1);
        let scaled = |(dash, gap): (i32, i32)| (dash * fine, gap * fine);
        let dash = match (series.mark, beyond) {
            (Mark::Dashed, n) => Some(scaled(DASHES[n % DASHES.len()])),
            (_, 0) => None,
            (_, n) => Some(scaled(DASHES[(n - 1) % DASHES.len()])),
        };
        // Where curves coincide the first must still be seen under the later ones.
        let width = if count > 1 && place == 0 { 20 } else { 14 };
        Self {
            colour,
            shape: colour.stroke_width(width * FINE / 10),
            dash,
            // Few points are looked at one by one, many as a cloud.
            radius: if series.points.len() > 2000 { px(1) } else { px(5) / 2 },
        }
    }
}

fn put<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    series: &Series,
    style: Style,
    pieces: Vec<Vec<(f64, f64)>>,
    legend: bool,
) -> Result<(), Failure>
where
    B::ErrorType: 'static,
{
    let long = i32::try_from(px(30)).unwrap_or(0);
    if series.mark == Mark::Points {
        let dots = pieces.into_iter().flatten();
        let dot = move |at| Circle::new(at, style.radius, style.colour.filled());
        let drawn = chart.draw_series(dots.map(dot))?;
        if legend {
            let sample = move |(x, y)| Circle::new((x + long / 2, y), px(3), style.colour.filled());
            drawn.label(&series.label).legend(sample);
        }
        return Ok(());
    }
    let mut labelled = !legend;
    for piece in pieces {
        let drawn = match style.dash {
            None => chart.draw_series([PathElement::new(piece, style.shape)])?,
            Some((dash, gap)) => {
                let line = DashedPathElement::new(piece, dash, gap, style.shape);
                chart.draw_series([line])?
            }
        };
        if !labelled {
            labelled = true;
            drawn.label(&series.label).legend(move |(x, y)| {
                // A dash longer than the sample is a solid line.
                let (dash, gap) = style.dash.unwrap_or((2 * long, 1));
                DashedPathElement::new([(x, y), (x + long, y)], dash, gap, style.shape)
            });
        }
    }
    Ok(())
}

/// The corner a point lies in, 4th of the area: upper left, upper right, lower left, lower right.
fn corner(p: &thin::Point, wide: f64, tall: f64) -> usize {
    usize::from(p.0 > 0.5 * wide) + 2 * usize::from(p.1 > 0.5 * tall)
}

fn emptiest(crowd: &[usize; 4]) -> SeriesLabelPosition {
    // Upper right where it does not matter.
    let order = [1, 0, 3, 2];
    match order.into_iter().min_by_key(|k| crowd[*k]) {
        Some(0) => SeriesLabelPosition::UpperLeft,
        Some(2) => SeriesLabelPosition::LowerLeft,
        Some(3) => SeriesLabelPosition::LowerRight,
        _ => SeriesLabelPosition::UpperRight,
    }
}
