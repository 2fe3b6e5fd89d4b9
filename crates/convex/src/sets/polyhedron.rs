//! Polyhedra given by inequalities and equations.

use super::{ConvexSet, PolyhedralCone, Polytope, Set, Support, support_by_proximal_point};
use crate::conic::{ConeKind, ConicForm};
use crate::dense::{dot, norm, row_space};
use crate::error::Result;
use crate::metric::Metric;
use crate::qp::{LinearConstraints, prox};

/// { x : rows x ≤ bounds }, the first rows possibly equations.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyhedron {
    dim: usize,
    rows: Vec<f64>,
    bounds: Vec<f64>,
    equalities: usize,
}

impl Polyhedron {
    /// All x of Rⁿ with ⟨row_i, x⟩ ≤ bound_i; contradictory rows are an error that names them.
    pub fn new(n: usize, rows: &[f64], bounds: &[f64]) -> Result<Self> {
        Self::with_equalities(n, rows, bounds, 0)
    }

    /// The same with the first `equalities` rows holding as equations.
    pub fn with_equalities(
        n: usize,
        rows: &[f64],
        bounds: &[f64],
        equalities: usize,
    ) -> Result<Self> {
        let set = Self {
            dim: n,
            rows: rows.to_vec(),
            bounds: bounds.to_vec(),
            equalities,
        };
        prox(&Metric::euclidean(n), set.as_rows(), &vec![0.0; n])?;
        Ok(set)
    }

    fn as_rows(&self) -> LinearConstraints<'_> {
        LinearConstraints {
            matrix: &self.rows,
            bounds: &self.bounds,
            equalities: self.equalities,
        }
    }

    fn each(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let rows = self.rows.chunks_exact(self.dim.max(1));
        rows.zip(self.bounds.iter().copied())
    }
}

impl ConvexSet for Polyhedron {
    fn dim(&self) -> usize {
        self.dim
    }
    /// n minus the rank of the rows that hold with equality on the whole set.
    fn affine_dim(&self) -> Result<Option<usize>> {
        let mut fixed = Vec::new();
        for (i, (a, b)) in self.each().enumerate() {
            let back: Vec<f64> = a.iter().map(|v| -v).collect();
            let width = || -> Result<f64> { Ok(self.support(&back)?.value() + b) };
            // Width of the set across this row, against the size of the data.
            if i < self.equalities || width()? <= 1e-10 * (b.abs() + norm(a)) {
                fixed.extend_from_slice(a);
            }
        }
        Ok(Some(self.dim - row_space(&fixed, self.dim, 1e-12).rank))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.project_in(&Metric::euclidean(self.dim), z)
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim)?;
        Ok(prox(metric, self.as_rows(), z)?.point)
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim, 0);
        for (i, (a, b)) in self.each().enumerate() {
            let row: Vec<f64> = a.iter().map(|v| -v).collect();
            let kind = if i < self.equalities {
                ConeKind::Zero
            } else {
                ConeKind::NonNegative
            };
            form.push(kind, &row, &[b]);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        support_by_proximal_point(self, y)
    }
    fn recession_cone(&self) -> Set {
        let mut rows = self.rows.clone();
        // Homogeneous rows; equations with both signs.
        let doubled = &self.rows[..self.equalities * self.dim];
        rows.extend(doubled.iter().map(|v| -v));
        match PolyhedralCone::from_inequalities(self.dim, &rows) {
            Ok(cone) => cone.into(),
            // Unreachable: the rows were validated at construction.
            Err(_) => super::Point::origin(self.dim).into(),
        }
    }
    fn is_cone(&self) -> bool {
        self.bounds.iter().all(|b| *b == 0.0)
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        let mut s = f64::INFINITY;
        for (i, (a, b)) in self.each().enumerate() {
            let rate = dot(a, d);
            // Parallel to the row up to rounding: it never binds.
            if rate.abs() <= 1e-15 * norm(a) * norm(d) {
                continue;
            }
            if i < self.equalities {
                return Ok(0.0);
            }
            if rate > 0.0 {
                s = s.min((b - dot(a, x)) / rate);
            }
        }
        Ok(s.max(0.0))
    }
    /// conv { 0, a_i/b_i } when every bound is positive; the polar cone when all vanish.
    fn polar(&self) -> Option<Set> {
        if self.is_cone() {
            return self.recession_cone().polar();
        }
        if self.equalities > 0 || self.bounds.iter().any(|b| *b <= 0.0) {
            return None;
        }
        // Vertices 0 and a_i/b_i.
        let mut vertices = vec![0.0; self.dim];
        for (a, b) in self.each() {
            vertices.extend(a.iter().map(|v| v / b));
        }
        Polytope::new(self.dim, &vertices).ok().map(Set::from)
    }
}
