//! A drawing at one instant, or at several instants in one picture, as SVG.
//!
//! Of several instants what moves is drawn at each of them, earlier ones paler; what is fixed, paths and labels are drawn
//! once, at the last instant (M88 figure 15.1). The picture is then the part of the drawing that these instants fill.
//!
//! Both axes have one scale. A drawing in space is shown by an oblique parallel projection from above. Items
//! are painted in order of declaration (painter's algorithm): a later item covers an earlier one.

use percuss_record::number::format_short;

use super::drawing_data::{Drawing, DrawingBounds, Item, Kind};
use super::svg_writer::{Px, Stroke, SvgWriter};
use crate::axis::Ticks;

/// Light or dark background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

/// Colours of a theme.
struct Colours {
    ground: &'static str,
    words: &'static str,
    mesh: &'static str,
    /// The palette of plots, and grey.
    palette: [&'static str; 8],
}

const LIGHT: Colours = Colours {
    ground: "#ffffff",
    words: "#222222",
    mesh: "#e2e2e2",
    palette: [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7a7a7a",
    ],
};

const DARK: Colours = Colours {
    ground: "#15181d",
    words: "#d8dce2",
    mesh: "#2b3038",
    palette: [
        "#4aa8e0", "#f0813a", "#2cc79a", "#e0a0c4", "#f2b632", "#8fd0f5", "#f2f2f2", "#9aa0a8",
    ],
};

/// Smallest width and height of a picture in pixels.
const SMALLEST: u32 = 160;

/// Radius of a point marker in pixels.
const MARK: f64 = 4.5;

/// Points nearer than this to the last one drawn are skipped, in pixels.
const SPOT: f64 = 0.25;

/// Factor on the line width while a contact of the item acts.
const ACTING: f64 = 1.8;

/// Strength of the earliest of several instants; the last one has 1.
const EARLIEST: f64 = 0.35;

/// Margin around the items of several instants, as a fraction of the largest extent.
const ROOM: f64 = 0.06;

/// Viewing direction of drawings in space.
const OBLIQUE: [f64; 3] = [0.55, -1.0, 0.55];

impl Drawing {
    /// The picture at the recorded state nearest to an instant.
    pub fn svg(&self, at: f64, size: (u32, u32), theme: Theme) -> String {
        let frame = self.frame(at);
        let time = self.times().get(frame).copied().unwrap_or(f64::NAN);
        let title = format!("{}, t = {}", self.header.title, format_short(time));
        self.page(&[frame], &self.header.corners, &title, (size, theme))
    }

    /// One picture of the recorded states nearest to several instants, in their order.
    pub fn superposed_svg(&self, at: &[f64], size: (u32, u32), theme: Theme) -> String {
        let mut frames: Vec<usize> = at.iter().map(|t| self.frame(*t)).collect();
        frames.sort_unstable();
        frames.dedup();
        let time = |frame: Option<&usize>| {
            let t = frame.and_then(|k| self.times().get(*k)).copied();
            format_short(t.unwrap_or(f64::NAN))
        };
        let title = match frames.len() {
            1 => format!("{}, t = {}", self.header.title, time(frames.first())),
            n => format!(
                "{}, {n} instants from t = {} to {}",
                self.header.title,
                time(frames.first()),
                time(frames.last())
            ),
        };
        let corners = self.bounds_of(&frames);
        self.page(&frames, &corners, &title, (size, theme))
    }

    /// Bounding box of the items in some states, without half-planes; that of the drawing where nothing else is there.
    fn bounds_of(&self, frames: &[usize]) -> DrawingBounds {
        let d = self.header.dimension.max(1);
        let (mut low, mut high) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
        for (k, item) in self.header.items.iter().enumerate() {
            // A path leads here from before the first instant; a wall and a moving set may have no end.
            let unbounded = item.wall || matches!(item.kind, Kind::Trace | Kind::Set);
            let radius = item.radius.unwrap_or(0.0);
            let shown = frames.iter().filter(|_| !unbounded);
            for point in shown.flat_map(|frame| self.points(k, *frame).chunks_exact(d)) {
                if point.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                for (axis, x) in point.iter().enumerate() {
                    low[axis] = low[axis].min(f64::from(*x) - radius);
                    high[axis] = high[axis].max(f64::from(*x) + radius);
                }
            }
        }
        let most = low
            .iter()
            .zip(&high)
            .map(|(a, b)| b - a)
            .fold(0.0, f64::max);
        if !(most > 0.0 && most.is_finite()) {
            return self.header.corners.clone();
        }
        let room = ROOM * most;
        DrawingBounds {
            min: low.iter().map(|x| x - room).collect(),
            max: high.iter().map(|x| x + room).collect(),
        }
    }

