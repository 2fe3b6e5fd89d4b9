//! Warm-started projection onto { x : g_a·x = b_a (first rows), g_a·x ≤ b_a (others) } by a dual active-set method.
//!
//! ```text
//! min ½|x − z|²        z − x = Σ u_a g_a,   u_a ≥ 0,   u_a (b_a − g_a·x) = 0   on inequalities
//! ```
//!
//! Rows have unit length, coordinates are whitened. Method: the dual active-set method of Goldfarb and Idnani,
//! warm-started from the active rows and factors of the last solve. Rows whose multiplier has become negative are
//! dropped first; the rest is a dual feasible start for the new bounds, and the usual iteration activates violated
//! rows.
//!
//! Testing all rows would cost more than all the rest. Since |g_a| = 1, a row with value g_a·x = v cannot exceed v by
//! more than the path length of x since: rows that cannot be violated by that bound are skipped. The test is exact,
//! only its cost depends on the motion.

use super::factor::ThinFactor;
use super::rows::ConstraintRows;
use crate::lane_sums::{axpy, norm, sub};
use crate::moving_set::ProjectionReport;

/// Rank tolerance: a unit normal whose part outside the active span is below this is dependent; some hundred roundings.
const DEPENDENT: f64 = 1e-13;

/// Feasibility tolerance of a unit row, relative to the data: a few roundings.
const FEASIBLE: f64 = 4e-15;

/// A contradiction is reported when it exceeds this many roundings of the terms it combines.
const BELIEVED: f64 = 1e3;

/// Why a projection failed.
#[derive(Debug, Clone)]
pub(crate) enum ProjectionFailure {
    /// The rows contradict each other by `gap` (Farkas).
    Empty { rows: Vec<usize>, gap: f64 },
    /// Rounding prevented the active set from settling.
    Stalled { iterations: usize, residual: f64 },
}

/// Dual active-set solver: rows, bounds, and the active set and factors of the last solve.
#[derive(Debug, Clone)]
pub(crate) struct Projector {
    pub(crate) rows: ConstraintRows,
    pub(super) equalities: usize,
    /// Bounds of the unit rows; +∞ disables a row.
    pub(crate) bounds: Vec<f64>,
    /// Active rows.
    pub(crate) active: Vec<usize>,
    /// Multipliers of the active rows.
    pub(crate) u: Vec<f64>,
    is_active: Vec<bool>,
    /// Dependent rows that agree with the active ones to rounding.
    is_redundant: Vec<bool>,
    factor: ThinFactor,
    /// Point to project.
    z: Vec<f64>,
    /// Projection.
    pub(crate) x: Vec<f64>,
    free: Vec<f64>,
    coef: Vec<f64>,
    spare: Vec<f64>,
    /// g_a·x when last evaluated, and the path length of x at that time.
    last_value: Vec<f64>,
    path_length_at_check: Vec<f64>,
    /// Path length of x so far.
    path_length: f64,
    /// x at which the path length was last updated.
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

    /// Discards active rows, factors and row values.
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

    /// Warm start from a guess of the active rows (dependent ones are left out).
    pub(crate) fn warm_start(&mut self, guess: &[usize]) {
        for &a in guess {
            if a < self.rows.count() && !self.is_active[a] && self.active.len() < self.rows.dim() {
                let length = self.measure(a);
                // Nearly dependent rows may be activated later, one by one.
                if length > 1e-7 {
                    self.push(a, length, 0.0);
                }
            }
        }
    }

