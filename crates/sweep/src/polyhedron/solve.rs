//! The nearest point of { x : g_a·x = b_a (first rows), g_a·x ≤ b_a (others) }, again and again.
//!
//! ```text
//! min ½|x − z|²        z − x = Σ u_a g_a,   u_a ≥ 0,   u_a (b_a − g_a·x) = 0   on inequalities
//! ```
//!
//! Rows are of unit length, coordinates white. Method: the dual active set of Goldfarb and
//! Idnani, started from the active rows and factors of the last solve. Rows whose multiplier has
//! become negative leave first; what remains is a dual feasible start for the new bounds, and
//! the usual iteration admits what is violated.
//!
//! Looking at all rows costs more than all the rest. Since |g_a| = 1, a row seen at g_a·x = v
//! cannot exceed v by more than the way x has gone since: rows that are out of reach by that
//! bound are not looked at. The test is exact, only its price depends on the motion.

use super::factor::ThinFactor;
use super::rows::ConstraintRows;
use crate::set::ProjectionReport;
use crate::vector::{axpy, norm, sub};

/// Part of a unit normal outside the active span below which it counts as dependent: some
/// hundred roundings.
const DEPENDENT: f64 = 1e-13;

/// Excess of a unit row, relative to the data, that counts as satisfied: a few roundings.
const FEASIBLE: f64 = 4e-15;

/// A contradiction is believed when it exceeds this many roundings of what it combines.
const BELIEVED: f64 = 1e3;

/// Why no point was found.
#[derive(Debug, Clone)]
pub(crate) enum ProjectionFailure {
    /// The rows contradict each other by `gap`.
    Empty { rows: Vec<usize>, gap: f64 },
    /// Rounding kept the active set from settling.
    Stalled { iterations: usize, residual: f64 },
}

/// Rows with what the last solve learnt.
#[derive(Debug, Clone)]
pub(crate) struct Projector {
    pub(crate) rows: ConstraintRows,
    pub(super) equalities: usize,
    /// Bounds of the unit rows; +∞ switches a row off.
    pub(crate) bounds: Vec<f64>,
    pub(crate) active: Vec<usize>,
    /// Multipliers of the active rows.
    pub(crate) u: Vec<f64>,
    is_active: Vec<bool>,
    is_redundant: Vec<bool>,
    factor: ThinFactor,
    z: Vec<f64>,
    pub(crate) x: Vec<f64>,
    free: Vec<f64>,
    coef: Vec<f64>,
    spare: Vec<f64>,
    /// g_a·x when last looked at, and how far x had gone by then.
    last_value: Vec<f64>,
    path_length_at_check: Vec<f64>,
    path_length: f64,
    last: Vec<f64>,
    violated_rows: Vec<usize>,
    /// Whether x and u are sums of steps rather than solved from the factors.
    needs_refresh: bool,
}

impl Projector {
    pub(crate) fn new(rows: ConstraintRows, equalities: usize) -> Self {
        let (n, m) = (rows.dim(), rows.count());
        let mut projector = Self {
            rows,
            equalities,
            bounds: vec![0.0; m],
            active: Vec::new(),
            u: Vec::new(),
            is_active: vec![false; m],
            is_redundant: vec![false; m],
            factor: ThinFactor::default(),
            z: vec![0.0; n],
            x: vec![0.0; n],
            free: vec![0.0; n],
            coef: Vec::new(),
            spare: Vec::new(),
            last_value: vec![0.0; m],
            path_length_at_check: vec![0.0; m],
            path_length: 0.0,
            last: vec![0.0; n],
            violated_rows: Vec::new(),
            needs_refresh: false,
        };
        projector.reset_warm_start();
        projector
    }

    /// Forgets active rows, factors and what was seen.
    pub(crate) fn reset_warm_start(&mut self) {
        self.factor.reset(self.rows.dim());
        self.active.clear();
        self.u.clear();
        self.is_active.fill(false);
        self.last_value.fill(f64::INFINITY);
        self.path_length_at_check.fill(0.0);
        self.path_length = 0.0;
        self.last.fill(0.0);
    }

    /// Starts from a guess of the active rows (dependent ones are left out).
    pub(crate) fn warm_start(&mut self, guess: &[usize]) {
        for &a in guess {
            if a < self.rows.count() && !self.is_active[a] && self.active.len() < self.rows.dim() {
                let length = self.measure(a);
                // Rows near the span of the others may enter later, one by one.
                if length > 1e-7 {
                    self.push(a, length, 0.0);
                }
            }
        }
    }

