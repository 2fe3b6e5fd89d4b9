//! Contacts of Paoli's scheme: the velocity of least kinetic energy (P15 7).
//!
//! With two directions of friction that is not Coulomb's law, but Coulomb's law of a velocity that leans: û_t =
//! u_t + g w (`Law::least_energy`). (★) is solved with the lean added to the velocity; what each contact leans by
//! follows exactly from its own problem with the others as they are. One contact, with any joints, takes one
//! correction; several take their turns.

use contact::Law;
use convex::dense;
use smallvec::SmallVec;

use super::report::{KineticRow, orthonormal, orthogonalise};
use super::{SlidingRule, SolveSummary, StepProblem};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::system::System;

/// Rounds of several contacts, at most.
const ROUNDS: usize = 100;

impl StepProblem {
    /// Solves (★) from the velocity without impulses `free` in the metric of `inertia`; `v` becomes
    /// v_F, the impulses and U_F are kept. Impulses held before are the start.
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
        let leans = |(k, law): (usize, &Law)| law.normal() && self.rows(k).len() == 3;
        if self.sliding_rule == SlidingRule::Coulomb || !self.law.iter().enumerate().any(leans) {
            return Ok(solved);
        }
        let mut left = self.update_least_energy_shift();
        let mut iterations = solved.iterations;
        for _ in 0..ROUNDS {
            if left <= tolerance {
                break;
            }
            solved = self.solve_with_shift(system, t, inertia, free, v, tolerance)?;
            iterations += solved.iterations;
            left = self.update_least_energy_shift();
        }
        // What is said of the free velocity is said of the true one.
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

    /// What each contact leans by, the others as they are; how far the velocities are from those of least
    /// energy, over the speed at stake.
    fn update_least_energy_shift(&mut self) -> f64 {
        let basis = orthonormal(&self.kinetic_jacobian, self.n, self.bilateral_rows());
        let speed = (self.free.iter().zip(&self.least_energy_shift))
            .fold(0.0_f64, |m, (free, lean)| m.max((free - lean).abs()));
        let mut left = 0.0_f64;
        for k in 0..self.active.len() {
            let rows = self.rows(k);
            if !self.law[k].normal() || rows.len() != 3 {
                continue;
            }
            let block = self.reduced_block(k, &basis);
            let times = |r: &[f64]| -> [f64; 3] {
                std::array::from_fn(|i| dense::dot(&block[3 * i..3 * i + 3], r))
            };
            let (r, u) = (&self.impulse[rows.clone()], &self.weighted_velocity[rows.clone()]);
            let own = times(r);
            let q: [f64; 3] = std::array::from_fn(|i| u[i] - own[i]);
            // An open contact, or one whose law has no section of this kind, is as it was solved.
            let lean = match self.law[k].least_energy(&block, &q) {
                None => [0.0; 2],
                Some((least, lean)) => {
                    let apart: [f64; 3] = std::array::from_fn(|i| least[i] - r[i]);
                    let off = times(&apart);
                    left = left.max(dense::dot(&off, &off).sqrt());
                    lean
                }
            };
            self.least_energy_shift[rows.start + 1..rows.end].copy_from_slice(&lean);
        }
        if left > 0.0 { left / speed } else { 0.0 }
    }

    /// Bilateral rows.
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

    /// Ŵ of a contact of three rows with the rows of a basis held.
    fn reduced_block(&self, k: usize, basis: &[KineticRow]) -> [f64; 9] {
        let n = self.n;
        let row = |i: usize| &self.kinetic_jacobian[i * n..(i + 1) * n];
        let rests = self.rows(k).map(|i| {
            let mut rest = KineticRow::from_slice(row(i));
            orthogonalise(&mut rest, basis);
            rest
        });
        let rests: SmallVec<[KineticRow; 3]> = rests.collect();
        std::array::from_fn(|i| dense::dot(&rests[i / 3], &rests[i % 3]))
    }
}
