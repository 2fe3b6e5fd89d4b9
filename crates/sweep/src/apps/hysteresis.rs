//! Play and stop operators, and the Prandtl–Ishlinskii model.
//!
//! ```text
//! u_i swept by [v(t) − r_i, v(t) + r_i]          play operators of the input v
//! play output  w₀ v + Σ w_i u_i,     stop output  Σ w_i (v − u_i),   |v − u_i| ≤ r_i
//! ```
//!
//! The stop output is the force of elastic, perfectly plastic springs of stiffness w_i and strength w_i r_i in
//! parallel. Between −a and a it dissipates Σ 4 w_i r_i (a − r_i)⁺ per cycle.

use percuss_convex::AxisBox;

use super::positive;
use crate::error::{Result, SweepingError, at, check_len};
use crate::process::Process;
use crate::transformed_set::TransformedSet;

/// Prandtl–Ishlinskii model: play operators with thresholds r_i and weights w_i.
#[derive(Debug, Clone, PartialEq)]
pub struct PrandtlIshlinskii {
    thresholds: Vec<f64>,
    weights: Vec<f64>,
}

impl PrandtlIshlinskii {
    /// Thresholds must be positive, one weight each.
    pub fn new(thresholds: &[f64], weights: &[f64]) -> Result<Self> {
        check_len("weights of the stack", weights.len(), thresholds.len())?;
        for &r in thresholds {
            positive("threshold", r)?;
        }
        if let Some(&value) = weights.iter().find(|w| !w.is_finite()) {
            return Err(SweepingError::Invalid {
                what: "weight",
                value,
                expected: "a finite number",
            });
        }
        Ok(Self {
            thresholds: thresholds.to_vec(),
            weights: weights.to_vec(),
        })
    }

    /// The process for the input v(t), started from the virgin state u_i = v(t₀).
    pub fn process(
        &self,
        t0: f64,
        input: impl Fn(f64) -> f64 + Send + 'static,
    ) -> Result<Process<TransformedSet>> {
        let start = vec![input(t0); self.thresholds.len()];
        // The box of all play intervals, translated by the input.
        let low: Vec<f64> = self.thresholds.iter().map(|r| -r).collect();
        let intervals = AxisBox::new(&low, &self.thresholds).map_err(at(t0))?;
        let set = TransformedSet::new(intervals).with_shift(move |t, a| a.fill(input(t)));
        Process::new(set, t0, &start)
    }

    /// Play output Σ w_i u_i.
    pub fn play_output(&self, u: &[f64]) -> f64 {
        self.weights.iter().zip(u).map(|(w, u)| w * u).sum()
    }

    /// Stop output Σ w_i (v − u_i).
    pub fn stop_output(&self, v: f64, u: &[f64]) -> f64 {
        self.weights.iter().zip(u).map(|(w, u)| w * (v - u)).sum()
    }

    /// Energy dissipated in one cycle of the input between −a and a, in closed form.
    pub fn cycle_loss(&self, a: f64) -> f64 {
        let each = self.weights.iter().zip(&self.thresholds);
        each.map(|(w, r)| 4.0 * w * r * (a - r).max(0.0)).sum()
    }
}
