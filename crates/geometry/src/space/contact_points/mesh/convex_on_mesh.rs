//! Contact points of capsules and polyhedra with a mesh.
//!
//! ```text
//! maximise over the normals allowed at T:   gap(n) = min n·b − max n·T
//! ```
//!
//! Candidates: the triangle's normal, the normals of b's faces, cross products of an edge of T and one of b, and where
//! b may be separated (by the contact margin or by rounding) the direction between the closest points of such edges.
//! Any direction with a gap above the contact margin, allowed or not, ends the search: b does not touch T. Cost per
//! triangle: O(faces + 3 edges) of b.

use glam::DVec3;

use super::mesh_collector::{MeshCollector, MeshFeature};
use super::{normal_cone as cone, overlay, triangle};
use crate::space::contact_points::closest_points::of_segments;
use crate::space::contact_points::cylinder::convex_core::ConvexCore;
use crate::space::contact_points::cylinder::normal_search::BIAS;
use crate::space::mesh::Mesh;

/// The best normal so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriangleNormal {
    /// Out of the solid.
    pub normal: DVec3,
    pub gap: f64,
    /// Points of T and of b's core and the indices of their edges, if edges determine the normal.
    pub pair: Option<(DVec3, DVec3, [u32; 2])>,
}

struct TriangleNormalSearch<'a> {
    mesh: &'a Mesh,
    t: u32,
    corners: [DVec3; 3],
    core: &'a ConvexCore<'a>,
    reach: f64,
    bias: f64,
    best: Option<TriangleNormal>,
    /// The largest gap, allowed or not.
    free: f64,
    apart: bool,
}

impl TriangleNormalSearch<'_> {
    fn offer(&mut self, normal: DVec3, bound: f64, pair: Option<(DVec3, DVec3, [u32; 2])>) {
        let floor = self.floor();
        if self.apart || bound <= floor {
            return;
        }
        let high = self
            .corners
            .iter()
            .fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(normal)));
        let gap = self.core.low(normal).1 - high;
        if gap > self.reach {
            self.apart = true;
        } else if gap > floor {
            self.free = self.free.max(gap);
            if cone::triangle(self.mesh, self.t, normal) {
                self.best = Some(TriangleNormal { normal, gap, pair });
            }
        }
    }

    fn run(&mut self, apart_too: bool) {
        // Normals of the triangle and of the faces of b first.
        let normal = self.mesh.normals[self.t as usize];
        self.offer(normal, f64::INFINITY, None);
        self.offer(-normal, f64::INFINITY, None);
        for k in 0..self.core.faces() {
            if self.apart {
                return;
            }
            let (n, height) = self.core.face(k);
            let low = self
                .corners
                .iter()
                .fold(f64::INFINITY, |m, p| m.min(p.dot(n)));
            self.offer(-n, low - height, None);
        }
        // max n·T ≥ n·t for the centre t of the triangle: a bound for edges of b.
        let [p, q, r] = self.corners;
        let centre = self.core.own((p + q + r) / 3.0);
        for j in 0..self.core.edges() as u32 {
            // Separated, the closest points may be ends of edges, with normals beyond the arc of the edge.
            if !apart_too && self.core.arc_bound(j, centre) <= self.floor() {
                continue;
            }
            for i in 0..3 {
                if self.apart {
                    return;
                }
                self.edges(i, j, apart_too);
            }
        }
    }

    /// The value that a gap must exceed to be of interest.
    fn floor(&self) -> f64 {
        self.best.map_or(f64::NEG_INFINITY, |b| b.gap + self.bias)
    }

    /// Side i of the triangle against edge j of b.
    fn edges(&mut self, i: usize, j: u32, apart_too: bool) {
        let (p, q) = (self.corners[i], self.corners[(i + 1) % 3]);
        let third = self.corners[(i + 2) % 3];
        let [x, y] = self.core.ends(j);
        let (e, f) = (q - p, y - x);
        let side = self.mesh.sides[self.t as usize][i];
        let pair = || {
            let (s, t) = of_segments(p, q, x, y);
            (p + e * s, x + f * t, [side, j])
        };
        let product = e.cross(f);
        let length = product.length();
        if length > 1e-9 * e.length() * f.length() {
            // Of ±product only the one for which the side is the highest of the triangle.
            let up = product.dot(third - p) <= 0.0;
            let n = if up {
                product / length
            } else {
                -product / length
            };
            let bound = n.dot(x - p);
            if bound > self.floor() && self.core.in_arc(j, n) {
                self.offer(n, bound, Some(pair()));
            }
        }
        // Separated bodies: the direction between the closest points.
        if apart_too {
            let pair = pair();
            let to = pair.1 - pair.0;
            let distance = to.length();
            if distance > 0.0 {
                self.offer(to / distance, distance, Some(pair));
            }
        }
    }
}

/// Appends the contact points of a body with the core `core`, widened by the radius `round`, with centre of mass x.
pub(super) fn solid(
    mesh: &Mesh,
    near: (DVec3, DVec3),
    x: DVec3,
    core: &ConvexCore,
    round: f64,
    merge: &mut MeshCollector,
) {
    let reach = merge.contact_margin + round;
    // Cross products of edges have rounding errors of this order.
    let bias = BIAS * near.1.distance(near.0);
    for t in mesh.triangles_in_box(near.0, near.1) {
        // One-sided: the centre must be in front of the triangle.
        let corners = mesh.corners(t);
        if mesh.normals[t as usize].dot(x - corners[0]) < 0.0 {
            continue;
        }
        let mut search = TriangleNormalSearch {
            mesh,
            t,
            corners,
            core,
            reach,
            bias,
            best: None,
            free: f64::NEG_INFINITY,
            apart: false,
        };
        search.run(reach > 0.0);
        let Some(found) = search.best.filter(|_| !search.apart) else {
            continue;
        };
        if !merge.accepts_triangle(t, found.normal, search.free > found.gap + bias) {
            continue;
        }
        points(mesh, t, (core, round), &found, bias / BIAS, merge);
    }
}

/// Appends the contact points of triangle t with the normal found.
fn points(
    mesh: &Mesh,
    t: u32,
    (core, round): (&ConvexCore, f64),
    found: &TriangleNormal,
    size: f64,
    merge: &mut MeshCollector,
) {
    let own = triangle(mesh, t);
    let n = found.normal;
    let lay = overlay::Overlay {
        mesh,
        t,
        own: &own,
        core,
        round,
        n,
        size,
    };
    let least = lay.run(merge);
    let missing = !(least <= found.gap - round + 1e-10 * size);
    if let Some((a, b, [side, j])) = found.pair.filter(|_| missing) {
        // The closest points of the edges must be the ones along the normal.
        if (b - a).cross(n).length() <= 1e-9 * size {
            let part = 1 + core.vertices() as u32 + j;
            merge.push(a, b - n * round, n, MeshFeature::Edge(side), part);
        }
    }
}
