//! Contact manifold of a cylinder and a body with corners, the normal given.
//!
//! Cap and polygon are projected along the normal and clipped: corners of the polygon in the disc, crossings of its
//! sides with the rim, fixed points of the rim in the polygon. A generatrix is clipped by a face; an edge parallel to
//! the side is clipped at the cylinder's ends. Each point has its own gap, measured along the normal between the true
//! surfaces. The witness points of the gap are added where none of these attains it.

use glam::DVec3;

use super::contact_collector::{ContactCollector, OtherFeature, feature, part, parts};
use super::convex_core::{ContactFeature, ConvexCore, FACING, TILT};
use super::cylinder_shape::{Cylinder, radial};
use super::normal_search::{BestNormal, NormalKind};
use crate::space::contact_points::closest_points;

/// Sine up to which a face counts as flush: its edges are then clipped with it.
const FLUSH: f64 = 1e-6;

/// A cylinder, a body whose core is `core` widened by the radius `round`, and their normal.
pub(crate) struct CylinderContact<'a> {
    pub cylinder: &'a Cylinder,
    pub core: &'a ConvexCore<'a>,
    pub round: f64,
    pub found: BestNormal,
}

impl CylinderContact<'_> {
    pub fn manifold(&self, sink: &mut ContactCollector) {
        let n = self.found.normal;
        let facing = self.core.facing(n);
        // Cap, or side with an edge and a face, by the tilt of the normal.
        if n.z.abs() >= FACING {
            self.cap(facing, sink);
        } else if n.z.abs() <= TILT {
            let flush = match facing {
                ContactFeature::Face(k) => self.core.face(k).0.cross(n).length() <= FLUSH,
                _ => false,
            };
            if !flush && let Some(j) = self.core.level_edge(n) {
                self.side_edge(j, sink);
            }
            if let ContactFeature::Face(k) = facing {
                self.side_face(k, sink);
            }
        }
        if !(sink.least() <= self.found.gap - self.round + 1e-10 * self.cylinder.size()) {
            self.witness(sink);
        }
    }

    /// 0 for the upper cap, 1 for the lower one.
    fn lower(&self) -> u32 {
        u32::from(self.found.normal.z < 0.0)
    }

    /// x projected along n to the plane of the cap.
    fn on_cap(&self, x: DVec3) -> DVec3 {
        let n = self.found.normal;
        let z = self.cylinder.half.copysign(n.z);
        let foot = x - n * ((x.z - z) / n.z);
        DVec3::new(foot.x, foot.y, z)
    }

    fn cap(&self, facing: ContactFeature, sink: &mut ContactCollector) {
        let (n, r) = (self.found.normal, self.cylinder.radius);
        let lower = self.lower();
        // Corners of the polygon over the cap.
        for c in 0..self.core.corners(facing) {
            let (i, _) = self.core.corner(facing, c);
            let b = self.core.corner_point(i, self.found.normal, self.round);
            let a = self.on_cap(b);
            if a.x.hypot(a.y) <= r * (1.0 + 1e-12) && !self.core.is_internal_vertex(i) {
                sink.push(a, b, n, feature(part::CAP + lower, OtherFeature::Vertex(i)));
            }
        }
        for c in 0..self.core.sides(facing) {
            self.cap_side(facing, c, sink);
        }
        // Fixed points of the rim over the face.
        let ContactFeature::Face(k) = facing else {
            return;
        };
        let (m, height) = self.core.face(k);
        for corner in 0..8 {
            let a = self.cylinder.rim(corner, lower == 0);
            let b = a + n * ((height - m.dot(a)) / m.dot(n));
            if self.core.inside(k, b, n, 1e-12 * self.cylinder.size()) {
                sink.push(
                    a,
                    b,
                    n,
                    feature(8 * lower + corner as u32, OtherFeature::Any),
                );
            }
        }
    }

    /// The points where side c of the polygon enters and leaves the disc.
    fn cap_side(&self, facing: ContactFeature, c: usize, sink: &mut ContactCollector) {
        let (n, r) = (self.found.normal, self.cylinder.radius);
        let (i, j) = self.core.corner(facing, c);
        if self.core.is_internal_edge(j) {
            return;
        }
        let (p, q) = (
            self.core.line_point(i, self.found.normal, self.round),
            self.core.line_point(
                self.core.corner(facing, c + 1).0,
                self.found.normal,
                self.round,
            ),
        );
        let (foot, end) = (self.on_cap(p), self.on_cap(q));
        let step = end - foot;
        // |foot + t step|² = r², without z.
        let (a, b) = (
            step.x * step.x + step.y * step.y,
            foot.x * step.x + foot.y * step.y,
        );
        let d = (foot.x * step.y - foot.y * step.x) / a.sqrt();
        let root = (r - d.abs()) * (r + d.abs());
        if !(root > 0.0 && a > 0.0) {
            return;
        }
        // A side is traversed in opposite directions by its two faces: entry and exit are those of the edge.
        let forward = self.core.edge(j)[0] == i;
        for sign in [-1.0, 1.0] {
            let t = (-b / a.sqrt() + sign * root.sqrt()) / a.sqrt();
            if t > 0.0 && t < 1.0 {
                let point = p + (q - p) * t;
                let entry = (sign < 0.0) == forward;
                let what = if entry { part::ENTRY } else { part::EXIT };
                sink.push(
                    self.on_cap(point),
                    point,
                    n,
                    feature(what + self.lower(), OtherFeature::Edge(j)),
                );
            }
        }
    }

    /// The generatrix that is farthest along n, clipped by a face.
    fn side_face(&self, k: usize, sink: &mut ContactCollector) {
        let n = self.found.normal;
        let w = radial(n) * self.cylinder.radius;
        let half = self.cylinder.half;
        let (m, height) = self.core.face(k);
        let on_face = |t: f64| {
            let a = w + DVec3::Z * t;
            (a, a + n * ((height - m.dot(a)) / m.dot(n)))
        };
        let ids = [part::LOWEST + 1, part::LOWEST].map(|p| (feature(p, OtherFeature::Any), false));
        let (mut low, mut high) = ((-half, ids[0]), (half, ids[1]));
        let (start, end) = (on_face(-half).1, on_face(half).1);
        let facing = ContactFeature::Face(k);
        // Clip the parameter interval by the sides of the face.
        for c in 0..self.core.corners(facing) {
            let (i, j) = self.core.corner(facing, c);
            let p = self.core.vertex(i);
            let inward = m
                .cross(self.core.vertex(self.core.corner(facing, c + 1).0) - p)
                .normalize_or_zero();
            let (s0, s1) = (inward.dot(start - p), inward.dot(end - p));
            let slack = -1e-12 * self.cylinder.size();
            if s0 < slack && s1 < slack {
                return;
            }
            if s0 >= slack && s1 >= slack {
                continue;
            }
            let t = -half + 2.0 * half * (s0 / (s0 - s1)).clamp(0.0, 1.0);
            let id = (
                feature(part::SIDE, OtherFeature::Edge(j)),
                self.core.is_internal_edge(j),
            );
            if s0 < s1 && t > low.0 {
                low = (t, id);
            } else if s0 > s1 && t < high.0 {
                high = (t, id);
            }
        }
        if low.0 <= high.0 {
            for (t, (id, mute)) in [low, high] {
                if !mute {
                    let (a, b) = on_face(t);
                    sink.push(a, b, n, id);
                }
            }
        }
    }

    /// The point of the lateral surface below x along n, if the line meets it.
    fn on_side(&self, x: DVec3) -> Option<DVec3> {
        let n = self.found.normal;
        // Circle of the section orthogonal to the axis: lateral offset of the line and half chord.
        let nn = n.x * n.x + n.y * n.y;
        let along = x.x * n.x + x.y * n.y;
        let lateral = (x.x * n.y - x.y * n.x) / nn.sqrt();
        let r = self.cylinder.radius;
        let root = (r - lateral.abs()) * (r + lateral.abs());
        (root >= 0.0 && nn > 0.0).then(|| x - n * ((along - (nn * root).sqrt()) / nn))
    }

    /// An edge along the side: its ends, or the points where it passes the cylinder's ends.
    fn side_edge(&self, j: u32, sink: &mut ContactCollector) {
        let (n, half) = (self.found.normal, self.cylinder.half);
        let [i0, i1] = self.core.edge(j);
        for i in [i0, i1] {
            let b = self.core.corner_point(i, self.found.normal, self.round);
            if let Some(a) = self.on_side(b)
                && a.z.abs() <= half * (1.0 + 1e-12)
                && !self.core.is_internal_vertex(i)
            {
                sink.push(a, b, n, feature(part::SIDE, OtherFeature::Vertex(i)));
            }
        }
        let (p, q) = (
            self.core.line_point(i0, self.found.normal, self.round),
            self.core.line_point(i1, self.found.normal, self.round),
        );
        for (lower, z) in [(0, half), (1, -half)] {
            let mut t = (z - p.z) / (q.z - p.z);
            // The foot along n lies beside the plane z = ±half if n is inclined: a few corrections bring it there, as
            // the inclination is at most TILT.
            for _ in 0..8 {
                let x = p + (q - p) * t;
                let Some(a) = self.on_side(x) else { break };
                t += (z - a.z) / (q.z - p.z);
            }
            if t > 0.0 && t < 1.0 {
                let b = p + (q - p) * t;
                if let Some(a) = self.on_side(b).filter(|a| (a.z - z).abs() <= 1e-9 * half) {
                    sink.push(a, b, n, feature(part::END + lower, OtherFeature::Edge(j)));
                }
            }
        }
    }

    /// The witness points: the pair that attains the gap.
    fn witness(&self, sink: &mut ContactCollector) {
        let (n, gap, lower) = (self.found.normal, self.found.gap, self.lower());
        let (lowest, _) = self.core.low(n);
        if self.found.kind == NormalKind::Face && n.x.hypot(n.y) <= 1e-10 {
            // The cap lies on the face: no point of the rim is the lowest.
            return;
        }
        let (core, id) = match self.found.kind {
            NormalKind::Cap => self.over_cap(lowest),
            NormalKind::SideVertex(i) => (
                self.core.vertex(i),
                feature(part::SIDE, OtherFeature::Vertex(i)),
            ),
            NormalKind::RimVertex(i) => (
                self.core.vertex(i),
                feature(part::LOWEST + lower, OtherFeature::Vertex(i)),
            ),
            NormalKind::Face => (
                self.cylinder.highest(n) + n * gap,
                feature(part::LOWEST + lower, OtherFeature::Any),
            ),
            NormalKind::RimEdge(j) => (
                self.cylinder.highest(n) + n * gap,
                feature(part::LOWEST + lower, OtherFeature::Edge(j)),
            ),
            NormalKind::SideEdge(j) => {
                let [p, q] = self.core.ends(j);
                let across = DVec3::Z.cross(n);
                let t = -p.dot(across) / (q - p).dot(across);
                (p + (q - p) * t, feature(part::SIDE, OtherFeature::Edge(j)))
            }
        };
        // Internal vertices and edges of a flat surface give no contact.
        let mute = match parts(id).1 {
            OtherFeature::Vertex(i) => self.core.is_internal_vertex(i),
            OtherFeature::Edge(j) => self.core.is_internal_edge(j),
            _ => false,
        };
        if !mute && self.real(core, core - n * gap) {
            sink.push(core - n * gap, core - n * self.round, n, id);
        }
    }

    /// The point of the lowest feature that is closest to the axis: where an edge or a face only just reaches the rim
    /// of the cap its vertices are not over the cap.
    fn over_cap(&self, lowest: u32) -> (DVec3, u32) {
        let cap = part::CAP + self.lower();
        let across = |x: DVec3| x.x.hypot(x.y);
        let v = self.core.vertex(lowest);
        let mut best = (v, feature(cap, OtherFeature::Vertex(lowest)));
        let facing = self.core.facing(self.found.normal);
        for c in 0..self.core.sides(facing) {
            let (i, j) = self.core.corner(facing, c);
            let (p, q) = (
                self.core.vertex(i),
                self.core.vertex(self.core.corner(facing, c + 1).0),
            );
            let e = q - p;
            let t = -(p.x * e.x + p.y * e.y) / (e.x * e.x + e.y * e.y);
            let x = p + e * t.clamp(0.0, 1.0);
            if across(x) < across(best.0) - 1e-9 * self.cylinder.radius {
                best = (x, feature(cap, OtherFeature::Edge(j)));
            }
        }
        best
    }

    /// Whether a pair of points lies on both bodies: the best normal of a triangle of a surface may belong to a
    /// neighbour, and the next best one need not have points in common.
    fn real(&self, core: DVec3, a: DVec3) -> bool {
        if self.found.kind == NormalKind::Cap
            && a.x.hypot(a.y) > self.cylinder.radius * (1.0 + 1e-9)
        {
            return false;
        }
        // A triangle: both points must lie on it and on the cylinder.
        let ConvexCore::Simplex {
            points: [p, q, r],
            count: 3,
            ..
        } = self.core
        else {
            return core.is_finite();
        };
        let slack = 1e-9 * self.cylinder.size();
        let [u, v, w] = closest_points::on_triangle(core, *p, *q, *r);
        (*p * u + *q * v + *r * w).distance(core) <= slack
            && a.z.abs() <= self.cylinder.half + slack
            && a.x.hypot(a.y) <= self.cylinder.radius + slack
    }
}
