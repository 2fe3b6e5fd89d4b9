//! The dual active-set iteration (Goldfarb and Idnani): min ½|w|² with g_a·w ≤ c_a, rows of unit length.
//!
//! Invariant: w = −Σ u_k g_{active k}, g_a·w = c_a on the active rows, u_k ≥ 0 on the active
//! inequality rows.

use super::{FEASIBILITY_TOLERANCE, ProxReport, ProxWorkspace, RANK_TOLERANCE};
use crate::dense::{axpy, dot, norm};
use crate::error::{ConvexError, Result};

/// Steps allowed before the violation tolerance is relaxed tenfold. The dual objective increases
/// strictly in exact arithmetic; only rounding between nearly dependent rows can repeat an
/// active set, and a larger tolerance ends such a cycle.
fn budget(m: usize, n: usize) -> usize {
    50 + 10 * (m + n)
}

/// Relaxations of the violation tolerance before giving up: from 1e-15 to 1e-10.
const RELAXATIONS: usize = 5;

/// A contradiction is reported when it exceeds this many roundings of the rows it combines.
const BELIEVED: f64 = 100.0;

impl ProxWorkspace {
    /// Runs the iteration from the equalities and the warm start.
    pub(super) fn run(&mut self, warm: &[usize]) -> Result<ProxReport> {
        self.enter_equalities()?;
        self.activate_warm_start(warm);
        let mut iterations = 0;
        let mut tolerance = FEASIBILITY_TOLERANCE;
        for _ in 0..=RELAXATIONS {
            let limit = iterations + budget(self.m, self.n);
            while iterations < limit {
                let Some(row) = self.most_violated(tolerance) else {
                    // Recompute the point from the factors and test again: accumulated rounding must not decide.
                    self.refresh();
                    if self.most_violated(tolerance).is_none() {
                        let violation = self.worst_violation();
                        return Ok(ProxReport {
                            iterations,
                            violation,
                        });
                    }
                    iterations += 1;
                    continue;
                };
                iterations += self.activate_row(row)?;
            }
            tolerance *= 10.0;
        }
        Err(ConvexError::NotConverged {
            what: "dual active set",
            iterations,
            residual: self.worst_violation(),
        })
    }

    /// Unit row a.
    fn row(&self, a: usize) -> &[f64] {
        &self.g[a * self.n..(a + 1) * self.n]
    }

    /// g_a·w − c_a.
    fn excess(&self, a: usize) -> f64 {
        dot(self.row(a), &self.w) - self.c[a]
    }

    /// The inactive inequality with the largest violation above the tolerance.
    fn most_violated(&self, tolerance: f64) -> Option<usize> {
        let size = norm(&self.w);
        let mut worst = None;
        let mut most = 0.0;
        for a in self.equalities..self.m {
            if self.is_active[a] || self.is_redundant[a] {
                continue;
            }
            let v = self.excess(a);
            if v > tolerance * (self.floor[a] + size) && v > most {
                (worst, most) = (Some(a), v);
            }
        }
        worst
    }

    /// Largest violation of any row.
    fn worst_violation(&self) -> f64 {
        (self.equalities..self.m)
            .map(|a| self.excess(a))
            .chain((0..self.equalities).map(|a| self.excess(a).abs()))
            .fold(0.0, f64::max)
    }

    /// Makes row `a` active by partial and full steps; returns the number of steps.
    fn activate_row(&mut self, a: usize) -> Result<usize> {
        if self.length[a] == 0.0 {
            return self.check_dependent_row(a, 0).map(|()| 1);
        }
        let mut entering = 0.0;
        let mut steps = 0;
        loop {
            steps += 1;
            // Split the entering normal into active span and free part.
            let (n, q) = (self.n, self.active.len());
            let free =
                self.factor
                    .decompose(&self.g[a * n..(a + 1) * n], &mut self.free, &mut self.coef);
            // Ratio test: longest dual step before an active inequality's multiplier vanishes.
            let (mut leaving, mut partial) = (None, f64::INFINITY);
            for k in 0..q {
                if self.active[k] >= self.equalities && self.coef[k] > 0.0 {
                    let t = self.u[k] / self.coef[k];
                    if t < partial {
                        (leaving, partial) = (Some(k), t);
                    }
                }
            }
            // Full step: the primal step that satisfies row a.
            let dependent = free <= RANK_TOLERANCE || q == n;
            let full = if dependent {
                f64::INFINITY
            } else {
                self.excess(a).max(0.0) / (free * free)
            };
            if full.is_infinite() && leaving.is_none() {
                return self.check_dependent_row(a, q).map(|()| steps);
            }
            // Step in primal and dual.
            let t = full.min(partial);
            if !dependent {
                axpy(-t, &self.free, &mut self.w);
            }
            for k in 0..q {
                self.u[k] -= t * self.coef[k];
                if self.active[k] >= self.equalities {
                    self.u[k] = self.u[k].max(0.0);
                }
            }
            entering += t;
            // Partial step: drop the blocking row and repeat. Full step: row a is active.
            match leaving {
                Some(k) if partial < full => self.drop_active(k),
                _ => {
                    self.factor.push();
                    self.active.push(a);
                    self.is_active[a] = true;
                    self.u.push(entering);
                    // The dual objective increased: test the redundant rows again.
                    self.is_redundant.fill(false);
                    return Ok(steps);
                }
            }
        }
    }

