//! Contact points of spheres and capsules, and of these and polyhedra with the half-space: closed forms.
//!
//! Round shapes are points or segments with a radius; between the closest points x_a and x_b of these cores
//!
//! ```text
//! n = (x_b − x_a)/|x_b − x_a|,   gap = |x_b − x_a| − r_a − r_b
//! ```

use glam::DVec3;

use super::closest_points as nearest;
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::ConvexPolyhedron;

/// Capsules whose axes enclose less than this angle (about half a degree) touch along their common interval: then its
/// two ends are contact points too, so that logs rest on logs without rocking.
const PARALLEL: f64 = 1e-2;

/// Differences of lengths, relative to the size, that do not matter: ends this close to each other coincide, so that
/// features do not depend on rounding.
const ALIKE: f64 = 1e-7;

/// The segment of a capsule in world axes, with its radius.
#[derive(Clone, Copy)]
pub(super) struct CapsuleSegment {
    pub ends: [DVec3; 2],
    pub radius: f64,
}

impl CapsuleSegment {
    pub(super) fn of(half_length: f64, radius: f64, pose: &Pose<Space>) -> Self {
        let u = half_length * (pose.rotation * DVec3::Z);
        let ends = [pose.position - u, pose.position + u];
        Self { ends, radius }
    }

    fn at(&self, t: f64) -> DVec3 {
        self.ends[0] + t * (self.ends[1] - self.ends[0])
    }

    /// Vector from the point of the segment with parameter t to the point of the capsule's surface there that is
    /// farthest along n. At an end from which n points away this is a point of the hemisphere; else it is one of the
    /// cylindrical part, orthogonal to the axis, which is a valid contact point only if the axis is within 60 degrees
    /// of the plane orthogonal to n: `None` otherwise.
    pub(super) fn surface_offset(&self, t: f64, n: DVec3) -> Option<DVec3> {
        // Hemisphere at an end from which n points away.
        let u = (self.ends[1] - self.ends[0]).normalize_or_zero();
        let along = n.dot(u);
        if (t <= 0.0 && along <= 0.0) || (t >= 1.0 && along >= 0.0) {
            return Some(self.radius * n);
        }
        // Cylindrical part: the component of n orthogonal to the axis.
        let m = n - along * u;
        let cos = m.length();
        (cos >= 0.5).then(|| self.radius / cos * m)
    }
}

/// Appends the contact of two spheres about core points; `other` gives the normal if they coincide.
fn balls(
    a: (DVec3, f64),
    b: (DVec3, f64),
    other: impl FnOnce() -> DVec3,
    feature: u32,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    out.extend(ball(a, b, other, feature, reach));
}

/// The contact of two spheres, if it is within the contact margin.
#[inline(always)]
fn ball(
    (xa, ra): (DVec3, f64),
    (xb, rb): (DVec3, f64),
    other: impl FnOnce() -> DVec3,
    feature: u32,
    reach: f64,
) -> Option<ContactPoint<Space>> {
    let d = xb - xa;
    let distance = d.length();
    let gap = distance - ra - rb;
    if !(gap <= reach) {
        return None;
    }
    let normal = if distance > 0.0 {
        d / distance
    } else {
        other()
    };
    Some(ContactPoint {
        point_a: xa + ra * normal,
        point_b: xb - rb * normal,
        normal,
        gap,
        feature,
    })
}

/// Sphere against sphere. The normal of concentric ones is z.
#[inline]
pub(crate) fn spheres(
    a: (f64, &Pose<Space>),
    b: (f64, &Pose<Space>),
    reach: f64,
) -> Option<ContactPoint<Space>> {
    ball(
        (a.1.position, a.0),
        (b.1.position, b.0),
        || DVec3::Z,
        0,
        reach,
    )
}

/// Sphere against capsule. For a centre on the axis the normal is orthogonal to it.
pub(super) fn sphere_capsule(
    a: (f64, &Pose<Space>),
    b: CapsuleSegment,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let centre = a.1.position;
    let x = b.at(nearest::on_segment(centre, b.ends[0], b.ends[1]));
    let across = || {
        (b.ends[1] - b.ends[0])
            .normalize_or(DVec3::Z)
            .any_orthonormal_vector()
    };
    balls((centre, a.0), (x, b.radius), across, 0, reach, out);
}

/// Capsule against capsule: the closest points (feature 4), or, for nearly parallel axes, the ends of their common
/// interval (features 0 and 1: ends of a, 2 and 3: of b), each with its own normal, and the closest points only where
/// they are closer than those.
pub(super) fn capsules(
    a: CapsuleSegment,
    b: CapsuleSegment,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    // Normal where the axes intersect: their common normal, or any direction orthogonal to parallel axes.
    let (u, v) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
    let (la, lb) = (u.length(), v.length());
    let cross = u.cross(v);
    let across = || {
        let n = cross.normalize_or_zero();
        if n == DVec3::ZERO {
            u.normalize_or(DVec3::Z).any_orthonormal_vector()
        } else {
            n
        }
    };
    // Closest points of the axes.
    let (s, t) = nearest::of_segments(a.ends[0], a.ends[1], b.ends[0], b.ends[1]);
    let (xa, xb) = (a.at(s), b.at(t));
    let least = (xb - xa).length();
    if !(least - a.radius - b.radius <= reach) {
        return;
    }
    // Nearly parallel axes: both ends of the common interval.
    let same = ALIKE * la.min(lb);
    let mut nearer = true;
    if cross.length() <= PARALLEL * la * lb {
        for end in common_ends(&a, &b, la, same).into_iter().flatten() {
            let d = end.1 - end.0;
            // 1e-9 of the size: more than rounding makes of equal distances.
            nearer &= least < d.length() - 1e-9 * (la + least);
            let n = d.normalize_or_zero();
            let n = if n == DVec3::ZERO { across() } else { n };
            capsule_end(&a, &b, end, n, reach, out);
        }
    }
    if nearer {
        balls((xa, a.radius), (xb, b.radius), across, 4, reach, out);
    }
}

