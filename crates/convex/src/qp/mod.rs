//! The prox onto a polyhedron in a metric: a strictly convex quadratic programme, solved exactly in finitely many
//! steps.
//!
//! ```text
//! min ½ (v − z)ᵀ A (v − z)   subject to   g_a·v = c_a (first rows),   g_a·v ≤ c_a (others)
//!
//! A (z − v) = Σ λ_a g_a,   λ_a ≥ 0,   λ_a (c_a − g_a·v) = 0   on the inequality rows
//! ```
//!
//! For rows ∂f_a/∂q and c = 0 this is Moreau's frictionless step and the inelastic impact
//! proj_V(u⁻) in the kinetic metric (M88 §8, B02 1.13). Unknowns: v (length n), λ (one per row).
//!
//! Method: the dual active-set method of Goldfarb and Idnani in white coordinates w = Lᵀ(v − z),
//! A = L Lᵀ, where the problem is the projection of the origin onto a polyhedron. The iterate is
//! always the exact solution for its own active rows with λ ≥ 0; the most violated row enters,
//! rows whose multiplier would become negative leave, and the dual objective increases in every full
//! step, so that no active set recurs. The active normals are factored as Q R; rows are scaled to unit length.
//!
//! Limits: dense, O(n² + m n) per step. Rows count as dependent below [`RANK_TOLERANCE`]; a row is
//! satisfied within [`FEASIBILITY_TOLERANCE`] of the data's magnitude.

mod active;
mod factor;
mod impact;

pub use impact::{CanonicalImpact, canonical_impact};

use crate::error::{ConvexError, Result, check_finite, check_len, check_vector};
use crate::metric::Metric;
use factor::ActiveFactor;

/// A unit normal whose part outside the span of the active ones is below this counts as
/// dependent: a hundred roundings. A larger value would merge rows that are merely close.
pub const RANK_TOLERANCE: f64 = 2e-14;

/// A unit row counts as satisfied if its violation, relative to the data, is below this: a few
/// roundings. In thin polyhedra any slack here becomes a much larger error of the point.
pub const FEASIBILITY_TOLERANCE: f64 = 1e-15;

/// Linear constraints g·v = c (the first `equalities` rows) and g·v ≤ c (the rest).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearConstraints<'a> {
    /// Matrix of the g_a, row-major, one row per constraint.
    pub matrix: &'a [f64],
    /// Right-hand sides c_a.
    pub bounds: &'a [f64],
    /// How many of the leading rows are equalities.
    pub equalities: usize,
}

impl<'a> LinearConstraints<'a> {
    /// Inequalities only: g_a·v ≤ c_a.
    pub fn inequalities(matrix: &'a [f64], bounds: &'a [f64]) -> Self {
        Self {
            matrix,
            bounds,
            equalities: 0,
        }
    }

    /// Checks sizes and finite entries.
    fn validate(&self, n: usize) -> Result<()> {
        let m = self.bounds.len();
        check_vector("row matrix", self.matrix, m * n)?;
        check_finite("row bounds", self.bounds)?;
        // The count of equalities cannot exceed the rows.
        if self.equalities > m {
            return Err(ConvexError::Invalid {
                what: "number of equality rows",
                value: self.equalities as f64,
                expected: "at most the number of rows",
            });
        }
        Ok(())
    }
}

/// Effort and accuracy of a prox.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProxReport {
    /// Active-set changes made.
    pub iterations: usize,
    /// Largest remaining violation of a unit row in white coordinates.
    pub violation: f64,
}

/// The solution of a prox in owned vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Prox {
    /// Nearest point v.
    pub point: Vec<f64>,
    /// Multipliers λ, one per row.
    pub multipliers: Vec<f64>,
    /// Rows holding with equality, in the order they entered.
    pub active: Vec<usize>,
    /// Effort and accuracy.
    pub report: ProxReport,
}

/// Buffers for repeated solves; after the first solve of a size nothing is allocated.
#[derive(Debug, Clone, Default)]
pub struct ProxWorkspace {
    n: usize,
    m: usize,
    equalities: usize,
    /// Unit rows in white coordinates, m×n, and their bounds relative to z.
    g: Vec<f64>,
    c: Vec<f64>,
    /// Length of each white row before scaling (0 for a zero row).
    length: Vec<f64>,
    /// Rounding unit of each scaled bound.
    floor: Vec<f64>,
    /// Whether a row is in the active set.
    is_active: Vec<bool>,
    /// Rows whose violation is within the rounding of the active rows they depend on.
    is_redundant: Vec<bool>,
    /// Active rows in the order they entered, and their multipliers.
    active: Vec<usize>,
    u: Vec<f64>,
    /// The iterate w = Lᵀ(v − z).
    w: Vec<f64>,
    /// Scratch of [`ActiveFactor::decompose`]: free part of a normal, coefficients on the active ones.
    free: Vec<f64>,
    coef: Vec<f64>,
    /// Scratch of least-norm solves.
    spare: Vec<f64>,
    point: Vec<f64>,
    multipliers: Vec<f64>,
    factor: ActiveFactor,
}