    /// Projects the point z (whitened) for the bounds set before; the result is in `x`, `u`.
    pub(crate) fn solve(&mut self, z: &[f64]) -> Result<ProjectionReport, ProjectionFailure> {
        self.z.copy_from_slice(z);
        self.is_redundant.fill(false);
        // Equations, then the warm start solved for the new bounds.
        self.enter_equalities()?;
        self.solve_active_equations();
        self.start_near();
        let mut iterations = 0;
        let mut tolerance = FEASIBLE;
        // Six rounds of a budget that no regular problem uses up, each with a looser feasibility tolerance (up to
        // 4e-10): needed only for rounding between nearly dependent rows.
        for _ in 0..6 {
            let limit = iterations + 50 + 10 * (self.rows.count() + self.rows.dim());
            while iterations < limit {
                if !self.collect_violated(tolerance) {
                    // Solve again from the factors where steps were added up: accumulated rounding must not decide.
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

    /// Solves the problem with the active rows as equations; rows with negative multipliers are dropped.
    fn solve_active_equations(&mut self) {
        loop {
            self.x.copy_from_slice(&self.z);
            self.u.fill(0.0);
            self.correct();
            if self.drop_wrong() {
                continue;
            }
            // One step of iterative refinement, against the rounding of the factors.
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

    /// Moves x onto the active rows along their normals.
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

    /// Starts the path length of a first solve at x, not at 0.
    fn start_near(&mut self) {
        if self.path_length == 0.0 && self.last_value.iter().all(|v| v.is_infinite()) {
            self.last.copy_from_slice(&self.x);
        }
    }

    /// Size of the data, for relative tolerances.
    fn size(&self) -> f64 {
        norm(&self.x) + norm(&self.z)
    }

    /// Scale of the rounding of row a.
    fn floor(&self, a: usize) -> f64 {
        self.bounds[a].abs().min(f64::MAX) + self.size()
    }

    /// Adds the motion of x since the last call.
    fn update_path_length(&mut self) {
        self.path_length += norm(&sub(&self.x, &self.last)) * (1.0 + 1e-12);
        self.last.copy_from_slice(&self.x);
    }

    /// Evaluates every row that may be violated; true if one is.
    fn collect_violated(&mut self, tolerance: f64) -> bool {
        self.update_path_length();
        self.violated_rows.clear();
        let size = self.size();
        for a in self.equalities..self.rows.count() {
            // Skip rows that cannot have reached their bound on the path since the last evaluation.
            if self.is_active[a]
                || self.is_redundant[a]
                || self.last_value[a] + (self.path_length - self.path_length_at_check[a])
                    <= self.bounds[a]
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

    /// The most violated of the rows that the last scan found violated.
    fn most_violated(&mut self, tolerance: f64) -> Option<usize> {
        // Evaluate again: x has moved since the scan.
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

    /// Largest violation of an active row.
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

    /// Decomposes row a against the active ones; the orthogonal part goes to `free`.
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
        // Its value was not updated while active: it is at its bound, or near.
        self.last_value[a] = f64::INFINITY;
        self.factor.remove(k);
        self.active.remove(k);
        self.u.remove(k);
    }

    /// Activates row a by partial and full dual steps; returns their number.
    fn activate_row(&mut self, a: usize) -> Result<usize, ProjectionFailure> {
        self.needs_refresh = true;
        let mut entering = 0.0;
        let mut steps = 0;
        loop {
            steps += 1;
            let length = self.measure(a);
            // Partial step: up to the first multiplier that vanishes.
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
            // Full step: up to the row itself.
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
            // Update the multipliers; clip rounding below zero.
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

    /// Activates the equations; dependent ones must agree with the others.
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
        // Repeated equations never become active: they must agree at every time.
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

    /// Row a depends on active rows (coefficients in `coef`) and is violated: contradictory if by more than their
    /// rounding, redundant otherwise.
    fn check_dependent_row(&mut self, a: usize) -> Result<(), ProjectionFailure> {
        // Rounding of the combination: coefficients times the scale of the rows.
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
        // Rows with a coefficient in the contradiction.
        let involved = (0..self.active.len()).filter(|&k| self.coef[k].abs() > 1e-9);
        let mut rows: Vec<usize> = involved.map(|k| self.active[k]).collect();
        rows.push(a);
        rows.sort_unstable();
        Err(ProjectionFailure::Empty { rows, gap: off })
    }
}
