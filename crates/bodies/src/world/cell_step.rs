//! Periodic cell in a time step (equations in `crate::cell`).
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

use contact::{ProblemBuilder, ProblemError};

use super::{Scratch, World};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::periodic_cell as cell;
use crate::periodic_cell::{Lattice, Matrix};
use percuss_geometry::Vector;

/// Largest number of deformation modes: the components of L.
pub(super) const MAX_MODES: usize = 9;

/// Scratch memory and results of the cell.
#[derive(Debug)]
pub(super) struct CellScratch<D: Dynamics> {
    /// The cell at the midpoint.
    pub(super) mid: Option<Lattice<D>>,
    /// L_I, the strain rate at the beginning of the last step.
    pub(super) begin: Matrix,
    /// The imposed part of L at the end of the step; L_L; L_F.
    pub(super) given: Matrix,
    free: Matrix,
    pub(super) end: Matrix,
    /// 1/√(M B:B) by mode, the inverse square root of its inertia.
    root: Vec<f64>,
    /// Index of its group of kinetic coordinates, behind those of the bodies.
    pub(super) group: usize,
}

impl<D: Dynamics> CellScratch<D> {
    pub(super) fn new(cell: Option<&cell::PeriodicCell>, group: usize) -> Self {
        let root = cell.map_or_else(Vec::new, |cell| {
            // Inertia of a mode is M B:B.
            let modes = cell.modes.iter();
            modes
                .map(|mode| 1.0 / (cell.mass * cell::contract(mode, mode)).sqrt())
                .collect()
        });
        Self {
            mid: None,
            begin: [[0.0; 3]; 3],
            given: [[0.0; 3]; 3],
            free: [[0.0; 3]; 3],
            end: [[0.0; 3]; 3],
            root,
            group,
        }
    }

    /// Number of deformation modes.
    pub(super) fn modes(&self) -> usize {
        self.root.len()
    }
}

impl<D: Dynamics> World<D> {
    /// H_M, and the affine part of the bodies' displacement to the midpoint.
    pub(super) fn cell_midpoint(&mut self) {
        let Some(lattice) = &self.state.cell else {
            return;
        };
        let half = 0.5 * self.settings.step;
        let mut mid = *lattice;
        if self
            .model
            .cell
            .as_ref()
            .is_some_and(cell::PeriodicCell::deforms)
        {
            // The lattice and the bodies deform with the strain rate of the beginning.
            for vector in mid.vectors.iter_mut().take(D::N) {
                *vector += cell::apply::<D>(&lattice.rate, *vector) * half;
            }
            for (mid, pose) in self.scratch.mid.iter_mut().zip(&self.state.poses) {
                mid.position += cell::apply::<D>(&lattice.rate, pose.position) * half;
            }
        }
        self.scratch.cell.begin = lattice.rate;
        self.scratch.cell.mid = Some(mid);
    }

    /// Free velocities c_L of the bodies relative to the mean flow, and q̇_L of the modes.
    pub(super) fn set_free_cell(&mut self, t_end: f64) -> Result<(), WorldError> {
        let (Some(cell), Some(lattice)) = (&mut self.model.cell, &self.state.cell) else {
            return Ok(());
        };
        if !cell.deforms() {
            return Ok(());
        }
        let (h, work) = (self.settings.step, &mut self.scratch);
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
        let bodies = self.model.bodies.iter().zip(&self.state.velocities);
        for ((body, begin), end) in bodies.zip(&mut work.end) {
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
        let volume = work.cell.mid.as_ref().map_or(0.0, Lattice::volume);
        let pushed = cell::add(&motion, &stress, -volume);
        work.cell.given = rate;
        work.cell.free = rate;
        // Modes: driven by the stress defect, damping on the mean of both ends.
        for mode in &cell.modes {
            let size = cell::contract(mode, mode);
            let begin = cell::contract(&lattice.rate, mode) / size;
            let change = h * cell::contract(&pushed, mode) / (cell.mass * size);
            let share = 0.5 * h * cell.damping;
            let free = (begin * (1.0 - share) + change) / (1.0 + share);
            work.cell.free = cell::add(&work.cell.free, mode, free);
        }
        // Without contacts the free rate is the end rate.
        work.cell.end = work.cell.free;
        Ok(())
    }

    /// Adds the cell's group of kinetic coordinates, behind those of the bodies.
    pub(super) fn push_cell(&self, builder: &mut ProblemBuilder) -> Result<(), ProblemError> {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &self.state.cell) else {
            return Ok(());
        };
        let modes = self.scratch.cell.modes();
        if modes == 0 {
            return Ok(());
        }
        // Strain rates at the beginning and free, in kinetic coordinates.
        let (mut begin, mut free) = ([0.0; MAX_MODES], [0.0; MAX_MODES]);
        self.scratch.hats(&cell.modes, &lattice.rate, &mut begin);
        self.scratch
            .hats(&cell.modes, &self.scratch.cell.free, &mut free);
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
        let branch = self.scratch.branch(found);
        [
            &self.scratch.cell.given,
            &lattice.rate,
            &self.scratch.cell.free,
        ]
        .map(|rate| axis.dot(cell::apply::<D>(rate, branch)))
    }

    /// Block of Ĝ of the cell: d × modes; rows of angular velocities are 0.
    pub(super) fn cell_block(&self, found: &Candidate<D>, frame: &D::Frame, out: &mut [f64]) {
        let Some(cell) = &self.model.cell else {
            return;
        };
        let branch = self.scratch.branch(found);
        let rows = out.chunks_mut(cell.modes.len().max(1));
        for (row, axis) in rows.zip(frame.as_ref()) {
            self.cell_row(branch, *axis, row);
        }
    }

