//! Distance of a covector to a normal cone whose multipliers are not recorded: nonnegative least squares (NNLS).
//!
//! ```text
//! min |y − Σ λ_k g_k|_*,   λ_k ≥ 0 for inequalities, free for equations
//! ```
//!
//! Active-set method of Lawson and Hanson (1974) on the normal equations: the row with the steepest descent enters,
//! rows whose multiplier becomes negative leave. The remainder is computed from y and λ, so that the condition number
//! of the normal equations affects λ alone. Dense; for some hundred rows.

use super::metric::{Metric, back, dot, factor};

/// The generators of a cone.
pub(super) struct Cone<'a> {
    pub form: &'a Metric,
    /// Gradients, and whether the multiplier of each is free.
    pub rows: Vec<(Vec<f64>, bool)>,
}

impl Cone<'_> {
    /// Distance of y to the cone, in the metric A⁻¹.
    pub fn distance(&self, y: &[f64]) -> f64 {
        self.form.dual_norm(&self.remainder(y))
    }

    /// y minus its projection onto the cone.
    fn remainder(&self, y: &[f64]) -> Vec<f64> {
        let raised: Vec<Vec<f64>> = self.rows.iter().map(|r| self.form.solve(&r.0)).collect();
        let m = self.rows.len();
        // Gram matrix in the metric A⁻¹.
        let mut gram = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..=i {
                let product = dot(&self.rows[i].0, &raised[j]);
                (gram[i * m + j], gram[j * m + i]) = (product, product);
            }
        }
        let onto: Vec<f64> = raised.iter().map(|row| dot(row, y)).collect();
        let lengths: Vec<f64> = (0..m).map(|k| gram[k * m + k].max(0.0).sqrt()).collect();
        let mut inside: Vec<usize> = Vec::new();
        let mut lambda = vec![0.0; m];
        let (mut rest, mut barred) = (y.to_vec(), vec![false; m]);
        let floor = 1e-15 * self.form.dual_norm(y);
        for _ in 0..3 * m + 10 {
            // Descent of each inactive row; the steepest enters.
            let pull = |k: usize| {
                let slope = dot(&raised[k], &rest) / lengths[k].max(f64::MIN_POSITIVE);
                if self.rows[k].1 { slope.abs() } else { slope }
            };
            let outside = (0..m).filter(|k| !inside.contains(k) && !barred[*k]);
            let best = outside.max_by(|a, b| pull(*a).total_cmp(&pull(*b)));
            let Some(best) = best.filter(|k| pull(*k) > floor) else {
                break;
            };
            inside.push(best);
            if !self.solve_active_set(&gram, &onto, &mut inside, &mut lambda) {
                // Linearly dependent on the active rows: no descent.
                inside.retain(|k| *k != best);
                lambda[best] = 0.0;
                barred[best] = true;
                continue;
            }
            // A row that rounding removes at once would enter again.
            barred[best] = !inside.contains(&best);
            // Remainder from y and the multipliers.
            rest = y.to_vec();
            for k in &inside {
                let row = self.rows[*k].0.iter();
                rest.iter_mut()
                    .zip(row)
                    .for_each(|(r, g)| *r -= lambda[*k] * g);
            }
        }
        rest
    }

    /// Solves for the multipliers of the active rows, none of them negative; `false` where the rows are linearly
    /// dependent.
    fn solve_active_set(
        &self,
        products: &[f64],
        onto: &[f64],
        inside: &mut Vec<usize>,
        lambda: &mut [f64],
    ) -> bool {
        loop {
            let k = inside.len();
            let mut gram = vec![0.0; k * k];
            for (i, a) in inside.iter().enumerate() {
                for (j, b) in inside.iter().enumerate() {
                    gram[i * k + j] = products[a * onto.len() + b];
                }
            }
            let right: Vec<f64> = inside.iter().map(|a| onto[*a]).collect();
            let Some(l) = factor(k, &gram) else {
                return false;
            };
            // Small pivots: nearly dependent rows.
            let pivots = (0..k).map(|i| l[i * k + i] / gram[i * k + i].sqrt());
            if pivots.fold(f64::INFINITY, f64::min) < 1e-7 {
                return false;
            }
            let wanted = back(k, &l, &right);
            // Step length up to the first multiplier that becomes zero.
            let (mut share, mut who) = (1.0, None);
            for (i, a) in inside.iter().enumerate() {
                if !self.rows[*a].1 && wanted[i] < 0.0 {
                    let way = lambda[*a] / (lambda[*a] - wanted[i]);
                    if way < share || who.is_none() {
                        (share, who) = (way.min(share), Some(i));
                    }
                }
            }
            for (i, a) in inside.iter().enumerate() {
                lambda[*a] += share * (wanted[i] - lambda[*a]);
            }
            // The row whose multiplier became zero leaves.
            let Some(who) = who else { return true };
            lambda[inside[who]] = 0.0;
            inside.remove(who);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone<'a>(form: &'a Metric, rows: &[&[f64]]) -> Cone<'a> {
        let rows = rows.iter().map(|r| (r.to_vec(), false)).collect();
        Cone { form, rows }
    }

    #[test]
    fn distances_to_a_wedge_are_those_of_plane_geometry() {
        let form = Metric::Unit;
        // Between (1, 0) and (1, 1); a third row that depends on both changes nothing.
        let wedge = cone(&form, &[&[1.0, 0.0], &[1.0, 1.0], &[2.0, 1.0]]);
        let half = 0.5_f64.sqrt();
        let cases = [
            ([2.0, 1.0], 0.0),
            ([1.0, -3.0], 3.0),
            ([-3.0, -4.0], 5.0),
            ([0.0, 1.0], half),
        ];
        for (y, expected) in cases {
            // Rounding of a few products.
            assert!((wedge.distance(&y) - expected).abs() < 1e-14, "{y:?}");
        }
    }

    #[test]
    fn the_remainder_is_polar_to_the_cone_and_at_right_angles_to_the_nearest_point() {
        // Moreau's two cones: y = p + q, p in the cone, q in its polar, p·q = 0. Tried in another metric,
        // where these products are those of A⁻¹.
        let form = Metric::Diagonal(vec![1.0, 2.0, 0.5, 3.0]);
        let mut seed = 7_u64;
        let mut roll = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for _ in 0..50 {
            let rows: Vec<Vec<f64>> = (0..6).map(|_| (0..4).map(|_| roll()).collect()).collect();
            let slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let y: Vec<f64> = (0..4).map(|_| roll()).collect();
            let rest = cone(&form, &slices).remainder(&y);
            let raised = form.solve(&rest);
            // Rounding of sums of a few products of size 1, through a matrix of condition 1e7 at most.
            for row in &rows {
                assert!(dot(row, &raised) < 1e-12, "{row:?} is not polar");
            }
            let nearest: Vec<f64> = y.iter().zip(&rest).map(|(y, r)| y - r).collect();
            assert!(dot(&nearest, &raised).abs() < 1e-12);
        }
    }
}
