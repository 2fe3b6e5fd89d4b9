//! Contact forces as lines whose width is proportional to the force.
//!
//! Between two round bodies the line joins their centres; from a round body to a boundary it ends at the
//! contact point; otherwise it passes through the contact point in the direction of the force.

use percuss_record::frame::{DrawnForce, Frame};
use percuss_record::{BodyDescription, RecordedShape};

use super::camera::Camera;
use super::colour::{FORCE, Rgb};
use super::panel::Panel;
use super::solid::newell;
use super::svg_writer::{Px, SvgWriter};
use super::{dot, force_chains as chain, norm, periodic_images as images};

/// Maximal number of lines; the strongest are drawn.
const MOST: usize = 100_000;

/// Thinner lines are left out, in pixels.
const THINNEST: f64 = 0.04;

/// Largest line width in pixels, where bodies are large.
const WIDEST: f64 = 9.0;

/// Colour of forces outside the force chains.
const BESIDE: Rgb = Rgb(168, 164, 158);

/// Scale of line widths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ForceWidths {
    /// The largest force of all frames.
    pub largest: f64,
    /// Its width in pixels.
    pub widest: f64,
}

/// The largest force of a frame.
pub(super) fn largest(still: &Frame) -> f64 {
    let all = still.forces.iter().map(|f| norm(f.force));
    all.filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// Widths for panels of this scale: the largest force is half as wide as a body of median size.
pub(super) fn widths(bodies: &[BodyDescription], largest: f64, scale: f64) -> ForceWidths {
    let mut sizes: Vec<f64> = bodies.iter().filter_map(|b| thickness(&b.shape)).collect();
    sizes.sort_by(f64::total_cmp);
    let middling = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    ForceWidths {
        largest,
        widest: (middling * scale).clamp(1.0, WIDEST),
    }
}

/// Half the smallest width of a body; `None` for boundaries.
pub(super) fn thickness(outline: &RecordedShape) -> Option<f64> {
    match outline {
        RecordedShape::Round { radius }
        | RecordedShape::Capsule { radius, .. }
        | RecordedShape::Cylinder { radius, .. } => Some(*radius),
        // Smallest distance of an edge line from the centroid.
        RecordedShape::Polygon(vertices) => {
            let ends = vertices.iter().cycle().skip(1);
            let edges = vertices.iter().zip(ends);
            let away = edges.map(|(a, b)| {
                let turn = a[0] * b[1] - a[1] * b[0];
                turn.abs() / (b[0] - a[0]).hypot(b[1] - a[1])
            });
            Some(away.fold(f64::INFINITY, f64::min))
        }
        // Smallest distance of a face plane from the centroid.
        RecordedShape::Polyhedron(faces) => {
            let corner = |k: &u32| faces.vertices.get(*k as usize).copied();
            let away = faces.faces.iter().filter_map(|face| {
                let corners: Vec<[f64; 3]> = face.iter().filter_map(corner).collect();
                Some(dot(newell(&corners), *corners.first()?).abs())
            });
            Some(away.fold(f64::INFINITY, f64::min))
        }
        RecordedShape::Compound(parts) => parts
            .iter()
            .filter_map(|part| thickness(&part.shape))
            .reduce(f64::min),
        _ => None,
    }
}

/// Draws the forces of a frame, the strongest last; with `chains`, those of force chains are highlighted.
pub(super) fn draw(
    paper: &mut SvgWriter,
    panel: &Panel,
    camera: &Camera,
    (bodies, still): (&[BodyDescription], &Frame),
    widths: &ForceWidths,
    chains: bool,
) {
    let width = |force: &DrawnForce| norm(force.force) / widths.largest * widths.widest;
    // Members of force chains; without chains, all forces count as members.
    let inside = match chains {
        true => chain::chain_members(bodies, still),
        false => vec![true; still.forces.len()],
    };
    let mut seen: Vec<(&DrawnForce, bool)> = still
        .forces
        .iter()
        .zip(inside)
        .filter(|(f, _)| width(f) >= THINNEST)
        .collect();
    // Force chains are painted over the other forces.
    let strength = |(force, inside): &(&DrawnForce, bool)| (*inside, width(force));
    seen.sort_by(|a, b| {
        let (a, b) = (strength(a), strength(b));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    seen.truncate(MOST);
    paper.group(&format!(
        "class=\"forces\" stroke=\"{FORCE}\" stroke-linecap=\"round\""
    ));
    // The strongest forces are painted last.
    for (force, inside) in seen.iter().rev() {
        let Some((a, b)) = ends(bodies, still, force) else {
            continue;
        };
        let (a, b) = (
            panel.to_pixels(camera.project(a)),
            panel.to_pixels(camera.project(b)),
        );
        let long = (a.0 - b.0).hypot(a.1 - b.1);
        if panel.is_visible(a, long) {
            let width = Px(width(force).max(THINNEST));
            let stroke = match inside {
                true => String::new(),
                false => format!(" stroke=\"{BESIDE}\""),
            };
            paper.line(a, b, &format!(" stroke-width=\"{width}\"{stroke}"));
        }
    }
    paper.end();
}

/// End points of the line of a force.
fn ends(
    bodies: &[BodyDescription],
    still: &Frame,
    force: &DrawnForce,
) -> Option<([f64; 3], [f64; 3])> {
    let [i, j] = force.bodies;
    let (a, b) = (bodies.get(i)?, bodies.get(j)?);
    let (at_a, at_b) = (still.bodies.get(i)?.position, still.bodies.get(j)?.position);
    // Minimum image: bodies are drawn wrapped into the cell, so a contact belongs to the nearest image of its
    // body. An unbounded boundary has no position; the other body's is used.
    let near = |from: [f64; 3], to: [f64; 3]| match &still.cell {
        Some(vectors) => images::nearest(vectors, still.periodic, from, to),
        None => to,
    };
    let at_b = match thickness(&a.shape) {
        Some(_) => near(at_a, at_b),
        None => at_b,
    };
    let at = near(thickness(&a.shape).map_or(at_b, |_| at_a), force.at);
    let round = |name: &BodyDescription| matches!(*name.shape, RecordedShape::Round { .. });
    match (round(a), round(b)) {
        (true, true) => return Some((at_a, at_b)),
        (true, false) if thickness(&b.shape).is_none() => return Some((at_a, at)),
        (false, true) if thickness(&a.shape).is_none() => return Some((at, at_b)),
        _ => {}
    }
    // Line length: the width of the smaller body.
    let sizes = [a, b].map(|n| thickness(&n.shape).unwrap_or(f64::INFINITY));
    let half = 0.8 * sizes[0].min(sizes[1]);
    let strength = norm(force.force);
    if !(half.is_finite() && strength > 0.0) {
        return None;
    }
    let along: [f64; 3] = force.force.map(|x| x / strength * half);
    let end = |sign: f64| std::array::from_fn(|k| at[k] + sign * along[k]);
    Some((end(-1.0), end(1.0)))
}
