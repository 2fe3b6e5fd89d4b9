//! What a run vouches for.

use mechanism::Ledger;
use serde::{Deserialize, Serialize};

/// The worst of each column of the ledger over a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Certificate {
    /// Steps made.
    pub steps: usize,
    /// Steps that did not reach their tolerance.
    pub missed: usize,
    /// Largest residual of a step.
    pub worst_residual: f64,
    /// Deepest penetration of a contact.
    pub worst_penetration: f64,
    /// Largest error of the balance of momentum, relative.
    pub worst_momentum: f64,
    /// Largest error of the balance of energy, relative.
    pub worst_energy: f64,
    /// Largest gain of energy through contacts, relative.
    pub worst_gain: f64,
    /// Largest error of a joint.
    pub worst_drift: f64,
    /// Whether every step reached its tolerance and every figure is finite.
    pub ok: bool,
}

impl Certificate {
    /// The certificate of no step.
    pub fn new() -> Self {
        Self {
            ok: true,
            ..Self::default()
        }
    }

    /// Takes the account of one more step.
    pub fn add(&mut self, ledger: &Ledger) {
        self.take(
            ledger.reached,
            [
                ledger.residual,
                ledger.penetration,
                ledger.drift,
                ledger.momentum,
                ledger.energy.abs(),
                ledger.gain,
            ],
        );
    }

    /// Takes the account of one more step of a collection of bodies.
    pub fn add_bodies(&mut self, ledger: &bodies::Ledger) {
        self.take(
            ledger.reached,
            [
                ledger.residual,
                ledger.penetration,
                ledger.drift,
                ledger.momentum,
                ledger.energy.abs(),
                ledger.gain,
            ],
        );
    }

    /// Figures in the order of [`Certificate::columns`].
    fn take(&mut self, reached: bool, figures: [f64; 6]) {
        self.steps += 1;
        self.missed += usize::from(!reached);
        let worst = [
            &mut self.worst_residual,
            &mut self.worst_penetration,
            &mut self.worst_drift,
            &mut self.worst_momentum,
            &mut self.worst_energy,
            &mut self.worst_gain,
        ];
        for (worst, figure) in worst.into_iter().zip(figures) {
            *worst = worse(*worst, figure);
        }
        self.ok = self.missed == 0 && self.columns().iter().all(|(_, worst)| worst.is_finite());
    }

    /// The columns by name, as `worst(name)` of a finding knows them.
    pub fn columns(&self) -> [(&'static str, f64); 6] {
        [
            ("residual", self.worst_residual),
            ("penetration", self.worst_penetration),
            ("drift", self.worst_drift),
            ("momentum", self.worst_momentum),
            ("energy", self.worst_energy),
            ("gain", self.worst_gain),
        ]
    }
}

/// The larger one; a NaN stays: `f64::max` would drop it.
fn worse(worst: f64, value: f64) -> f64 {
    if worst.is_nan() || value.is_nan() {
        return f64::NAN;
    }
    worst.max(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(residual: f64, reached: bool) -> Ledger {
        Ledger {
            residual,
            reached,
            ..Ledger::default()
        }
    }

    #[test]
    fn the_worst_is_kept_and_a_missed_step_counts() {
        let mut certificate = Certificate::new();
        assert!(certificate.ok);
        certificate.add(&step(1e-12, true));
        certificate.add(&step(1e-5, false));
        certificate.add(&step(1e-13, true));
        assert_eq!(
            (certificate.steps, certificate.missed, certificate.ok),
            (3, 1, false)
        );
        assert_eq!(certificate.worst_residual, 1e-5);
    }

    #[test]
    fn a_nan_is_never_lost() {
        let mut certificate = Certificate::new();
        certificate.add(&step(f64::NAN, true));
        certificate.add(&step(1e-12, true));
        assert!(certificate.worst_residual.is_nan() && !certificate.ok);
    }
}