impl ProxWorkspace {
    /// An empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// The nearest point of the last successful solve.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// The multipliers of the last successful solve, one per row.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The active rows of the last successful solve; a warm start for [`Self::solve_warm`] of a
    /// neighbouring problem.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// Solves the prox of `z`; the results are in the workspace.
    pub fn solve(
        &mut self,
        metric: &Metric,
        rows: LinearConstraints<'_>,
        z: &[f64],
    ) -> Result<ProxReport> {
        self.solve_warm(metric, rows, z, &[])
    }

    /// Solves the prox with a warm start: the active rows of a previous solution.
    ///
    /// Any list of row numbers is admissible: unknown or dependent rows and those with the
    /// wrong multiplier sign are dropped before the iteration starts.
    pub fn solve_warm(
        &mut self,
        metric: &Metric,
        rows: LinearConstraints<'_>,
        z: &[f64],
        warm: &[usize],
    ) -> Result<ProxReport> {
        check_vector("point to project", z, metric.dim())?;
        rows.validate(metric.dim())?;
        self.load(metric, &rows, z);
        let report = self.run(warm)?;
        self.unload(metric, z);
        // Only overflow of extremely large data leads here; report it instead of returning it.
        if self.point.iter().any(|v| !v.is_finite()) {
            return Err(ConvexError::NotConverged {
                what: "dual active set (overflow)",
                iterations: report.iterations,
                residual: f64::INFINITY,
            });
        }
        Ok(report)
    }

    /// Transforms the problem to white coordinates centred at z, rows scaled to unit length.
    fn load(&mut self, metric: &Metric, rows: &LinearConstraints<'_>, z: &[f64]) {
        let (n, m) = (metric.dim(), rows.bounds.len());
        (self.n, self.m, self.equalities) = (n, m, rows.equalities);
        // Sizes of all buffers.
        refill(&mut self.g, m * n);
        self.g.copy_from_slice(rows.matrix);
        for v in [&mut self.c, &mut self.length, &mut self.floor] {
            refill(v, m);
        }
        refill(&mut self.multipliers, m);
        for v in [&mut self.w, &mut self.free, &mut self.point] {
            refill(v, n);
        }
        self.u.clear();
        self.u.reserve(n + 1);
        self.spare.clear();
        self.spare.reserve(n + 1);
        refill(&mut self.coef, n + 1);
        self.active.clear();
        self.active.reserve(n + 1);
        self.is_active.clear();
        self.is_active.resize(m, false);
        self.is_redundant.clear();
        self.is_redundant.resize(m, false);
        self.factor.reset(n);
        // Bounds relative to z, white rows, unit length; `floor` keeps the magnitude of the data.
        for a in 0..m {
            let row = &mut self.g[a * n..(a + 1) * n];
            let (mut value, mut size) = (0.0, 0.0);
            for (x, y) in row.iter().zip(z) {
                value += x * y;
                size += (x * y).abs();
            }
            metric.whiten_covector(row);
            let len = crate::dense::norm(row);
            self.length[a] = len;
            let unit = if len > 0.0 { 1.0 / len } else { 1.0 };
            for x in row {
                *x *= unit;
            }
            self.c[a] = (rows.bounds[a] - value) * unit;
            self.floor[a] = (rows.bounds[a].abs() + size) * unit;
        }
    }

    /// Transforms back: v = z + L⁻ᵀ w, λ = u in the caller's scaling.
    fn unload(&mut self, metric: &Metric, z: &[f64]) {
        self.point.copy_from_slice(&self.w);
        metric.unwhiten(&mut self.point);
        for (p, &base) in self.point.iter_mut().zip(z) {
            *p += base;
        }
        // Multipliers of the unscaled rows.
        for (k, &a) in self.active.iter().enumerate() {
            self.multipliers[a] = self.u[k] / self.length[a];
        }
    }
}

/// Sets a vector to `len` zeros, keeping its storage.
fn refill(v: &mut Vec<f64>, len: usize) {
    v.clear();
    v.resize(len, 0.0);
}

/// The nearest point to `z` of { v : rows } in the metric, with multipliers.
pub fn prox(metric: &Metric, rows: LinearConstraints<'_>, z: &[f64]) -> Result<Prox> {
    let mut ws = ProxWorkspace::new();
    let report = ws.solve(metric, rows, z)?;
    Ok(Prox {
        point: ws.point,
        multipliers: ws.multipliers,
        active: ws.active,
        report,
    })
}

/// Checks that a restitution coefficient is in [0, 1].
pub(crate) fn check_restitution(e: f64) -> Result<()> {
    if (0.0..=1.0).contains(&e) {
        Ok(())
    } else {
        Err(ConvexError::Invalid {
            what: "restitution",
            value: e,
            expected: "a number in [0, 1]",
        })
    }
}

/// Checks the dimension of a metric.
pub(crate) fn check_metric(metric: &Metric, n: usize) -> Result<()> {
    check_len("metric", metric.dim(), n)
}
