//! SIMD Gauss–Seidel sweeps: four contacts at a time in SIMD lanes. The hot loop of large collections of bodies.
//!
//! ```text
//! q_α = u_α − H_α r_α,    law_α(H_α r⁺ + q_α, r⁺),    v̂ += Ĝ_αᵀ (r⁺ − r)            (JM92 7.4–7.5)
//! ```
//!
//! is the local solve of a sweep; here it is done for a pack of four contacts that share no body (wide constraints, an
//! array of structures of arrays), with data laid out in the order in which it is read. A pack holds all data of its
//! contacts, impulses and conjugate directions included; the velocity of a body in space is one cache line.
//! Extrapolation, local solve and the norm for β are one pass over the contacts; the velocities of an extrapolated
//! impulse are combined from those of its terms, because v̂ is affine in r.
//!
//! Packs with Coulomb's isotropic law: spheres in space (closed form), other bodies in space, bodies in the plane.
//! Contacts with any other law are visited one at a time after all packs of their list. Problems whose groups are
//! not bodies (mechanisms, periodic cells) are not treated: [`SimdSweeper::fit`] returns false.
//!
//! The result is a function of the problem and the impulses alone, not of the number of threads. Large problems are
//! divided into partitions (domain decomposition), which the threads of the caller's pool share.

mod body_velocity;
mod instruction_set;
mod iterate;
mod lanes;
mod pack;
mod pack_list;
mod packer;
mod partition;
mod partitioned_sweeper;
mod partitioning;
mod planar_pack;
mod scalar_contact;
mod spatial_pack;
mod sphere_pack;
#[cfg(test)]
mod tests;
mod velocity_update;

use percuss_contact::Problem;

pub(crate) use iterate::{ANDERSON_DEPTH, AndersonProducts, AndersonStep, CgStep};
use pack_list::{PlanarPacks, SpatialPacks};
use partitioned_sweeper::PartitionedSweeper;

/// Contacts in SIMD packs, with the velocities that belong to their impulses.
#[derive(Debug, Default)]
pub(crate) struct SimdSweeper {
    dimension: Option<usize>,
    plane: PartitionedSweeper<PlanarPacks>,
    space: PartitionedSweeper<SpatialPacks>,
}

impl SimdSweeper {
    /// Packs the contacts of a problem; false where its groups are not bodies.
    pub fn fit(&mut self, problem: &Problem) -> bool {
        // Planar or spatial bodies, or none.
        self.dimension = partitioning::packable_body_width(problem);
        // Three coordinates per body in the plane, six in space.
        match self.dimension {
            Some(3) => self.plane.fit(problem),
            Some(6) => self.space.fit(problem),
            _ => return false,
        }
        true
    }

    /// Sets the impulses and resets the search direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        match self.dimension {
            Some(3) => self.plane.load(problem, impulse),
            _ => self.space.load(problem, impulse),
        }
    }

    /// Writes the impulses of the last sweep.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        match self.dimension {
            Some(3) => self.plane.store(problem, impulse),
            _ => self.space.store(problem, impulse),
        }
    }

    /// One sweep from the extrapolated impulses; returns Σ ‖g‖²/κ.
    pub fn sweep(&mut self, problem: &Problem, cg_step: CgStep) -> f64 {
        match self.dimension {
            Some(3) => self.plane.sweep(problem, cg_step),
            _ => self.space.sweep(problem, cg_step),
        }
    }

    /// Allocates the history that [`Self::anderson_sweep`] keeps.
    pub fn reserve_history(&mut self) {
        match self.dimension {
            Some(3) => self.plane.reserve_history(),
            _ => self.space.reserve_history(),
        }
    }

    /// One sweep from the Anderson-mixed impulses; `last` is the slot in which the sweep before stored its differences.
    pub fn anderson_sweep(
        &mut self,
        problem: &Problem,
        anderson_step: &AndersonStep,
        last: Option<usize>,
    ) -> AndersonProducts<f64> {
        match self.dimension {
            Some(3) => self.plane.anderson_sweep(problem, anderson_step, last),
            _ => self.space.anderson_sweep(problem, anderson_step, last),
        }
    }

    /// R2 of the swept impulses; the velocities are recomputed from them at intervals.
    pub fn residual(&mut self, problem: &Problem) -> f64 {
        match self.dimension {
            Some(3) => self.plane.residual(problem),
            _ => self.space.residual(problem),
        }
    }
}
