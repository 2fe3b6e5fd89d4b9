//! Boundary of the moving set C(t) of a sweeping process in one or two coordinates.
//!
//! C(t) = { gap_k(t, u) ≥ 0 for all k } is convex. Where all gaps are affine, C(t) is a polygon: a large square
//! is clipped by the half-planes (Sutherland–Hodgman), which is exact. Otherwise rays are cast from an interior
//! point in `RAYS` directions; along each, min_k gap_k falls to 0 once, and bisection finds the crossing. An
//! unbounded set is cut off at a few times the extent of the path.

use percuss_mechanism::System;
use percuss_scene::SymbolicSystem;

use super::drawing_data::Kind;
use super::evaluated_items::EvaluatedItem;
use super::states::SampledStates;

/// Number of rays from the interior point.
const RAYS: usize = 96;

/// Cost of a moving set, in coordinates per state: it is the most expensive item to evaluate, and limits a
/// drawing that has one to 2000 states.
pub(super) const WEIGHT: usize = 2000;

/// Points along each side of the grid that is searched for an interior point.
const GRID: usize = 16;

/// Bisection steps along a ray: down to rounding.
const HALVINGS: usize = 50;

/// Search radius in extents of the path: first value, and maximum.
const REACH: (f64, f64) = (2.0, 60.0);

/// Half the height of the band that shows an interval, as a fraction of the width of the picture.
const BAND: f64 = 0.04;

/// Computes the points of the moving set of a drawing; returns whether the set is bounded, so that all of it
/// can be shown.
pub(super) fn fill(
    pieces: &mut [EvaluatedItem],
    system: &mut SymbolicSystem,
    states: &SampledStates,
    affine: bool,
) -> bool {
    let Some(piece) = pieces.iter_mut().find(|p| p.item.kind == Kind::Set) else {
        return true;
    };
    // One gap value per unilateral constraint.
    let contacts = system.constraints().iter().filter(|c| c.is_contact());
    let gaps = vec![0.0; contacts.map(|c| c.num_gaps()).sum()];
    let mut sets = SetSampler {
        system,
        gaps,
        affine,
        reach: 1.0,
    };
    // The search radius, then the boundary at each state.
    let whole = sets.choose_search_radius(states);
    let mut all = true;
    piece.counts.clear();
    piece.points.clear();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..states.len() {
        let (points, ends) = sets.at(states, k);
        all &= ends;
        low = points.iter().step_by(2).fold(low, |a, b| a.min(*b));
        high = points.iter().step_by(2).fold(high, |a, b| a.max(*b));
        let count = u32::try_from(points.len() / 2).unwrap_or(0);
        piece.counts.push(count);
        piece.points.extend(points);
    }
    if states.positions == 1 {
        // An interval is one-dimensional: its band gets a height for display.
        let tall = BAND * (high - low);
        piece
            .points
            .iter_mut()
            .skip(1)
            .step_by(2)
            .for_each(|y| *y *= tall);
    }
    whole && all
}

/// Extent of the path; 1 for a point that never moves.
fn size(states: &SampledStates) -> f64 {
    let span = |column: usize| {
        let all = states.series(column).into_iter().filter(|x| x.is_finite());
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
        high - low
    };
    let size = (0..states.positions).map(span).fold(0.0, f64::max);
    if size > 0.0 && size.is_finite() {
        size
    } else {
        1.0
    }
}

struct SetSampler<'a> {
    system: &'a mut SymbolicSystem,
    gaps: Vec<f64>,
    affine: bool,
    /// Half the side of the square, centred on the point, in which the set is searched.
    reach: f64,
}

