//! Runge–Kutta pair of Dormand and Prince of orders 8(5,3) for ẏ = f(t, y), with a continuous extension (dense output)
//! of order 7 over the step.
//!
//! ```text
//! Y_i = y + h Σ a_ij k_j,   k_i = f(t + c_i h, Y_i),   y(t+h) = y + h Σ b_i k_i
//! ```
//!
//! The error of a step is estimated by two embedded solutions. Only the leading entries of y are controlled; the others
//! are quadratures.

use super::tableau::{DENSE, FIFTH, NODE, STAGE, STAGES, THIRD, TableauRow};

/// Number of stages of the step itself.
const STEP: usize = 12;

/// Stages of a step and its continuous extension.
#[derive(Debug, Clone, Default)]
pub(super) struct DormandPrince {
    /// Slopes k_i, stage by stage.
    slope: Vec<Vec<f64>>,
    /// Stage value Y_i.
    stage: Vec<f64>,
    /// y at the beginning.
    begin: Vec<f64>,
    /// y at the end.
    pub(super) end: Vec<f64>,
    /// Time at the beginning, and step length.
    pub(super) t: f64,
    pub(super) h: f64,
    /// Coefficients of the continuous extension.
    dense: [Vec<f64>; 7],
}

impl DormandPrince {
    pub(super) fn new(len: usize) -> Self {
        Self {
            slope: vec![vec![0.0; len]; STAGES],
            stage: vec![0.0; len],
            begin: vec![0.0; len],
            end: vec![0.0; len],
            t: 0.0,
            h: 0.0,
            dense: std::array::from_fn(|_| vec![0.0; len]),
        }
    }

    /// Sets the initial value of the next steps and evaluates the slope there.
    pub(super) fn start<E>(
        &mut self,
        t: f64,
        begin: &[f64],
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.t = t;
        self.begin.copy_from_slice(begin);
        f(t, &self.begin, &mut self.slope[0])
    }

    /// A step of length `h` from the initial value; the result is in `end`.
    pub(super) fn step<E>(
        &mut self,
        h: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.h = h;
        for i in 1..STEP {
            self.evaluate(i, f)?;
        }
        combine(&self.begin, h, &self.slope, STAGE[STEP], &mut self.end);
        Ok(())
    }

    /// Evaluates stage i.
    fn evaluate<E>(
        &mut self,
        i: usize,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stage = std::mem::take(&mut self.stage);
        combine(&self.begin, self.h, &self.slope, STAGE[i], &mut stage);
        let done = f(self.t + NODE[i] * self.h, &stage, &mut self.slope[i]);
        self.stage = stage;
        done
    }

    /// Error estimate of the step over the tolerance `absolute[i] + relative·|y_i|` of the controlled entries; at most
    /// 1 is accepted.
    pub(super) fn error(&self, absolute: &[f64], relative: f64) -> f64 {
        let (mut third, mut fifth) = (0.0, 0.0);
        for (i, tolerance) in absolute.iter().enumerate() {
            // Estimates of orders 5 and 3, scaled by the tolerance.
            let size = self.begin[i].abs().max(self.end[i].abs());
            let scale = tolerance + relative * size;
            let five = sum(&self.slope, FIFTH, i) / scale;
            let three = (sum(&self.slope, STAGE[STEP], i) - sum(&self.slope, THIRD, i)) / scale;
            fifth += five * five;
            third += three * three;
        }
        // Combination of both estimates after Hairer, Nørsett and Wanner.
        let denominator = fifth + 0.01 * third;
        if denominator <= 0.0 {
            return 0.0;
        }
        self.h.abs() * fifth / (denominator * absolute.len().max(1) as f64).sqrt()
    }

    /// Computes the continuous extension of the step, for [`Self::at`].
    pub(super) fn extend<E>(
        &mut self,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        for i in STEP..STAGES {
            self.evaluate(i, f)?;
        }
        let h = self.h;
        // Hermite part from both ends, then four coefficients from all stages.
        for i in 0..self.begin.len() {
            let change = self.end[i] - self.begin[i];
            let bend = h * self.slope[0][i] - change;
            self.dense[0][i] = change;
            self.dense[1][i] = bend;
            self.dense[2][i] = change - h * self.slope[STEP][i] - bend;
            for (k, row) in DENSE.iter().enumerate() {
                self.dense[3 + k][i] = h * sum(&self.slope, row, i);
            }
        }
        Ok(())
    }