    /// Entries of the cell in a row along `axis` for the branch vector ℓ: axis·B ℓ, scaled by the mode's inertia.
    pub(super) fn cell_row(&self, branch: D::Vector, axis: D::Vector, row: &mut [f64]) {
        let modes = self.model.cell.iter().flat_map(|cell| &cell.modes);
        for (entry, (mode, root)) in row.iter_mut().zip(modes.zip(&self.scratch.cell.root)) {
            *entry = axis.dot(cell::apply::<D>(mode, branch)) * root;
        }
    }

    /// Bound of the mean flow's contribution to the surface speed of a body, over its radius.
    pub(super) fn flow_bound(&self) -> f64 {
        match &self.model.cell {
            Some(cell) if cell.deforms() => {
                let free = &self.scratch.cell.free;
                cell::contract(free, free).sqrt()
            }
            _ => 0.0,
        }
    }

    /// L_F from the last entries of the kinetic velocity.
    pub(super) fn finish_rate(&mut self) {
        let Some(cell) = &self.model.cell else {
            return;
        };
        let work = &mut self.scratch;
        let modes = work.cell.modes();
        if modes == 0 {
            return;
        }
        // The modes are the last entries of the kinetic velocity.
        let Some(first) = work.kinetic_velocity.len().checked_sub(modes) else {
            return;
        };
        work.cell.end = work.cell.given;
        let hats = work.kinetic_velocity[first..].iter().zip(&work.cell.root);
        for (mode, (hat, root)) in cell.modes.iter().zip(hats) {
            work.cell.end = cell::add(&work.cell.end, mode, hat * root);
        }
    }

    /// Kinetic energy of the modes at the end of the step, ½ M Σ q̇² B:B.
    pub(super) fn cell_energy(&self) -> f64 {
        let Some(cell) = &self.model.cell else {
            return 0.0;
        };
        let mut hats = [0.0; MAX_MODES];
        self.scratch
            .hats(&cell.modes, &self.scratch.cell.end, &mut hats);
        0.5 * hats.iter().map(|x| x * x).sum::<f64>()
    }

    /// (q̂_L − q̂_I)·½(q̂_F + q̂_I) and ½‖q̂_L − q̂_I‖²: contribution of the modes to the work of the given forces.
    pub(super) fn cell_work(&self) -> (f64, f64) {
        let (Some(cell), Some(lattice)) = (&self.model.cell, &self.state.cell) else {
            return (0.0, 0.0);
        };
        let work = &self.scratch;
        // Kinetic coordinates of L_I, L_L and L_F.
        let mut hats = [[0.0; MAX_MODES]; 3];
        for (hats, rate) in hats
            .iter_mut()
            .zip([&lattice.rate, &work.cell.free, &work.cell.end])
        {
            work.hats(&cell.modes, rate, hats);
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

    /// Displacement from the second body of a contact to its periodic image; `None` without a cell.
    pub fn image(&self, contact: usize) -> Option<D::Vector> {
        let found =
            &self.scratch.detector.candidates()[*self.scratch.active.get(contact)? as usize];
        self.scratch
            .cell
            .mid
            .as_ref()
            .map(|mid| mid.offset(found.image))
    }

    /// Strain rate L at the beginning of the last step; 0 without a cell or a step.
    pub fn begin_strain_rate(&self) -> Matrix {
        self.scratch.cell.begin
    }

    /// Love–Weber stress of the cell over the last step, compressive where positive: (1/V) Σ S/h ⊗ ℓ over its
    /// contacts, at the midpoint. 0 without a cell or a step.
    pub fn cell_stress(&self) -> Matrix {
        let mut sum = [[0.0; 3]; 3];
        let (Some(mid), h) = (&self.scratch.cell.mid, self.report.h) else {
            return sum;
        };
        // Before the first step h is 0.
        let scale = 1.0 / (mid.volume() * h);
        if !scale.is_finite() {
            return sum;
        }
        for index in 0..self.num_contacts() {
            let contact = self.contact(index);
            // S ⊗ ℓ with the impulse vector in world axes.
            let branch = contact.centres[1] - contact.centres[0];
            let mut impulse = D::Vector::default();
            for (axis, s) in contact.frame.as_ref().iter().zip(contact.impulse) {
                impulse += *axis * *s;
            }
            for i in 0..D::N {
                for j in 0..D::N {
                    sum[i][j] += impulse[i] * branch[j] * scale;
                }
            }
        }
        sum
    }
}

impl<D: Dynamics> Scratch<D> {
    /// Displacement H k of a candidate's image, at the midpoint.
    #[inline]
    pub(super) fn offset(&self, found: &Candidate<D>) -> D::Vector {
        match &self.cell.mid {
            None => D::Vector::default(),
            Some(lattice) => lattice.offset(found.image),
        }
    }

    /// Centre of one of the two bodies of a candidate at the midpoint, of the second one at its image.
    #[inline]
    pub(super) fn centre(&self, found: &Candidate<D>, side: usize) -> D::Vector {
        let at = self.mid[found.bodies[side] as usize].position;
        if side == 0 || found.image == [0; 3] {
            at
        } else {
            at + self.offset(found)
        }
    }

    /// Branch vector ℓ of a candidate: from the centre of the first body to that of the second.
    fn branch(&self, found: &Candidate<D>) -> D::Vector {
        self.centre(found, 1) - self.centre(found, 0)
    }

    /// Kinetic coordinates of a strain rate, one for each mode.
    fn hats(&self, modes: &[Matrix], rate: &Matrix, out: &mut [f64; MAX_MODES]) {
        for ((out, mode), root) in out.iter_mut().zip(modes).zip(&self.cell.root) {
            *out = cell::contract(rate, mode) / cell::contract(mode, mode) / root;
        }
    }
}
