//! Periodic cell in a time step (equations in `crate::periodic_cell`).
//!
//! ```text
//! midpoint    H_M = H_I + ½h L_I H_I,            x_M = x_I + ½h (c_I + L_I x_I)
//! free        c_L = c_I + h(A⁻¹K − L_I c),       q̇_L = q̇_I + h/M (Σ m c·B c − V σ_given : B)
//! end         x_F = x_I + h c̄ + h L̄ ½(x_I + x_F),  L̄ = ½(L_I + L_F),   the same for H
//! ```
//!
//! −L c is the part of the acceleration that remains for a body crossing a steady mean flow: in simple shear
//! free bodies move in straight lines. Its power is opposite to that of Σ m c·B c on the cell. `change` contains
//! initial checks, the update of the cell, and lattice reduction.

mod change;

pub(crate) use change::{advance, init, reduce, shift};

use percuss_contact::{ProblemBuilder, ProblemError};

use super::scratch::{CellCache, EndVelocity, FreeVelocity, Midpoint, ModelCache};
use super::{SolvedStep, StepInputs, StepTime};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::periodic_cell as cell;
use crate::periodic_cell::{Lattice, Matrix};
use crate::state::State;
use percuss_geometry::Vector;

/// Largest number of deformation modes: the components of L.
pub(crate) const MAX_MODES: usize = 9;

/// H_M, and the affine part of the bodies' displacement to the midpoint.
pub(super) fn place_midpoint<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    h: f64,
    out: &mut Midpoint<D>,
) {
    let Some(lattice) = &state.cell else {
        return;
    };
    let half = 0.5 * h;
    let mut mid = *lattice;
    if model.cell.as_ref().is_some_and(cell::PeriodicCell::deforms) {
        // The lattice and the bodies deform with the strain rate of the beginning.
        for vector in mid.vectors.iter_mut().take(D::N) {
            *vector += cell::apply::<D>(&lattice.rate, *vector) * half;
        }
        for (mid, pose) in out.poses.iter_mut().zip(&state.poses) {
            mid.position += cell::apply::<D>(&lattice.rate, pose.position) * half;
        }
    }
    out.strain_rate = lattice.rate;
    out.lattice = Some(mid);
}

/// Free velocities c_L of the bodies relative to the mean flow, and q̇_L of the modes.
pub(super) fn set_free_velocity<D: Dynamics>(
    model: &mut Model<D>,
    state: &State<D>,
    midpoint: &Midpoint<D>,
    time: StepTime,
    out: &mut FreeVelocity<D>,
) -> Result<(), WorldError> {
    let (h, t_end) = (time.h, time.end);
    let (Some(cell), Some(lattice)) = (&mut model.cell, &state.cell) else {
        return Ok(());
    };
    if !cell.deforms() {
        return Ok(());
    }
    // Stress at the midpoint, strain rate at the end of the step.
    let mut given = |t: f64| {
        cell.control
            .as_mut()
            .map_or_else(Default::default, |c| c.at(t))
    };
    let (stress, rate) = (given(t_end - 0.5 * h).stress, given(t_end).rate);
    // User functions may return anything.
    let finite = |m: &Matrix| m.as_flattened().iter().all(|x| x.is_finite());
    if !finite(&stress) || !finite(&rate) {
        return Err(WorldError::Cell {
            t: t_end,
            reason: "its strain rate or its stress is not finite".to_string(),
        });
    }
    // −L c of each body, and the kinetic part Σ m c ⊗ c of the stress.
    let mut motion = [[0.0; 3]; 3];
    let bodies = model.bodies.iter().zip(&state.velocities);
    for ((body, begin), end) in bodies.zip(&mut out.velocity) {
        let c = D::Vector::from_components(&begin.as_ref()[..D::N]);
        // c at the midpoint: the error of the change is then of third order.
        let mid = c - cell::apply::<D>(&lattice.rate, c) * (0.5 * h);
        let change = cell::apply::<D>(&lattice.rate, mid) * h;
        for k in 0..D::N {
            end.as_mut()[k] -= change[k];
            for j in 0..D::N {
                motion[k][j] += body.mass.mass * mid[k] * mid[j];
            }
        }
    }
    let volume = midpoint.lattice.as_ref().map_or(0.0, Lattice::volume);
    let pushed = cell::add(&motion, &stress, -volume);
    out.imposed_rate = rate;
    out.strain_rate = rate;
    // Modes: driven by the stress defect, damping on the mean of both ends.
    for mode in &cell.modes {
        let size = cell::contract(mode, mode);
        let begin = cell::contract(&lattice.rate, mode) / size;
        let change = h * cell::contract(&pushed, mode) / (cell.mass * size);
        let share = 0.5 * h * cell.damping;
        let free = (begin * (1.0 - share) + change) / (1.0 + share);
        out.strain_rate = cell::add(&out.strain_rate, mode, free);
    }
    Ok(())
}

/// L_F without contacts: the free strain rate.
pub(super) fn begin_end_rate<D: Dynamics>(
    model: &Model<D>,
    free: &FreeVelocity<D>,
    out: &mut EndVelocity<D>,
) {
    if model.cell.as_ref().is_some_and(cell::PeriodicCell::deforms) {
        out.strain_rate = free.strain_rate;
    }
}