    /// Removes the active row at position k.
    fn drop_active(&mut self, k: usize) {
        self.is_active[self.active[k]] = false;
        self.factor.remove(k);
        self.active.remove(k);
        self.u.remove(k);
    }

    /// Recomputes w and u from the factors of the active rows.
    fn refresh(&mut self) {
        let q = self.active.len();
        for k in 0..q {
            self.coef[k] = self.c[self.active[k]];
        }
        self.factor.least_norm(&mut self.coef[..q], &mut self.w);
        for k in 0..q {
            self.u[k] = -self.coef[k];
            // Rounding may leave a vanishing multiplier slightly negative.
            if self.active[k] >= self.equalities {
                self.u[k] = self.u[k].max(0.0);
            }
        }
    }

    /// Recomputes w only; keeps the multipliers and the coefficients of the last decomposition.
    fn refresh_point(&mut self) {
        let q = self.active.len();
        self.spare.clear();
        self.spare.extend(self.active.iter().map(|&k| self.c[k]));
        self.factor.least_norm(&mut self.spare[..q], &mut self.w);
    }

    /// Makes all equalities active, in order.
    fn enter_equalities(&mut self) -> Result<()> {
        for a in 0..self.equalities {
            let n = self.n;
            let q = self.active.len();
            let free = if self.length[a] == 0.0 {
                0.0
            } else {
                self.factor
                    .decompose(&self.g[a * n..(a + 1) * n], &mut self.free, &mut self.coef)
            };
            let excess = self.excess(a);
            if free <= RANK_TOLERANCE || q == n {
                // A dependent equation is redundant if it is consistent.
                self.check_dependent_row(a, if self.length[a] == 0.0 { 0 } else { q })?;
                continue;
            }
            let t = excess / (free * free);
            axpy(-t, &self.free, &mut self.w);
            for k in 0..q {
                self.u[k] -= t * self.coef[k];
            }
            self.factor.push();
            self.active.push(a);
            self.is_active[a] = true;
            self.u.push(t);
        }
        if self.equalities > 0 {
            self.refresh();
        }
        Ok(())
    }

    /// Warm start from a guess of the active rows, reduced until every multiplier is ≥ 0.
    fn activate_warm_start(&mut self, warm: &[usize]) {
        // Rows closer than this to the span of the others would make the start ill-conditioned; they can
        // still enter later, one by one.
        const CLEAR: f64 = 1e-7;
        let n = self.n;
        // Factor the admissible rows of the guess.
        for &a in warm {
            let usable = a >= self.equalities && a < self.m && !self.is_active[a];
            if !usable || self.active.len() == n || self.length[a] == 0.0 {
                continue;
            }
            let row = &self.g[a * n..(a + 1) * n];
            if self.factor.decompose(row, &mut self.free, &mut self.coef) > CLEAR {
                self.factor.push();
                self.active.push(a);
                self.is_active[a] = true;
                self.u.push(0.0);
            }
        }
        // Drop the most negative multiplier until none is negative.
        while !warm.is_empty() {
            let q = self.active.len();
            for k in 0..q {
                self.coef[k] = self.c[self.active[k]];
            }
            self.factor.least_norm(&mut self.coef[..q], &mut self.w);
            let mut worst = None;
            let mut least = 0.0;
            for k in 0..q {
                self.u[k] = -self.coef[k];
                if self.active[k] >= self.equalities && self.u[k] < least {
                    (worst, least) = (Some(k), self.u[k]);
                }
            }
            match worst {
                Some(k) => self.drop_active(k),
                None => break,
            }
        }
    }

    /// Row a depends on the first q active rows and contradicts them: an error if by more than
    /// their rounding, which grows with the coefficients; otherwise the row is marked redundant.
    fn check_dependent_row(&mut self, a: usize, q: usize) -> Result<()> {
        self.refresh_point();
        let spread: f64 = 1.0 + self.coef[..q].iter().map(|r| r.abs()).sum::<f64>();
        let floor = self.active[..q].iter().map(|&k| self.floor[k]);
        let size = floor.fold(self.floor[a], f64::max) + norm(&self.w);
        let excess = self.excess(a);
        let off = if a < self.equalities {
            excess.abs()
        } else {
            excess
        };
        if off > BELIEVED * f64::EPSILON * spread * size {
            return Err(self.farkas_error(a, q));
        }
        self.is_redundant[a] = true;
        Ok(())
    }

    /// Farkas certificate: row a is −Σ of active rows with admissible signs, and its bound contradicts theirs.
    fn farkas_error(&self, a: usize, q: usize) -> ConvexError {
        let scale = if self.length[a] > 0.0 {
            self.length[a]
        } else {
            1.0
        };
        let mut rows = vec![a];
        let mut weights = vec![1.0 / scale];
        // An equality may be violated from either side; the combined bound must be negative.
        let mut sign = 1.0;
        if self.excess(a) < 0.0 {
            sign = -1.0;
            weights[0] = -weights[0];
        }
        let biggest = crate::dense::max_abs(&self.coef[..q]).max(1.0);
        for k in 0..q {
            let inequality = self.active[k] >= self.equalities;
            let weight = -sign * self.coef[k];
            let weight = if inequality { weight.max(0.0) } else { weight };
            // Coefficients at rounding level take no part in the contradiction.
            if weight.abs() > 1e-12 * biggest {
                rows.push(self.active[k]);
                weights.push(weight / self.length[self.active[k]]);
            }
        }
        ConvexError::Inconsistent {
            rows,
            weights,
            combined: -self.excess(a).abs(),
        }
    }
}
