//! Polyhedral cones given by generators or by inequalities; the two representations are polar to each other.

use super::flat::check_rows;
use super::{ConvexSet, Set, Support, cone_support};
use crate::conic::{ConicForm, ConeKind};
use crate::dense::{axpy, norm, row_space};
use crate::error::{Result, check_finite};
use crate::metric::Metric;
use crate::qp::{LinearConstraints, prox};

/// How a cone is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Representation {
    Generators,
    Inequalities,
}

/// { Σ λ_i g_i : λ ≥ 0 } or { x : ⟨g_i, x⟩ ≤ 0 }.
#[derive(Debug, Clone, PartialEq)]
pub struct PolyhedralCone {
    dim: usize,
    rows: Vec<f64>,
    side: Representation,
}

impl PolyhedralCone {
    /// All non-negative combinations of the generators, given row by row; none give {0}.
    pub fn from_generators(n: usize, generators: &[f64]) -> Result<Self> {
        check_finite("cone generators", generators)?;
        check_rows("cone generators", generators.len(), n)?;
        Ok(Self {
            dim: n,
            rows: generators.to_vec(),
            side: Representation::Generators,
        })
    }

    /// All x with ⟨row, x⟩ ≤ 0; no rows give the whole space.
    pub fn from_inequalities(n: usize, rows: &[f64]) -> Result<Self> {
        check_finite("cone inequalities", rows)?;
        check_rows("cone inequalities", rows.len(), n)?;
        Ok(Self {
            dim: n,
            rows: rows.to_vec(),
            side: Representation::Inequalities,
        })
    }

    fn count(&self) -> usize {
        self.rows.len() / self.dim.max(1)
    }

    fn each(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks_exact(self.dim.max(1))
    }

    /// The polar cone: same rows, other representation.
    fn other_side(&self) -> Self {
        Self {
            side: match self.side {
                Representation::Generators => Representation::Inequalities,
                Representation::Inequalities => Representation::Generators,
            },
            ..self.clone()
        }
    }
}

impl ConvexSet for PolyhedralCone {
    fn dim(&self) -> usize {
        self.dim
    }
    /// Rank of the generators; or n minus the rank of the rows that vanish on the whole cone,
    /// those whose opposite is a combination of the rows (Farkas).
    fn affine_dim(&self) -> Result<Option<usize>> {
        if self.side == Representation::Generators {
            return Ok(Some(row_space(&self.rows, self.dim, 1e-12).rank));
        }
        let span = self.other_side();
        let mut fixed = Vec::new();
        for g in self.each() {
            let back: Vec<f64> = g.iter().map(|v| -v).collect();
            // Implied equalities hold exactly or not at all; the tolerance covers rounded data.
            if span.distance(&back)? <= 1e-10 * norm(g) {
                fixed.extend_from_slice(g);
            }
        }
        Ok(Some(self.dim - row_space(&fixed, self.dim, 1e-12).rank))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.project_in(&Metric::euclidean(self.dim), z)
    }
    /// Generators: the rows A g_i define V with z − proj_V(z) = Σ λ_i g_i, which is the projection onto
    /// the cone, with the multipliers λ as coefficients.
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim)?;
        let zeros = vec![0.0; self.count()];
        if self.side == Representation::Inequalities {
            return Ok(prox(metric, LinearConstraints::inequalities(&self.rows, &zeros), z)?.point);
        }
        let mut rows = vec![0.0; self.rows.len()];
        for (g, out) in self.each().zip(rows.chunks_exact_mut(self.dim.max(1))) {
            metric.apply_into(g, out);
        }
        let weights = prox(metric, LinearConstraints::inequalities(&rows, &zeros), z)?.multipliers;
        let mut p = vec![0.0; self.dim];
        for (g, w) in self.each().zip(weights) {
            axpy(w, g, &mut p);
        }
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        if self.side == Representation::Generators {
            return self.other_side().conic_form().polar();
        }
        let mut form = ConicForm::whole(self.dim, 0);
        for g in self.each() {
            let row: Vec<f64> = g.iter().map(|v| -v).collect();
            form.push(ConeKind::NonNegative, &row, &[0.0]);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        cone_support(self, y)
    }
    fn recession_cone(&self) -> Set {
        self.clone().into()
    }
    fn is_cone(&self) -> bool {
        true
    }
    fn polar(&self) -> Option<Set> {
        Some(self.other_side().into())
    }
}
