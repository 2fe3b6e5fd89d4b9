//! Overlap of a triangle and the facing feature of a body, projected along a normal.
//!
//! Contact points: corners of the body over the triangle, corners of the triangle under the body's face, crossings of
//! their sides. Internal sides and corners, inside a flat part of the surface, give none.

use glam::DVec3;

use super::mesh_collector::{MeshCollector, MeshFeature};
use crate::space::contact_points::cylinder::convex_core::{ContactFeature, ConvexCore};
use crate::space::mesh::Mesh;

/// A triangle and a body with their normal.
pub(super) struct Overlay<'a> {
    pub mesh: &'a Mesh,
    pub t: u32,
    /// The triangle as a convex core.
    pub own: &'a ConvexCore<'a>,
    pub core: &'a ConvexCore<'a>,
    pub round: f64,
    /// Normal from the triangle to the body.
    pub n: DVec3,
    /// Reference length of the tolerances.
    pub size: f64,
}

impl Overlay<'_> {
    /// Appends the contact points and returns their smallest gap.
    pub fn run(&self, merge: &mut MeshCollector) -> f64 {
        let (below, above) = (self.own.facing(-self.n), self.core.facing(self.n));
        let mut least = f64::INFINITY;
        self.corners_above(below, above, merge, &mut least);
        self.corners_below(below, above, merge, &mut least);
        // Crossings of the sides of both.
        for c in 0..self.own.sides(below) {
            if !self.own.is_internal_edge(self.own.corner(below, c).1) {
                for d in 0..self.core.sides(above) {
                    self.crossing((below, c), (above, d), merge, &mut least);
                }
            }
        }
        least
    }

    fn add(
        &self,
        a: DVec3,
        b: DVec3,
        spot: MeshFeature,
        part: u32,
        merge: &mut MeshCollector,
        least: &mut f64,
    ) {
        *least = least.min((b - a).dot(self.n));
        merge.push(a, b, self.n, spot, part);
    }

    /// Corners of the body over the triangle.
    fn corners_above(
        &self,
        below: ContactFeature,
        above: ContactFeature,
        merge: &mut MeshCollector,
        least: &mut f64,
    ) {
        let ContactFeature::Face(k) = below else {
            return;
        };
        let (m, height) = self.own.face(k);
        for c in 0..self.core.corners(above) {
            let (i, _) = self.core.corner(above, c);
            let b = self.core.corner_point(i, self.n, self.round);
            let a = b - self.n * ((m.dot(b) - height) / m.dot(self.n));
            if self.own.inside(k, a, -self.n, 1e-12 * self.size) {
                self.add(a, b, MeshFeature::Facet(self.t), 1 + i, merge, least);
            }
        }
    }

    /// Corners of the triangle under a face of the body.
    fn corners_below(
        &self,
        below: ContactFeature,
        above: ContactFeature,
        merge: &mut MeshCollector,
        least: &mut f64,
    ) {
        let ContactFeature::Face(k) = above else {
            return;
        };
        let (m, height) = self.core.face(k);
        for c in 0..self.own.corners(below) {
            let (i, _) = self.own.corner(below, c);
            if self.own.is_internal_vertex(i) {
                continue;
            }
            let a = self.own.vertex(i);
            let b = a + self.n * ((height - m.dot(a)) / m.dot(self.n));
            if self.core.inside(k, b, self.n, 1e-12 * self.size) {
                let vertex = self.mesh.triangles[self.t as usize][i as usize];
                self.add(a, b, MeshFeature::Vertex(vertex), 0, merge, least);
            }
        }
    }

    /// Crossing of a side of the triangle and one of the body.
    fn crossing(
        &self,
        below: (ContactFeature, usize),
        above: (ContactFeature, usize),
        merge: &mut MeshCollector,
        least: &mut f64,
    ) {
        // The two sides, as segments pq and xy.
        let (i, side) = self.own.corner(below.0, below.1);
        let (p, q) = (
            self.own.vertex(i),
            self.own.vertex(self.own.corner(below.0, below.1 + 1).0),
        );
        let (k, j) = self.core.corner(above.0, above.1);
        let next = self.core.corner(above.0, above.1 + 1).0;
        let x = self.core.line_point(k, self.n, self.round);
        let y = self.core.line_point(next, self.n, self.round);
        let (e, f) = (q - p, y - x);
        // Parameters with p + s e = x + t f up to a multiple of n.
        let det = e.cross(f).dot(self.n);
        let spot = MeshFeature::Edge(self.mesh.sides[self.t as usize][side as usize]);
        let part = 1 + self.core.vertices() as u32 + j;
        if det.abs() > 1e-9 * e.length() * f.length() {
            let s = (x - p).cross(f).dot(self.n) / det;
            let t = (x - p).cross(e).dot(self.n) / det;
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                self.add(p + e * s, x + f * t, spot, part, merge, least);
            }
        } else if let (ContactFeature::Edge(_), ContactFeature::Edge(_)) = (below.0, above.0) {
            let corners = self.mesh.triangles[self.t as usize];
            let ends = [
                (p, corners[i as usize]),
                (q, corners[self.own.corner(below.0, below.1 + 1).0 as usize]),
            ];
            self.parallel(ends, [(x, k), (y, next)], (spot, part), merge, least);
        }
    }

    /// Two parallel edges: the ends of their common interval.
    fn parallel(
        &self,
        own: [(DVec3, u32); 2],
        other: [(DVec3, u32); 2],
        (spot, part): (MeshFeature, u32),
        merge: &mut MeshCollector,
        least: &mut f64,
    ) {
        let ([(p, _), (q, _)], [(x, _), (y, _)]) = (own, other);
        let (e, f) = (q - p, y - x);
        // Lateral distance of the lines, seen along n.
        let lateral = e.cross(x - p).dot(self.n).abs() / e.length();
        if lateral > 1e-7 * self.size {
            return;
        }
        for (b, i) in other {
            let s = e.dot(b - p) / e.length_squared();
            if (0.0..=1.0).contains(&s) {
                self.add(p + e * s, b, spot, 1 + i, merge, least);
            }
        }
        for (a, v) in own {
            let t = f.dot(a - x) / f.length_squared();
            if (0.0..=1.0).contains(&t) {
                self.add(a, x + f * t, MeshFeature::Vertex(v), part, merge, least);
            }
        }
    }
}
