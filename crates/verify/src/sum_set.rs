//! Nearest points of sums of convex sets in the plane, and of single ellipsoids, implemented independently of the engine.
//!
//! ```text
//! dist(x, C) = max over |n| = 1 of h(n) = n·x − σ_C(n),     proj_C x = x − h(n*) n*   where h(n*) > 0
//! ```
//!
//! σ of a sum is the sum of σ: box, ball, vertices, ellipsoids. The function n ↦ n·x − σ(n) is concave on the plane, so
//! that h is unimodal where it is positive; its maximum is bracketed on a grid that contains the normals of all edges
//! between two vertices and found by bisection of its slope n'·(x − s(n)), s(n) the support point, which decreases
//! through 0 and may jump there. Limits: two rows with bounded parts, or one ellipsoid alone in any number of rows.

use std::f64::consts::TAU;

/// Directions of the grid.
const GRID: usize = 720;

/// A sum of a box, a ball, a polytope and ellipsoids.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SumSet {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub radius: f64,
    /// Vertices of the polytope, none or some.
    pub vertices: Vec<Vec<f64>>,
    /// Semi-axes.
    pub ellipsoids: Vec<Vec<f64>>,
}

impl SumSet {
    /// Whether [`SumSet::nearest`] knows this set.
    pub fn known(&self) -> bool {
        let bounded = self.low.iter().chain(&self.high).all(|b| b.is_finite());
        self.low.len() == 2 && bounded || self.lone_ellipsoid()
    }

    fn lone_ellipsoid(&self) -> bool {
        let flat = self.low.iter().chain(&self.high).all(|b| *b == 0.0);
        flat && self.radius == 0.0 && self.vertices.is_empty() && self.ellipsoids.len() == 1
    }

    /// Support point of the direction n in the plane, and n·s = σ(n).
    fn support(&self, n: [f64; 2]) -> ([f64; 2], f64) {
        let mut s = [0, 1].map(|i| {
            if n[i] > 0.0 {
                self.high[i]
            } else {
                self.low[i]
            }
        });
        let along = |v: &[f64]| v[0] * n[0] + v[1] * n[1];
        if let Some(corner) = self
            .vertices
            .iter()
            .max_by(|a, b| along(a).total_cmp(&along(b)))
        {
            (s[0], s[1]) = (s[0] + corner[0], s[1] + corner[1]);
        }
        for axes in &self.ellipsoids {
            let length = (axes[0] * n[0]).hypot(axes[1] * n[1]);
            for i in 0..2 {
                if length > 0.0 {
                    s[i] += axes[i] * axes[i] * n[i] / length;
                }
            }
        }
        (s[0], s[1]) = (s[0] + self.radius * n[0], s[1] + self.radius * n[1]);
        (s, s[0] * n[0] + s[1] * n[1])
    }

    /// Replaces x by the nearest point of the set.
    pub fn nearest(&self, x: &mut [f64]) {
        if self.lone_ellipsoid() {
            return on_ellipsoid(&self.ellipsoids[0], x);
        }
        let at = [x[0], x[1]];
        let unit = |angle: f64| [angle.cos(), angle.sin()];
        let reach = |angle: f64| {
            let n = unit(angle);
            n[0] * at[0] + n[1] * at[1] - self.support(n).1
        };
        // Slope of h: the turned normal times x − s.
        let slope = |angle: f64| {
            let n = unit(angle);
            let s = self.support(n).0;
            -n[1] * (at[0] - s[0]) + n[0] * (at[1] - s[1])
        };
        // Grid, with the normals of the edges and of the box.
        let mut angles: Vec<f64> = (0..GRID).map(|k| TAU * k as f64 / GRID as f64).collect();
        for (i, v) in self.vertices.iter().enumerate() {
            for w in &self.vertices[..i] {
                let normal = (v[0] - w[0]).atan2(w[1] - v[1]);
                angles.push(normal.rem_euclid(TAU));
                angles.push((normal + 0.5 * TAU).rem_euclid(TAU));
            }
        }
        angles.push(at[1].atan2(at[0]).rem_euclid(TAU));
        angles.sort_by(f64::total_cmp);
        let Some(best) =
            (0..angles.len()).max_by(|a, b| reach(angles[*a]).total_cmp(&reach(angles[*b])))
        else {
            return;
        };
        let (mut low, mut high) = (
            if best == 0 {
                angles[angles.len() - 1] - TAU
            } else {
                angles[best - 1]
            },
            if best + 1 == angles.len() {
                angles[0] + TAU
            } else {
                angles[best + 1]
            },
        );
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        // The better of the bracket and the grid point, which may be a corner of h.
        let angle = [low, high, angles[best]]
            .into_iter()
            .max_by(|a, b| reach(*a).total_cmp(&reach(*b)));
        let angle = angle.unwrap_or(low);
        let (n, far) = (unit(angle), reach(angle));
        if far > 0.0 {
            (x[0], x[1]) = (at[0] - far * n[0], at[1] - far * n[1]);
        }
    }

    /// Support function at −u: the largest dissipation.
    #[cfg(test)]
    fn sigma(&self, n: [f64; 2]) -> f64 {
        self.support(n).1
    }
}

/// Nearest point of an ellipsoid with its interior: y_i = a_i² x_i/(a_i² + λ), λ ≥ 0 by bisection.
fn on_ellipsoid(axes: &[f64], x: &mut [f64]) {
    let point = |l: f64| -> Vec<f64> {
        let one = |(a, x): (&f64, &f64)| {
            if *a > 0.0 {
                a * a * x / (a * a + l)
            } else {
                0.0
            }
        };
        axes.iter().zip(&*x).map(one).collect()
    };
    let outside = |y: &[f64]| {
        let share = |(a, y): (&f64, &f64)| if *a > 0.0 { (y / a) * (y / a) } else { 0.0 };
        axes.iter().zip(y).map(share).sum::<f64>() > 1.0
    };
    let mut found = point(0.0);
    if outside(&found) {
        let largest = axes.iter().fold(0.0_f64, |m, a| m.max(*a));
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (mut low, mut high) = (0.0, largest * length);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            match outside(&point(middle)) {
                true => low = middle,
                false => high = middle,
            }
        }
        found = point(high);
    }
    x.copy_from_slice(&found);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest point satisfies the variational inequality against all support points of the set.
    #[test]
    fn nearest_points_of_sums_satisfy_the_variational_inequality() {
        let set = SumSet {
            low: vec![-0.2, 0.0],
            high: vec![0.5, 0.1],
            radius: 0.3,
            vertices: vec![
                vec![1.0, 0.0],
                vec![0.0, 1.0],
                vec![-1.0, 0.2],
                vec![0.1, -0.7],
            ],
            ellipsoids: vec![vec![2.0, 0.5], vec![0.1, 0.4]],
        };
        for k in 0..400 {
            let angle = 0.37 * f64::from(k);
            let size = 0.5 + 0.02 * f64::from(k);
            let x = [size * angle.cos(), size * angle.sin()];
            let mut y = x.to_vec();
            set.nearest(&mut y);
            let z = [x[0] - y[0], x[1] - y[1]];
            let length = z[0].hypot(z[1]);
            if length == 0.0 {
                continue;
            }
            // z·(s − y) ≤ 0 for the support point in the direction z: y is on the boundary with normal z.
            let sigma = set.sigma([z[0] / length, z[1] / length]);
            let left = sigma - (z[0] * y[0] + z[1] * y[1]) / length;
            // Rounding of the angle times the size of the set.
            assert!(left.abs() < 1e-13 * (1.0 + size), "{k}: {left:e}");
        }
    }
}
