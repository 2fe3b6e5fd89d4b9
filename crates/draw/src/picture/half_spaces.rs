//! Half-spaces: the patch of their surface near the bodies, with a grid.
//!
//! Only surfaces seen from outside are drawn: all bodies are then in front of them. A surface between the
//! viewer and the bodies is left out.

use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion, RecordedShape};

use super::camera::{Camera, extent, unit};
use super::colour::GROUND;
use super::panel::Panel;
use super::svg_writer::SvgWriter;
use super::{cross, dot};
use crate::axis::nice_floor;

/// Margin around the bodies, as a fraction of the largest side of their bounding box.
const AIR: f64 = 0.06;

/// A half-space further from the bodies than this many times their size is not shown.
const FAR: f64 = 3.0;

/// An axis-aligned bounding box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoundingBox {
    low: [f64; 3],
    high: [f64; 3],
}

impl BoundingBox {
    fn add(&mut self, point: [f64; 3]) {
        if point.iter().all(|x| x.is_finite()) {
            for k in 0..3 {
                self.low[k] = self.low[k].min(point[k]);
                self.high[k] = self.high[k].max(point[k]);
            }
        }
    }

    /// Extends the box to include another.
    pub(super) fn join(&mut self, other: &Self) {
        self.add(other.low);
        self.add(other.high);
    }

    fn side(&self) -> f64 {
        (0..3)
            .map(|k| self.high[k] - self.low[k])
            .fold(0.0, f64::max)
    }

    fn middle(&self) -> [f64; 3] {
        std::array::from_fn(|k| 0.5 * (self.low[k] + self.high[k]))
    }

    /// Bounding box of the bodies of all frames, extended to the half-spaces near them.
    pub(super) fn of(bodies: &[BodyDescription], stills: &[&Frame]) -> Option<Self> {
        let mut room = Self {
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
        };
        const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        // Bounding box of the bodies that are not fixed.
        for still in stills {
            let moving = bodies.iter().zip(&still.bodies);
            for (name, place) in moving.filter(|(name, _)| name.motion != BodyMotion::Fixed) {
                let spans = AXES.map(|axis| extent(&name.shape, place, axis));
                if let [Some(x), Some(y), Some(z)] = spans {
                    room.add([x.0, y.0, z.0]);
                    room.add([x.1, y.1, z.1]);
                }
            }
        }
        if !(room.low[0] <= room.high[0]) {
            return None;
        }
        // Extended to the foot points on half-spaces that are near.
        for (name, place) in stills.iter().flat_map(|s| bodies.iter().zip(&s.bodies)) {
            if *name.shape == RecordedShape::HalfSpace {
                let (normal, level) = surface(place);
                let height = dot(normal, room.middle()) - level;
                let from = room.middle();
                if height.abs() <= FAR * room.side() {
                    room.add(std::array::from_fn(|k| from[k] - height * normal[k]));
                }
            }
        }
        let air = AIR * room.side();
        Some(Self {
            low: room.low.map(|x| x - air),
            high: room.high.map(|x| x + air),
        })
    }
}

/// Normal n and offset n·x of the surface of a half-space.
fn surface(place: &BodyState) -> ([f64; 3], f64) {
    let normal = place.rotate([0.0, 0.0, 1.0]);
    (normal, dot(normal, place.position))
}

/// The visible surfaces of the half-spaces of a frame, clipped to a box.
pub(super) fn patches(
    bodies: &[BodyDescription],
    still: &Frame,
    room: &BoundingBox,
    camera: &Camera,
) -> Vec<Vec<[f64; 3]>> {
    let all = bodies.iter().zip(&still.bodies);
    // Surfaces of all half-spaces as n·x = level.
    let spaces: Vec<([f64; 3], f64)> = all
        .filter(|(name, _)| *name.shape == RecordedShape::HalfSpace)
        .map(|(_, place)| surface(place))
        .collect();
    let mut found = Vec::new();
    // Back-facing surfaces are culled.
    for (k, (normal, level)) in spaces.iter().enumerate() {
        if dot(*normal, camera.toward) <= 1e-9 {
            continue;
        }
        // A large square, clipped to the bounding box.
        let mut patch = square(*normal, *level, room);
        for axis in 0..3 {
            let mut out = [0.0; 3];
            out[axis] = 1.0;
            patch = clip(&patch, out, room.low[axis]);
            patch = clip(&patch, out.map(|x| -x), -room.high[axis]);
        }
        // Clipped by the other half-spaces.
        for (other, (normal, level)) in spaces.iter().enumerate() {
            if other != k {
                patch = clip(&patch, *normal, *level);
            }
        }
        if patch.len() > 2 {
            found.push(patch);
        }
    }
    found
}

