//! Elastoplastic bar with linear kinematic hardening, driven by its strain.
//!
//! ```text
//! σ = E (ε − p),   χ = −H p,   |σ + χ| ≤ σ_y,   ṗ ∈ N(σ + χ)
//! (σ − E ε, χ) = w swept by { w : |w₁ + w₂ + E ε(t)| ≤ σ_y } in the metric diag(1/E, 1/H)
//! ```
//!
//! The tangent modulus is E inside the elastic range and EH/(E + H) beyond it; the range has the width 2σ_y and moves
//! (Bauschinger effect). H = 0 is the perfectly plastic bar: one coordinate.

use super::positive;
use crate::error::{Result, SweepingError};
use crate::metric::Metric;
use crate::polyhedron::{ConstraintRows, MovingPolyhedron};
use crate::process::Process;

/// Young's modulus E, hardening modulus H ≥ 0, yield stress σ_y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HardeningBar {
    /// Young's modulus.
    pub modulus: f64,
    /// Hardening modulus.
    pub hardening: f64,
    /// Yield stress.
    pub strength: f64,
}

impl HardeningBar {
    /// The process for the strain ε(t), from the virgin state (the first strain must be elastic).
    pub fn process(
        &self,
        t0: f64,
        strain: impl Fn(f64) -> f64 + Send + 'static,
    ) -> Result<Process<MovingPolyhedron>> {
        positive("modulus", self.modulus)?;
        positive("strength", self.strength)?;
        if !(self.hardening.is_finite() && self.hardening >= 0.0) {
            return Err(SweepingError::Invalid {
                what: "hardening",
                value: self.hardening,
                expected: "a number >= 0",
            });
        }
        // Rows ±(w₁ + w₂), or ±w₁ without hardening.
        let (modulus, strength) = (self.modulus, self.strength);
        let (rows, metric) = if self.hardening > 0.0 {
            let metric = Metric::diagonal(&[1.0 / modulus, 1.0 / self.hardening])?;
            (ConstraintRows::dense(2, &[1.0, 1.0, -1.0, -1.0])?, metric)
        } else {
            (
                ConstraintRows::dense(1, &[1.0, -1.0])?,
                Metric::diagonal(&[1.0 / modulus])?,
            )
        };
        let start = vec![0.0; rows.dim()];
        let set = MovingPolyhedron::new(rows, move |t, b| {
            // The strain moves both bounds by −Eε and +Eε.
            let elastic = modulus * strain(t);
            (b[0], b[1]) = (strength - elastic, strength + elastic);
        })?;
        Process::new(set, t0, &start)?.with_metric(metric)
    }

    /// The stress at a strain, from the point w of the process.
    pub fn stress(&self, strain: f64, w: &[f64]) -> f64 {
        w.first().copied().unwrap_or(0.0) + self.modulus * strain
    }
}