    /// The picture of some states, the last one strongest, within a bounding box.
    fn page(
        &self,
        frames: &[usize],
        corners: &DrawingBounds,
        title: &str,
        (size, theme): ((u32, u32), Theme),
    ) -> String {
        let colours = match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        };
        let size = (size.0.max(SMALLEST), size.1.max(SMALLEST));
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let view = PageProjection::of(self.header.dimension, corners, (width, height));
        let mut paper = SvgWriter::new((width, height), colours.ground);
        let last = frames.last().copied().unwrap_or(0);
        // A long title must stay inside the picture: letters are about six tenths as wide as high.
        let letters = title.chars().count().max(1) as f64;
        let letter = ((width - 20.0) / (0.6 * letters)).clamp(7.0, 17.0);
        paper.text((0.5 * width, 25.0), letter, "middle", colours.words, title);
        if view.flat {
            view.mesh(&mut paper, colours, &self.header.axes);
        }
        // Items are clipped to the plot area.
        let (x, y) = (Px(view.at.0), Px(view.at.1));
        let (w, h) = (Px(view.size.0), Px(view.size.1));
        paper.raw(format_args!(
            "<clipPath id=\"drawing\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>\
             </clipPath>\n<g clip-path=\"url(#drawing)\">"
        ));
        for (order, &frame) in frames.iter().enumerate() {
            let share = (order + 1) as f64 / frames.len() as f64;
            let strength = match frame == last {
                true => 1.0,
                false => EARLIEST + (1.0 - EARLIEST) * share,
            };
            for (k, item) in self.header.items.iter().enumerate() {
                // What does not move, and the path, once.
                let once = item.fixed || item.kind == Kind::Trace;
                let first = order == 0;
                if once && !first {
                    continue;
                }
                let frame = if once { last } else { frame };
                let points = view.points(self.points(k, frame), self.header.dimension);
                let colour = colours.palette[usize::from(item.colour) % colours.palette.len()];
                let wide = if self.contact_acts(k, frame) {
                    ACTING
                } else {
                    1.0
                };
                let ink = Stroke {
                    colour,
                    width: item.width * wide,
                    opacity: if once { 1.0 } else { strength },
                    fill: 0.0,
                };
                draw(&mut paper, item, &points, (view.flat, view.scale), ink);
            }
        }
        paper.raw(format_args!("</g>"));
        // Labels over all items.
        for (k, item) in self.header.items.iter().enumerate() {
            let points = view.points(self.points(k, last), self.header.dimension);
            let first = points.iter().find(|p| p.0.is_finite());
            if let (Some(label), Some(&(x, y))) = (&item.label, first) {
                let radius = item.radius.unwrap_or(0.0) * view.scale;
                let away = 7.0 + 0.7 * radius;
                let at = (x + away, y - away);
                paper.text(at, 13.0, "start", colours.words, label);
            }
        }
        paper.finish()
    }
}