    /// The continuous extension at the share `s` of the step.
    pub(super) fn at(&self, s: f64, y: &mut [f64]) {
        let r = 1.0 - s;
        for (i, y) in y.iter_mut().enumerate() {
            let mut value = 0.0;
            for (k, c) in self.dense.iter().enumerate().rev() {
                value = (value + c[i]) * if k % 2 == 0 { s } else { r };
            }
            *y = self.begin[i] + value;
        }
    }
}

/// Σ w k_i over a row of the tableau.
fn sum(slope: &[Vec<f64>], row: TableauRow, i: usize) -> f64 {
    row.iter().map(|&(stage, w)| w * slope[stage][i]).sum()
}

/// y + h Σ w k over a row of the tableau.
fn combine(y: &[f64], h: f64, slope: &[Vec<f64>], row: TableauRow, out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = y[i] + h * sum(slope, row, i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of a row, stage by stage.
    fn weights(row: TableauRow) -> [f64; STAGES] {
        let mut w = [0.0; STAGES];
        row.iter().for_each(|&(i, x)| w[i] = x);
        w
    }

    #[test]
    fn the_nodes_are_the_row_sums_and_the_quadrature_is_of_order_eight() {
        for i in 1..STAGES {
            let sum: f64 = STAGE[i].iter().map(|p| p.1).sum();
            // Weights up to 43 with 16 digits.
            assert!((sum - NODE[i]).abs() < 1e-13, "{i}: {sum} {}", NODE[i]);
        }
        let b = weights(STAGE[STEP]);
        for k in 0..8 {
            let moment: f64 = (0..STEP).map(|i| b[i] * NODE[i].powi(k)).sum();
            assert!((moment - 1.0 / f64::from(k + 1)).abs() < 1e-13, "{k}");
        }
        for k in 0..5 {
            let moment: f64 = FIFTH.iter().map(|&(i, w)| w * NODE[i].powi(k)).sum();
            // The estimate of order 5 vanishes on polynomials of degree 4.
            assert!(moment.abs() < 1e-13, "{k}: {moment}");
        }
    }

    /// Error at t = 1 of y¨ = −y/|y|³ on a circle, with n steps, and of the middle of each step.
    fn kepler(n: usize) -> (f64, f64) {
        let mut f = |_t: f64, y: &[f64], k: &mut [f64]| -> Result<(), ()> {
            let cube = y[0].hypot(y[1]).powi(3);
            k.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
            Ok(())
        };
        let mut runge = DormandPrince::new(4);
        let mut y = vec![1.0, 0.0, 0.0, 1.0];
        let h = 2.0 / n as f64;
        let mut worst = 0.0_f64;
        for i in 0..n {
            let t = i as f64 * h;
            runge.start(t, &y, &mut f).unwrap();
            runge.step(h, &mut f).unwrap();
            runge.extend(&mut f).unwrap();
            let mut middle = [0.0; 4];
            runge.at(0.37, &mut middle);
            let angle = t + 0.37 * h;
            worst = worst.max((middle[0] - angle.cos()).hypot(middle[1] - angle.sin()));
            y.copy_from_slice(&runge.end);
        }
        ((y[0] - 2.0_f64.cos()).hypot(y[1] - 2.0_f64.sin()), worst)
    }

    #[test]
    fn the_step_is_of_order_eight_and_its_extension_of_order_seven() {
        let ((coarse, within), (fine, finer)) = (kepler(4), kepler(8));
        let order = (coarse / fine).log2();
        // Orders measured over one halving far from rounding; half an order for higher terms.
        assert!(order > 7.5, "order {order}: {coarse:e} {fine:e}");
        let order = (within / finer).log2();
        assert!(order > 7.0, "order {order}: {within:e} {finer:e}");
    }

    #[test]
    fn the_extension_passes_through_both_ends_with_their_slopes() {
        let mut f = |t: f64, y: &[f64], k: &mut [f64]| -> Result<(), ()> {
            k[0] = t.cos() * y[0];
            Ok(())
        };
        let mut runge = DormandPrince::new(1);
        runge.start(0.0, &[1.0], &mut f).unwrap();
        runge.step(0.4, &mut f).unwrap();
        runge.extend(&mut f).unwrap();
        let at = |s: f64| {
            let mut y = [0.0];
            runge.at(s, &mut y);
            y[0]
        };
        assert!((at(0.0) - 1.0).abs() < 1e-15 && (at(1.0) - runge.end[0]).abs() < 1e-15);
        let d = 1e-5;
        // Central difference of a smooth function, error h² ~ 1e-11 relative to the step.
        let slope = (at(1.0 + d) - at(1.0 - d)) / (2.0 * d * 0.4);
        assert!((slope - 0.4_f64.cos() * runge.end[0]).abs() < 1e-9);
    }
}