    /// Solves for the point z (white) and the bounds set before; the result is in `x`, `u`.
    pub(crate) fn solve(&mut self, z: &[f64]) -> Result<ProjectionReport, ProjectionFailure> {
        self.z.copy_from_slice(z);
        self.is_redundant.fill(false);
        self.enter_equalities()?;
        self.solve_active_equations();
        self.start_near();
        let mut iterations = 0;
        let mut tolerance = FEASIBLE;
        // Six rounds of a budget that no regular problem uses up, each with a looser test of
        // violation (up to 4e-10): only rounding between nearly dependent rows needs it.
        for _ in 0..6 {
            let limit = iterations + 50 + 10 * (self.rows.count() + self.rows.dim());
            while iterations < limit {
                if !self.collect_violated(tolerance) {
                    // Anew from the factors where steps were added up: drift must not decide.
                    if self.needs_refresh {
                        self.solve_active_equations();
                    }
                    if !self.collect_violated(tolerance) {
                        let violation = self.violation();
                        return Ok(ProjectionReport {
                            iterations,
                            violation,
                        });
                    }
                    iterations += 1;
                }
                while let Some(row) = self.most_violated(tolerance) {
                    iterations += self.activate_row(row)?;
                }
            }
            tolerance *= 10.0;
        }
        Err(ProjectionFailure::Stalled {
            iterations,
            residual: self.violation(),
        })
    }

    /// x solves the problem with the active rows as equations; rows with the wrong sign leave.
    fn solve_active_equations(&mut self) {
        loop {
            self.x.copy_from_slice(&self.z);
            self.u.fill(0.0);
            self.correct();
            if self.drop_wrong() {
                continue;
            }
            // One step of refinement, against the rounding of the factors.
            self.correct();
            if !self.drop_wrong() {
                break;
            }
        }
        for k in 0..self.active.len() {
            if self.active[k] >= self.equalities {
                self.u[k] = self.u[k].max(0.0);
            }
        }
        self.needs_refresh = false;
    }

    /// Moves x to the active rows along their normals.
    fn correct(&mut self) {
        self.spare.clear();
        for &a in &self.active {
            self.spare.push(self.rows.dot(a, &self.x) - self.bounds[a]);
        }
        self.factor
            .correct(&mut self.spare, &mut self.x, &mut self.u);
    }

    /// Drops the inequality with the most negative multiplier; false if there is none.
    fn drop_wrong(&mut self) -> bool {
        let (mut worst, mut least) = (None, -FEASIBLE * self.size());
        for k in 0..self.active.len() {
            let free_sign = self.active[k] < self.equalities;
            if !free_sign && self.u[k] < least {
                (worst, least) = (Some(k), self.u[k]);
            }
        }
        worst.map(|k| self.drop_active(k)).is_some()
    }

    /// A first solve far from z = 0 must not pay for the way there.
    fn start_near(&mut self) {
        if self.path_length == 0.0 && self.last_value.iter().all(|v| v.is_infinite()) {
            self.last.copy_from_slice(&self.x);
        }
    }

    fn size(&self) -> f64 {
        norm(&self.x) + norm(&self.z)
    }

    /// Rounding unit of row a's excess.
    fn floor(&self, a: usize) -> f64 {
        self.bounds[a].abs().min(f64::MAX) + self.size()
    }

    fn update_path_length(&mut self) {
        self.path_length += norm(&sub(&self.x, &self.last)) * (1.0 + 1e-12);
        self.last.copy_from_slice(&self.x);
    }

    /// Looks at every row that may be violated; true if one is.
    fn collect_violated(&mut self, tolerance: f64) -> bool {
        self.update_path_length();
        self.violated_rows.clear();
        let size = self.size();
        for a in self.equalities..self.rows.count() {
            if self.is_active[a]
                || self.is_redundant[a]
                || self.last_value[a] + (self.path_length - self.path_length_at_check[a]) <= self.bounds[a]
            {
                continue;
            }
            self.last_value[a] = self.rows.dot(a, &self.x);
            self.path_length_at_check[a] = self.path_length;
            let floor = tolerance * (self.bounds[a].abs() + size);
            if self.last_value[a] - self.bounds[a] > floor {
                self.violated_rows.push(a);
            }
        }
        !self.violated_rows.is_empty()
    }

    /// The most violated of the rows that the last look found violated.
    fn most_violated(&mut self, tolerance: f64) -> Option<usize> {
        let (mut worst, mut most) = (None, 0.0);
        for i in 0..self.violated_rows.len() {
            let a = self.violated_rows[i];
            if self.is_active[a] || self.is_redundant[a] {
                continue;
            }
            let over = self.rows.dot(a, &self.x) - self.bounds[a];
            if over > tolerance * self.floor(a) && over > most {
                (worst, most) = (Some(a), over);
            }
        }
        worst
    }

