//! Moving polyhedra: C(t) = { x : E(t) x = d(t), G(t) x ≤ b(t) }.
//!
//! Where the rows are fixed, QR factors of the active ones are reused from step to step (module `solve`): a warm-started
//! step costs O(n q + q²) for q active rows plus a test of the rows within reach. Rows that move are whitened and
//! factorised anew at every time, with the same active rows to begin with. Dense or sparse rows, any metric.
//!
//! Excess: exact for boxes, for translations, and where the minimal faces are few (module `excess`); unknown otherwise,
//! see [`crate::WithExcessBound`].

mod excess;
mod factor;
mod rows;
mod solve;

pub use rows::ConstraintRows;
pub(crate) use solve::{ProjectionFailure, Projector};

use crate::error::{Result, SweepingError, check_finite, check_len};
use crate::inequalities::Inequalities;
use crate::lane_sums::norm;
use crate::metric::Metric;
use crate::moving_set::{MovingSet, ProjectionReport};
use crate::transformed_set::VectorFunction;

/// Number of rows beyond which no attempt is made to recognise a box: all pairs are compared.
const BOX_ROWS: usize = 512;

/// The polyhedron { x : E x = d(t), G x ≤ b(t) }.
pub struct MovingPolyhedron {
    /// Rows as given, or at the time loaded last; equations first.
    rows: ConstraintRows,
    /// The rows as a function of time, dense and row-major, where they move.
    moving: Option<VectorFunction>,
    equalities: usize,
    bounds: VectorFunction,
    /// Derivatives of the bounds.
    rates: Option<VectorFunction>,
    metric: Metric,
    /// Active-set solver in whitened coordinates, with its warm start.
    projector: Projector,
    /// Lengths of the rows as covectors, before they were scaled to unit length.
    lengths: Vec<f64>,
    /// Buffer: the point to project, whitened.
    white: Vec<f64>,
    /// Buffer: the bounds at the present time.
    given: Vec<f64>,
    /// For a box: the class of parallel rows each row belongs to.
    classes: Option<Vec<usize>>,
}

impl MovingPolyhedron {
    /// G x ≤ b(t).
    pub fn new(
        rows: ConstraintRows,
        bounds: impl Fn(f64, &mut [f64]) + Send + 'static,
    ) -> Result<Self> {
        Self::with_equalities(rows, 0, bounds)
    }

    /// The same with the first `equalities` rows as equations.
    pub fn with_equalities(
        rows: ConstraintRows,
        equalities: usize,
        bounds: impl Fn(f64, &mut [f64]) + Send + 'static,
    ) -> Result<Self> {
        if equalities > rows.count() {
            return Err(SweepingError::Invalid {
                what: "number of equations",
                value: equalities as f64,
                expected: "at most the number of rows",
            });
        }
        // Euclidean until a metric is set.
        let (white, lengths) = rows.whitened(&Metric::Euclidean)?;
        let mut set = Self {
            equalities,
            moving: None,
            bounds: Box::new(bounds),
            rates: None,
            metric: Metric::Euclidean,
            projector: Projector::new(white, equalities),
            lengths,
            white: vec![0.0; rows.dim()],
            given: vec![0.0; rows.count()],
            classes: None,
            rows,
        };
        set.classes = set.find_classes();
        Ok(set)
    }

    /// The derivatives of the bounds, used by the event-driven method instead of finite differences.
    pub fn with_rates(mut self, rates: impl Fn(f64, &mut [f64]) + Send + 'static) -> Self {
        self.rates = Some(Box::new(rates));
        self
    }

