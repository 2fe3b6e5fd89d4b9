//! Bodies of space as convex pieces on screen: outlines in pixels, shading, depth.

use percuss_record::frame::BodyState;
use percuss_record::{Faces, RecordedShape};

use super::camera::{Camera, unit};
use super::panel::Panel;
use super::{cross, dot};

/// Number of sides of a polygon that approximates a circle.
const SIDES: usize = 64;

/// Direction of the light: left, up, towards the viewer.
const LIGHT: [f64; 3] = [-0.45, 0.65, 0.61];

/// A front-facing planar face.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facet {
    /// Its corners in pixels.
    pub corners: Vec<(f64, f64)>,
    /// Depth at (x, y): n0 + nx x + ny y, in pixels.
    near: [f64; 3],
    /// Brightness, 0 to 1.
    pub light: f64,
    /// Whether its edges are those of the body and not of a faceted round surface.
    pub sharp: bool,
}

/// A convex piece, which is in front of or behind every other one as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// A sphere: centre, depth of the centre, radius.
    Ball((f64, f64), f64, f64),
    /// A capsule: its two ends with their depths, radius.
    Rod([((f64, f64), f64); 2], f64),
    /// Faces.
    Facets(Vec<Facet>),
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub form: Form,
    /// The body.
    pub body: usize,
    /// Depth of its centre.
    pub near: f64,
    /// Bounding box in pixels: smallest and largest x and y.
    pub low: (f64, f64),
    pub high: (f64, f64),
}

/// Converts bodies to pieces.
pub(super) struct Sculptor<'a> {
    pub panel: &'a Panel,
    pub camera: &'a Camera,
}

impl Sculptor<'_> {
    /// A point in pixels, and its depth in pixels.
    fn see(&self, point: [f64; 3]) -> ((f64, f64), f64) {
        let at = self.panel.to_pixels(self.camera.project(point));
        (at, self.camera.depth(point) * self.panel.scale)
    }

    /// Adds the visible pieces of a body.
    pub(super) fn add(
        &self,
        body: usize,
        outline: &RecordedShape,
        place: &BodyState,
        out: &mut Vec<Item>,
    ) {
        let scale = self.panel.scale;
        let (at, near) = self.see(place.position);
        if !(at.0.is_finite() && at.1.is_finite() && near.is_finite()) {
            return;
        }
        let form = match outline {
            RecordedShape::Round { radius } => Form::Ball(at, near, radius * scale),
            RecordedShape::Capsule {
                half_length,
                radius,
                along,
            } => {
                let end = |s: f64| self.see(place.to_space(along.map(|x| s * half_length * x)));
                Form::Rod([end(-1.0), end(1.0)], radius * scale)
            }
            RecordedShape::Cylinder {
                half_length,
                radius,
            } => Form::Facets(self.cylinder(place, *half_length, *radius)),
            RecordedShape::Polyhedron(faces) => Form::Facets(self.faces(place, faces).collect()),
            RecordedShape::Mesh(faces) => {
                for facet in self.faces(place, faces) {
                    let near = facet.nearness(middle(&facet.corners));
                    self.keep(body, near, Form::Facets(vec![facet]), out);
                }
                return;
            }
            RecordedShape::Compound(parts) => {
                for part in parts {
                    self.add(body, &part.shape, &place.of_part(part), out);
                }
                return;
            }
            _ => return,
        };
        self.keep(body, near, form, out);
    }

    fn keep(&self, body: usize, near: f64, form: Form, out: &mut Vec<Item>) {
        // Pieces outside the panel are dropped.
        let (low, high) = form.bounds();
        let (x, y) = (0.5 * (low.0 + high.0), 0.5 * (low.1 + high.1));
        let reach = (high.0 - low.0).max(high.1 - low.1);
        if reach.is_finite() && self.panel.is_visible((x, y), reach) {
            out.push(Item {
                form,
                body,
                near,
                low,
                high,
            });
        }
    }

    fn faces<'b>(
        &'b self,
        place: &'b BodyState,
        faces: &'b Faces,
    ) -> impl Iterator<Item = Facet> + 'b {
        let corner = |k: &u32| {
            let known = faces.vertices.get(*k as usize);
            place.to_space(known.copied().unwrap_or([0.0; 3]))
        };
        faces.faces.iter().filter_map(move |face| {
            let corners: Vec<[f64; 3]> = face.iter().map(corner).collect();
            self.facet(&corners, true)
        })
    }

    /// A face if it is front-facing; its corners are in counterclockwise order.
    fn facet(&self, corners: &[[f64; 3]], sharp: bool) -> Option<Facet> {
        let normal = newell(corners);
        let towards = dot(normal, self.camera.toward);
        // A face seen edge-on has no area on screen; the normal of a degenerate face is NaN.
        if !(towards > 1e-6) {
            return None;
        }
        let seen: Vec<((f64, f64), f64)> = corners.iter().map(|c| self.see(*c)).collect();
        // n·x = const on the plane, with x = u right + v up + d toward, and y in pixels pointing down.
        let (nu, nv) = (dot(normal, self.camera.right), dot(normal, self.camera.up));
        let (sx, sy) = (-nu / towards, nv / towards);
        let ((x, y), d) = *seen.first()?;
        Some(Facet {
            near: [d - sx * x - sy * y, sx, sy],
            corners: seen.iter().map(|(at, _)| *at).collect(),
            light: self.light(normal),
            sharp,
        })
    }

    /// Brightness of a surface with this normal.
    fn light(&self, normal: [f64; 3]) -> f64 {
        let camera = self.camera;
        let seen = [camera.right, camera.up, camera.toward].map(|e| dot(normal, e));
        dot(seen, LIGHT).max(0.0)
    }

    /// Strips of a cylinder's lateral surface and its visible end cap.
    fn cylinder(&self, place: &BodyState, half_length: f64, radius: f64) -> Vec<Facet> {
        // Lateral strips, then the end caps.
        let point = |k: usize, z: f64| {
            let angle = std::f64::consts::TAU * (k % SIDES) as f64 / SIDES as f64;
            place.to_space([radius * angle.cos(), radius * angle.sin(), z])
        };
        let h = half_length;
        let strip = |k: usize| [point(k, -h), point(k + 1, -h), point(k + 1, h), point(k, h)];
        let strips = (0..SIDES).filter_map(|k| self.facet(&strip(k), false));
        let top: Vec<[f64; 3]> = (0..SIDES).map(|k| point(k, h)).collect();
        let bottom: Vec<[f64; 3]> = (0..SIDES).rev().map(|k| point(k, -h)).collect();
        let ends = [top, bottom];
        let ends = ends.iter().filter_map(|end| self.facet(end, true));
        strips.chain(ends).collect()
    }
}