    fn violation(&mut self) -> f64 {
        let mut worst = 0.0_f64;
        for k in 0..self.active.len() {
            let a = self.active[k];
            let over = self.rows.dot(a, &self.x) - self.bounds[a];
            worst = worst.max(if a < self.equalities {
                over.abs()
            } else {
                over
            });
        }
        worst
    }

    /// Measures row a against the active ones; the free part goes to `free`.
    fn measure(&mut self, a: usize) -> f64 {
        self.free.fill(0.0);
        self.rows.add_to(a, 1.0, &mut self.free);
        self.factor.decompose(&mut self.free, &mut self.coef)
    }

    fn push(&mut self, a: usize, length: f64, u: f64) {
        self.factor.push(&self.free, length);
        self.active.push(a);
        self.is_active[a] = true;
        self.u.push(u);
    }

    fn drop_active(&mut self, k: usize) {
        let a = self.active[k];
        self.is_active[a] = false;
        // It was not looked at while active: it is on its bound, or near.
        self.last_value[a] = f64::INFINITY;
        self.factor.remove(k);
        self.active.remove(k);
        self.u.remove(k);
    }

    /// Makes row a active by partial and full dual steps; returns how many it took.
    fn activate_row(&mut self, a: usize) -> Result<usize, ProjectionFailure> {
        self.needs_refresh = true;
        let mut entering = 0.0;
        let mut steps = 0;
        loop {
            steps += 1;
            let length = self.measure(a);
            let (mut leaving, mut partial) = (None, f64::INFINITY);
            for k in 0..self.active.len() {
                if self.active[k] >= self.equalities && self.coef[k] > 0.0 {
                    let t = self.u[k] / self.coef[k];
                    if t < partial {
                        (leaving, partial) = (Some(k), t);
                    }
                }
            }
            let dependent = length <= DEPENDENT || self.active.len() == self.rows.dim();
            let over = self.rows.dot(a, &self.x) - self.bounds[a];
            let full = if dependent {
                f64::INFINITY
            } else {
                over.max(0.0) / (length * length)
            };
            if full.is_infinite() && leaving.is_none() {
                return self.check_dependent_row(a).map(|()| steps);
            }
            let t = full.min(partial);
            if !dependent {
                axpy(-t, &self.free, &mut self.x);
            }
            for k in 0..self.active.len() {
                self.u[k] -= t * self.coef[k];
                if self.active[k] >= self.equalities {
                    self.u[k] = self.u[k].max(0.0);
                }
            }
            entering += t;
            match leaving {
                Some(k) if partial < full => self.drop_active(k),
                _ => {
                    self.push(a, length, entering);
                    self.is_redundant.fill(false);
                    return Ok(steps);
                }
            }
        }
    }

    fn enter_equalities(&mut self) -> Result<(), ProjectionFailure> {
        for a in 0..self.equalities {
            if self.is_active[a] || self.bounds[a].is_infinite() {
                continue;
            }
            let length = self.measure(a);
            if length > DEPENDENT {
                self.push(a, length, 0.0);
            }
        }
        // Repeated equations never become active: they must say the same at every instant.
        let repeated: Vec<usize> = (0..self.equalities)
            .filter(|&a| !self.is_active[a] && self.bounds[a].is_finite())
            .collect();
        if !repeated.is_empty() {
            self.solve_active_equations();
        }
        for a in repeated {
            self.measure(a);
            self.check_dependent_row(a)?;
        }
        Ok(())
    }

    /// Row a depends on active rows (coefficients in `coef`) and disagrees with them: a fault if
    /// by more than their rounding, else it is muted.
    fn check_dependent_row(&mut self, a: usize) -> Result<(), ProjectionFailure> {
        let spread = 1.0 + self.coef.iter().map(|c| c.abs()).sum::<f64>();
        let mut floor = self.floor(a);
        for k in 0..self.active.len() {
            floor = floor.max(self.floor(self.active[k]));
        }
        let over = self.rows.dot(a, &self.x) - self.bounds[a];
        let off = if a < self.equalities {
            over.abs()
        } else {
            over
        };
        if off <= BELIEVED * f64::EPSILON * spread * floor {
            self.is_redundant[a] = true;
            return Ok(());
        }
        let involved = (0..self.active.len()).filter(|&k| self.coef[k].abs() > 1e-9);
        let mut rows: Vec<usize> = involved.map(|k| self.active[k]).collect();
        rows.push(a);
        rows.sort_unstable();
        Err(ProjectionFailure::Empty { rows, gap: off })
    }
}
