//! Contacts of Paoli's scheme: the velocity of least kinetic energy (P15 7).
//!
//! With two directions of friction this is not Coulomb's law of u, but Coulomb's law of the shifted velocity
//! û_t = u_t + g w (`Law::least_energy`). (★) is solved with the shift added to the velocity; the shift of each contact follows
//! exactly from its own problem with the impulses of the others fixed. One contact, with any joints, takes one
//! correction; several are updated in a fixed-point iteration of at most 100 rounds, each with a contact solve.
//! Where γ ≤ 0 the shifted problem has other solutions than the one of least energy: from the second round on the
//! impulses of least energy are tried before the problem is solved.

use percuss_contact::Law;
use percuss_convex::dense;
use smallvec::SmallVec;

use super::report::orthonormal;
use super::{SlidingRule, SolveSummary, StepProblem};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::system::System;

/// Maximum number of rounds of the fixed-point iteration over several contacts.
const ROUNDS: usize = 100;

impl StepProblem {
    /// Solves (★) from the free velocity `free` in the metric of `inertia`; `v` becomes v_F, impulses and U_F are
    /// stored. The impulses held before are the warm start.
    pub(crate) fn solve<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        v: &mut [f64],
        tolerance: f64,
    ) -> Result<SolveSummary, MechanismError> {
        self.least_energy_shift.clear();
        self.least_energy_shift.resize(self.boundary.len(), 0.0);
        let mut solved = self.solve_with_shift(system, t, inertia, free, v, tolerance)?;
        // Coulomb's law, or no contact with two directions of friction: one solve is the solution.
        let leans = |(k, law): (usize, &Law)| law.normal() && self.rows(k).len() == 3;
        if self.sliding_rule == SlidingRule::Coulomb || !self.law.iter().enumerate().any(leans) {
            return Ok(solved);
        }
        let mut left = self.update_least_energy_shift();
        let mut iterations = solved.iterations;
        // Fixed point over the shifts.
        for round in 0..ROUNDS {
            if left <= tolerance {
                break;
            }
            let tried = match round {
                0 => None,
                _ => self.try_least_energy(system, t, inertia, free, v, tolerance)?,
            };
            solved = match tried {
                Some(summary) => summary,
                None => self.solve_with_shift(system, t, inertia, free, v, tolerance)?,
            };
            iterations += solved.iterations;
            left = self.update_least_energy_shift();
        }
        // `free` of the report is the free velocity without the shift.
        for (free, lean) in self.free.iter_mut().zip(&self.least_energy_shift) {
            *free -= lean;
        }
        Ok(SolveSummary {
            residual: solved.residual.max(left),
            iterations,
            converged: solved.converged && left <= tolerance,
            ..solved
        })
    }

    /// Takes the impulses of least energy of each contact, where they satisfy the shifted problem to the tolerance.
    fn try_least_energy<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        v: &mut [f64],
        tolerance: f64,
    ) -> Result<Option<SolveSummary>, MechanismError> {
        let start = self.impulse.clone();
        self.impulse.copy_from_slice(&self.least_energy_impulse);
        let residual = self.evaluate_with_shift(system, t, inertia, free, v)?;
        if residual > tolerance || residual.is_nan() {
            self.impulse = start;
            return Ok(None);
        }
        Ok(Some(SolveSummary {
            residual,
            iterations: 0,
            converged: true,
            infeasible: [None; 2],
        }))
    }

    /// Updates the shift and the impulse of least energy of each contact with the other impulses fixed. Returns the
    /// distance of the velocities from those of least energy, over the largest free velocity.
    fn update_least_energy_shift(&mut self) -> f64 {
        let basis = orthonormal(&self.kinetic_jacobian, self.n, self.bilateral_rows());
        let speed = (self.free.iter().zip(&self.least_energy_shift))
            .fold(0.0_f64, |m, (free, lean)| m.max((free - lean).abs()));
        let mut left = 0.0_f64;
        self.least_energy_impulse.clone_from(&self.impulse);
        for k in 0..self.active.len() {
            let rows = self.rows(k);
            if !self.law[k].normal() || rows.len() != 3 {
                continue;
            }
            // Local problem: Ŵ of the contact, bilateral rows eliminated, and its velocity without its own impulse.
            let block = self.reduced_block(k, &basis);
            let times = |r: &[f64]| -> [f64; 3] {
                std::array::from_fn(|i| dense::dot(&block[3 * i..3 * i + 3], r))
            };
            let (r, u) = (
                &self.impulse[rows.clone()],
                &self.weighted_velocity[rows.clone()],
            );
            let own = times(r);
            let q: [f64; 3] = std::array::from_fn(|i| u[i] - own[i]);
            // An open contact, or one whose law has no such section, needs no shift.
            let lean = match self.law[k].least_energy(&block, &q) {
                None => [0.0; 2],
                Some((least, lean)) => {
                    let apart: [f64; 3] = std::array::from_fn(|i| least[i] - r[i]);
                    let off = times(&apart);
                    left = left.max(dense::dot(&off, &off).sqrt());
                    self.least_energy_impulse[rows.clone()].copy_from_slice(&least);
                    lean
                }
            };
            self.least_energy_shift[rows.start + 1..rows.end].copy_from_slice(&lean);
        }
        if left > 0.0 { left / speed } else { 0.0 }
    }

    /// All bilateral rows.
    fn bilateral_rows(&self) -> SmallVec<[usize; 16]> {
        let mut held = SmallVec::new();
        for (k, law) in self.law.iter().enumerate() {
            let count = match law {
                Law::Bilateral => self.rows(k).len(),
                Law::BilateralFriction { normal_rows, .. } => *normal_rows,
                _ => 0,
            };
            held.extend(self.rows(k).take(count));
        }
        held
    }
}
