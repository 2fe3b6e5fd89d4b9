//! Rasterises very many bodies of the plane to pixel cells instead of shapes.
//!
//! A cell has the colour of the last body that covers its centre; a body that covers no centre colours the cell
//! it lies in. Adjacent cells of one colour are merged to one rectangle (run-length encoding).

use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, RecordedShape, ShapePart};

use super::colour::Rgb;
use super::panel::Panel;
use super::svg_writer::SvgWriter;

/// Draws the bodies of a frame as cells.
pub(super) fn draw(
    paper: &mut SvgWriter,
    panel: &Panel,
    bodies: &[BodyDescription],
    still: &Frame,
    fills: &[Rgb],
) {
    let (wide, high) = (panel.size.0.ceil() as usize, panel.size.1.ceil() as usize);
    let mut cells: Vec<Option<Rgb>> = vec![None; wide * high];
    for ((name, place), fill) in bodies.iter().zip(&still.bodies).zip(fills) {
        cover(&mut cells, (wide, high), panel, &name.shape, place, *fill);
    }
    // Without antialiasing, cells of a row join without a seam.
    paper.group("class=\"cells\" shape-rendering=\"crispEdges\"");
    for (y, row) in cells.chunks(wide.max(1)).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if let Some(fill) = run[0] {
                let at = (panel.at.0 + x as f64, panel.at.1 + y as f64);
                paper.rect(at, (run.len() as f64, 1.0), &format!(" fill=\"{fill}\""));
            }
            x += run.len();
        }
    }
    paper.end();
}

fn cover(
    cells: &mut [Option<Rgb>],
    (wide, high): (usize, usize),
    panel: &Panel,
    outline: &RecordedShape,
    place: &BodyState,
    fill: Rgb,
) {
    let Some(reach) = reach(outline) else {
        return;
    };
    let centre = panel.to_pixels((place.position[0], place.position[1]));
    let size = reach * panel.scale;
    if !(panel.is_visible(centre, size) && centre.0.is_finite() && centre.1.is_finite()) {
        return;
    }
    let (x, y) = (centre.0 - panel.at.0, centre.1 - panel.at.1);
    let range = |middle: f64, count: usize| {
        let low = (middle - size).floor().max(0.0) as usize;
        low..((middle + size).ceil().max(0.0) as usize).min(count)
    };
    let mut seen = false;
    for row in range(y, high) {
        for column in range(x, wide) {
            // Cell centre relative to the body's centre, in world lengths, y up.
            let u = (column as f64 + 0.5 - x) / panel.scale;
            let v = (y - row as f64 - 0.5) / panel.scale;
            if holds(outline, place, u, v) {
                cells[row * wide + column] = Some(fill);
                seen = true;
            }
        }
    }
    if !seen && x >= 0.0 && y >= 0.0 && (x as usize) < wide && (y as usize) < high {
        cells[y as usize * wide + x as usize] = Some(fill);
    }
}

/// Largest distance of a point of the body from its centre; `None` for boundaries.
fn reach(outline: &RecordedShape) -> Option<f64> {
    match outline {
        RecordedShape::Round { radius } => Some(*radius),
        RecordedShape::Capsule {
            half_length,
            radius,
            ..
        } => Some(half_length + radius),
        RecordedShape::Polygon(vertices) => {
            let most = vertices.iter().map(|v| v[0].hypot(v[1]));
            Some(most.fold(0.0, f64::max))
        }
        RecordedShape::Compound(parts) => {
            let far = |part: &ShapePart| {
                let [x, y, _] = part.position;
                Some(reach(&part.shape)? + x.hypot(y))
            };
            parts.iter().filter_map(far).reduce(f64::max)
        }
        _ => None,
    }
}

/// Whether a point, relative to the centre along space axes, lies in a body.
fn holds(outline: &RecordedShape, place: &BodyState, u: f64, v: f64) -> bool {
    let axis = place.rotate([1.0, 0.0, 0.0]);
    let (x, y) = (u * axis[0] + v * axis[1], v * axis[0] - u * axis[1]);
    match outline {
        RecordedShape::Round { radius } => x.hypot(y) <= *radius,
        RecordedShape::Capsule {
            half_length,
            radius,
            ..
        } => (x.abs() - half_length).max(0.0).hypot(y) <= *radius,
        RecordedShape::Polygon(vertices) => {
            // Even–odd rule: a ray to the right crosses an odd number of edges from inside.
            let ends = vertices.iter().cycle().skip(1);
            let crossed = vertices.iter().zip(ends).filter(|(a, b)| {
                let over = (a[1] > y) != (b[1] > y);
                over && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            });
            crossed.count() % 2 == 1
        }
        RecordedShape::Compound(parts) => parts.iter().any(|part| {
            let inner = place.of_part(part);
            let [px, py, _] = inner.position;
            let [cx, cy, _] = place.position;
            holds(&part.shape, &inner, u - (px - cx), v - (py - cy))
        }),
        _ => false,
    }
}
