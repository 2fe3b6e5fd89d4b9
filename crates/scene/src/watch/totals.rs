//! Works since the start.
//!
//! ```text
//! E − E₀ = work − dissipated + boundary_work,   E = kinetic + potential of gravity
//! ```
//!
//! The account of a step has the work of all given forces, that of gravity included; here gravity
//! is in E, and what is left is the work of the other forces. What a correction of overlaps lifts
//! counts among it.

use bodies::Ledger;

use super::quantity::Total;

/// Works since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    begun: bool,
    kinetic: f64,
    potential: f64,
    all: f64,
    work: f64,
    dissipated: f64,
    boundary: f64,
    absolute: f64,
    /// Kinetic energy at the start.
    initial: f64,
}

impl Totals {
    /// Takes the account of a step; the first time that of the start.
    pub fn add(&mut self, ledger: &Ledger) {
        if self.begun {
            let lifted = ledger.potential - self.potential;
            let lost = -(ledger.impact + ledger.sliding);
            self.all += ledger.work;
            self.work += ledger.work + lifted;
            self.dissipated += lost;
            self.boundary += ledger.boundary;
            self.absolute += ledger.work.abs()
                + ledger.impact.abs()
                + ledger.sliding.abs()
                + ledger.boundary.abs();
        } else {
            self.initial = ledger.kinetic;
        }
        self.begun = true;
        self.kinetic = ledger.kinetic;
        self.potential = ledger.potential;
    }

    pub fn get(&self, total: Total) -> f64 {
        match total {
            Total::Work => self.work,
            Total::Dissipated => self.dissipated,
            Total::BoundaryWork => self.boundary,
            Total::Balance => {
                let left = self.kinetic - self.initial - self.all + self.dissipated - self.boundary;
                if self.absolute > 0.0 {
                    left.abs() / self.absolute
                } else {
                    left.abs()
                }
            }
        }
    }
}
