//! How (★) is solved: one constraint alone exactly by its law; a few by relaxation on the dense
//! matrix 𝒲 = Ĝ Ĝᵀ; what that does not settle, by the solvers, as a problem in kinetic coordinates.
//! All are judged by the same residual R2.

use contact::Kinetic;
use convex::dense;
use solve::{Goal, Outcome, Solver, bilateral};

use super::{Solved, Stage};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::system::System;

/// A normal row is no direction when G_n A⁻¹ G_nᵀ is below this share of the largest inverse inertia.
const NO_DIRECTION: f64 = 1e-24;

/// Relaxation goes on to this residual while it pays: sweeps of a few contacts are cheap, and impacts
/// then conserve energy to rounding.
const AIM: f64 = 1e-15;

/// It ends after this many sweeps, or when this many do not halve the residual.
const SWEEPS: usize = 300;
const PATIENCE: usize = 8;

/// Relative velocities that are smaller than this share of the terms they are made of are measured
/// against that: below it they are rounding (1e-16) of a rest, and no residual could be small.
const FLOOR: f64 = 1e-5;

impl Stage {
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
    ) -> Result<Solved, MechanismError> {
        v.copy_from_slice(free);
        if self.active.is_empty() {
            return Ok(Solved {
                residual: 0.0,
                iterations: 0,
                reached: true,
            });
        }
        self.prepare(system, t, inertia, free)?;
        self.form_matrix();
        let solved = match self.relax(tolerance) {
            Some(solved) => solved,
            None => self.solve_together(system, t, inertia, free, tolerance)?,
        };
        self.apply(inertia, v);
        Ok(solved)
    }

    /// Ĝ, Ū without impulses, and that every contact has a direction.
    pub(crate) fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
    ) -> Result<(), MechanismError> {
        let n = self.n;
        self.hat.clear();
        self.hat.extend_from_slice(&self.jacobian);
        self.free.clear();
        self.size.clear();
        for row in 0..self.boundary.len() {
            let g = &self.jacobian[row * n..(row + 1) * n];
            let rebound = self.weight[row] * self.begin[row];
            let (w, terms) = (self.boundary[row], g.iter().zip(free).map(|(g, v)| g * v));
            self.free.push(w + terms.clone().sum::<f64>() + rebound);
            self.size
                .push(w.abs() + terms.map(f64::abs).sum::<f64>() + rebound.abs());
            dense::solve_lower(&inertia.factor, n, &mut self.hat[row * n..(row + 1) * n]);
        }
        let lightest = (0..n).fold(0.0_f64, |m, i| {
            m.max(1.0 / inertia.factor[i * n + i].powi(2))
        });
        for (k, &constraint) in self.active.iter().enumerate() {
            let row = self.offset[k];
            let normal = &self.hat[row * n..(row + 1) * n];
            let size = dense::dot(normal, normal);
            if self.law[k].normal() && !(size > NO_DIRECTION * lightest) {
                let constraint = system.constraints()[constraint].name.clone();
                return Err(MechanismError::NoDirection { constraint, t });
            }
        }
        Ok(())
    }

    /// 𝒲 = Ĝ Ĝᵀ, dense, and κ of each constraint.
    fn form_matrix(&mut self) {
        let (n, d) = (self.n, self.boundary.len());
        self.matrix.resize(d * d, 0.0);
        for i in 0..d {
            let a = &self.hat[i * n..(i + 1) * n];
            for j in 0..=i {
                let product = dense::dot(a, &self.hat[j * n..(j + 1) * n]);
                self.matrix[i * d + j] = product;
                self.matrix[j * d + i] = product;
            }
        }
        self.kappa.clear();
        for k in 0..self.active.len() {
            let trace: f64 = self.rows(k).map(|i| self.matrix[i * d + i]).sum();
            self.kappa.push(self.rows(k).len() as f64 / trace);
        }
    }

    /// Sweeps of exact local solves (M88 §15, JM92 7.4) from the impulses at hand; one constraint
    /// needs one. `None` when they do not settle it.
    fn relax(&mut self, tolerance: f64) -> Option<Solved> {
        if self.kappa.iter().any(|k| !(k.is_finite() && *k > 0.0)) {
            return None;
        }
        let alone = self.active.len() == 1;
        let mut residual = if alone {
            f64::INFINITY
        } else {
            self.residual()
        };
        let (mut best, mut since, mut sweeps) = (residual, 0, 0);
        while residual > AIM && since < PATIENCE && sweeps < SWEEPS {
            (0..self.active.len()).for_each(|k| self.solve_one(k));
            residual = self.residual();
            (sweeps, since) = (sweeps + 1, since + 1);
            if residual <= 0.5 * best {
                (best, since) = (residual, 0);
            }
            if alone {
                break;
            }
        }
        (residual <= tolerance).then_some(Solved {
            residual,
            iterations: sweeps,
            reached: true,
        })
    }

    /// The impulse of one constraint with the others frozen.
    fn solve_one(&mut self, k: usize) {
        let (rows, d) = (self.rows(k), self.boundary.len());
        let m = rows.len();
        self.block.resize(m * m + m, 0.0);
        let (block, frozen) = self.block.split_at_mut(m * m);
        for (i, row) in rows.clone().enumerate() {
            let line = &self.matrix[row * d..(row + 1) * d];
            let own = &line[rows.clone()];
            block[i * m..(i + 1) * m].copy_from_slice(own);
            let all = dense::dot(line, &self.impulse);
            frozen[i] = self.free[row] + all - dense::dot(own, &self.impulse[rows.clone()]);
        }
        self.law[k].solve_local(block, frozen, &mut self.impulse[rows]);
    }

    /// R2 of the impulses at hand; leaves Ū in `end`.
    fn residual(&mut self) -> f64 {
        let d = self.boundary.len();
        for row in 0..d {
            let line = &self.matrix[row * d..(row + 1) * d];
            self.end[row] = self.free[row] + dense::dot(line, &self.impulse);
        }
        let square = |x: &[f64]| dense::dot(x, x);
        let (mut sums, mut floor) = ([0.0; 4], 0.0);
        self.natural.resize(d.max(self.n), 0.0);
        for k in 0..self.active.len() {
            let (rows, kappa) = (self.offset[k]..self.offset[k + 1], self.kappa[k]);
            let f = &mut self.natural[..rows.len()];
            let (r, u) = (&self.impulse[rows.clone()], &self.end[rows.clone()]);
            self.law[k].natural_residual(kappa, r, u, f);
            sums[0] += square(f) / kappa;
            sums[1] += square(r) / kappa;
            sums[2] += kappa * square(u);
            sums[3] += kappa * square(&self.free[rows.clone()]);
            floor += kappa * square(&self.size[rows]);
        }
        let scale = sums[1].max(sums[2]).max(sums[3]).max(FLOOR * FLOOR * floor);
        if scale > 0.0 {
            (sums[0] / scale).sqrt()
        } else {
            sums[0].sqrt()
        }
    }

    /// Several constraints: a problem in kinetic coordinates for the solver.
    fn solve_together<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        tolerance: f64,
    ) -> Result<Solved, MechanismError> {
        let n = self.n;
        let mut kinetic = vec![0.0; n];
        for i in 0..n {
            kinetic[i] = (i..n).map(|j| inertia.factor[j * n + i] * free[j]).sum();
        }
        let mut builder = Kinetic::builder();
        let posed = builder.kinetic_group(&kinetic, &kinetic);
        posed.map_err(|e| self.unposed(system, t, &e))?;
        for k in 0..self.active.len() {
            let rows = self.rows(k);
            let rebound: Vec<f64> = rows
                .clone()
                .map(|r| self.weight[r] * self.begin[r])
                .collect();
            let block = &self.hat[rows.start * n..rows.end * n];
            let boundary = &self.boundary[rows];
            let law = self.law[k].clone();
            let posed = builder.contact_with_rebound(law, &[(0, block)], boundary, &rebound);
            posed.map_err(|e| self.unposed(system, t, &e))?;
        }
        let problem = builder.build().map_err(|e| self.unposed(system, t, &e))?;
        let report = self
            .auto
            .solve(&problem, &mut self.impulse, &Goal::to(tolerance));
        if report.outcome == Outcome::Unsuitable
            && let Err(bilateral::BilateralError::Contradiction { contacts, velocity }) =
                bilateral::eliminate(&problem)
        {
            return Err(self.contradiction(system, t, &contacts, velocity));
        }
        let residual = self.residual().min(report.residual);
        Ok(Solved {
            residual,
            iterations: report.iterations,
            reached: residual <= tolerance,
        })
    }

    /// v ← v + A⁻¹ Gᵀ S, and U_F.
    fn apply(&mut self, inertia: &Inertia, v: &mut [f64]) {
        let n = self.n;
        let rows = self.boundary.len();
        let mut change = std::mem::take(&mut self.natural);
        change.clear();
        change.resize(n, 0.0);
        for row in 0..rows {
            let hat = &self.hat[row * n..(row + 1) * n];
            dense::axpy(self.impulse[row], hat, &mut change);
        }
        dense::solve_lower_transposed(&inertia.factor, n, &mut change);
        (0..n).for_each(|i| v[i] += change[i]);
        for row in 0..rows {
            let g = &self.jacobian[row * n..(row + 1) * n];
            self.end[row] = self.boundary[row] + dense::dot(g, v);
        }
        self.weighted.clear();
        for row in 0..rows {
            self.weighted
                .push(self.end[row] + self.weight[row] * self.begin[row]);
        }
        self.natural = change;
    }
}
