//! Relaxation of many contacts at a time: the hot loop of collections of bodies.
//!
//! ```text
//! q_α = u_α − H_α r_α,    law_α(H_α r⁺ + q_α, r⁺),    v̂ += Ĝ_αᵀ (r⁺ − r)            (JM92 7.4–7.5)
//! ```
//!
//! is what a visit does (see `sweep`); here it is done for four contacts that share no body, with data laid
//! out in the order in which it is read: a pack holds all that its contacts need, impulses and directions
//! of conjugate gradients included, and a body is one line of the cache. Extrapolation, visit and the
//! norm that β is made of are one pass over the contacts; the velocities that go with an extrapolated
//! impulse follow from those of its parts, because v̂ is affine in r.
//!
//! Kinds: balls in space (closed form), other bodies in space, bodies in the plane, all with Coulomb's
//! isotropic law; any other law is visited one contact at a time in between. Problems whose groups
//! are not bodies (mechanisms, cells) are not treated: [`Batch::fit`] says so.
//!
//! Everything is a function of the problem and the impulses: no history, no threads' order. Large problems are
//! cut into blocks (`plan`), which the threads of the pool that the caller runs in share.

mod ball;
mod block;
mod desk;
mod flat;
mod hall;
mod iterate;
mod lanes;
mod motion;
mod other;
mod pack;
mod plan;
mod row;
mod shelf;
mod solid;
#[cfg(test)]
mod tests;
mod wide;

use contact::Problem;

use hall::PartitionedSweeper;
pub(crate) use iterate::{ANDERSON_DEPTH, CgStep, AndersonStep, AndersonProducts};
use shelf::{PlanarPacks, SpatialPacks};

/// Contacts in packs, with the velocities that go with their impulses.
#[derive(Debug, Default)]
pub(crate) struct SimdSweeper {
    dimension: Option<usize>,
    plane: PartitionedSweeper<PlanarPacks>,
    space: PartitionedSweeper<SpatialPacks>,
}

impl SimdSweeper {
    /// Takes a problem in; false where it is not one of bodies.
    pub fn fit(&mut self, problem: &Problem) -> bool {
        self.dimension = plan::packable_body_width(problem);
        match self.dimension {
            Some(3) => self.plane.fit(problem),
            Some(6) => self.space.fit(problem),
            _ => return false,
        }
        true
    }

    /// Starts from these impulses, without a direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        match self.dimension {
            Some(3) => self.plane.load(problem, impulse),
            _ => self.space.load(problem, impulse),
        }
    }

    /// The swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        match self.dimension {
            Some(3) => self.plane.store(problem, impulse),
            _ => self.space.store(problem, impulse),
        }
    }

    /// One sweep from the extrapolated impulses; returns Σ ‖g‖²/κ.
    pub fn sweep(&mut self, problem: &Problem, lead: CgStep) -> f64 {
        match self.dimension {
            Some(3) => self.plane.sweep(problem, lead),
            _ => self.space.sweep(problem, lead),
        }
    }

    /// Makes room for the differences that [`Self::mix`] keeps.
    pub fn reserve_history(&mut self) {
        match self.dimension {
            Some(3) => self.plane.reserve_history(),
            _ => self.space.reserve_history(),
        }
    }

    /// One sweep from a mixture of the last ones; `last` is where the sweep before put its differences.
    pub fn anderson_sweep(&mut self, problem: &Problem, mix: &AndersonStep, last: Option<usize>) -> AndersonProducts<f64> {
        match self.dimension {
            Some(3) => self.plane.anderson_sweep(problem, mix, last),
            _ => self.space.anderson_sweep(problem, mix, last),
        }
    }

    /// The dimensionless residual of the swept impulses, velocities recomputed from them.
    pub fn residual(&mut self, problem: &Problem) -> f64 {
        match self.dimension {
            Some(3) => self.plane.residual(problem),
            _ => self.space.residual(problem),
        }
    }
}
