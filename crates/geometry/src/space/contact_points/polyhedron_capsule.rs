//! Contact points of a polyhedron and a capsule.
//!
//! The segment of the capsule is a body without faces: its separating axes from a polyhedron are the face normals of
//! the polyhedron and the cross products of the segment and an edge. Where polyhedron and segment are separated, as
//! they are unless the penetration exceeds the radius, the closest points (GJK) give the normal. Along it the segment
//! is clipped by the facing face (two points); over an edge it gives two points if both are parallel, else one.
//!
//! Features: 0 and 1 at the ends of the segment, 2 + e where edge e of the polyhedron clips it; beside an edge that
//! ends first, a number of that end; at a vertex one of that vertex.

use glam::DVec3;

use super::gjk::{ClosestFeatures, GjkResult, SupportMap};
use super::pair::{
    ALONG, LocalPolyhedron, PairFrame, STEEP, bias, containing, flattest, keep_deepest,
};
use super::projected_overlap::{PlaneHeight, ProjectedPolygon, ProjectionFrame};
use super::round_shapes::{CapsuleSegment, common_ends};
use super::{closest_points as nearest, gjk as apart};
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::{ConvexPolyhedron, MAX_FACE_VERTICES};

impl SupportMap for CapsuleSegment {
    fn support(&self, d: DVec3, _hint: u32) -> u32 {
        u32::from((self.ends[1] - self.ends[0]).dot(d) > 0.0)
    }
    fn at(&self, i: u32) -> DVec3 {
        self.ends[usize::from(i != 0)]
    }
}

/// A polyhedron and the segment of a capsule, in the axes of the polyhedron.
struct PolyhedronCapsule<'a> {
    a: &'a ConvexPolyhedron,
    /// Segment of the capsule, in the axes of a.
    b: CapsuleSegment,
    home: PairFrame,
    reach: f64,
    size: f64,
    bias: f64,
    same: f64,
}

/// The best face or edge (its index) as a separating axis.
#[derive(Clone, Copy)]
struct Axis {
    separation: f64,
    normal: DVec3,
    of: usize,
}

