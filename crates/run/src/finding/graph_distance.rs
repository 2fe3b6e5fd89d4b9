//! Hausdorff distance of the graphs of two motions, jumps filled in (M99 §6).
//!
//! ```text
//! graph of x = { (t, x(t)) } ∪ { (t, (1 − s) x⁻(t) + s x⁺(t)) : s ∈ [0, 1], x jumps at t }
//! h(A, B) = max(e(A, B), e(B, A)),   e(A, B) = sup over A of the distance from B,   |(t, x)| = √(t² + |x|²)
//! ```
//!
//! A jump that comes a step too late is wrong by its height in the largest error, and by the length of the step in this
//! distance. Graphs are polylines: the states of a run one after the other, of an exact solution its values at close
//! instants and both limits at declared jumps. Time and observables count alike: scale the observables where their
//! units differ much; the order of convergence does not depend on it.
//!
//! The excess of one polyline over another is found by dividing its segments. The distance from one segment is convex,
//! so that on a piece with ends p and q it is at most min over segments S of max(dist(p, S), dist(q, S)); pieces whose bound is not
//! above what was found are left. Segments of the other polyline are looked for around the same instant, as far out as
//! the distance found so far.

/// Pieces are divided until their bound exceeds the distance found by this share at most.
const SHARP: f64 = 1e-6;

/// Largest number of divisions of one segment.
const DIVISIONS: usize = 100_000;

/// A polyline in time and observables: rows t, x₁, …, x_k, times never falling.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    width: usize,
    rows: Vec<f64>,
}

impl Polyline {
    /// An empty polyline of points with this number of observables.
    pub fn new(observables: usize) -> Self {
        Self {
            width: observables + 1,
            rows: Vec::new(),
        }
    }

    /// Adds a point.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        self.rows.push(t);
        self.rows.extend_from_slice(values);
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether all entries are finite, and there is a point.
    pub fn is_usable(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|v| v.is_finite())
    }

    fn point(&self, k: usize) -> &[f64] {
        &self.rows[k * self.width..(k + 1) * self.width]
    }

    /// Segment k from point k to the next; a single point is a segment of its own.
    fn segment(&self, k: usize) -> (&[f64], &[f64]) {
        (self.point(k), self.point((k + 1).min(self.len() - 1)))
    }

    fn segments(&self) -> usize {
        (self.len() - 1).max(1)
    }

    /// Distance of a point from the polyline and the segment that has it; segments are searched from that of its
    /// instant outwards.
    fn distance(&self, p: &[f64]) -> (f64, usize) {
        let count = self.segments();
        // The first point later than p, less one: the segment around its instant.
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.point(middle)[0] <= p[0] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let first = low.saturating_sub(1).min(count - 1);
        let mut best = (to_segment(p, self.segment(first)), first);
        // Later segments, then earlier ones, while they are near enough in time.
        for k in first + 1..count {
            if self.point(k)[0] - p[0] > best.0 {
                break;
            }
            let far = to_segment(p, self.segment(k));
            if far < best.0 {
                best = (far, k);
            }
        }
        for k in (0..first).rev() {
            if p[0] - self.segment(k).1[0] > best.0 {
                break;
            }
            let far = to_segment(p, self.segment(k));
            if far < best.0 {
                best = (far, k);
            }
        }
        best
    }

    /// e(self, other).
    fn excess(&self, other: &Self) -> f64 {
        let mut most = 0.0_f64;
        for k in 0..self.segments() {
            let (a, b) = self.segment(k);
            let ends = [a, b].map(|p| (p.to_vec(), other.distance(p)));
            most = ends.iter().fold(most, |m, e| m.max(e.1.0));
            let [a, b] = ends;
            let mut open = vec![(a, b)];
            for _ in 0..DIVISIONS {
                let Some((a, b)) = open.pop() else { break };
                // Distances from the segments next to the ends bound the piece.
                let over = |k: usize| {
                    let s = other.segment(k);
                    to_segment(&a.0, s).max(to_segment(&b.0, s))
                };
                let bound = over(a.1.1).min(over(b.1.1));
                if bound <= most * (1.0 + SHARP) {
                    continue;
                }
                let middle: Vec<f64> = a.0.iter().zip(&b.0).map(|(a, b)| 0.5 * (a + b)).collect();
                let found = other.distance(&middle);
                most = most.max(found.0);
                let middle = (middle, found);
                open.push((middle.clone(), b));
                open.push((a, middle));
            }
        }
        most
    }
}

