//! What helps a solver and changes no solution: where bodies are along a curve, and impulses to start from
//! that are spread over the points of a face.

use contact::{ProblemBuilder, Problem};

use super::{NO_GROUP, World};
use crate::dim::Dim;
use crate::pose::ContactPoint;
use crate::vector::Vector;

/// Bodies below which no order is worth its price: they are one block to the solver.
const MANY: usize = 2048;

/// Steps of the curve along each axis: 2^10 in space, three axes in 32 bits.
const BITS: u32 = 10;

impl<D: Dim> World<D> {
    /// Where the movable bodies are along Morton's curve through the box around them, at the midpoint: a
    /// function of the state, so that a run that is taken up again goes on with the same bits.
    pub(super) fn push_morton_order(&self, builder: &mut ProblemBuilder) {
        let movable = || {
            let groups = self.scratch.group.iter().enumerate();
            groups.filter(|(_, group)| **group != NO_GROUP)
        };
        if self.scratch.cell.modes() > 0 || movable().count() < MANY {
            return;
        }
        let at = |i: usize| {
            let mut point = [0.0; 3];
            let position = self.scratch.mid[i].position;
            for (to, x) in point.iter_mut().zip(position.components()) {
                *to = *x;
            }
            point
        };
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (i, _) in movable() {
            for (k, x) in at(i).into_iter().enumerate() {
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let extent = (0..3).fold(0.0_f64, |m, k| m.max(high[k] - low[k]));
        let scale = f64::from((1_u32 << BITS) - 1) / extent.max(f64::MIN_POSITIVE);
        builder.set_curve_keys(movable().map(|(i, _)| {
            let point = at(i);
            (0..3).fold(0, |key, k| {
                // A cast of a number beyond the range, or of none, is the nearest end of it.
                let step = ((point[k] - low[k]) * scale) as u32;
                key | spread(step.min((1 << BITS) - 1)) << k
            })
        }));
    }

    /// Two points of a face in the plane share their friction as they share the load. Where both act along the
    /// same line the motion is the same for any split, and relaxation gives all to the point it visits first
    /// until that slides; shared, both stay as far from sliding as they can, and the next steps find
    /// contacts that keep their status.
    pub(super) fn distribute_friction(&mut self, problem: &Problem) {
        if D::N != 2 {
            return;
        }
        let found = self.scratch.detector.candidates();
        let mut at = 0;
        while let Some(&[first, second]) = self
            .scratch
            .active
            .get(at..at + 2)
            .and_then(|s| s.first_chunk())
        {
            let [a, b] = [first, second].map(|touch| &found[touch as usize]);
            let (i, j) = (problem.rows(at), problem.rows(at + 1));
            let alike = a.bodies == b.bodies && a.image == b.image && i.len() == 2 && j.len() == 2;
            if !alike || !in_line(&a.point, &b.point) {
                at += 1;
                continue;
            }
            let (i, j, r) = (i.start, j.start, &mut self.scratch.impulse);
            let load = r[i] + r[j];
            if load > 0.0 {
                let friction = r[i + 1] + r[j + 1];
                r[i + 1] = friction * (r[i] / load);
                r[j + 1] = friction * (r[j] / load);
            }
            at += 2;
        }
    }
}

/// Whether the frictions of two touches act along the same line.
fn in_line<D: Dim>(a: &ContactPoint<D>, b: &ContactPoint<D>) -> bool {
    let apart = b.point_a - a.point_a;
    a.normal.dot(b.normal) > 1.0 - FLAT && a.normal.dot(apart).abs() <= FLAT * apart.norm()
}

/// How flat a face is: far below what a start needs, far above rounding.
const FLAT: f64 = 1e-6;

/// The lowest ten bits, two places apart.
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
