//! A point where a compound is touched: which lines and sides of the surface it lies on.

use super::surface::SAME;
use crate::dim::Dim;
use crate::pose::Pose;
use crate::vector::Vector;

/// 1 − cosine up to which normals are the same one.
pub(super) const PARALLEL: f64 = 1e-12;

/// Cosine of the angle, 2.5°, up to which a normal is meant to be that of a face.
const LEANING: f64 = 0.999;

/// A point of a body's surface.
pub(super) struct SurfacePoint<'a, D: Dim> {
    shape: &'a D::Shape,
    pose: &'a Pose<D>,
    /// In body axes.
    at: D::Vector,
    pub size: f64,
}

impl<'a, D: Dim> SurfacePoint<'a, D> {
    pub fn new((shape, pose): (&'a D::Shape, &'a Pose<D>), point: D::Vector) -> Self {
        Self {
            shape,
            pose,
            at: D::rotate_back(&pose.rotation, point - pose.position),
            size: D::bounding_radius(shape),
        }
    }

    /// Whether it is one of several parts of a compound.
    pub fn on_seam(&self) -> bool {
        D::compound(self.shape).is_some_and(|c| c.parts_containing(self.at).nth(1).is_some())
    }

    /// Calls `visit` with the directions, in space, of the straight lines that pass through it.
    pub fn lines(&self, visit: &mut dyn FnMut(D::Vector)) {
        let near = SAME * self.size;
        let out = |v: D::Vector| D::rotate(&self.pose.rotation, v);
        match D::compound(self.shape) {
            None => D::visit_straight_lines(self.shape, self.at, near, &mut |v| visit(out(v))),
            Some(compound) => {
                for k in compound.parts_containing(self.at) {
                    let part = &compound.parts[k];
                    let turn = &part.pose.rotation;
                    let inner = D::rotate_back(turn, self.at - part.pose.position);
                    D::visit_straight_lines(&part.shape, inner, near, &mut |v| {
                        visit(out(D::rotate(turn, v)));
                    });
                }
            }
        }
    }

    /// Whether the surface goes on straight for a way of `step` to both sides, along u.
    pub fn straight(&self, u: D::Vector, step: f64) -> bool {
        if D::boundary_only(self.shape) {
            return D::is_smooth_near(self.shape, self.at, step);
        }
        let length = u.norm();
        // Along the normal there is nothing to follow.
        if !(length > 0.5) {
            return false;
        }
        let way = D::rotate_back(&self.pose.rotation, u) * (step / length);
        [self.at + way, self.at - way]
            .into_iter()
            .all(|x| match D::compound(self.shape) {
                Some(compound) => compound.parts_containing(x).next().is_some(),
                None => {
                    let mut least = f64::INFINITY;
                    D::visit_face_depths(self.shape, x, &mut |_, depth| least = least.min(depth));
                    least >= -SAME * self.size
                }
            })
    }

    /// The same along a line of the other body, seen along the normal: u is moved along it into the
    /// plane of a side of this body, which may lean a little.
    pub fn follows(&self, u: D::Vector, normal: D::Vector, step: f64) -> bool {
        if D::boundary_only(self.shape) {
            return D::is_smooth_near(self.shape, self.at, step);
        }
        let mut found = false;
        self.sides(&mut |m, _| {
            let slope = m.dot(normal);
            // A side that is seen from its edge is none that the other body lies on.
            if slope.abs() > 0.5 && !found {
                found = self.straight(u - normal * (m.dot(u) / slope), step);
            }
        });
        found
    }

    /// Calls `visit` with the normals, in space, of the sides it lies on, and how deep it is behind them.
    fn sides(&self, visit: &mut dyn FnMut(D::Vector, f64)) {
        let near = SAME * self.size;
        let mut on = |m: D::Vector, depth: f64| {
            if depth.abs() <= near {
                visit(D::rotate(&self.pose.rotation, m), depth);
            }
        };
        match D::compound(self.shape) {
            None => D::visit_face_depths(self.shape, self.at, &mut on),
            Some(compound) => {
                for k in compound.parts_containing(self.at) {
                    compound.exits(k, self.at, &mut on);
                }
            }
        }
    }

    /// The normal, nearly along n, of the flat face it lies in, away from its edges by `step`.
    pub fn face(&self, n: D::Vector, step: f64) -> Option<D::Vector> {
        let (mut face, mut several): (Option<D::Vector>, bool) = (None, false);
        self.sides(&mut |m, _| match face {
            _ if m.dot(n) < 0.5 => {}
            None => face = Some(m),
            Some(known) => several |= known.dot(m) < 1.0 - PARALLEL,
        });
        let flat = |m: &D::Vector| {
            let frame = D::contact_frame(*m);
            let mut across = frame.as_ref().iter().skip(1);
            across.all(|u| self.straight(*u, step))
        };
        face.filter(|m| !several && m.dot(n) > LEANING && flat(m))
    }
}
