//! Contact points of discs with discs and rounded polygons, and of all bounded shapes with half-planes.

use glam::DVec2;

use super::core::{RelativePose, RoundedPolygon};
use super::{convex, push, touching};
use crate::dim::{ContactPoint, Plane, Pose};

/// Two discs. With a common centre there is no direction: the x axis is taken.
#[inline]
pub(super) fn discs(
    (a, r): (&Pose<Plane>, f64),
    (b, s): (&Pose<Plane>, f64),
    reach: f64,
) -> Option<ContactPoint<Plane>> {
    let across = b.position - a.position;
    let distance = across.length();
    let gap = distance - r - s;
    // Below the smallest normal number the quotient of the components has lost its digits.
    let normal = if distance >= f64::MIN_POSITIVE {
        across / distance
    } else {
        DVec2::X
    };
    touching(reach, gap, normal, a.position + normal * r, 0)
}

/// A disc, first, and a rounded polygon. There is at most one point; its feature is 0.
pub(super) fn disc_core(
    (disc, radius): (&Pose<Plane>, f64),
    (core, pose): (&RoundedPolygon, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    let far = radius + core.extent + reach;
    let across = disc.position - pose.position;
    if !(across.length_squared() <= far * far) {
        return;
    }
    let centre = pose.rotation.rotate_back(across);
    if let Some((gap, normal, at)) = convex::disc(core, centre, radius, reach) {
        let normal = pose.rotation.rotate(normal);
        let at = pose.position + pose.rotation.rotate(at);
        push(out, reach, gap, -normal, at + normal * gap, 0);
    }
}

/// A disc, first, and a half-plane.
pub(super) fn disc_half_plane(
    (disc, radius): (&Pose<Plane>, f64),
    plane: &Pose<Plane>,
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    let normal = plane.rotation.axis().perp();
    let gap = normal.dot(disc.position - plane.position) - radius;
    push(out, reach, gap, -normal, disc.position - normal * radius, 0);
}

/// A rounded polygon, first, and a half-plane: every vertex within the contact margin.
///
/// The contact point of the upper end of a tilted capsule is where the flat side lies below the end, if it does: only
/// there are both points on the surfaces.
pub(super) fn core_half_plane(
    (core, pose): (&RoundedPolygon, &Pose<Plane>),
    plane: &Pose<Plane>,
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    let view = RelativePose::new(plane, pose);
    let up = view.vector_back(DVec2::Y);
    if view.shift.y - core.extent > reach {
        return;
    }
    let normal = plane.rotation.axis().perp();
    for (i, v) in core.vertices.iter().enumerate() {
        let height = view.shift.y + up.dot(*v);
        let Some(drop) = drop(core, up, i) else {
            continue;
        };
        let at = pose.position + pose.rotation.rotate(*v) - normal * drop;
        push(out, reach, height - drop, -normal, at, i as u32);
    }
}

/// Height of vertex i over the surface below it; `None` if that surface is round and not the vertex's own.
fn drop(core: &RoundedPolygon, up: DVec2, i: usize) -> Option<f64> {
    let r = core.radius;
    if r == 0.0 {
        return Some(0.0);
    }
    let (j, lowest) = core.lowest(up);
    let rise = up.dot(core.vertices[i]) - lowest;
    if i == j || rise <= 0.0 {
        return Some(r);
    }
    // Segment direction (cos, sin) of the tilt: the flat side is r / cos below, and ends r sin beside the other
    // vertex.
    let across = core.vertices[i] - core.vertices[j];
    let (flat, length) = (up.perp_dot(across).abs(), across.length());
    (flat * length >= r * rise && flat > 0.0).then(|| r * length / flat)
}
