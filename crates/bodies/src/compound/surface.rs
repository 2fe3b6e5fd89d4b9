//! Which normals the surface of a union of convex parts allows.
//!
//! ```text
//! p ∈ ∂P_i, n ∈ N_i(p):   n is a normal of the union at p   if   n ∈ N_k(p) for every part k that holds p,
//!                         or at points of P_i near p where it is
//! ```
//!
//! (limiting normals). The normal cone of a convex part: n ∈ N_k(p) iff max_{x ∈ P_k} n·x ≤ n·p. At a flat
//! seam of two parts this leaves the common normal of their faces; what would push along the surface is
//! none. At a hollow corner the normals of the two faces are left, each as the limit of normals of
//! exposed points: from p one goes out of the part that covers it, along the face.

use super::Compound;
use super::touch::Side;
use crate::dim::Dim;
use crate::pose::{Pose, ContactPoint};
use crate::vector::Vector;

/// A point this near to a part, relative to the size of the whole, is one of the part: parts that are
/// meant to meet do so to rounding, some 10⁻¹⁵ after a few rotations and 10⁻¹⁰ from a file of ten digits.
pub(super) const SAME: f64 = 1e-9;

/// How far beyond the part that covers it a point is looked for that is exposed: well beyond [`SAME`].
const BEYOND: f64 = 1e-6;

/// A point deeper than this inside another part is not exposed: deeper than bodies overlap.
const COVERED: f64 = 1e-2;

/// Sine of the angle between a face and the normal below which there is no way out along the face.
const ALONG: f64 = 1e-4;

impl<D: Dim> Compound<D> {
    /// Whether a touch found on part `own` is one of the whole.
    pub(super) fn allows_normal(&self, own: usize, pose: &Pose<D>, touch: &ContactPoint<D>, side: Side) -> bool {
        if self.parts.len() == 1 {
            return true;
        }
        let (point, normal) = match side {
            Side::First => (touch.point_a, touch.normal),
            Side::Second => (touch.point_b, -touch.normal),
        };
        let p = D::rotate_back(&pose.rotation, point - pose.position);
        let n = D::rotate_back(&pose.rotation, normal);
        let mut allowed = true;
        for k in self.forbidding(own, p, n) {
            allowed = false;
            let mut exposed = false;
            self.exits(k, p, &mut |m, depth| {
                exposed = exposed || self.exposed(own, p, n, (m, depth));
            });
            if exposed {
                return true;
            }
        }
        allowed
    }

    /// Whether n is a normal of the union just beyond the side of a part whose outward normal is m and
    /// which is `depth` away from p.
    fn exposed(
        &self,
        own: usize,
        p: D::Vector,
        n: D::Vector,
        (m, depth): (D::Vector, f64),
    ) -> bool {
        if !(depth <= COVERED * self.bounding_radius) {
            return false;
        }
        let along = m - n * m.dot(n);
        let sine = along.norm();
        if !(sine > ALONG) {
            return false;
        }
        // Along the unit vector along/sine the distance from the side grows by the sine.
        let way = (depth.max(0.0) + BEYOND * self.bounding_radius) / (sine * sine);
        let beyond = p + along * way;
        self.part_contains(own, beyond) && self.forbidding(own, beyond, n).next().is_none()
    }

    /// The other parts that hold p and do not have n as a normal there.
    fn forbidding(
        &self,
        own: usize,
        p: D::Vector,
        n: D::Vector,
    ) -> impl Iterator<Item = usize> + '_ {
        let same = SAME * self.bounding_radius;
        self.parts_containing(p).filter(move |k| {
            let part = &self.parts[*k];
            let to = D::rotate_back(&part.pose.rotation, n);
            let from = p - part.pose.position;
            *k != own && D::support(&part.shape, to) - n.dot(from) > same
        })
    }

    /// The parts that hold p.
    pub(super) fn parts_containing(&self, p: D::Vector) -> impl Iterator<Item = usize> + '_ {
        let by = D::Vector::splat(SAME * self.bounding_radius);
        self.tree
            .near(p - by, p + by)
            .filter(move |k| self.part_contains(*k, p))
    }

    /// Whether part k holds p.
    fn part_contains(&self, k: usize, p: D::Vector) -> bool {
        let mut least = f64::INFINITY;
        self.exits(k, p, &mut |_, depth| least = least.min(depth));
        least >= -SAME * self.bounding_radius
    }

    /// Calls `visit` with the normal of every side of part k and how deep p is behind it.
    pub(super) fn exits(&self, k: usize, p: D::Vector, visit: &mut dyn FnMut(D::Vector, f64)) {
        let part = &self.parts[k];
        let inside = D::rotate_back(&part.pose.rotation, p - part.pose.position);
        D::visit_face_depths(&part.shape, inside, &mut |normal, depth| {
            visit(D::rotate(&part.pose.rotation, normal), depth);
        });
    }
}
