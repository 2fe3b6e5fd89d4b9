//! Contact points of a compound with any other shape: the narrow phase of all pairs of parts whose boxes overlap.

use super::{Compound, merge};
use crate::dim::{Aabb, ContactPoint, Pose};
use crate::shape::Geometry;
use crate::vector::Vector;

/// Boxes are enlarged by this fraction of the sizes, some thousand units of rounding, so that rounding loses no
/// contact within the contact margin.
const SLACK: f64 = 1e-12;

type PlacedShape<'a, D> = (&'a <D as Geometry>::Shape, &'a Pose<D>);

/// Appends the contact points of two shapes of which at least one is a compound; see [`Geometry::contact_points`].
pub(crate) fn contact_points<D: Geometry>(
    a: PlacedShape<'_, D>,
    b: PlacedShape<'_, D>,
    reach: f64,
    out: &mut Vec<ContactPoint<D>>,
) {
    if !(a.1.position.is_finite() && b.1.position.is_finite()) {
        return;
    }
    let mut gather = UnionPoints {
        from: out.len(),
        mid: out.len(),
    };
    // Narrow phase part by part; each point is marked by whether the union accepts its normal.
    match (D::compound(a.0), D::compound(b.0)) {
        (Some(one), Some(two)) => compounds((one, a.1), (two, b.1), reach, out, &mut gather),
        (Some(one), None) => {
            for i in candidates((one, a.1), b, reach) {
                let part = &one.parts[i];
                let pose = D::compose(a.1, &part.pose);
                let start = out.len();
                D::contact_points((&part.shape, &pose), b, reach, out);
                hash_features(out, start, i, 0);
                gather.part(out, start, |t| one.allows_normal(i, a.1, t, Side::First));
            }
        }
        (None, Some(two)) => {
            for j in candidates((two, b.1), a, reach) {
                let part = &two.parts[j];
                let pose = D::compose(b.1, &part.pose);
                let start = out.len();
                D::contact_points(a, (&part.shape, &pose), reach, out);
                hash_features(out, start, 0, j);
                gather.part(out, start, |t| two.allows_normal(j, b.1, t, Side::Second));
            }
        }
        (None, None) => {}
    }
    merge::merge(a, b, out, &gather);
}

/// Contact points of a pair of bodies while they are gathered: those of the union first, then those that only a part
/// has. The latter are kept to the end, since a point that two parts find must have the same feature whether or not
/// both of them are accepted for the union.
pub(super) struct UnionPoints {
    /// Index of the first contact point of the pair.
    pub from: usize,
    /// Index of the first point that is not one of the union.
    pub mid: usize,
}

impl UnionPoints {
    /// Partitions the points since `start` into accepted and rejected ones.
    fn part<D: Geometry>(
        &mut self,
        out: &mut [ContactPoint<D>],
        start: usize,
        allowed: impl Fn(&ContactPoint<D>) -> bool,
    ) {
        for at in start..out.len() {
            if allowed(&out[at]) {
                out.swap(self.mid, at);
                self.mid += 1;
            }
        }
    }
}

/// The first or the second body of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Side {
    First,
    Second,
}

/// The parts of a compound whose boxes overlap that of a shape.
fn candidates<'a, D: Geometry>(
    (one, pose): (&'a Compound<D>, &Pose<D>),
    other: PlacedShape<'_, D>,
    reach: f64,
) -> impl Iterator<Item = usize> + 'a {
    let all = D::Vector::splat(f64::INFINITY);
    // Boundaries have a query of their own, and the box of a large one costs more than it saves.
    let (low, high) = if D::boundary_only(other.0) {
        (-all, all)
    } else {
        let seen = D::relative(pose, other.1);
        grown::<D>(&D::aabb(other.0, &seen), reach, &seen, one.bounding_radius)
    };
    one.tree.near(low, high)
}

/// A box enlarged by the contact margin and by rounding.
fn grown<D: Geometry>(
    bounds: &Aabb<D>,
    reach: f64,
    seen: &Pose<D>,
    size: f64,
) -> (D::Vector, D::Vector) {
    let slack = SLACK * (size + seen.position.norm() + (bounds.high - bounds.low).norm());
    let by = D::Vector::splat(reach + slack);
    (bounds.low - by, bounds.high + by)
}

fn compounds<D: Geometry>(
    (one, pa): (&Compound<D>, &Pose<D>),
    (two, pb): (&Compound<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<ContactPoint<D>>,
    gather: &mut UnionPoints,
) {
    let (Some(whole), seen) = (one.tree.whole(), D::relative(pb, pa)) else {
        return;
    };
    // Parts of the second compound near the whole of the first.
    let around = turned::<D>(whole, &seen);
    let (low, high) = grown::<D>(&around, reach, &seen, two.bounding_radius);
    let seen = D::relative(pa, pb);
    for j in two.tree.near(low, high) {
        let second = &two.parts[j];
        let place = D::compose(pb, &second.pose);
        // Parts of the first compound near this part, both in body axes of the first.
        let bounds = D::aabb(&second.shape, &D::compose(&seen, &second.pose));
        let (low, high) = grown::<D>(&bounds, reach, &seen, one.bounding_radius);
        for i in one.tree.near(low, high) {
            let first = &one.parts[i];
            let pose = D::compose(pa, &first.pose);
            let start = out.len();
            D::contact_points((&first.shape, &pose), (&second.shape, &place), reach, out);
            hash_features(out, start, i, j);
            gather.part(out, start, |t| {
                one.allows_normal(i, pa, t, Side::First)
                    && two.allows_normal(j, pb, t, Side::Second)
            });
        }
    }
}

/// Axis-aligned box around a rotated and translated box.
fn turned<D: Geometry>(bounds: &Aabb<D>, pose: &Pose<D>) -> Aabb<D> {
    let centre = (bounds.low + bounds.high) * 0.5;
    let half = (bounds.high - bounds.low) * 0.5;
    let mut reach = D::Vector::splat(0.0);
    // Half extents: the sum of the absolute values of the rotated half edges.
    for k in 0..D::N {
        let mut entries = [0.0; 3];
        entries[k] = half[k];
        let side = D::rotate(&pose.rotation, D::Vector::from_components(&entries[..D::N]));
        reach += side.max(-side);
    }
    let centre = pose.position + D::rotate(&pose.rotation, centre);
    Aabb {
        low: centre - reach,
        high: centre + reach,
    }
}

/// Numbers the points of parts i and j since `start`. The features of all pairs of parts do not fit 32 bits side by
/// side, so they are hashed (Stafford's 64-bit mixer). Two points of a pair of bodies get the same number with a
/// probability of 2⁻³²; the merging then gives the second one the next free number.
fn hash_features<D: Geometry>(out: &mut [ContactPoint<D>], start: usize, i: usize, j: usize) {
    for touch in &mut out[start..] {
        let mut key = (i as u64) << 48 | (j as u64) << 32 | u64::from(touch.feature);
        key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        touch.feature = ((key ^ key >> 31) >> 32) as u32;
    }
}