impl SetSampler<'_> {
    /// Chooses the search radius from a few states; returns whether the set is bounded within it. An unbounded
    /// set is cut off near the path.
    fn choose_search_radius(&mut self, states: &SampledStates) -> bool {
        let size = size(states);
        let sampled = || (0..7).map(|k| k * states.len().saturating_sub(1) / 6);
        let mut reach = REACH.0 * size;
        while reach <= REACH.1 * size {
            self.reach = reach;
            if sampled().all(|k| self.at(states, k).1) {
                return true;
            }
            reach *= 3.0;
        }
        self.reach = REACH.0 * size;
        false
    }

    /// The boundary of the set at a state, and whether the set is bounded.
    fn at(&mut self, states: &SampledStates, k: usize) -> (Vec<f64>, bool) {
        let t = states.t.get(k).copied().unwrap_or(f64::NAN);
        let (q, _) = states.state(k);
        match *q {
            [x] => self.interval(t, x),
            [x, y] if self.affine => self.polygon(t, [x, y]),
            [x, y] => self.smooth(t, [x, y]),
            _ => (Vec::new(), true),
        }
    }

    /// The gaps at a point; NaN where an expression fails.
    fn values(&mut self, t: f64, u: &[f64]) -> &[f64] {
        if self.system.gaps(t, u, &mut self.gaps).is_err() {
            self.gaps.fill(f64::NAN);
        }
        &self.gaps
    }

    /// The smallest gap, min_k gap_k.
    fn min_gap(&mut self, t: f64, u: &[f64]) -> f64 {
        let inside = |least: f64, gap: &f64| {
            if gap.is_nan() {
                f64::NAN
            } else {
                least.min(*gap)
            }
        };
        self.values(t, u).iter().fold(f64::INFINITY, inside)
    }

    /// Distance from an interior point to the boundary along a direction, at most `far`; bisection.
    fn ray(&mut self, t: f64, from: &[f64], along: &[f64], far: f64) -> (f64, bool) {
        let at = |s: f64| -> Vec<f64> { from.iter().zip(along).map(|(a, b)| a + s * b).collect() };
        if self.min_gap(t, &at(far)) >= 0.0 {
            return (far, false);
        }
        let (mut inside, mut outside) = (0.0, far);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            match self.min_gap(t, &at(middle)) >= 0.0 {
                true => inside = middle,
                false => outside = middle,
            }
        }
        (0.5 * (inside + outside), true)
    }

    /// The interval as a rectangle of height 2.
    fn interval(&mut self, t: f64, x: f64) -> (Vec<f64>, bool) {
        let inner = self.inner(t, &[x]);
        let Some(inner) = inner else {
            return (Vec::new(), true);
        };
        let reach = self.reach;
        let (left, ends_left) = self.ray(t, &inner, &[-1.0], reach);
        let (right, ends_right) = self.ray(t, &inner, &[1.0], reach);
        let (a, b) = (inner[0] - left, inner[0] + right);
        let corners = vec![a, -1.0, b, -1.0, b, 1.0, a, 1.0];
        (corners, ends_left && ends_right)
    }

    /// The polygon of affine gaps: a square clipped by half-planes.
    fn polygon(&mut self, t: f64, u: [f64; 2]) -> (Vec<f64>, bool) {
        let r = self.reach;
        let centre = self.values(t, &u).to_vec();
        let slopes =
            [[r, 0.0], [0.0, r]].map(|d| self.values(t, &[u[0] + d[0], u[1] + d[1]]).to_vec());
        // Coordinates relative to the point, in units of the search radius.
        let mut polygon = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        for (k, at) in centre.iter().enumerate() {
            let slope = [slopes[0][k] - at, slopes[1][k] - at];
            polygon = cut(&polygon, |p| at + slope[0] * p[0] + slope[1] * p[1]);
        }
        let ends = polygon.iter().flatten().all(|x: &f64| x.abs() < 1.0);
        let points = polygon
            .iter()
            .flat_map(|p| [u[0] + r * p[0], u[1] + r * p[1]]);
        (points.collect(), ends)
    }

    /// Ray casting from an interior point, twice: the mean of the first boundary points is a better centre.
    fn smooth(&mut self, t: f64, u: [f64; 2]) -> (Vec<f64>, bool) {
        let Some(inner) = self.inner(t, &u) else {
            return (Vec::new(), true);
        };
        let (few, _) = self.rays(t, u, [inner[0], inner[1]], RAYS / 6);
        let count = (few.len() / 2).max(1) as f64;
        let mean = |axis: usize| few.iter().skip(axis).step_by(2).sum::<f64>() / count;
        let middle = [mean(0), mean(1)];
        let from = match self.min_gap(t, &middle) > 0.0 {
            true => middle,
            false => [inner[0], inner[1]],
        };
        self.rays(t, u, from, RAYS)
    }

    fn rays(&mut self, t: f64, u: [f64; 2], from: [f64; 2], count: usize) -> (Vec<f64>, bool) {
        let (mut points, mut ends) = (Vec::with_capacity(2 * count), true);
        for k in 0..count {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            // Distance to the border of the square along the ray.
            let border = |axis: usize, along: f64| {
                let room = self.reach - (from[axis] - u[axis]) * along.signum();
                if along == 0.0 {
                    f64::INFINITY
                } else {
                    room / along.abs()
                }
            };
            let far = border(0, cos).min(border(1, sin)).max(0.0);
            let (s, end) = self.ray(t, &from, &[cos, sin], far);
            points.extend([from[0] + s * cos, from[1] + s * sin]);
            ends &= end;
        }
        (points, ends)
    }

    /// The grid point about `u` with the largest min gap; a finer grid is tried where no point is inside.
    fn inner(&mut self, t: f64, u: &[f64]) -> Option<Vec<f64>> {
        let mut reach = self.reach;
        for _ in 0..8 {
            let mut best = (0.0, None);
            let side = |k: usize| reach * (2.0 * k as f64 / GRID as f64 - 1.0);
            let rows = if u.len() > 1 { GRID } else { 0 };
            for i in 0..=GRID {
                for j in 0..=rows {
                    let offset = [side(i), if rows > 0 { side(j) } else { 0.0 }];
                    let point: Vec<f64> = u.iter().zip(offset).map(|(u, d)| u + d).collect();
                    let depth = self.min_gap(t, &point);
                    if depth > best.0 {
                        best = (depth, Some(point));
                    }
                }
            }
            if best.1.is_some() {
                return best.1;
            }
            reach /= 4.0;
        }
        None
    }
}

/// The part of a convex polygon where an affine function is not negative (Sutherland and Hodgman).
fn cut(polygon: &[[f64; 2]], value: impl Fn([f64; 2]) -> f64) -> Vec<[f64; 2]> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let (at_a, at_b) = (value(a), value(b));
        if at_a >= 0.0 {
            kept.push(a);
        }
        if (at_a > 0.0 && at_b < 0.0) || (at_a < 0.0 && at_b > 0.0) {
            let s = at_a / (at_a - at_b);
            kept.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn half_of_a_square_is_cut_off_exactly() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        let half = cut(&square, |p| 1.0 - p[0]);
        assert_eq!(half, vec![[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]]);
        assert!(cut(&square, |_| -1.0).is_empty());
    }
}