/// L_F from the last entries of the kinetic velocity.
pub(super) fn finish_end_rate<D: Dynamics>(
    model: &Model<D>,
    cache: &ModelCache<D>,
    free: &FreeVelocity<D>,
    out: &mut EndVelocity<D>,
) {
    let Some(cell) = &model.cell else {
        return;
    };
    let modes = cache.cell.modes();
    if modes == 0 {
        return;
    }
    // The modes are the last entries of the kinetic velocity.
    let Some(first) = out.kinetic.len().checked_sub(modes) else {
        return;
    };
    out.strain_rate = free.imposed_rate;
    let hats = out.kinetic[first..]
        .iter()
        .zip(&cache.cell.inverse_sqrt_mass);
    for (mode, (hat, root)) in cell.modes.iter().zip(hats) {
        out.strain_rate = cell::add(&out.strain_rate, mode, hat * root);
    }
}

/// Bound of the mean flow's contribution to the surface speed of a body, over its radius.
pub(super) fn flow_bound<D: Dynamics>(model: &Model<D>, free: &FreeVelocity<D>) -> f64 {
    match &model.cell {
        Some(cell) if cell.deforms() => {
            let free = &free.strain_rate;
            cell::contract(free, free).sqrt()
        }
        _ => 0.0,
    }
}

/// Kinetic energy of the modes with this strain rate, ½ M Σ q̇² B:B.
pub(super) fn energy<D: Dynamics>(model: &Model<D>, cache: &ModelCache<D>, rate: &Matrix) -> f64 {
    let Some(cell) = &model.cell else {
        return 0.0;
    };
    let mut hats = [0.0; MAX_MODES];
    cache.cell.kinetic(&cell.modes, rate, &mut hats);
    0.5 * hats.iter().map(|x| x * x).sum::<f64>()
}

/// Entries of the cell in a row along `axis` for the branch vector ℓ: axis·B ℓ, scaled by the mode's inertia.
pub(super) fn fill_row<D: Dynamics>(
    model: &Model<D>,
    cache: &ModelCache<D>,
    branch: D::Vector,
    axis: D::Vector,
    row: &mut [f64],
) {
    let modes = model.cell.iter().flat_map(|cell| &cell.modes);
    for (entry, (mode, root)) in row.iter_mut().zip(modes.zip(&cache.cell.inverse_sqrt_mass)) {
        *entry = axis.dot(cell::apply::<D>(mode, branch)) * root;
    }
}

impl<D: Dynamics> StepInputs<'_, D> {
    /// Adds the cell's group of kinetic coordinates, behind those of the bodies.
    pub(super) fn push_cell(&self, builder: &mut ProblemBuilder) -> Result<(), ProblemError> {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &self.state.cell) else {
            return Ok(());
        };
        let modes = self.cache.cell.modes();
        if modes == 0 {
            return Ok(());
        }
        // Strain rates at the beginning and free, in kinetic coordinates.
        let (mut begin, mut free) = ([0.0; MAX_MODES], [0.0; MAX_MODES]);
        self.cache
            .cell
            .kinetic(&cell.modes, &lattice.rate, &mut begin);
        self.cache
            .cell
            .kinetic(&cell.modes, &self.free.strain_rate, &mut free);
        builder.add_kinetic_group(&begin[..modes], &free[..modes])?;
        Ok(())
    }

    /// Contribution of the mean flow to a contact row along `axis`: to W, U_I, U_L.
    pub(super) fn flow(&self, found: &Candidate<D>, axis: D::Vector) -> [f64; 3] {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &self.state.cell) else {
            return [0.0; 3];
        };
        if !cell.deforms() {
            return [0.0; 3];
        }
        // Relative velocity of the mean flow over the branch vector, L ℓ.
        let branch = self.midpoint.branch(found);
        [
            &self.free.imposed_rate,
            &lattice.rate,
            &self.free.strain_rate,
        ]
        .map(|rate| axis.dot(cell::apply::<D>(rate, branch)))
    }

    /// Block of Ĝ of the cell: d × modes; rows of angular velocities are 0.
    pub(super) fn cell_block(&self, found: &Candidate<D>, frame: &D::Frame, out: &mut [f64]) {
        let Some(cell) = &self.model.cell else {
            return;
        };
        let branch = self.midpoint.branch(found);
        let rows = out.chunks_mut(cell.modes.len().max(1));
        for (row, axis) in rows.zip(frame.as_ref()) {
            fill_row(self.model, self.cache, branch, *axis, row);
        }
    }
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// (q̂_L − q̂_I)·½(q̂_F + q̂_I) and ½‖q̂_L − q̂_I‖²: contribution of the modes to the work of the given forces.
    pub(super) fn cell_work(&self) -> (f64, f64) {
        let (Some(cell), Some(lattice)) = (&self.inputs.model.cell, &self.inputs.state.cell) else {
            return (0.0, 0.0);
        };
        // Kinetic coordinates of L_I, L_L and L_F.
        let mut hats = [[0.0; MAX_MODES]; 3];
        for (hats, rate) in hats.iter_mut().zip([
            &lattice.rate,
            &self.inputs.free.strain_rate,
            &self.end.strain_rate,
        ]) {
            self.inputs.cache.cell.kinetic(&cell.modes, rate, hats);
        }
        let [begin, free, end] = hats;
        (0..MAX_MODES).fold((0.0, 0.0), |(sum, at_stake), m| {
            let change = free[m] - begin[m];
            (
                sum + change * 0.5 * (begin[m] + end[m]),
                at_stake + 0.5 * change * change,
            )
        })
    }
}

impl CellCache {
    /// Kinetic coordinates of a strain rate, one for each mode.
    fn kinetic(&self, modes: &[Matrix], rate: &Matrix, out: &mut [f64; MAX_MODES]) {
        for ((out, mode), root) in out.iter_mut().zip(modes).zip(&self.inverse_sqrt_mass) {
            *out = cell::contract(rate, mode) / cell::contract(mode, mode) / root;
        }
    }
}
