//! Contact points of two shapes of the plane (narrow phase).
//!
//! Given two shapes and their poses, all points whose gap along the normal is at most the contact margin `reach`:
//!
//! ```text
//! gap = (point_b − point_a) · normal,   normal from a to b, point_a ∈ ∂A, point_b ∈ ∂B
//! ```
//!
//! The least gap of a pair of convex shapes is their signed distance: Euclidean when they are separated, minus the
//! penetration depth (the least translation that separates them) when they overlap. Further points of the manifold
//! (two of a flat contact) have the gap along the normal of the same face. All pairs are computed in a canonical
//! order, so that exchanging a and b gives the same numbers, bit for bit, with the opposite normal (except for two
//! equal shapes in one and the same pose, which cannot be told apart).
//!
//! Rounding: lengths are correct to some 10⁻¹⁵ of the sizes and of the distance of the positions from the origin,
//! except for ties, which are decided by 10⁻¹² of the smaller size (see `convex`).

mod chain;
mod convex;
mod core;
mod feature;
mod manifold;
mod points;
mod round;
mod side;

use std::cmp::Ordering;

use glam::DVec2;

use self::core::{RelativePose, RoundedPolygon, RoundedSegment};
use self::manifold::Manifold;
use super::polygon::ConvexPolygon;
use super::shape::Shape;
use crate::dim::{ContactPoint, Plane, Pose};
use crate::shape::compound_contact_points;

/// Appends every contact point of a and b with gap ≤ `reach`; see [`crate::Geometry::contact_points`].
pub fn contact_points(
    a: (&Shape, &Pose<Plane>),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    if matches!(
        (a.0, b.0),
        (Shape::Compound(_), _) | (_, Shape::Compound(_))
    ) {
        return compound_contact_points::<Plane>(a, b, reach, out);
    }
    if let (Shape::Polygon(one), Shape::Polygon(two)) = (a.0, b.0) {
        return polygons((one, a.1), (two, b.1), reach, out);
    }
    // In canonical order; the result of an exchanged pair is mirrored.
    match order(a, b) {
        Ordering::Greater => {
            let start = out.len();
            pair(b, a, reach, out);
            let alike = rank(a.0) == rank(b.0);
            // Two points come in the order of a's edge, whichever shape was the first.
            if alike {
                out[start..].reverse();
            }
            for touch in out.iter_mut().skip(start) {
                std::mem::swap(&mut touch.point_a, &mut touch.point_b);
                touch.normal = -touch.normal;
                if alike {
                    touch.feature = feature::swapped(touch.feature);
                }
            }
        }
        _ => pair(a, b, reach, out),
    }
}

/// Contact point of two discs, the same as that of [`contact_points`].
#[inline]
pub(crate) fn disc_contact_point(
    a: (f64, &Pose<Plane>),
    b: (f64, &Pose<Plane>),
    reach: f64,
) -> Option<ContactPoint<Plane>> {
    match order_of((a.1, a.0), (b.1, b.0)) {
        Ordering::Greater => {
            round::discs((b.1, b.0), (a.1, a.0), reach).map(|touch| ContactPoint {
                point_a: touch.point_b,
                point_b: touch.point_a,
                normal: -touch.normal,
                feature: feature::swapped(touch.feature),
                ..touch
            })
        }
        _ => round::discs((a.1, a.0), (b.1, b.0), reach),
    }
}

fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Disc { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Polygon(_) => 2,
        Shape::HalfPlane => 3,
        Shape::Chain(_) => 4,
        Shape::Compound(_) => 5,
    }
}

/// Canonical order of a pair, independent of which shape is called a.
fn order(a: (&Shape, &Pose<Plane>), b: (&Shape, &Pose<Plane>)) -> Ordering {
    rank(a.0)
        .cmp(&rank(b.0))
        .then_with(|| order_of((a.1, a.0.bounding_radius()), (b.1, b.0.bounding_radius())))
}

/// Canonical order of two shapes of one kind: by position, angle, size.
#[inline]
fn order_of((p, r): (&Pose<Plane>, f64), (q, s): (&Pose<Plane>, f64)) -> Ordering {
    let x = p.position.x.total_cmp(&q.position.x);
    x.then_with(|| p.position.y.total_cmp(&q.position.y))
        .then_with(|| p.rotation.angle().total_cmp(&q.rotation.angle()))
        .then_with(|| r.total_cmp(&s))
}