/// Appends the contact at an end of the common interval. The normal may be slightly inclined into the cylindrical part
/// that ends there: the points are those of the true surfaces.
fn capsule_end(
    a: &CapsuleSegment,
    b: &CapsuleSegment,
    (xa, xb, feature): (DVec3, DVec3, u32),
    n: DVec3,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    // Surface points of both capsules along the normal.
    let s = nearest::on_segment(xa, a.ends[0], a.ends[1]);
    let t = nearest::on_segment(xb, b.ends[0], b.ends[1]);
    let (Some(ra), Some(rb)) = (a.surface_offset(s, n), b.surface_offset(t, -n)) else {
        return;
    };
    let (point_a, point_b) = (xa + ra, xb + rb);
    let gap = (point_b - point_a).dot(n);
    if gap <= reach {
        out.push(ContactPoint {
            point_a,
            point_b,
            normal: n,
            gap,
            feature,
        });
    }
}

/// Both ends of the interval along a in which b lies beside a: points of a and b, and their feature.
pub(super) fn common_ends(
    a: &CapsuleSegment,
    b: &CapsuleSegment,
    la: f64,
    same: f64,
) -> [Option<(DVec3, DVec3, u32)>; 2] {
    // Parameters of the ends of b along a, in ascending order.
    let u = (a.ends[1] - a.ends[0]) / la;
    let s = b.ends.map(|x| (x - a.ends[0]).dot(u));
    let (low, high) = if s[0] <= s[1] { (0, 1) } else { (1, 0) };
    // An end of b counts only if it is clearly inside a.
    let (b_low, b_high) = (s[low] > same, s[high] < la - same);
    let from = if b_low { s[low] } else { 0.0 };
    let to = if b_high { s[high] } else { la };
    if !(to - from > same) {
        return [None, None];
    }
    let end = |of_b: bool, own: usize, other: usize| {
        if of_b {
            let x = b.ends[other];
            let t = nearest::on_segment(x, a.ends[0], a.ends[1]);
            (a.at(t), x, 2 + other as u32)
        } else {
            let x = a.ends[own];
            let t = nearest::on_segment(x, b.ends[0], b.ends[1]);
            (x, b.at(t), own as u32)
        }
    };
    [Some(end(b_low, 0, low)), Some(end(b_high, 1, high))]
}

/// The plane of a half-space: outward normal and a point.
fn plane(pose: &Pose<Space>) -> (DVec3, DVec3) {
    (
        (pose.rotation * DVec3::Z).normalize_or(DVec3::Z),
        pose.position,
    )
}

fn on_plane(n: DVec3, x: DVec3, gap: f64, feature: u32) -> ContactPoint<Space> {
    ContactPoint {
        point_a: x - gap * n,
        point_b: x,
        normal: n,
        gap,
        feature,
    }
}

/// Half-space a against a sphere.
pub(super) fn plane_sphere(
    a: &Pose<Space>,
    b: (f64, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let (n, origin) = plane(a);
    let gap = (b.1.position - origin).dot(n) - b.0;
    if gap <= reach {
        out.push(on_plane(n, b.1.position - b.0 * n, gap, 0));
    }
}

/// Half-space a against a capsule: the lowest points at its two ends.
pub(super) fn plane_capsule(
    a: &Pose<Space>,
    b: CapsuleSegment,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let (n, origin) = plane(a);
    let height = b.ends.map(|x| (x - origin).dot(n));
    for k in [0, 1] {
        let Some(r) = b.surface_offset(k as f64, -n) else {
            continue;
        };
        let x = b.ends[k] + r;
        let gap = height[k] + r.dot(n);
        if gap <= reach {
            out.push(on_plane(n, x, gap, k as u32));
        }
    }
}

/// Half-space a against a polyhedron: every vertex within the contact margin.
pub(super) fn plane_polyhedron(
    a: &Pose<Space>,
    b: (&ConvexPolyhedron, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let (n, origin) = plane(a);
    let (body, pose) = b;
    let height = (pose.position - origin).dot(n);
    // Bounding sphere, then the support along −n.
    if !(height - body.radius <= reach) {
        return;
    }
    let local = pose.rotation.conjugate() * n;
    if height - body.support_value(-local) > reach {
        return;
    }
    for (i, v) in body.vertices.iter().enumerate() {
        let gap = height + v.dot(local);
        if gap <= reach {
            let x = pose.position + pose.rotation * *v;
            out.push(on_plane(n, x, gap, i as u32));
        }
    }
}
