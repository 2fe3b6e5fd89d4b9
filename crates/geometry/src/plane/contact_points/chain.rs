//! Contact points of a chain with discs and rounded polygons, side by side.

use glam::DVec2;

use super::core::{RelativePose, RoundedPolygon};
use super::manifold::TINY;
use super::{feature, push, side};
use crate::dim::{ContactPoint, Plane, Pose};
use crate::plane::chain::{Chain, ChainCorner, ChainSide, SideEnd};

/// The box of the body is enlarged by this fraction of its size and distance, some thousand units of rounding, before
/// the query of the sides, so that rounding loses no contact within the contact margin.
const SLACK: f64 = 1e-12;

/// Feature of an end of side k. Two sides that meet in a convex corner share one there.
fn end(chain: &Chain, k: usize, tip: SideEnd) -> usize {
    match (tip, chain.sides[k].after) {
        (SideEnd::From, _) => 2 * k,
        (SideEnd::To, ChainCorner::Convex(_)) => 2 * ((k + 1) % chain.sides.len()),
        (SideEnd::To, _) => 2 * k + 1,
    }
}

/// A disc, first, and a chain.
pub(super) fn disc(
    (disc, radius): (&Pose<Plane>, f64),
    (chain, pose): (&Chain, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    let centre = pose.rotation.rotate_back(disc.position - pose.position);
    let half = DVec2::splat((radius + reach) * (1.0 + SLACK) + SLACK * centre.length());
    let start = out.len();
    // Box query, then the contact with each side.
    chain.query(centre - half, centre + half, |k| {
        let Some((gap, normal, tip)) = disc_side(&chain.sides[k], centre, radius) else {
            return;
        };
        let number = match tip {
            Some(tip) => feature::chain(None, Some(end(chain, k, tip)), k, 1),
            None => feature::chain(None, None, k, 1),
        };
        let up = pose.rotation.rotate(normal);
        let at = disc.position - up * radius;
        // By rounding, a foot on a corner may be found on both sides and on the corner: it is kept once.
        let (foot, same) = (at - up * gap, SLACK * (radius + centre.length()));
        let known = out[start..]
            .iter()
            .any(|t| t.feature == number || (t.point_b - foot).length() <= same);
        if !known {
            push(out, reach, gap, -up, at, number);
        }
    });
}

/// Gap, normal from the side, and the end at which the contact is, if it is at one.
fn disc_side(
    side: &ChainSide,
    centre: DVec2,
    radius: f64,
) -> Option<(f64, DVec2, Option<SideEnd>)> {
    let from = centre - side.from;
    let height = side.normal.dot(from);
    if !(height >= 0.0) {
        return None;
    }
    // Over the side: its normal. Beyond an end: the direction from that end, if its normal cone contains it.
    let tip = if side.along().dot(from) < 0.0 {
        SideEnd::From
    } else if side.along().dot(centre - side.to) > 0.0 {
        SideEnd::To
    } else {
        return Some((height - radius, side.normal, None));
    };
    let across = match tip {
        SideEnd::From => from,
        SideEnd::To => centre - side.to,
    };
    let distance = across.length();
    // On the corner itself there is no direction; the normals of both sides are in its cone.
    let normal = if distance > TINY * (radius + centre.length()) {
        across / distance
    } else {
        side.normal
    };
    side.cone_contains(tip, normal)
        .then_some((distance - radius, normal, Some(tip)))
}

/// A rounded polygon, first, and a chain.
pub(super) fn core(
    (core, own): (&RoundedPolygon, &Pose<Plane>),
    (chain, pose): (&Chain, &Pose<Plane>),
    reach: f64,
    out: &mut Vec<ContactPoint<Plane>>,
) {
    // Box of the polygon in the axes of the chain, enlarged by the margin and by rounding.
    let view = RelativePose::new(pose, own);
    let (low, high) = span(core, &view);
    let grown = reach + core.radius;
    let half = DVec2::splat(grown + SLACK * (core.extent + view.shift.length()));
    let start = out.len();
    let count = core.vertices.len();
    chain.query(low - half, high + half, |k| {
        let Some(found) = side::side(chain, k, core, &view, reach) else {
            return;
        };
        let frame = if found.exchanged { own } else { pose };
        let others = start..out.len();
        for point in found.in_order() {
            let (vertex, tip) = match found.exchanged {
                true => (point.reference, point.incident),
                false => (point.incident, point.reference),
            };
            let tip = tip.map(|t| end(chain, k, [SideEnd::To, SideEnd::From][t]));
            let number = feature::chain(vertex, tip, k, count);
            // A convex corner has one contact with a polygon, which both of its sides find, and a vertex of the
            // polygon has one contact with the two sides.
            let at_end = feature::chain_end(number, count);
            let same = chain
                .neighbours(k)
                .map(|other| other.map(|k| feature::chain(vertex, None, k, count)));
            let known = |t: &ContactPoint<Plane>| match at_end {
                Some(_) => feature::chain_end(t.feature, count) == at_end,
                None => same.contains(&Some(t.feature)),
            };
            if out[others.clone()].iter().any(known) {
                continue;
            }
            let at = frame.position + frame.rotation.rotate(point.at);
            let normal = frame.rotation.rotate(point.normal);
            match found.exchanged {
                true => push(out, reach, point.gap, normal, at, number),
                false => push(
                    out,
                    reach,
                    point.gap,
                    -normal,
                    at + normal * point.gap,
                    number,
                ),
            }
        }
    });
}

/// Box of a polygon's vertices in the axes of the chain.
fn span(core: &RoundedPolygon, view: &RelativePose) -> (DVec2, DVec2) {
    let all = DVec2::splat(f64::INFINITY);
    core.vertices.iter().fold((all, -all), |(low, high), v| {
        let v = view.point(*v);
        (low.min(v), high.max(v))
    })
}