    /// Multipliers of the last projection, one per row as given: A(z − p) = Σ λ_a g_a.
    pub fn multipliers(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.rows.count()];
        for (&a, &u) in self.projector.active.iter().zip(&self.projector.u) {
            out[a] = u / self.lengths[a];
        }
        out
    }

    /// Active set of the last projection.
    pub fn active(&self) -> &[usize] {
        &self.projector.active
    }

    /// `count` rows of length `n` that move: E(t) x = d(t) for the first `equalities`, G(t) x ≤ b(t) for the others;
    /// `matrix` writes them row by row.
    pub fn with_moving_rows(
        (n, count, equalities): (usize, usize, usize),
        matrix: impl Fn(f64, &mut [f64]) + Send + 'static,
        bounds: impl Fn(f64, &mut [f64]) + Send + 'static,
    ) -> Result<Self> {
        // Zero rows until the first time is loaded.
        let rows = ConstraintRows::dense(n, &vec![0.0; n * count])?;
        let mut set = Self::with_equalities(rows, equalities, bounds)?;
        set.classes = None;
        set.moving = Some(Box::new(matrix));
        Ok(set)
    }

    /// The rows at time t, where they move.
    fn rows_at(&self, t: f64) -> Result<Option<ConstraintRows>> {
        let Some(moving) = &self.moving else {
            return Ok(None);
        };
        let mut matrix = vec![0.0; self.rows.dim() * self.rows.count()];
        moving(t, &mut matrix);
        check_finite("rows of the polyhedron", &matrix, t)?;
        ConstraintRows::dense(self.rows.dim(), &matrix).map(Some)
    }

    /// Evaluates rows and bounds at time t; rows are scaled to unit length.
    fn load(&mut self, t: f64) -> Result<()> {
        if let Some(rows) = self.rows_at(t)?
            && rows != self.rows
        {
            let (white, lengths) = rows.whitened(&self.metric)?;
            // The same rows are likely to be active.
            let active = self.projector.active.clone();
            self.projector = Projector::new(white, self.equalities);
            self.projector.warm_start(&active);
            (self.rows, self.lengths) = (rows, lengths);
        }
        (self.bounds)(t, &mut self.given);
        check_finite("bounds of the polyhedron", &self.given, t)?;
        for a in 0..self.rows.count() {
            let equation = a < self.equalities;
            self.projector.bounds[a] =
                excess::unit_bound((a, t), self.given[a], self.lengths[a], equation)?;
        }
        Ok(())
    }

    /// Classes of parallel rows, if all other pairs are orthogonal (a box); `None` otherwise.
    fn find_classes(&self) -> Option<Vec<usize>> {
        let (n, m) = (self.rows.dim(), self.rows.count());
        if m > BOX_ROWS {
            return None;
        }
        let mut classes = Vec::with_capacity(m);
        // One representative per class; any other angle is no box.
        let mut leads: Vec<(usize, Vec<f64>)> = Vec::new();
        for a in 0..m {
            let mut row = vec![0.0; n];
            self.projector.rows.add_to(a, 1.0, &mut row);
            let mut class = a;
            for (lead, other) in &leads {
                let cosine = crate::lane_sums::dot(&row, other).abs();
                if cosine > 1.0 - 1e-12 {
                    class = *lead;
                } else if cosine > 1e-12 {
                    return None;
                }
            }
            if class == a {
                leads.push((a, row));
            }
            classes.push(class);
        }
        Some(classes)
    }
}

/// The error of a failed projection at a time.
pub(crate) fn projection_error(time: f64, fault: ProjectionFailure) -> SweepingError {
    match fault {
        ProjectionFailure::Empty { rows, gap } => SweepingError::Empty {
            time,
            reason: format!("rows {rows:?} contradict each other by {gap:e} (unit rows)"),
            rows,
        },
        ProjectionFailure::Stalled {
            iterations,
            residual,
        } => SweepingError::NotConverged {
            what: "the projection onto the polyhedron",
            time,
            iterations,
            residual,
        },
    }
}

