//! Excess of a polyhedron in one or two coordinates over a later one, from its corners.
//!
//! ```text
//! e(A, B) = max over the corners a of A of dist(a, B),   dist(a, B) = min over the sides of B of the distance from a
//! ```
//!
//! Corners are intersections of sides that satisfy all others, sides of B are lines clipped by the others; all in
//! coordinates in which the metric is Euclidean. Where A recedes, its sides must not turn; what recedes with B adds nothing then, and a set
//! without corners (a slab, a half-plane) is represented by the points of its sides next to the origin.

use percuss_scene::model::mechanism::SystemError;

use super::SweepVerifier;
use super::metric::dot;

/// Slack of a point within the sides, relative to 1 + its distance from the origin.
const SLACK: f64 = 1e-10;

/// Sides g·x ≤ b with |g| = 1, both ways for an equation.
type Sides = Vec<([f64; 2], f64)>;

impl SweepVerifier<'_> {
    /// e(C(from), C(to)) in one or two coordinates; `None` in more, or where a set that turns recedes.
    pub(super) fn excess_of_polygon(
        &mut self,
        from: f64,
        to: f64,
    ) -> Result<Option<f64>, SystemError> {
        if self.initial.q.len() > 2 {
            return Ok(None);
        }
        let (first, last) = (self.polygon(from)?, self.polygon(to)?);
        if self.plan.turning && recedes(&first) {
            return Ok(None);
        }
        let far = corners(&first).into_iter().map(|a| distance(&last, a));
        Ok(far.reduce(f64::max))
    }

    /// The sides at a time, in coordinates in which the metric is Euclidean; one coordinate is the first of two.
    fn polygon(&mut self, t: f64) -> Result<Sides, SystemError> {
        let n = self.initial.q.len();
        let local = self.local(t, &vec![0.0; n])?;
        // Cholesky factor of A: |x|² = |Lᵀx|², a covector g becomes L⁻¹g.
        let column = |i: usize| {
            let mut e = vec![0.0; n];
            e[i] = 1.0;
            self.form.apply(&e)
        };
        let a = column(0);
        let l00 = a[0].sqrt();
        let (l10, l11) = match n {
            2 => (a[1] / l00, (column(1)[1] - (a[1] / l00).powi(2)).sqrt()),
            _ => (0.0, 1.0),
        };
        let mut sides = Vec::new();
        for (k, gradient) in local.gradients.iter().enumerate() {
            // gap + ∇gap·x ≥ 0.
            let x = -gradient[0] / l00;
            let y = match n {
                2 => (-gradient[1] - l10 * x) / l11,
                _ => 0.0,
            };
            let length = x.hypot(y);
            if length == 0.0 {
                continue;
            }
            let side = ([x / length, y / length], local.gaps[k] / length);
            sides.push(side);
            if self.equation[k] {
                sides.push(([-side.0[0], -side.0[1]], -side.1));
            }
        }
        if n == 1 {
            // Between two lines along the second axis.
            sides.push(([0.0, 1.0], 0.0));
            sides.push(([0.0, -1.0], 0.0));
        }
        Ok(sides)
    }
}

/// Whether a point satisfies all sides.
fn holds(sides: &Sides, x: [f64; 2]) -> bool {
    let size = 1.0 + dot(&x, &x).sqrt();
    sides.iter().all(|(g, b)| dot(g, &x) <= b + SLACK * size)
}

/// Corners of the set, or the points of its sides next to the origin where it has none.
fn corners(sides: &Sides) -> Vec<[f64; 2]> {
    let mut all = Vec::new();
    for (i, (g, b)) in sides.iter().enumerate() {
        for (h, c) in &sides[..i] {
            let turn = g[0] * h[1] - g[1] * h[0];
            if turn.abs() > 1e-9 {
                all.push([(b * h[1] - c * g[1]) / turn, (c * g[0] - b * h[0]) / turn]);
            }
        }
    }
    all.retain(|x| holds(sides, *x));
    if all.is_empty() {
        all.extend(sides.iter().map(|(g, b)| [b * g[0], b * g[1]]));
        all.retain(|x| holds(sides, *x));
    }
    all
}

/// Distance of a point from the set.
fn distance(sides: &Sides, x: [f64; 2]) -> f64 {
    if holds(sides, x) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for (k, (g, b)) in sides.iter().enumerate() {
        // The foot on the line of this side, and the part of the line within the other sides.
        let off = dot(g, &x) - b;
        let foot = [x[0] - off * g[0], x[1] - off * g[1]];
        let along = [-g[1], g[0]];
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (j, (h, c)) in sides.iter().enumerate() {
            let (rate, room) = (dot(h, &along), c - dot(h, &foot));
            if j == k {
                continue;
            }
            if rate.abs() <= 1e-12 {
                // A parallel side beyond which the line lies.
                if room < -SLACK * (1.0 + foot[0].hypot(foot[1])) {
                    (low, high) = (1.0, -1.0);
                }
            } else if rate > 0.0 {
                high = high.min(room / rate);
            } else {
                low = low.max(room / rate);
            }
        }
        if low <= high + SLACK {
            let s = 0.0_f64.max(low).min(high.max(low));
            least = least.min(off.hypot(s));
        }
    }
    least
}

/// Whether the set has a direction along which it recedes.
fn recedes(sides: &Sides) -> bool {
    let turned = sides
        .iter()
        .flat_map(|(g, _)| [[-g[1], g[0]], [g[1], -g[0]]]);
    let mut all: Vec<[f64; 2]> = turned.collect();
    all.extend(sides.iter().map(|(g, _)| [-g[0], -g[1]]));
    all.iter()
        .any(|d| sides.iter().all(|(g, _)| dot(g, d) <= 1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(r: f64, x: f64) -> Sides {
        vec![
            ([1.0, 0.0], r + x),
            ([-1.0, 0.0], r - x),
            ([0.0, 1.0], r),
            ([0.0, -1.0], r),
        ]
    }

    #[test]
    fn distances_and_corners_are_those_of_a_square() {
        let set = square(1.0, 0.0);
        assert_eq!(corners(&set).len(), 4);
        // Above a side, beyond a corner, inside.
        for (x, expected) in [([0.5, 3.0], 2.0), ([4.0, 5.0], 5.0), ([0.2, 0.9], 0.0)] {
            assert!((distance(&set, x) - expected).abs() < 1e-14);
        }
        let moved = square(0.5, 2.0);
        let e = corners(&set).into_iter().map(|a| distance(&moved, a));
        // From (-1, ±1) to (1.5, ±0.5).
        assert!((e.fold(0.0, f64::max) - 2.5_f64.hypot(0.5)).abs() < 1e-14);
        assert!(!recedes(&set) && recedes(&set[1..].to_vec()) && recedes(&set[..1].to_vec()));
    }

    #[test]
    fn a_half_plane_that_retracts_loses_what_its_side_moves() {
        let (wide, narrow) = (vec![([0.6, 0.8], 2.0)], vec![([0.6, 0.8], 0.5)]);
        let e = corners(&wide).into_iter().map(|a| distance(&narrow, a));
        assert!((e.fold(0.0, f64::max) - 1.5).abs() < 1e-14);
    }
}