/// Appends the contact points of polyhedron a with capsule b.
pub(super) fn polyhedron_capsule(
    a: (&ConvexPolyhedron, &Pose<Space>),
    b: (f64, f64, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    // Bounding spheres, then the segment in the axes of the polyhedron.
    let (half_length, radius, pose) = b;
    let apart = pose.position - a.1.position;
    let far = a.0.radius + half_length + radius + reach;
    if !(apart.length_squared() <= far * far) {
        return;
    }
    let home = PairFrame::new(a.1);
    let back = home.rotation.transpose();
    let (centre, u) = (
        back * apart,
        half_length * (back * (pose.rotation * DVec3::Z)),
    );
    let small = a.0.radius.min(half_length + radius);
    let size = a.0.radius + half_length + radius;
    let scene = PolyhedronCapsule {
        a: a.0,
        b: CapsuleSegment {
            ends: [centre - u, centre + u],
            radius,
        },
        home,
        reach,
        size,
        bias: bias(small, size),
        same: 1e-7 * small + 1e-12 * size,
    };
    scene.contacts(out);
}

impl PolyhedronCapsule<'_> {
    fn contacts(&self, out: &mut Vec<ContactPoint<Space>>) {
        // Separating axes: faces, then edges if no face separates.
        let Some(face) = self.best_face() else { return };
        let edge = if face.separation <= 0.0 {
            self.best_edge(face.separation)
        } else {
            None
        };
        let from = out.len();
        // Segment and polyhedron are separated: closest points.
        if edge.map_or(face.separation, |e| e.separation) > 0.0 {
            let reach = self.reach + self.b.radius;
            let start = self.b.ends[0] + self.b.ends[1];
            match apart::closest_features(
                &LocalPolyhedron(self.a),
                &self.b,
                start,
                reach,
                self.size,
            ) {
                GjkResult::Beyond => return,
                GjkResult::Separated(near) => return self.outside(&face, &near, out),
                GjkResult::Touching => {}
            }
        }
        // The segment is inside: the axis of least depth.
        let (axis, least) = match edge {
            Some(axis) => (axis, self.over_edge(&axis, out)),
            None => (face, self.lay(face.normal, face.of, out)),
        };
        if !(least <= axis.separation - self.b.radius + 10.0 * self.bias) {
            out.truncate(from);
            self.parted(&axis, out);
        }
    }

    fn best_face(&self) -> Option<Axis> {
        let mut best = Axis {
            separation: f64::NEG_INFINITY,
            normal: DVec3::Z,
            of: 0,
        };
        let [p, q] = self.b.ends;
        for (of, face) in self.a.faces.iter().enumerate() {
            let separation = face.normal.dot(p).min(face.normal.dot(q)) - face.offset;
            if separation > self.reach + self.b.radius {
                return None;
            }
            if separation > best.separation + self.bias {
                best = Axis {
                    separation,
                    normal: face.normal,
                    of,
                };
            }
        }
        Some(best)
    }

    /// Edges whose arc on the Gauss map crosses the great circle orthogonal to the segment.
    fn best_edge(&self, least: f64) -> Option<Axis> {
        let [p, q] = self.b.ends;
        let d = q - p;
        let mut most = least + self.bias;
        let mut best = None;
        for (of, [l, r]) in self.a.edge_face_normals.iter().enumerate() {
            if !(l.dot(d) * r.dot(d) < 0.0) {
                continue;
            }
            // Common normal of edge and segment, outward from the polyhedron.
            let (x, y) = self.a.edge_ends(of);
            let n = (y - x).cross(d).normalize_or_zero();
            let n = if n.dot(*l + *r) < 0.0 { -n } else { n };
            if n == DVec3::ZERO || n.dot(p - x) <= most {
                continue;
            }
            let separation = n.dot(p).min(n.dot(q)) - self.a.support_value(n);
            if separation > most {
                most = separation + self.bias;
                best = Some(Axis {
                    separation,
                    normal: n,
                    of,
                });
            }
        }
        best
    }

    fn outside(&self, face: &Axis, near: &ClosestFeatures, out: &mut Vec<ContactPoint<Space>>) {
        let from = out.len();
        // Over a face: as accurate as the face normal, however small the distance.
        let enough = near.distance - self.b.radius + 10.0 * self.bias;
        let doubtful = near.count < 3 && near.distance <= 1e-11 * self.size;
        if face.separation >= near.distance - 1e-15 * self.size
            || (doubtful && face.separation > 0.0)
        {
            if self.lay(face.normal, face.of, out) <= enough {
                return;
            }
            out.truncate(from);
        }
        // Face clipped along the normal, else parallel edge, else the closest points alone.
        let n = near.normal;
        let f = containing(self.a, &near.a[..near.count], n);
        let mut least = f64::INFINITY;
        if self.a.faces[f].normal.dot(n) >= STEEP {
            least = self.lay(n, f, out);
        }
        if least == f64::INFINITY {
            least = self.along(near, out);
        }
        if least > enough {
            let (x, y) = near.points(&LocalPolyhedron(self.a), &self.b);
            let points = (x, y - self.b.radius * n);
            let gap = near.distance - self.b.radius;
            let touch = self.home.touch(points, n, gap, self.number(y, near));
            keep_deepest(touch, self.reach, out, from);
        }
    }

    /// Feature of a single point: that of the end of the segment at which it is, else that of the edge or the vertex of
    /// the polyhedron.
    fn number(&self, y: DVec3, near: &ClosestFeatures) -> u32 {
        if let Some(k) = self
            .b
            .ends
            .iter()
            .position(|x| (*x - y).length() <= self.same)
        {
            return k as u32;
        }
        // Two distinct vertices of the polyhedron span an edge.
        let a = &near.a[..near.count];
        let other = a.iter().copied().find(|i| *i != a[0]);
        match other.and_then(|i| self.a.edge_between(a[0], i)) {
            Some(e) => 2 + e,
            None => self.at_vertex(a[0]),
        }
    }

    fn at_vertex(&self, vertex: u32) -> u32 {
        2 + 3 * self.a.edges.len() as u32 + vertex
    }

    /// The segment clipped by face f along n: both ends of the part over it. Returns the least gap.
    fn lay(&self, n: DVec3, f: usize, out: &mut Vec<ContactPoint<Space>>) -> f64 {
        match self.a.face_loop(f).len() {
            0..=4 => self.lay_sized::<4>(n, f, out),
            5..=16 => self.lay_sized::<16>(n, f, out),
            _ => self.lay_sized::<MAX_FACE_VERTICES>(n, f, out),
        }
    }

    fn lay_sized<const N: usize>(
        &self,
        n: DVec3,
        f: usize,
        out: &mut Vec<ContactPoint<Space>>,
    ) -> f64 {
        // The face in the projection frame.
        let frame = ProjectionFrame::new(n);
        let mut outline = ProjectedPolygon::<N>::new();
        for (i, e) in self.a.face_loop(f).iter().zip(self.a.face_edges(f)) {
            outline.push(frame.local(self.a.vertices[*i as usize]), *i, *e);
        }
        outline.close();
        let floor = PlaneHeight::new(frame.local(self.a.faces[f].normal), outline.first());
        let [p, q] = self.b.ends.map(|x| frame.local(x));
        // Clip the segment by the projected face.
        let Some(ends) = outline.cut(p.truncate(), q.truncate(), self.same) else {
            return f64::INFINITY;
        };
        let length = (q - p).length();
        let mut least = f64::INFINITY;
        let from = out.len();
        for (k, (t, side)) in ends.into_iter().enumerate() {
            let x = p + t * (q - p);
            // A clipped end next to an end of the segment is that end.
            let end = if t * length <= self.same {
                Some(0)
            } else if (1.0 - t) * length <= self.same {
                Some(1)
            } else {
                None
            };
            let feature = match (end, side) {
                (Some(k), _) => k,
                (None, Some(i)) => match outline.end_of(i, x.truncate(), self.same) {
                    Some(vertex) => self.at_vertex(vertex),
                    None => 2 + outline.edge(i),
                },
                (None, None) => k as u32,
            };
            let Some(skin) = self.b.surface_offset(t, -n) else {
                continue;
            };
            let y = outline.next_inside(x.truncate(), self.same);
            let low = floor.height(y);
            let gap = x.z - low + skin.dot(n);
            least = least.min(gap);
            let points = (frame.back(y.extend(low)), frame.back(x) + skin);
            keep_deepest(
                self.home.touch(points, n, gap, feature),
                self.reach,
                out,
                from,
            );
        }
        least
    }

    /// A segment parallel to an edge: both ends of their common interval. Returns the least gap.
    fn along(&self, near: &ClosestFeatures, out: &mut Vec<ContactPoint<Space>>) -> f64 {
        let n = near.normal;
        let Some(i) = flattest(self.a, near.a[0], n) else {
            return f64::INFINITY;
        };
        // Edge and segment must be parallel and orthogonal to the normal.
        let ends = [near.a[0].min(i), near.a[0].max(i)];
        let edge = CapsuleSegment {
            ends: ends.map(|i| LocalPolyhedron(self.a).at(i)),
            radius: 0.0,
        };
        let (u, d) = (edge.ends[1] - edge.ends[0], self.b.ends[1] - self.b.ends[0]);
        let along = u.cross(d).length() <= ALONG * u.length() * d.length();
        if !along || d.dot(n).abs() > ALONG * d.length() {
            return f64::INFINITY;
        }
        let number = self.a.edge_between(ends[0], ends[1]).unwrap_or(0);
        let mut least = f64::INFINITY;
        let found = common_ends(&self.b, &edge, d.length(), self.same);
        for (k, (y, x, of)) in found.into_iter().flatten().enumerate() {
            let t = nearest::on_segment(y, self.b.ends[0], self.b.ends[1]);
            let Some(skin) = self.b.surface_offset(t, -n) else {
                continue;
            };
            let gap = (y + skin - x).dot(n);
            least = least.min(gap);
            // An edge that ends first has two places along the segment: features of its own.
            let feature = if of < 2 {
                of
            } else {
                2 + self.a.edges.len() as u32 + 2 * number + k as u32
            };
            if gap <= self.reach {
                out.push(self.home.touch((x, y + skin), n, gap, feature));
            }
        }
        least
    }

    /// The segment across an edge, inside the polyhedron: over the adjacent face, if that is not steep, or at one
    /// point. Returns the least gap.
    fn over_edge(&self, axis: &Axis, out: &mut Vec<ContactPoint<Space>>) -> f64 {
        let (n, [p, q], from) = (axis.normal, self.b.ends, out.len());
        let e = &self.a.edges[axis.of];
        let tilt = |f: u32| self.a.faces[f as usize].normal.dot(n);
        let right = tilt(e.right) > tilt(e.left) + 1e-9;
        let f = if right { e.right } else { e.left };
        if tilt(f) >= STEEP {
            let least = self.lay(n, f as usize, out);
            if least <= axis.separation - self.b.radius + 10.0 * self.bias {
                return least;
            }
            // The deepest point was merged with a corner next to it; it follows here.
        }
        // Closest points of edge and segment.
        let (x, y) = self.a.edge_ends(axis.of);
        let (s, t) = nearest::of_segments(x, y, p, q);
        let (x, y) = (x + s * (y - x), p + t * (q - p));
        let Some(skin) = self.b.surface_offset(t, -n) else {
            return f64::INFINITY;
        };
        let gap = (y + skin - x).dot(n);
        let feature = 2 + axis.of as u32;
        let touch = self.home.touch((x, y + skin), n, gap, feature);
        keep_deepest(touch, self.reach, out, from);
        gap
    }

    /// As for two polyhedra: the closest points after a translation of the segment along the axis.
    fn parted(&self, axis: &Axis, out: &mut Vec<ContactPoint<Space>>) {
        let n = axis.normal;
        let way = 0.5 * self.size - axis.separation;
        let away = CapsuleSegment {
            ends: self.b.ends.map(|x| x + way * n),
            ..self.b
        };
        let start = away.ends[0] + away.ends[1];
        let own = LocalPolyhedron(self.a);
        let GjkResult::Separated(near) =
            apart::closest_features(&own, &away, start, f64::MAX, self.size)
        else {
            return;
        };
        let (x, y) = near.points(&own, &away);
        let y = y - way * n;
        let t = nearest::on_segment(y, self.b.ends[0], self.b.ends[1]);
        let Some(skin) = self.b.surface_offset(t, -n) else {
            return;
        };
        let gap = (y + skin - x).dot(n);
        if gap <= self.reach {
            let touch = self
                .home
                .touch((x, y + skin), n, gap, self.number(y, &near));
            out.push(touch);
        }
    }
}