impl MovingSet for MovingPolyhedron {
    fn dim(&self) -> usize {
        self.rows.dim()
    }

    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        metric.check(self.rows.dim())?;
        let (white, lengths) = self.rows.whitened(metric)?;
        self.projector = Projector::new(white, self.equalities);
        self.lengths = lengths;
        self.metric = metric.clone();
        self.classes = match self.moving {
            None => self.find_classes(),
            Some(_) => None,
        };
        Ok(())
    }

    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        check_len("point to project", z.len(), self.rows.dim())?;
        check_finite("point to project", z, t)?;
        self.load(t)?;
        // Project in whitened coordinates, where the metric is Euclidean.
        self.white.copy_from_slice(z);
        self.metric.whiten(&mut self.white);
        let landing = self
            .projector
            .solve(&self.white)
            .map_err(|f| projection_error(t, f))?;
        out.copy_from_slice(&self.projector.x);
        self.metric.unwhiten(out);
        check_finite("nearest point", out, t)?;
        Ok(landing)
    }

    /// Certificate from the rows: y = Σ λ_a g_a, λ ≥ 0, λ_a (b_a − g_a·p) = 0.
    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        self.load(t)?;
        let (rows, lengths) = (&self.rows, &self.lengths);
        let mut rest = y.to_vec();
        let mut work = 0.0;
        // Stationarity residual, complementarity, and wrong signs.
        for (&a, &u) in self.projector.active.iter().zip(&self.projector.u) {
            rows.add_to(a, -u / lengths[a], &mut rest);
            let slack = (self.given[a] - rows.dot(a, p)) / lengths[a];
            let wrong = if a < self.equalities {
                0.0
            } else {
                (-u).max(0.0)
            };
            work += u.abs() * slack.abs() + wrong;
        }
        // Norm of covectors: |y| in the metric A⁻¹.
        let dual = |y: &[f64]| {
            let mut v = y.to_vec();
            self.metric.raise(&mut v);
            crate::lane_sums::dot(y, &v).max(0.0).sqrt()
        };
        let length = dual(y).max(1e-6 * (1.0 + norm(p)));
        Ok(dual(&rest) + work / length)
    }

    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let Some(classes) = self.classes.clone() else {
            return self.excess_of_faces(from, to);
        };
        self.load(from)?;
        let before = self.projector.bounds.clone();
        self.load(to)?;
        // Largest retraction of each class of parallel rows; their directions are orthogonal.
        let mut shrink = vec![0.0_f64; classes.len()];
        for (a, &class) in classes.iter().enumerate() {
            if before[a].is_infinite() {
                continue;
            }
            // Bounds that move inward retract the set; equations in either direction.
            let change = before[a] - self.projector.bounds[a];
            let change = if a < self.equalities {
                change.abs()
            } else {
                change
            };
            shrink[class] = shrink[class].max(change);
        }
        Ok(Some(norm(&shrink)))
    }

    fn inequalities(&self) -> Option<&dyn Inequalities> {
        (self.equalities == 0).then_some(self)
    }

    fn projection_multipliers(&self) -> Option<Vec<f64>> {
        Some(self.multipliers())
    }

    fn reset_warm_start(&mut self) {
        self.projector.reset_warm_start();
    }
}

impl Inequalities for MovingPolyhedron {
    fn dim(&self) -> usize {
        self.rows.dim()
    }
    fn count(&self) -> usize {
        self.rows.count()
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        (self.bounds)(t, out);
        let own = self.rows_at(t);
        let Ok(own) = own else {
            return out.fill(f64::NAN);
        };
        let rows = own.as_ref().unwrap_or(&self.rows);
        for (a, c) in out.iter_mut().enumerate() {
            *c = rows.dot(a, x) - *c;
        }
    }
    fn gradients(&self, t: f64, _x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let Ok(own) = self.rows_at(t) else {
            return out.fill(f64::NAN);
        };
        let rows = own.as_ref().unwrap_or(&self.rows);
        for (a, row) in out.chunks_exact_mut(self.rows.dim().max(1)).enumerate() {
            rows.add_to(a, 1.0, row);
        }
    }
    fn hessian(&self, _t: f64, _x: &[f64], _weights: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        match &self.rates {
            Some(rates) => {
                rates(t, out);
                out.iter_mut().for_each(|v| *v = -*v);
            }
            None => {
                crate::inequalities::difference(t, self.count(), out, |t, c| self.values(t, x, c))
            }
        }
    }
}
