//! Periodic cell: initial checks, update at the end of a step, lattice reduction, displacement by the projection.

use super::MAX_MODES;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Freedom;
use crate::periodic_cell as cell;
use crate::world::World;
use percuss_geometry::Vector;

impl<D: Dynamics> World<D> {
    /// Checks the cell against the bodies and sets its initial strain rate.
    pub(in crate::world) fn init_cell(&mut self) -> Result<(), WorldError> {
        let t = self.state.t;
        let refuse = |reason: &str| {
            let reason = reason.to_string();
            Err(WorldError::Cell { t, reason })
        };
        let (cell, lattice) = match (&mut self.model.cell, &mut self.state.cell) {
            (None, None) => return Ok(()),
            (Some(cell), Some(lattice)) => (cell, lattice),
            _ => return refuse("the model has one and the state has none, or the other way round"),
        };
        // Vectors, damping and inertia.
        let entries = lattice.vectors.iter().take(D::N);
        if !entries.clone().all(|vector| vector.is_finite()) || !(lattice.volume() > 0.0) {
            return refuse("its vectors span no volume, or are not in a right-handed order");
        }
        if cell.modes.len() > MAX_MODES || !(cell.damping >= 0.0 && cell.damping.is_finite()) {
            return refuse("its damping is not a number of at least 0, or it has too many modes");
        }
        let heavy = cell.mass > 0.0 && cell.mass.is_finite();
        if !cell.modes.is_empty() && !heavy {
            return refuse("its inertia is not a positive, finite number");
        }
        // Joints, and bodies that are not free, exclude a deforming cell.
        let all_free = self
            .model
            .bodies
            .iter()
            .all(|body| body.freedom == Freedom::Free);
        if !self.model.joints.is_empty() {
            return refuse(
                "joints join bodies and not their images: take the joints or the cell away",
            );
        }
        if cell.deforms() && !all_free {
            return refuse(
                "a cell that deforms takes all bodies with it, but there is one that is fixed, \
                 held or has a given motion",
            );
        }
        // Initial strain rate: the imposed part, and the component of the state's rate along each mode.
        let given = cell.control.as_mut().map(|control| control.at(t));
        let mut rate = given.unwrap_or_default().rate;
        for mode in &cell.modes {
            let part = cell::contract(&lattice.rate, mode) / cell::contract(mode, mode);
            rate = cell::add(&rate, mode, part);
        }
        if !rate.as_flattened().iter().all(|x| x.is_finite()) {
            return refuse("its strain rate is not finite");
        }
        lattice.rate = rate;
        self.scratch.cell.end = rate;
        self.check_room()
    }

    /// Checks that each distance between opposite faces exceeds twice the diameter of the largest body.
    fn check_room(&self) -> Result<(), WorldError> {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &self.state.cell) else {
            return Ok(());
        };
        // Diameter of the largest bounded body.
        let sizes = self
            .model
            .bodies
            .iter()
            .map(|body| D::bounding_radius(&body.shape));
        let largest = 2.0 * sizes.filter(|r| r.is_finite()).fold(0.0, f64::max);
        let heights = lattice.heights();
        for k in (0..D::N).filter(|&k| cell.periodic[k]) {
            if !(heights[k] > 2.0 * largest) {
                return Err(WorldError::Cell {
                    t: self.state.t,
                    reason: format!(
                        "its faces along {} are {} apart; more than {}, twice the largest body, was \
                         expected. Use a larger cell or smaller bodies",
                        ["x", "y", "z"][k],
                        heights[k],
                        2.0 * largest
                    ),
                });
            }
        }
        Ok(())
    }

    /// x_F and H_F: adds the mean flow to bodies that have already moved by h c̄.
    pub(in crate::world) fn end_cell(&mut self) -> Result<(), WorldError> {
        let Some(cell) = &self.model.cell else {
            return Ok(());
        };
        let moves = cell.deforms();
        let Some(lattice) = self.state.cell.as_mut().filter(|_| moves) else {
            return Ok(());
        };
        let (end, h) = (self.scratch.cell.end, self.settings.step);
        // 2 L̄; the factors below contain the ½.
        let mean = cell::add(&lattice.rate, &end, 1.0);
        // x_F = (1 − ½hL̄)⁻¹ ((x_I + h c̄) + ½hL̄ x_I) = x* + (1 − ½hL̄)⁻¹ h L̄ (x_I + ½h c̄), x* = x_I + h c̄.
        let behind = cell::inverse(&cell::add(&cell::identity(), &mean, -0.25 * h));
        let flow = cell::product(&behind, &mean).map(|row| row.map(|x| 0.5 * h * x));
        if !flow.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(WorldError::Cell {
                t: self.state.t,
                reason: "its strain rate is not finite".to_string(),
            });
        }
        // Bodies: the flow at the middle of their way.
        for (i, pose) in self.state.poses.iter_mut().enumerate() {
            let (begin, last) = (&self.state.velocities[i], &self.scratch.end[i]);
            let mut half = [0.0; 3];
            for k in 0..D::N {
                half[k] = 0.25 * h * (begin.as_ref()[k] + last.as_ref()[k]);
            }
            let middle = pose.position - D::Vector::from_components(&half[..D::N]);
            pose.position += cell::apply::<D>(&flow, middle);
        }
        // The cell's vectors, strain and strain rate.
        for vector in lattice.vectors.iter_mut().take(D::N) {
            *vector += cell::apply::<D>(&flow, *vector);
        }
        lattice.strain = cell::add(&lattice.strain, &mean, 0.5 * h);
        lattice.rate = end;
        Ok(())
    }

    /// Lattice reduction where shear has made the vectors long, then the check of the distances between faces.
    pub(in crate::world) fn reduce_cell(&mut self) -> Result<(), WorldError> {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &mut self.state.cell) else {
            return Ok(());
        };
        if !cell.deforms() {
            return Ok(());
        }
        let mut changed = false;
        while let Some((i, j, times)) = lattice.reduce(cell.periodic) {
            changed = true;
            // The image stays the same: h_j k_j = (h_j − m h_i) k_j + h_i m k_j.
            for memory in &mut self.state.contacts {
                let more = times.wrapping_mul(memory.image[j]);
                memory.image[i] = memory.image[i].wrapping_add(more);
            }
        }
        if changed {
            let memory = &mut self.state.contacts;
            memory.sort_unstable_by_key(|m| (m.bodies, m.image, m.feature));
        }
        self.check_room()
    }

    /// Deforms the cell and the bodies with it by the last entries of a displacement in kinetic coordinates.
    pub(in crate::world) fn shift_cell(&mut self, hat: &[f64]) {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &mut self.state.cell) else {
            return;
        };
        let root = &self.scratch.cell.root;
        let Some(first) = hat
            .len()
            .checked_sub(root.len())
            .filter(|_| !root.is_empty())
        else {
            return;
        };
        // Deformation from the modes' displacements.
        let mut flow = [[0.0; 3]; 3];
        for (mode, (hat, root)) in cell.modes.iter().zip(hat[first..].iter().zip(root)) {
            flow = cell::add(&flow, mode, hat * root);
        }
        if !flow.as_flattened().iter().all(|x| x.is_finite()) {
            return;
        }
        for pose in &mut self.state.poses {
            pose.position += cell::apply::<D>(&flow, pose.position);
        }
        for vector in lattice.vectors.iter_mut().take(D::N) {
            *vector += cell::apply::<D>(&flow, *vector);
        }
        lattice.strain = cell::add(&lattice.strain, &flow, 1.0);
    }
}