/// A square of the surface that extends beyond the box.
fn square(normal: [f64; 3], level: f64, room: &BoundingBox) -> Vec<[f64; 3]> {
    let middle = room.middle();
    let height = dot(normal, middle) - level;
    let (e, f) = directions(normal);
    let long = 4.0 * room.side();
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corner = |(s, t): (f64, f64)| {
        std::array::from_fn(|k| middle[k] - height * normal[k] + long * (s * e[k] + t * f[k]))
    };
    corners.map(corner).to_vec()
}

/// Two tangents of a surface, along coordinate axes where it is parallel to them.
fn directions(normal: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let other = match normal[1].abs() < 0.9 {
        true => [0.0, 1.0, 0.0],
        false => [0.0, 0.0, 1.0],
    };
    let e = unit(cross(other, normal));
    (e, cross(normal, e))
}

/// Clips a convex polygon to n·x ≥ level (Sutherland–Hodgman).
fn clip(polygon: &[[f64; 3]], normal: [f64; 3], level: f64) -> Vec<[f64; 3]> {
    let mut kept = Vec::new();
    let next = polygon.iter().cycle().skip(1);
    for (a, b) in polygon.iter().zip(next) {
        // Signed distances of both ends of an edge.
        let (da, db) = (dot(normal, *a) - level, dot(normal, *b) - level);
        if da >= 0.0 {
            kept.push(*a);
        }
        if (da < 0.0) != (db < 0.0) {
            let share = da / (da - db);
            kept.push(std::array::from_fn(|k| a[k] + share * (b[k] - a[k])));
        }
    }
    kept
}

/// Grid lines on a patch, at multiples of a round length along two directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceGrid {
    along: [[f64; 3]; 2],
    spans: [(f64, f64); 2],
    spacing: f64,
}

impl SurfaceGrid {
    /// Whether a point of the patch is within `half` of a grid line.
    pub(super) fn near_line(&self, point: [f64; 3], half: f64) -> bool {
        self.along.iter().any(|direction| {
            let shares = dot(*direction, point) / self.spacing;
            (shares - shares.round()).abs() * self.spacing <= half
        })
    }
}

/// The grid of a patch; `None` for one without area.
pub(super) fn grid(patch: &[[f64; 3]]) -> Option<SurfaceGrid> {
    let [origin, second, third, ..] = patch else {
        return None;
    };
    let from = |p: &[f64; 3]| std::array::from_fn(|i| p[i] - origin[i]);
    let normal = unit(cross(from(second), from(third)));
    let (e, f) = directions(normal);
    // Extent of the patch along both tangents.
    let span = |d: [f64; 3]| {
        let along = patch.iter().map(|p| dot(d, *p));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |s, x| {
            (s.0.min(x), s.1.max(x))
        })
    };
    let spans = [span(e), span(f)];
    let largest = spans.iter().map(|s| s.1 - s.0).fold(0.0, f64::max);
    // About six grid lines, at a round spacing.
    let spacing = nice_floor(largest / 6.0);
    (spacing > 0.0 && spacing.is_finite()).then_some(SurfaceGrid {
        along: [e, f],
        spans,
        spacing,
    })
}

/// Draws a patch and its grid.
pub(super) fn draw(paper: &mut SvgWriter, panel: &Panel, camera: &Camera, patch: &[[f64; 3]]) {
    let px = |p: &[f64; 3]| panel.to_pixels(camera.project(*p));
    let light = GROUND.darker(0.03);
    let style = format!(" fill=\"{light}\" stroke=\"#b4b2ac\" stroke-width=\"0.8\"");
    paper.polygon(patch.iter().map(px), &style);
    let Some(SurfaceGrid {
        along,
        spans,
        spacing,
    }) = grid(patch)
    else {
        return;
    };
    paper.group("class=\"grid\" stroke=\"#d0cec8\" stroke-width=\"0.7\"");
    for (direction, (low, high)) in along.into_iter().zip(spans) {
        let first = (low / spacing).ceil() as i64;
        let lines = (first..).map(|k| k as f64 * spacing).take(64);
        for level in lines.take_while(|x| *x < high) {
            // Where the polygon crosses the level: the two end points of the grid line.
            let next = patch.iter().cycle().skip(1);
            let crossing = patch.iter().zip(next).filter_map(|(a, b)| {
                let (da, db) = (dot(direction, *a) - level, dot(direction, *b) - level);
                ((da < 0.0) != (db < 0.0)).then(|| {
                    let share = da / (da - db);
                    std::array::from_fn(|k| a[k] + share * (b[k] - a[k]))
                })
            });
            let ends: Vec<[f64; 3]> = crossing.collect();
            if let [a, b] = ends.as_slice() {
                paper.line(px(a), px(b), "");
            }
        }
    }
    paper.end();
}
