//! Where a compound touches anything: pairs of parts whose boxes meet.

use super::{Compound, merge};
use crate::dim::Dim;
use crate::pose::{Bounds, Pose, Touch};
use crate::vector::Vector;

/// Boxes are grown by this part of the sizes, some thousand units of rounding, so that no contact
/// within reach is left out.
const SLACK: f64 = 1e-12;

type Placed<'a, D> = (&'a <D as Dim>::Shape, &'a Pose<D>);

/// Appends the touches of two shapes of which at least one is a compound; see [`Dim::touch`].
pub(crate) fn touch<D: Dim>(
    a: Placed<'_, D>,
    b: Placed<'_, D>,
    reach: f64,
    out: &mut Vec<Touch<D>>,
) {
    if !(a.1.position.finite() && b.1.position.finite()) {
        return;
    }
    let mut gather = Gather {
        from: out.len(),
        mid: out.len(),
    };
    match (D::compound(a.0), D::compound(b.0)) {
        (Some(one), Some(two)) => compounds((one, a.1), (two, b.1), reach, out, &mut gather),
        (Some(one), None) => {
            for i in candidates((one, a.1), b, reach) {
                let part = &one.parts[i];
                let pose = D::compose(a.1, &part.pose);
                let start = out.len();
                D::touch((&part.shape, &pose), b, reach, out);
                number(out, start, i, 0);
                gather.part(out, start, |t| one.allows(i, a.1, t, Side::First));
            }
        }
        (None, Some(two)) => {
            for j in candidates((two, b.1), a, reach) {
                let part = &two.parts[j];
                let pose = D::compose(b.1, &part.pose);
                let start = out.len();
                D::touch(a, (&part.shape, &pose), reach, out);
                number(out, start, 0, j);
                gather.part(out, start, |t| two.allows(j, b.1, t, Side::Second));
            }
        }
        (None, None) => {}
    }
    merge::merge(a, b, out, &gather);
}

/// Touches of a pair of bodies as they are gathered: those of the union first, then those that only a
/// part would have. The latter are kept until the end, since a point that two parts find must have the
/// same number whether or not both of them may speak for the union.
pub(super) struct Gather {
    /// Where the touches of the pair begin.
    pub from: usize,
    /// Where those begin that are none of the union.
    pub mid: usize,
}

impl Gather {
    /// Puts the touches since `start` into their places.
    fn part<D: Dim>(
        &mut self,
        out: &mut [Touch<D>],
        start: usize,
        allowed: impl Fn(&Touch<D>) -> bool,
    ) {
        for at in start..out.len() {
            if allowed(&out[at]) {
                out.swap(self.mid, at);
                self.mid += 1;
            }
        }
    }
}

/// Which of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Side {
    First,
    Second,
}

/// The parts near a shape.
fn candidates<'a, D: Dim>(
    (one, pose): (&'a Compound<D>, &Pose<D>),
    other: Placed<'_, D>,
    reach: f64,
) -> impl Iterator<Item = usize> + 'a {
    let all = D::Vector::all(f64::INFINITY);
    // Boundaries find what is near them themselves, and the box of a large one costs more than it saves.
    let (low, high) = if D::boundary_only(other.0) {
        (-all, all)
    } else {
        let seen = D::relative(pose, other.1);
        grown::<D>(&D::bounds(other.0, &seen), reach, &seen, one.radius)
    };
    one.tree.near(low, high)
}

/// A box grown by the reach and by rounding.
fn grown<D: Dim>(
    bounds: &Bounds<D>,
    reach: f64,
    seen: &Pose<D>,
    size: f64,
) -> (D::Vector, D::Vector) {
    let slack = SLACK * (size + seen.position.norm() + (bounds.high - bounds.low).norm());
    let by = D::Vector::all(reach + slack);
    (bounds.low - by, bounds.high + by)
}

fn compounds<D: Dim>(
    (one, pa): (&Compound<D>, &Pose<D>),
    (two, pb): (&Compound<D>, &Pose<D>),
    reach: f64,
    out: &mut Vec<Touch<D>>,
    gather: &mut Gather,
) {
    let (Some(whole), seen) = (one.tree.whole(), D::relative(pb, pa)) else {
        return;
    };
    let around = turned::<D>(whole, &seen);
    let (low, high) = grown::<D>(&around, reach, &seen, two.radius);
    let seen = D::relative(pa, pb);
    for j in two.tree.near(low, high) {
        let second = &two.parts[j];
        let place = D::compose(pb, &second.pose);
        let bounds = D::bounds(&second.shape, &D::compose(&seen, &second.pose));
        let (low, high) = grown::<D>(&bounds, reach, &seen, one.radius);
        for i in one.tree.near(low, high) {
            let first = &one.parts[i];
            let pose = D::compose(pa, &first.pose);
            let start = out.len();
            D::touch((&first.shape, &pose), (&second.shape, &place), reach, out);
            number(out, start, i, j);
            gather.part(out, start, |t| {
                one.allows(i, pa, t, Side::First) && two.allows(j, pb, t, Side::Second)
            });
        }
    }
}

/// The box around a box that is placed.
fn turned<D: Dim>(bounds: &Bounds<D>, pose: &Pose<D>) -> Bounds<D> {
    let centre = (bounds.low + bounds.high) * 0.5;
    let half = (bounds.high - bounds.low) * 0.5;
    let mut reach = D::Vector::all(0.0);
    for k in 0..D::N {
        let mut entries = [0.0; 3];
        entries[k] = half[k];
        let side = D::rotate(&pose.rotation, D::Vector::of(&entries[..D::N]));
        reach += side.max(-side);
    }
    let centre = pose.position + D::rotate(&pose.rotation, centre);
    Bounds {
        low: centre - reach,
        high: centre + reach,
    }
}

/// Numbers the touches of parts i and j since `start`: the features of all pairs of parts do not fit 32
/// bits side by side, so they are mixed (Stafford's mixer of 64 bits). Two touches of a pair of bodies
/// get the same number with a chance of 2⁻³²; the merging then gives the second one the next.
fn number<D: Dim>(out: &mut [Touch<D>], start: usize, i: usize, j: usize) {
    for touch in &mut out[start..] {
        let mut key = (i as u64) << 48 | (j as u64) << 32 | u64::from(touch.feature);
        key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        touch.feature = ((key ^ key >> 31) >> 32) as u32;
    }
}