/// Unit normal of a polygon by Newell's method: accurate also for thin and nearly planar ones.
pub(super) fn newell(corners: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let next = corners.iter().cycle().skip(1);
    let origin = corners.first().copied().unwrap_or([0.0; 3]);
    let from = |p: &[f64; 3]| std::array::from_fn(|k| p[k] - origin[k]);
    for (a, b) in corners.iter().zip(next) {
        let c = cross(from(a), from(b));
        (0..3).for_each(|k| sum[k] += c[k]);
    }
    unit(sum)
}

fn middle(corners: &[(f64, f64)]) -> (f64, f64) {
    let n = corners.len().max(1) as f64;
    let sum = corners
        .iter()
        .fold((0.0, 0.0), |s, c| (s.0 + c.0, s.1 + c.1));
    (sum.0 / n, sum.1 / n)
}

impl Facet {
    fn nearness(&self, (x, y): (f64, f64)) -> f64 {
        self.near[0] + self.near[1] * x + self.near[2] * y
    }

    fn covers(&self, (x, y): (f64, f64)) -> bool {
        let next = self.corners.iter().cycle().skip(1);
        // Counterclockwise seen from outside; on screen y points down.
        let side =
            |a: &(f64, f64), b: &(f64, f64)| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
        self.corners
            .iter()
            .zip(next)
            .all(|(a, b)| side(a, b) <= 0.0)
    }
}

impl Form {
    fn bounds(&self) -> ((f64, f64), (f64, f64)) {
        let round = |(x, y): (f64, f64), r: f64| ((x - r, y - r), (x + r, y + r));
        let join = |a: ((f64, f64), (f64, f64)), b: ((f64, f64), (f64, f64))| {
            (
                (a.0.0.min(b.0.0), a.0.1.min(b.0.1)),
                (a.1.0.max(b.1.0), a.1.1.max(b.1.1)),
            )
        };
        // Bounding box by type of piece.
        match self {
            Self::Ball(at, _, r) => round(*at, *r),
            Self::Rod([(a, _), (b, _)], r) => join(round(*a, *r), round(*b, *r)),
            Self::Facets(facets) => {
                let corners = facets.iter().flat_map(|f| &f.corners);
                let boxes = corners.map(|c| (*c, *c));
                let none = (
                    (f64::INFINITY, f64::INFINITY),
                    (f64::NEG_INFINITY, f64::NEG_INFINITY),
                );
                boxes.fold(none, join)
            }
        }
    }

    /// Depth of the surface at a point of the screen; `None` outside.
    pub(super) fn nearness(&self, at: (f64, f64)) -> Option<f64> {
        match self {
            Self::Ball(centre, near, r) => dome(at, *centre, *near, *r),
            Self::Rod([(a, near_a), (b, near_b)], r) => {
                // Nearest point of the capsule's axis on screen.
                let along = (b.0 - a.0, b.1 - a.1);
                let length = along.0 * along.0 + along.1 * along.1;
                let share = ((at.0 - a.0) * along.0 + (at.1 - a.1) * along.1) / length;
                let share = if length > 0.0 {
                    share.clamp(0.0, 1.0)
                } else {
                    0.5
                };
                let centre = (a.0 + share * along.0, a.1 + share * along.1);
                dome(at, centre, near_a + share * (near_b - near_a), *r)
            }
            Self::Facets(facets) => {
                let seen = facets.iter().filter(|f| f.covers(at));
                seen.map(|f| f.nearness(at)).reduce(f64::max)
            }
        }
    }
}

fn dome(at: (f64, f64), centre: (f64, f64), near: f64, r: f64) -> Option<f64> {
    let (x, y) = (at.0 - centre.0, at.1 - centre.1);
    let left = r * r - x * x - y * y;
    (left >= 0.0).then(|| near + left.sqrt())
}
