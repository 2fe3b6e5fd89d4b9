//! Frictional rows that are projected in the kinetic metric, checked by what defines them (B02 §6.1):
//!
//! ```text
//! G' A⁻¹ Φᵀ = 0,       G' − G ∈ span Φ
//! ```
//!
//! Φ are the rows of the constraints that the projection names, G the rows as the scene writes them.

use percuss_scene::model::mechanism::{ConstraintKind, System, SystemError};

use super::MechanismVerifier;
use super::dense::{dot, solve};
use super::step::Step;

/// A row that has lost all but this share of its square depends on the others.
const DEPENDENT: f64 = 1e-18;

impl MechanismVerifier<'_> {
    /// Compares the projected rows of the step.
    pub(super) fn compare_projections(&mut self, step: &Step) -> Result<(), SystemError> {
        for k in 0..self.constraint_rows.len() {
            let constraint = self.constraint_rows[k].constraint;
            let Some((first, onto)) = self.system.projected_onto(constraint) else {
                continue;
            };
            let (first, onto) = (first, onto.to_vec());
            self.report.declare(
                "projection",
                "projected rows: orthogonal to those they are projected on, and the written ones but for these; relative",
                1e-10,
            );
            let off = self.projection_off(step, k, first, &onto)?;
            let place = self.place(self.name(constraint));
            self.report.add_comparison("projection", off, || place);
        }
        Ok(())
    }

    fn written(&mut self, constraint: usize, step: &Step) -> Result<Vec<Vec<f64>>, SystemError> {
        let (rows, n) = (self.system.constraints()[constraint].rows, step.begin.len());
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        self.system
            .written_rows(constraint, step.t, &step.q, &mut g, &mut w)?;
        Ok(g.chunks(n).map(<[f64]>::to_vec).collect())
    }

    /// Largest violation of the two conditions, in the metric A⁻¹.
    fn projection_off(
        &mut self,
        step: &Step,
        k: usize,
        first: usize,
        onto: &[usize],
    ) -> Result<f64, SystemError> {
        let n = step.begin.len();
        let constraint = self.constraint_rows[k].constraint;
        let mut held = Vec::new();
        for &other in onto {
            let known = &self.system.constraints()[other];
            let count = match known.kind {
                ConstraintKind::Contact => 1,
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                _ => known.rows,
            };
            held.extend(self.written(other, step)?.into_iter().take(count));
        }
        let raised =
            |row: &[f64]| solve(&step.mass, row).unwrap_or_else(|| vec![f64::NAN; row.len()]);
        let length = |row: &[f64]| dot(row, &raised(row)).max(0.0).sqrt();
        // Orthonormal basis of Φ in the metric.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let strip = |row: &mut [f64], basis: &[Vec<f64>]| {
            for b in basis.iter().chain(basis) {
                let along = dot(row, &raised(b));
                row.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        };
        for row in &held {
            let (mut rest, whole) = (row.clone(), length(row));
            strip(&mut rest, &basis);
            let left = length(&rest);
            if left * left > DEPENDENT * whole * whole {
                rest.iter_mut().for_each(|x| *x /= left);
                basis.push(rest);
            }
        }
        let written = self.written(constraint, step)?;
        let mut worst = 0.0_f64;
        let (used, _) = &step.rows[k];
        for (row, given) in used.chunks(n).zip(&written).skip(first) {
            let size = length(given).max(f64::MIN_POSITIVE);
            for b in &basis {
                worst = worst.max(dot(row, &raised(b)).abs() / size);
            }
            let mut change: Vec<f64> = row.iter().zip(given).map(|(a, b)| a - b).collect();
            strip(&mut change, &basis);
            worst = worst.max(length(&change) / size);
        }
        Ok(worst)
    }
}
