//! Normal cones of a union of convex parts: the filter for internal edges and faces (ghost collisions).
//!
//! ```text
//! p ∈ ∂P_i, n ∈ N_i(p):   n is a normal of the union at p   if   n ∈ N_k(p) for every part k that contains p,
//!                         or at points of P_i near p where this holds
//! ```
//!
//! (limiting normals). The normal cone of a convex part: n ∈ N_k(p) iff max_{x ∈ P_k} n·x ≤ n·p. At a flat seam of
//! two parts only the common normal of their faces remains; a normal that would push along the surface is rejected.
//! At a concave corner the normals of the two faces remain, each as the limit of normals of exposed points: from p
//! the test moves along the face until it has left the part that covers p.

use super::Compound;
use super::contact_points::Side;
use crate::dim::{ContactPoint, Pose};
use crate::shape::Geometry;
use crate::vector::Vector;

/// A point within this distance of a part, relative to the size of the compound, belongs to the part: adjacent parts
/// meet up to rounding, some 10⁻¹⁵ after a few rotations and 10⁻¹⁰ from a file of ten digits.
pub(super) const SAME: f64 = 1e-9;

/// Distance beyond the covering part at which exposure is tested: well above [`SAME`].
const BEYOND: f64 = 1e-6;

/// A point deeper than this inside another part is covered: bodies do not overlap by so much.
const COVERED: f64 = 1e-2;

/// Sine of the angle between face normal and contact normal below which the face cannot be left along itself.
const ALONG: f64 = 1e-4;

impl<D: Geometry> Compound<D> {
    /// Whether a contact point found on part `own` is one of the union.
    pub(super) fn allows_normal(
        &self,
        own: usize,
        pose: &Pose<D>,
        touch: &ContactPoint<D>,
        side: Side,
    ) -> bool {
        if self.parts.len() == 1 {
            return true;
        }
        // Point and outward normal in body axes.
        let (point, normal) = match side {
            Side::First => (touch.point_a, touch.normal),
            Side::Second => (touch.point_b, -touch.normal),
        };
        let p = D::rotate_back(&pose.rotation, point - pose.position);
        let n = D::rotate_back(&pose.rotation, normal);
        let mut allowed = true;
        // Each part that rejects the normal: is there an exposed point beyond one of its faces?
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

    /// Whether n is a normal of the union just beyond a face with outward normal m that lies `depth` in front of p.
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
        // Along the unit vector along/sine the distance from the face grows by the sine per unit length.
        let way = (depth.max(0.0) + BEYOND * self.bounding_radius) / (sine * sine);
        let beyond = p + along * way;
        self.part_contains(own, beyond) && self.forbidding(own, beyond, n).next().is_none()
    }

    /// The other parts that contain p and whose normal cone at p does not contain n.
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

    /// The parts that contain p, up to [`SAME`].
    pub(super) fn parts_containing(&self, p: D::Vector) -> impl Iterator<Item = usize> + '_ {
        let by = D::Vector::splat(SAME * self.bounding_radius);
        self.tree
            .near(p - by, p + by)
            .filter(move |k| self.part_contains(*k, p))
    }

    /// Whether part k contains p, up to [`SAME`].
    fn part_contains(&self, k: usize, p: D::Vector) -> bool {
        let mut least = f64::INFINITY;
        self.exits(k, p, &mut |_, depth| least = least.min(depth));
        least >= -SAME * self.bounding_radius
    }

    /// Calls `visit` with the normal of every face of part k and the depth of p behind it.
    pub(super) fn exits(&self, k: usize, p: D::Vector, visit: &mut dyn FnMut(D::Vector, f64)) {
        let part = &self.parts[k];
        let inside = D::rotate_back(&part.pose.rotation, p - part.pose.position);
        D::visit_face_depths(&part.shape, inside, &mut |normal, depth| {
            visit(D::rotate(&part.pose.rotation, normal), depth);
        });
    }
}
