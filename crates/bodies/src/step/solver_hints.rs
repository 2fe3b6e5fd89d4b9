//! Hints for the solver that do not change the set of solutions: Morton order of the bodies, and a warm start whose
//! friction is distributed over the points of a face.

use percuss_contact::{Problem, ProblemBuilder};

use super::{NO_GROUP, StepInputs};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use percuss_geometry::{ContactPoint, Vector};

/// Number of bodies below which an ordering does not pay: the solver treats them as one block.
const MANY: usize = 2048;

/// Bits of the Morton code along each axis: 2^10 cells, three axes in 32 bits.
const BITS: u32 = 10;

impl<D: Dynamics> StepInputs<'_, D> {
    /// Morton codes (Z-order curve) of the movable bodies at the midpoint, in their bounding box. They depend
    /// on the state alone, so that a resumed run continues with the same bits.
    pub(super) fn push_morton_order(&self, builder: &mut ProblemBuilder) {
        let movable = || {
            let groups = self.cache.group.iter().enumerate();
            groups.filter(|(_, group)| **group != NO_GROUP)
        };
        if self.cache.cell.modes() > 0 || movable().count() < MANY {
            return;
        }
        let at = |i: usize| {
            let mut point = [0.0; 3];
            let position = self.midpoint.poses[i].position;
            for (to, x) in point.iter_mut().zip(position.components()) {
                *to = *x;
            }
            point
        };
        // Bounding box of the centres.
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (i, _) in movable() {
            for (k, x) in at(i).into_iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let extent = (0..3).fold(0.0_f64, |m, k| m.max(high[k] - low[k]));
        let scale = f64::from((1_u32 << BITS) - 1) / extent.max(f64::MIN_POSITIVE);
        // Interleaved bits of the three coordinates.
        builder.set_curve_keys(movable().map(|(i, _)| {
            let point = at(i);
            (0..3).fold(0, |key, k| {
                // A cast of a number out of range, or of NaN, saturates.
                let step = ((point[k] - low[k]) * scale) as u32;
                key | spread(step.min((1 << BITS) - 1)) << k
            })
        }));
    }
}

/// Distributes the starting friction of two points of a face (plane) in proportion to their normal
/// impulses. Where both act along the same line the motion is the same for any distribution, and
/// Gauss–Seidel sweeps give all of it to the point visited first until that slides; distributed, both
/// points stay as far from sliding as possible, and in the following steps the contacts keep their status.
pub(super) fn distribute_friction<D: Dynamics>(
    candidates: &[Candidate<D>],
    active: &[u32],
    problem: &Problem,
    impulse: &mut [f64],
) {
    if D::N != 2 {
        return;
    }
    let mut at = 0;
    while let Some(&[first, second]) = active.get(at..at + 2).and_then(|s| s.first_chunk()) {
        let [a, b] = [first, second].map(|touch| &candidates[touch as usize]);
        let (i, j) = (problem.rows(at), problem.rows(at + 1));
        // Two consecutive contacts of the same pair, both with a normal and a tangent.
        let alike = a.bodies == b.bodies && a.image == b.image && i.len() == 2 && j.len() == 2;
        if !alike || !in_line(&a.point, &b.point) {
            at += 1;
            continue;
        }
        let (i, j, r) = (i.start, j.start, &mut *impulse);
        // Friction in proportion to the normal impulses.
        let load = r[i] + r[j];
        if load > 0.0 {
            let friction = r[i + 1] + r[j + 1];
            r[i + 1] = friction * (r[i] / load);
            r[j + 1] = friction * (r[j] / load);
        }
        at += 2;
    }
}

/// Whether the friction forces of two contact points act along the same line.
fn in_line<D: Dynamics>(a: &ContactPoint<D>, b: &ContactPoint<D>) -> bool {
    let apart = b.point_a - a.point_a;
    a.normal.dot(b.normal) > 1.0 - FLAT && a.normal.dot(apart).abs() <= FLAT * apart.norm()
}

/// Tolerance of that: far below what a start needs, far above rounding.
const FLAT: f64 = 1e-6;

/// Spreads the lowest ten bits, two zero bits between each (bit interleaving of the Morton code).
fn spread(x: u32) -> u32 {
    let x = (x | (x << 16)) & 0x0300_00ff;
    let x = (x | (x << 8)) & 0x0300_f00f;
    let x = (x | (x << 4)) & 0x030c_30c3;
    (x | (x << 2)) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn bits_are_spread_two_places_apart() {
        for x in 0..1024_u32 {
            let expected = (0..10).fold(0, |key, bit| key | ((x >> bit) & 1) << (3 * bit));
            assert_eq!(spread(x), expected);
        }
    }
}