/// Paints one item.
fn draw(
    paper: &mut SvgWriter,
    item: &Item,
    points: &[(f64, f64)],
    (flat, scale): (bool, f64),
    ink: Stroke<'_>,
) {
    let seen = points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
    match item.kind {
        Kind::Tip => {
            let ink = Stroke { fill: 1.0, ..ink };
            let ink = Stroke {
                width: ink.width - 1.0,
                ..ink
            };
            seen.for_each(|p| paper.circle(*p, MARK, ink));
        }
        Kind::Disc | Kind::Obstacle if item.radius.is_some() => {
            let fill = if item.filled { 0.3 } else { 0.0 };
            let radius = item.radius.unwrap_or(0.0) * scale;
            seen.for_each(|p| paper.circle(*p, radius, Stroke { fill, ..ink }));
        }
        Kind::Obstacle if item.wall => {
            // The face of a half-plane is a line; the half-plane behind it is only shaded.
            let (fill, strength) = if flat { (0.3, 0.0) } else { (0.13, 0.6) };
            let shade = Stroke {
                fill,
                opacity: strength * ink.opacity,
                ..ink
            };
            strokes(paper, points, true, shade);
            if flat {
                strokes(paper, points.get(..2).unwrap_or(points), false, ink);
            }
        }
        Kind::Surface => {
            let ink = Stroke {
                opacity: 0.55 * ink.opacity,
                ..ink
            };
            surface(paper, item.grid.unwrap_or([1, points.len()]), points, ink);
        }
        kind => {
            let fill = match (item.filled, kind) {
                (false, _) => 0.0,
                (true, Kind::Set) => 0.18,
                (true, _) => 0.35,
            };
            let strength = if kind == Kind::Trace { 0.5 } else { 1.0 };
            let ink = Stroke {
                fill: fill * ink.opacity,
                opacity: strength * ink.opacity,
                ..ink
            };
            strokes(paper, points, item.closed, ink);
        }
    }
}

/// Polylines, broken at NaN points.
fn strokes(paper: &mut SvgWriter, points: &[(f64, f64)], closed: bool, ink: Stroke<'_>) {
    for stroke in points.split(|p| !(p.0.is_finite() && p.1.is_finite())) {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        for (k, point) in stroke.iter().enumerate() {
            let apart = |last: &(f64, f64)| {
                (point.0 - last.0).abs() > SPOT || (point.1 - last.1).abs() > SPOT
            };
            if k + 1 == stroke.len() || kept.last().is_none_or(apart) {
                kept.push(*point);
            }
        }
        if kept.len() > 1 {
            paper.line(&kept, closed, ink);
        }
    }
}

/// The grid lines of a surface along both parameters.
fn surface(
    paper: &mut SvgWriter,
    [rows, columns]: [usize; 2],
    points: &[(f64, f64)],
    ink: Stroke<'_>,
) {
    for row in points.chunks(columns.max(1)) {
        strokes(paper, row, false, ink);
    }
    for column in 0..columns {
        let line: Vec<(f64, f64)> = (0..rows)
            .filter_map(|row| points.get(row * columns + column).copied())
            .collect();
        strokes(paper, &line, false, ink);
    }
}

/// Projection from coordinates to pixels.
struct PageProjection {
    flat: bool,
    right: [f64; 3],
    up: [f64; 3],
    /// Upper left corner and size of the plot area in pixels.
    at: (f64, f64),
    size: (f64, f64),
    /// Coordinates at the lower left corner of the plot area.
    low: (f64, f64),
    /// Pixels per unit of length.
    scale: f64,
}

impl PageProjection {
    fn of(dimension: usize, corners: &DrawingBounds, (width, height): (f64, f64)) -> Self {
        let flat = dimension == 2;
        let (right, up) = if flat {
            ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        } else {
            oblique()
        };
        // Margins: room for tick labels in the plane.
        let at = (if flat { 62.0 } else { 14.0 }, 40.0);
        let foot = if flat { 46.0 } else { 14.0 };
        let size = (width - at.0 - 14.0, height - at.1 - foot);
        let mut view = Self {
            flat,
            right,
            up,
            at,
            size,
            low: (0.0, 0.0),
            scale: 1.0,
        };
        let (mut low, mut high) = (
            (f64::INFINITY, f64::INFINITY),
            (-f64::INFINITY, -f64::INFINITY),
        );
        // Bounding box of the projected corners.
        for corner in 0..1 << corners.min.len() {
            let axis = |k: usize| {
                let side = if corner >> k & 1 == 0 {
                    &corners.min
                } else {
                    &corners.max
                };
                side.get(k).copied().unwrap_or(0.0)
            };
            let (u, v) = view.project([axis(0), axis(1), axis(2)]);
            low = (low.0.min(u), low.1.min(v));
            high = (high.0.max(u), high.1.max(v));
        }
        let (wide, tall) = (high.0 - low.0, high.1 - low.1);
        view.scale = (size.0 / wide).min(size.1 / tall);
        if !(view.scale.is_finite() && view.scale > 0.0) {
            view.scale = 1.0;
        }
        // Centre the bounds in the plot area.
        view.low = (
            0.5 * (low.0 + high.0) - 0.5 * size.0 / view.scale,
            0.5 * (low.1 + high.1) - 0.5 * size.1 / view.scale,
        );
        view
    }

