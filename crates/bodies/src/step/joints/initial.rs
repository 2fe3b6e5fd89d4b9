//! Initialisation of the joints: checks, redundant rows, motors that are locked, initial projection.

use super::{JointDrift, JointProjection};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{self, JacobianRow};

/// Fraction of the square of a row that may remain as rounding error if others determine it.
const LOCKED: f64 = 1e-12;

/// Coefficients of a linear combination below this are rounding error.
const SMALL: f64 = 1e-8;

impl<D: Dynamics> JointDrift<'_, D> {
    /// Checks the joints, counts redundant rows, rejects motors on coordinates that the joints lock, and
    /// projects positions and velocities to the nearest admissible ones in the kinetic metric (for velocities:
    /// the percussion of B02 §4 at the first instant).
    pub fn init(&mut self) -> Result<(), WorldError> {
        if self.model.joints.is_empty() {
            return Ok(());
        }
        joint::check(&self.model.joints, &self.model.bodies, &self.state.poses)?;
        for component in 0..self.cache.joints.components.len() {
            self.struts(component);
            self.scratch.factor(component, self.cache);
            let struts = &self.scratch.projection_rows;
            // Rows without a pivot are redundant.
            let spare = self.scratch.factors.dependent().into_iter();
            let spare = spare.map(|row| struts[row].joint);
            self.scratch.redundant.extend(spare);
            self.free_to_move(component)?;
        }
        self.project();
        Ok(())
    }

    /// Rejects a motor whose coordinate is locked by the joints of its component.
    fn free_to_move(&mut self, component: usize) -> Result<(), WorldError> {
        for k in 0..self.cache.joints.components[component].len() {
            let number = self.cache.joints.components[component][k];
            let joint = &self.model.joints[number];
            let ends = joint.placed_frames(&self.state.poses);
            if joint.motor.is_none() {
                continue;
            }
            let row = joint.coordinate_row(&ends);
            let Some(others) = self.holders(number, &row) else {
                continue;
            };
            let name = &joint.name;
            let by = match others.is_empty() {
                true => "its bodies do not follow forces in this direction".to_string(),
                false => format!("it is held by {}", others.join(", ")),
            };
            return Err(WorldError::Joint(format!(
                "joint `{name}`: its motor cannot move anything at the start, {by}. Release one of \
                 the joints, drop the motor, or begin elsewhere than at a dead centre"
            )));
        }
        Ok(())
    }

    /// The names of the joints whose held rows determine a row, if they do.
    fn holders(&mut self, number: usize, row: &JacobianRow<D>) -> Option<Vec<String>> {
        let own = self.strut(number, row);
        let length = own.dot(&own);
        let JointProjection {
            factors,
            projection_rows: struts,
            right,
            ..
        } = &mut *self.scratch;
        // Least squares: projection of the row on the held rows.
        right.clear();
        right.extend(struts.iter().map(|strut| strut.dot(&own)));
        let against = right.clone();
        factors.solve(right, 1e-15, 0.0);
        let taken: f64 = right.iter().zip(&against).map(|(x, b)| x * b).sum();
        if length - taken > LOCKED * length {
            return None;
        }
        // The joints with a coefficient in the combination.
        let mut names: Vec<String> = Vec::new();
        for (strut, x) in struts.iter().zip(right.iter()) {
            let name = format!("`{}`", self.model.joints[strut.joint].name);
            let matters = x.abs() * strut.dot(strut).sqrt() > SMALL * length.sqrt();
            if matters && !names.contains(&name) {
                names.push(name);
            }
        }
        Some(names)
    }
}
