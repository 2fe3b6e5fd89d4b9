//! Dynamical locking of a joint with friction, decided a second time (B02 §6, example 14).
//!
//! A joint that slides along d with friction of magnitude s has the normal reactions R = a + s c, where a and c follow
//! from rest of all bilateral rows; sliding on asks for s = μ|R|, s ≥ 0. With a, c in units of friction per μ,
//!
//! ```text
//! s = μ|R|:   (1 − μ²|c|²) s² − 2 μ² a·c s − μ²|a|² = 0
//! ```
//!
//! has a solution where μ|c| < 1, or where a·c < 0 and the discriminant is not negative. A joint that stops where it has
//! none has locked. Decided where the joint acts together with bilateral constraints alone that do not depend on each
//! other; elsewhere the record is believed.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{ConstraintKind, StateRef, System, SystemError};

use super::MechanismVerifier;
use super::dense::{dot, solve};
use super::step::Step;

/// A sliding velocity below this share of its terms is rest.
const RESTING: f64 = 1e-9;

/// A discriminant within this share of its terms is not decided.
const CLOSE: f64 = 1e-9;

impl MechanismVerifier<'_> {
    /// Whether the `k`-th constraint of the step, a joint with friction, locks in it; `None` where that is not decided.
    pub(super) fn locks(&mut self, step: &Step, k: usize) -> Result<Option<bool>, SystemError> {
        let touch = &self.constraint_rows[k];
        let (joint, status) = (touch.constraint, touch.status);
        let ConstraintKind::FrictionJoint { normal_rows } = self.system.constraints()[joint].kind
        else {
            return Ok(Some(false));
        };
        let n = step.begin.len();
        let u: Vec<f64> = touch.begin[normal_rows..].to_vec();
        let terms = |row: &[f64]| -> f64 {
            let both = row.iter().zip(&step.begin);
            both.map(|(g, v)| (g * v).abs()).sum()
        };
        let (g, w) = &step.rows[k];
        let tangential = g.chunks(n).zip(w).skip(normal_rows);
        let moves = tangential
            .zip(&u)
            .any(|((row, w), u)| u.abs() > RESTING * (terms(row) + w.abs()));
        if !moves || status != Some(Status::Stick) {
            return Ok(Some(false));
        }
        let bilateral = |other: &usize| {
            matches!(
                self.system.constraints()[self.constraint_rows[*other].constraint].kind,
                ConstraintKind::Joint | ConstraintKind::Nonholonomic
            )
        };
        let others: Vec<usize> = (0..self.constraint_rows.len())
            .filter(|o| *o != k)
            .collect();
        if !others.iter().all(bilateral) {
            return Ok(None);
        }
        // All bilateral rows, those of the joint first, with Ġv + Ẇ.
        let at = StateRef {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut bias: Vec<f64> = Vec::new();
        for other in std::iter::once(k).chain(others) {
            let constraint = self.constraint_rows[other].constraint;
            let (g, w) = &step.rows[other];
            let mut own = vec![0.0; w.len()];
            self.system.bias(constraint, at.t, at.q, at.v, &mut own)?;
            let count = if other == k { normal_rows } else { w.len() };
            rows.extend(g.chunks(n).take(count).map(<[f64]>::to_vec));
            bias.extend_from_slice(&own[..count]);
        }
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        self.system
            .dynamics(at.t, at.q, at.v, &mut mass, &mut force)?;
        // The force of friction for s = 1, against u.
        let size = dot(&u, &u).sqrt();
        let mut pull = vec![0.0; n];
        for (row, u) in step.rows[k].0.chunks(n).skip(normal_rows).zip(&u) {
            pull.iter_mut()
                .zip(row)
                .for_each(|(p, g)| *p -= g * u / size);
        }
        let free = reactions(&mass, &rows, &force, &bias);
        let response = reactions(&mass, &rows, &pull, &vec![0.0; bias.len()]);
        let (Some(a), Some(c)) = (free, response) else {
            return Ok(None);
        };
        let Law::BilateralFriction { mu, .. } = self.system.law(joint, at, step.h, Status::Slip)?
        else {
            return Ok(None);
        };
        let (a, c) = (&a[..normal_rows], &c[..normal_rows]);
        let square = 1.0 - mu * mu * dot(c, c);
        let along = mu * mu * dot(a, c);
        let terms = [along * along, square * mu * mu * dot(a, a)];
        let discriminant = terms[0] + terms[1];
        let close = discriminant.abs() <= CLOSE * (terms[0].abs() + terms[1].abs());
        if square.abs() <= CLOSE || (square < 0.0 && along < 0.0 && close) {
            return Ok(None);
        }
        Ok(Some(square < 0.0 && !(along < 0.0 && discriminant > 0.0)))
    }
}

/// Reactions of rows that do not accelerate, with given forces; `None` where they are not determined.
fn reactions(mass: &[f64], rows: &[Vec<f64>], force: &[f64], bias: &[f64]) -> Option<Vec<f64>> {
    let m = rows.len();
    let free = solve(mass, force)?;
    let mut matrix = vec![0.0; m * m];
    for (j, row) in rows.iter().enumerate() {
        let back = solve(mass, row)?;
        for (i, other) in rows.iter().enumerate() {
            matrix[i * m + j] = dot(other, &back);
        }
    }
    let right = rows.iter().zip(bias);
    let right: Vec<f64> = right.map(|(row, bias)| -dot(row, &free) - bias).collect();
    // Rows that depend on each other: the Gram matrix is singular to rounding.
    let found = solve(&matrix, &right)?;
    let left = (0..m).map(|i| dot(&matrix[i * m..(i + 1) * m], &found) - right[i]);
    let size = right.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    let solved = left.fold(0.0_f64, |m, r| m.max(r.abs())) <= 1e-9 * size;
    solved.then_some(found)
}
