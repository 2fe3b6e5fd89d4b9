//! Works accumulated since the start, and the energy balance.
//!
//! ```text
//! E − E₀ = work − dissipated + boundary_work,   E = kinetic + potential of gravity + elastic
//! ```
//!
//! The step report has the work of all given forces, gravity included; here gravity is part of E,
//! and `work` is that of the other forces. It includes the energy that the correction of
//! penetrations adds and the work of joint motors. The energy taken by friction and dampers of
//! joints, and by the projection of joints, is dissipated.

use percuss_bodies::StepReport;
use percuss_scene::bodies_scene::names::quantity::Total;
use serde::{Deserialize, Serialize};

/// Works accumulated since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    begun: bool,
    kinetic: f64,
    potential: f64,
    all: f64,
    work: f64,
    dissipated: f64,
    boundary: f64,
    elastic: f64,
    absolute: f64,
    /// Kinetic and elastic energy at the start.
    initial: f64,
}

impl Totals {
    /// Adds a step report; the first one is that of the start.
    pub fn add(&mut self, ledger: &StepReport) {
        // From the second report on: works of the step.
        if self.begun {
            let lifted = ledger.potential - self.potential;
            // The work of springs that is not stored in them is lost in dampers.
            let damped = ledger.spring + ledger.elastic - self.elastic;
            let lost = -(ledger.impact
                + ledger.sliding
                + ledger.joint_friction
                + ledger.bilateral
                + damped);
            self.all += ledger.work + ledger.motor;
            self.work += ledger.work + ledger.motor + lifted;
            self.dissipated += lost;
            self.boundary += ledger.boundary;
            self.absolute += ledger.work.abs()
                + ledger.impact.abs()
                + ledger.sliding.abs()
                + ledger.boundary.abs()
                + ledger.motor.abs()
                + ledger.spring.abs()
                + ledger.joint_friction.abs()
                + ledger.bilateral.abs();
        } else {
            self.initial = ledger.kinetic + ledger.elastic;
        }
        self.begun = true;
        self.kinetic = ledger.kinetic;
        self.potential = ledger.potential;
        self.elastic = ledger.elastic;
    }

    /// An accumulated work, or the relative error of the energy balance.
    pub fn get(&self, total: Total) -> f64 {
        match total {
            Total::Work => self.work,
            Total::Dissipated => self.dissipated,
            Total::BoundaryWork => self.boundary,
            // Energy error relative to the sum of the absolute works.
            Total::Balance => {
                let now = self.kinetic + self.elastic;
                let left = now - self.initial - self.all + self.dissipated - self.boundary;
                if self.absolute > 0.0 {
                    left.abs() / self.absolute
                } else {
                    left.abs()
                }
            }
        }
    }
}
