//! Initialisation of the joints: checks, redundant rows, motors that are locked, initial projection.

use super::super::World;
use super::JointScratch;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{self, JacobianRow};

/// Fraction of the square of a row that may remain as rounding error if others determine it.
const LOCKED: f64 = 1e-12;

/// Coefficients of a linear combination below this are rounding error.
const SMALL: f64 = 1e-8;

impl<D: Dynamics> World<D> {
    /// Checks the joints, counts redundant rows, rejects motors on coordinates that the joints lock, and
    /// projects positions and velocities to the nearest admissible ones in the kinetic metric (for velocities:
    /// the percussion of B02 §4 at the first instant).
    pub(in crate::world) fn init_joints(&mut self) -> Result<(), WorldError> {
        if self.model.joints.is_empty() {
            return Ok(());
        }
        joint::check(&self.model.joints, &self.model.bodies, &self.state.poses)?;
        let mut link = std::mem::replace(&mut self.joints, JointScratch::empty());
        let mut checked = Ok(());
        for component in 0..link.components.len() {
            self.struts(&mut link, component);
            link.factor();
            let struts = &link.projection_rows;
            // Rows without a pivot are redundant.
            let spare = link.gram.dependent().iter().map(|&row| struts[row].joint);
            link.redundant.extend(spare);
            checked = self.free_to_move(&mut link, component);
            if checked.is_err() {
                break;
            }
        }
        self.joints = link;
        checked?;
        self.project_joints();
        Ok(())
    }

    /// Rejects a motor whose coordinate is locked by the joints of its component.
    fn free_to_move(&self, link: &mut JointScratch<D>, component: usize) -> Result<(), WorldError> {
        for k in 0..link.components[component].len() {
            let number = link.components[component][k];
            let joint = &self.model.joints[number];
            let ends = joint.placed_frames(&self.state.poses);
            if joint.motor.is_none() {
                continue;
            }
            let row = joint.coordinate_row(&ends);
            let Some(others) = self.holders(link, number, &row) else {
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
    fn holders(
        &self,
        link: &mut JointScratch<D>,
        number: usize,
        row: &JacobianRow<D>,
    ) -> Option<Vec<String>> {
        let own = self.strut(number, row);
        let length = own.dot(&own);
        let JointScratch {
            gram,
            projection_rows: struts,
            right,
            ..
        } = link;
        // Least squares: projection of the row on the held rows.
        right.clear();
        right.extend(struts.iter().map(|strut| strut.dot(&own)));
        let against = right.clone();
        gram.solve(right);
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