/// A pair in canonical order.
fn pair(
    a: (&Shape, &Pose<Plane>),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    if let Shape::Disc { radius } = a.0 {
        return with_disc((a.1, *radius), b, reach, out);
    }
    let mut store = None;
    let Some(core) = core_of(a.0, &mut store) else {
        return;
    };
    match b.0 {
        Shape::HalfPlane => round::core_half_plane((&core, a.1), b.1, reach, out),
        Shape::Chain(chain) => chain::core((&core, a.1), (chain, b.1), reach, out),
        other => {
            let mut store = None;
            if let Some(second) = core_of(other, &mut store) {
                cores((&core, a.1), (&second, b.1), false, reach, out);
            }
        }
    }
}

/// A disc, first, and any shape.
fn with_disc(
    disc: (&Pose<Plane>, f64),
    b: (&Shape, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    match b.0 {
        Shape::Disc { radius } => out.extend(round::discs(disc, (b.1, *radius), reach)),
        Shape::HalfPlane => round::disc_half_plane(disc, b.1, reach, out),
        Shape::Chain(chain) => chain::disc(disc, (chain, b.1), reach, out),
        other => {
            let mut store = None;
            if let Some(core) = core_of(other, &mut store) {
                round::disc_core(disc, (&core, b.1), reach, out);
            }
        }
    }
}

/// Rounded polygon of a capsule or a polygon; `store` holds what the shape does not contain.
fn core_of<'a>(
    shape: &'a Shape,
    store: &'a mut Option<RoundedSegment>,
) -> Option<RoundedPolygon<'a>> {
    match shape {
        Shape::Polygon(polygon) => Some(RoundedPolygon::polygon(polygon)),
        Shape::Capsule {
            half_length,
            radius,
        } => Some(
            store
                .insert(RoundedSegment::capsule(*half_length, *radius))
                .core(),
        ),
        _ => None,
    }
}

/// Two polygons, in either order.
fn polygons(
    a: (&ConvexPolygon, &Pose<Plane>),
    b: (&ConvexPolygon, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    let swapped = order_of((a.1, a.0.radius), (b.1, b.0.radius)) == Ordering::Greater;
    let (one, two) = (RoundedPolygon::polygon(a.0), RoundedPolygon::polygon(b.0));
    cores((&one, a.1), (&two, b.1), swapped, reach, out);
}

/// Two rounded polygons, given in canonical order or `swapped`.
#[inline]
fn cores(
    (a, pa): (&RoundedPolygon, &Pose<Plane>),
    (b, pb): (&RoundedPolygon, &Pose<Plane>),
    swapped: bool,
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    // Indexed instead of branched: the branch would be unpredictable.
    let (one, two) = (usize::from(swapped), usize::from(!swapped));
    let (cores, poses) = ([a, b], [pa, pb]);
    let mut found = Manifold::default();
    let view = RelativePose::new(poses[one], poses[two]);
    convex::convex(cores[one], cores[two], &view, reach, &mut found);
    // Two points come in the order of the edge of a, whichever shape was the first.
    if swapped {
        found.reverse();
    }
    // From the axes of the reference shape to world axes.
    let exchanged = found.exchanged ^ swapped;
    let (first, second) = (usize::from(exchanged), usize::from(!exchanged));
    let sign = if exchanged { -1.0 } else { 1.0 };
    let pose = poses[first];
    for point in found.in_order() {
        // The comparison also rejects NaN and infinite gaps.
        if !(point.gap <= reach && point.gap > f64::NEG_INFINITY) {
            continue;
        }
        let at = pose.position + pose.rotation.rotate(point.at);
        let normal = pose.rotation.rotate(point.normal);
        let ends = [at, at + normal * point.gap];
        let vertices = [point.reference, point.incident];
        out.push(ContactPoint {
            point_a: ends[first],
            point_b: ends[second],
            normal: normal * sign,
            gap: point.gap,
            feature: feature::pair(vertices[first], vertices[second]),
        });
    }
}

/// Appends a contact point if its gap is within the contact margin; `at` is on the surface of the first shape.
#[inline(always)]
fn push(
    out: &mut Vec<ContactPoint<Plane>>,
    reach: f64,
    gap: f64,
    normal: DVec2,
    at: DVec2,
    feature: u32,
) {
    if let Some(touch) = touching(reach, gap, normal, at, feature) {
        out.push(touch);
    }
}

/// A contact point if its gap is within the contact margin.
#[inline(always)]
fn touching(
    reach: f64,
    gap: f64,
    normal: DVec2,
    at: DVec2,
    feature: u32,
) -> Option<ContactPoint<Plane>> {
    // The comparison also rejects NaN and infinite gaps.
    (gap <= reach && gap > f64::NEG_INFINITY).then(|| ContactPoint {
        point_a: at,
        point_b: at + normal * gap,
        normal,
        gap,
        feature,
    })
}
