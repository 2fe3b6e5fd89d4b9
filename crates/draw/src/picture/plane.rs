//! Bodies of the plane, as SVG shapes.

use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion, RecordedShape, ShapePart};

use super::colour::{GROUND, Rgb};
use super::panel::Panel;
use super::svg_writer::{Px, SvgWriter};

/// Spacing and length of hatching strokes, in pixels.
const HATCH: f64 = 8.0;

/// A disc of a smaller radius gets no radius line, in pixels.
const MARKED: f64 = 3.0;

/// A smaller body gets no outline, in pixels.
const OUTLINED: f64 = 1.2;

/// Maximal number of bodies drawn as shapes; more are drawn as a raster.
pub(super) const MOST: usize = 100_000;

/// Draws the bodies of a frame; discs with a radius line that shows their rotation, if requested.
pub(super) fn draw(
    paper: &mut SvgWriter,
    panel: &Panel,
    bodies: &[BodyDescription],
    still: &Frame,
    fills: &[Rgb],
    marks: bool,
) {
    let all = || bodies.iter().zip(&still.bodies).zip(fills);
    paper.group("class=\"boundaries\" stroke=\"#444444\" stroke-width=\"1\" fill=\"none\"");
    for ((name, place), _) in all() {
        match &*name.shape {
            RecordedShape::HalfPlane => half_plane(paper, panel, place),
            RecordedShape::Chain { vertices, closed } => {
                chain(paper, panel, place, vertices, *closed)
            }
            _ => {}
        }
    }
    paper.end();
    if bodies.len() > MOST {
        super::raster::draw(paper, panel, bodies, still, fills);
        return;
    }
    // Moving bodies are painted over fixed ones.
    for fixed in [true, false] {
        let class = if fixed { "fixed" } else { "bodies" };
        paper.group(&format!("class=\"{class}\" stroke-linejoin=\"round\""));
        for ((name, place), fill) in all() {
            if (name.motion == BodyMotion::Fixed) == fixed {
                match &*name.shape {
                    RecordedShape::Compound(parts) => compound(paper, panel, parts, place, *fill),
                    outline => body(paper, panel, outline, place, (*fill, true), marks),
                }
            }
        }
        paper.end();
    }
}

fn flat(place: &BodyState, v: [f64; 2]) -> (f64, f64) {
    let p = place.to_space([v[0], v[1], 0.0]);
    (p[0], p[1])
}

/// A compound body: the outlines of all parts, then their fills over them, so that no seam shows.
fn compound(
    paper: &mut SvgWriter,
    panel: &Panel,
    parts: &[ShapePart],
    place: &BodyState,
    fill: Rgb,
) {
    for lined in [true, false] {
        for part in parts {
            body(
                paper,
                panel,
                &part.shape,
                &place.of_part(part),
                (fill, lined),
                false,
            );
        }
    }
}

/// SVG style of a body of this size in pixels: its fill, and its outline if requested.
fn style((fill, lined): (Rgb, bool), size: f64) -> String {
    match lined && size >= OUTLINED {
        true => {
            // The outline is thin relative to the body, and bounded.
            let width = (0.12 * size).clamp(0.25, 0.8);
            let line = fill.line();
            format!(
                " fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{}\"",
                Px(width)
            )
        }
        false => format!(" fill=\"{fill}\""),
    }
}

fn body(
    paper: &mut SvgWriter,
    panel: &Panel,
    outline: &RecordedShape,
    place: &BodyState,
    fill: (Rgb, bool),
    marks: bool,
) {
    match outline {
        RecordedShape::Round { radius } => disc(paper, panel, place, *radius, fill, marks),
        RecordedShape::Capsule {
            half_length,
            radius,
            ..
        } => capsule(paper, panel, place, *half_length, *radius, fill),
        // Polygon corners in pixels; drawn if finite and visible.
        RecordedShape::Polygon(vertices) => {
            let points: Vec<_> = vertices
                .iter()
                .map(|v| panel.to_pixels(flat(place, *v)))
                .collect();
            let seen = points.iter().all(|p| p.0.is_finite() && p.1.is_finite());
            let centre = panel.to_pixels(flat(place, [0.0; 2]));
            let reach = |p: &(f64, f64)| (p.0 - centre.0).hypot(p.1 - centre.1);
            let size = points.iter().map(reach).fold(0.0, f64::max);
            if seen && panel.is_visible(centre, size) {
                paper.polygon(points, &style(fill, size));
            }
        }
        _ => {}
    }
}

fn disc(
    paper: &mut SvgWriter,
    panel: &Panel,
    place: &BodyState,
    radius: f64,
    fill: (Rgb, bool),
    mark: bool,
) {
    let centre = panel.to_pixels(flat(place, [0.0; 2]));
    let r = radius * panel.scale;
    if !panel.is_visible(centre, r) {
        return;
    }
    paper.circle(centre, r, &style(fill, r));
    if mark && r >= MARKED {
        // A radius line shows the rotation of the disc.
        let rim = panel.to_pixels(flat(place, [radius, 0.0]));
        let line = fill.0.line();
        let width = Px((0.06 * r).clamp(0.4, 1.0));
        paper.line(
            centre,
            rim,
            &format!(" stroke=\"{line}\" stroke-width=\"{width}\""),
        );
    }
}

