//! A contact point on the surface of a shape or compound: the straight lines and faces that pass through it.

use super::surface::SAME;
use crate::dim::Pose;
use crate::shape::Geometry;
use crate::vector::Vector;

/// 1 − cosine up to which two normals count as equal.
pub(super) const PARALLEL: f64 = 1e-12;

/// Cosine of 2.5°: a contact normal within this angle of a face normal belongs to the face.
const LEANING: f64 = 0.999;

/// A point of the surface of a placed shape.
pub(super) struct SurfacePoint<'a, D: Geometry> {
    shape: &'a D::Shape,
    pose: &'a Pose<D>,
    /// The point in body axes.
    at: D::Vector,
    pub size: f64,
}

impl<'a, D: Geometry> SurfacePoint<'a, D> {
    pub fn new((shape, pose): (&'a D::Shape, &'a Pose<D>), point: D::Vector) -> Self {
        Self {
            shape,
            pose,
            at: D::rotate_back(&pose.rotation, point - pose.position),
            size: D::bounding_radius(shape),
        }
    }

    /// Whether it lies on a seam: several parts of the compound contain it.
    pub fn on_seam(&self) -> bool {
        D::compound(self.shape).is_some_and(|c| c.parts_containing(self.at).nth(1).is_some())
    }

    /// Calls `visit` with the directions, in world axes, of the straight lines of the surface through the point.
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

    /// Whether the surface continues straight by `step` to both sides along u.
    pub fn straight(&self, u: D::Vector, step: f64) -> bool {
        if D::boundary_only(self.shape) {
            return D::is_smooth_near(self.shape, self.at, step);
        }
        let length = u.norm();
        // A direction along the normal has no tangential part to follow.
        if !(length > 0.5) {
            return false;
        }
        // Both ends of the segment must belong to the body.
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

    /// As [`SurfacePoint::straight`], along a line u of the other body: u is projected along the contact normal into
    /// the plane of a face of this body, which may be slightly inclined.
    pub fn follows(&self, u: D::Vector, normal: D::Vector, step: f64) -> bool {
        if D::boundary_only(self.shape) {
            return D::is_smooth_near(self.shape, self.at, step);
        }
        let mut found = false;
        self.sides(&mut |m, _| {
            let slope = m.dot(normal);
            // A face seen edge-on cannot carry the other body.
            if slope.abs() > 0.5 && !found {
                found = self.straight(u - normal * (m.dot(u) / slope), step);
            }
        });
        found
    }

    /// Calls `visit` with the normal, in world axes, of each face through the point, and the depth behind it.
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

    /// Normal of the flat face that contains the point at a distance of at least `step` from its edges, if that normal
    /// is within 2.5° of n.
    pub fn face(&self, n: D::Vector, step: f64) -> Option<D::Vector> {
        let (mut face, mut several): (Option<D::Vector>, bool) = (None, false);
        // The only face whose normal is near n; two different ones meet in an edge.
        self.sides(&mut |m, _| match face {
            _ if m.dot(n) < 0.5 => {}
            None => face = Some(m),
            Some(known) => several |= known.dot(m) < 1.0 - PARALLEL,
        });
        // Flat: the surface continues straight along both tangents.
        let flat = |m: &D::Vector| {
            let frame = D::contact_frame(*m);
            let mut across = frame.as_ref().iter().skip(1);
            across.all(|u| self.straight(*u, step))
        };
        face.filter(|m| !several && m.dot(n) > LEANING && flat(m))
    }
}