    fn project(&self, p: [f64; 3]) -> (f64, f64) {
        let dot = |a: [f64; 3]| a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
        (dot(self.right), dot(self.up))
    }

    fn pixel(&self, (u, v): (f64, f64)) -> (f64, f64) {
        (
            self.at.0 + (u - self.low.0) * self.scale,
            self.at.1 + self.size.1 - (v - self.low.1) * self.scale,
        )
    }

    fn points(&self, points: &[f32], dimension: usize) -> Vec<(f64, f64)> {
        let number = |p: &[f32], k: usize| p.get(k).map_or(0.0, |x| f64::from(*x));
        let each = points.chunks_exact(dimension.max(1));
        each.map(|p| self.pixel(self.project([number(p, 0), number(p, 1), number(p, 2)])))
            .collect()
    }

    /// Grid lines at round coordinates, with labels.
    fn mesh(&self, paper: &mut SvgWriter, colours: &Colours, axes: &[String]) {
        let (left, top) = self.at;
        let (right, bottom) = (left + self.size.0, top + self.size.1);
        let high = (
            self.low.0 + self.size.0 / self.scale,
            self.low.1 + self.size.1 / self.scale,
        );
        let ink = Stroke {
            colour: colours.mesh,
            width: 1.0,
            opacity: 1.0,
            fill: 0.0,
        };
        let name = |k: usize| axes.get(k).map_or("", String::as_str);
        let across = ((self.size.0 / 90.0) as usize).clamp(2, 9);
        // Vertical grid lines.
        for (mark, text) in Ticks::between(self.low.0, high.0, across).all() {
            let (x, _) = self.pixel((mark, 0.0));
            paper.line(&[(x, top), (x, bottom)], false, ink);
            paper.text((x, bottom + 17.0), 12.0, "middle", colours.words, &text);
        }
        // Horizontal grid lines; none where the y axis has no name.
        let along = ((self.size.1 / 60.0) as usize).clamp(2, 9);
        let shown = !name(1).is_empty();
        for (mark, text) in Ticks::between(self.low.1, high.1, along).all() {
            if !shown {
                break;
            }
            let (_, y) = self.pixel((0.0, mark));
            paper.line(&[(left, y), (right, y)], false, ink);
            paper.text((left - 7.0, y + 4.0), 12.0, "end", colours.words, &text);
        }
        // Axis names.
        let middle = (0.5 * (left + right), bottom + 36.0);
        paper.text(middle, 13.0, "middle", colours.words, name(0));
        let middle = 0.5 * (top + bottom);
        paper.raw(format_args!(
            "<g transform=\"rotate(-90 16 {})\">",
            Px(middle)
        ));
        paper.text((16.0, middle), 13.0, "middle", colours.words, name(1));
        paper.raw(format_args!("</g>"));
    }
}

/// Right and up vectors of the view from [`OBLIQUE`], z upwards.
fn oblique() -> ([f64; 3], [f64; 3]) {
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let toward = OBLIQUE.map(|x| x / length(OBLIQUE));
    let side = [-toward[1], toward[0], 0.0];
    let right = side.map(|x| x / length(side));
    let up = [
        toward[1] * right[2] - toward[2] * right[1],
        toward[2] * right[0] - toward[0] * right[2],
        toward[0] * right[1] - toward[1] * right[0],
    ];
    (right, up)
}