/// Distance of a point from a segment.
fn to_segment(p: &[f64], (a, b): (&[f64], &[f64])) -> f64 {
    let (mut along, mut square) = (0.0, 0.0);
    for i in 0..p.len() {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        square += (b[i] - a[i]) * (b[i] - a[i]);
    }
    let s = if square > 0.0 {
        (along / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let off = (0..p.len()).map(|i| p[i] - a[i] - s * (b[i] - a[i]));
    off.map(|v| v * v).sum::<f64>().sqrt()
}

/// The Hausdorff distance of two polylines.
pub fn hausdorff(a: &Polyline, b: &Polyline) -> f64 {
    a.excess(b).max(b.excess(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[[f64; 2]]) -> Polyline {
        let mut line = Polyline::new(1);
        points.iter().for_each(|p| line.push(p[0], &p[1..]));
        line
    }

    /// The same from many points on both.
    fn sampled(a: &Polyline, b: &Polyline) -> f64 {
        let mut most = 0.0_f64;
        for (a, b) in [(a, b), (b, a)] {
            for k in 0..a.segments() {
                let (p, q) = a.segment(k);
                for i in 0..=200 {
                    let s = f64::from(i) / 200.0;
                    let x: Vec<f64> = p.iter().zip(q).map(|(p, q)| p + s * (q - p)).collect();
                    let each = (0..b.segments()).map(|k| to_segment(&x, b.segment(k)));
                    most = most.max(each.fold(f64::INFINITY, f64::min));
                }
            }
        }
        most
    }

    #[test]
    fn a_jump_that_comes_late_is_wrong_by_the_delay_not_by_its_height() {
        let exact = line(&[[0.0, 0.0], [1.0, 0.0], [1.0, 5.0], [2.0, 5.0]]);
        for delay in [0.1, 0.01, 1e-5] {
            let late = [
                [0.0, 0.0],
                [1.0 + delay, 0.0],
                [1.0 + delay, 5.0],
                [2.0, 5.0],
            ];
            let found = hausdorff(&exact, &line(&late));
            // Where the delayed graph is 0 or 5 nothing is nearer than the jump itself; rounding.
            assert!((found - delay).abs() < 1e-12, "{found} {delay}");
            // A jump over a step, as a run without its limits has it: half of it is nearer to the other corner.
            let steep = line(&[[0.0, 0.0], [1.0, 0.0], [1.0 + delay, 5.0], [2.0, 5.0]]);
            let found = hausdorff(&exact, &steep);
            // Rounding of coordinates of size 5.
            assert!(found > 0.0 && found <= delay + 2e-15, "{found} {delay}");
        }
    }

    #[test]
    fn agrees_with_a_fine_sampling_and_satisfies_the_triangle_inequality() {
        let mut state = 9_u64;
        let mut number = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..60 {
            let three: Vec<Polyline> = (0..3)
                .map(|_| {
                    let mut line = Polyline::new(2);
                    let mut t = 0.0;
                    for _ in 0..8 {
                        line.push(t, &[number(), 2.0 * number()]);
                        // Every third segment is a jump.
                        t += if number() < 0.33 { 0.0 } else { 0.5 * number() };
                    }
                    line
                })
                .collect();
            let h = |i: usize, j: usize| hausdorff(&three[i], &three[j]);
            let coarse = sampled(&three[0], &three[1]);
            // Two points of a segment, of length 3 at most, are 0.015 apart.
            assert!(
                h(0, 1) >= coarse * (1.0 - 1e-12) && h(0, 1) <= coarse + 0.008,
                "{} {coarse}",
                h(0, 1)
            );
            assert_eq!(h(0, 1), h(1, 0));
            // Divided to a millionth.
            assert!(h(0, 2) <= (h(0, 1) + h(1, 2)) * (1.0 + 3e-6));
        }
    }

    #[test]
    fn graphs_of_the_same_set_by_other_points_are_at_distance_0() {
        let coarse = line(&[[0.0, 0.0], [1.0, 1.0], [1.0, 3.0], [4.0, 0.0]]);
        let fine = line(&[
            [0.0, 0.0],
            [0.5, 0.5],
            [1.0, 1.0],
            [1.0, 2.0],
            [1.0, 3.0],
            [2.0, 2.0],
            [4.0, 0.0],
        ]);
        // Rounding of points on segments.
        assert!(hausdorff(&coarse, &fine) < 1e-15);
    }
}