fn capsule(
    paper: &mut SvgWriter,
    panel: &Panel,
    place: &BodyState,
    half_length: f64,
    radius: f64,
    fill: (Rgb, bool),
) {
    let end = |x: f64, y: f64| panel.to_pixels(flat(place, [x, y]));
    let r = radius * panel.scale;
    let centre = end(0.0, 0.0);
    if !panel.is_visible(centre, r + half_length * panel.scale) {
        return;
    }
    let (a, b) = (end(half_length, -radius), end(half_length, radius));
    let (c, d) = (end(-half_length, radius), end(-half_length, -radius));
    let [ax, ay, bx, by] = [a.0, a.1, b.0, b.1].map(Px);
    let [cx, cy, dx, dy] = [c.0, c.1, d.0, d.1].map(Px);
    // Counterclockwise in the plane is clockwise on screen, where y points down.
    let arc = format!("A{0} {0} 0 0 0", Px(r));
    paper.raw(format_args!(
        "<path d=\"M{dx} {dy}L{ax} {ay}{arc} {bx} {by}L{cx} {cy}{arc} {dx} {dy}Z\"{}/>",
        style(fill, r)
    ));
}

/// A half-plane: the solid side in grey, its surface hatched.
fn half_plane(paper: &mut SvgWriter, panel: &Panel, place: &BodyState) {
    let normal = place.rotate([0.0, 1.0, 0.0]);
    // In pixels, y down: normal into the solid, and tangent of the surface.
    let into = (-normal[0], normal[1]);
    let along = (into.1, -into.0);
    let origin = panel.to_pixels((place.position[0], place.position[1]));
    let middle = panel.middle();
    let offset = (middle.0 - origin.0) * along.0 + (middle.1 - origin.1) * along.1;
    let foot = (origin.0 + offset * along.0, origin.1 + offset * along.1);
    let long = panel.diagonal();
    if !(foot.0.is_finite() && foot.1.is_finite())
        || (foot.0 - middle.0).hypot(foot.1 - middle.1) > 2.0 * long
    {
        // The panel lies entirely inside or outside the solid: no surface is visible.
        return;
    }
    let point = |s: f64, d: f64| {
        (
            foot.0 + s * along.0 + d * into.0,
            foot.1 + s * along.1 + d * into.1,
        )
    };
    let fill = format!(" fill=\"{GROUND}\" stroke=\"none\"");
    let corners = [
        (-long, 0.0),
        (long, 0.0),
        (long, 3.0 * long),
        (-long, 3.0 * long),
    ];
    paper.polygon(corners.map(|(s, d)| point(s, d)), &fill);
    strokes(paper, panel, point(-long, 0.0), point(long, 0.0), into, 0.0);
    paper.line(point(-long, 0.0), point(long, 0.0), "");
}

fn chain(
    paper: &mut SvgWriter,
    panel: &Panel,
    place: &BodyState,
    vertices: &[[f64; 2]],
    closed: bool,
) {
    let points: Vec<_> = vertices
        .iter()
        .map(|v| panel.to_pixels(flat(place, *v)))
        .collect();
    let mut rest = 0.0;
    let ends = points
        .iter()
        .skip(1)
        .chain(points.iter().take(usize::from(closed)));
    for (a, b) in points.iter().zip(ends) {
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        if length > 0.0 && length.is_finite() {
            // The solid is on the right when going from a to b; on screen y points down.
            let into = (-(b.1 - a.1) / length, (b.0 - a.0) / length);
            rest = strokes(paper, panel, *a, *b, into, rest);
        }
    }
    match closed {
        true => paper.polygon(points, " stroke-linejoin=\"round\""),
        false => paper.polyline(points, " stroke-linejoin=\"round\""),
    }
}

/// Hatching from a to b: oblique strokes into the solid, the first after `rest` pixels. Returns the distance of
/// the next stroke beyond b.
fn strokes(
    paper: &mut SvgWriter,
    panel: &Panel,
    a: (f64, f64),
    b: (f64, f64),
    into: (f64, f64),
    rest: f64,
) -> f64 {
    let length = (b.0 - a.0).hypot(b.1 - a.1);
    let along = ((b.0 - a.0) / length, (b.1 - a.1) / length);
    let count = ((length - rest) / HATCH).floor().max(-1.0);
    if count < 0.0 {
        return rest - length;
    }
    // Strokes lean to one side of the screen, whatever the direction of the surface.
    let lean = if along.0 + 1e-9 * along.1 < 0.0 {
        0.7
    } else {
        -0.7
    };
    for k in 0..=(count.min(1e4) as usize) {
        let s = rest + k as f64 * HATCH;
        let from = (a.0 + s * along.0, a.1 + s * along.1);
        if panel.is_visible(from, 2.0 * HATCH) {
            let to = (
                from.0 + HATCH * (into.0 + lean * along.0),
                from.1 + HATCH * (into.1 + lean * along.1),
            );
            paper.line(from, to, " stroke-width=\"0.6\"");
        }
    }
    rest + (count + 1.0) * HATCH - length
}
