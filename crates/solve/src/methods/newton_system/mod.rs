//! Newton systems (A + B (Ŵ + α)) dx = f of contact problems, in impulses or in body velocities.
//!
//! | module | system |
//! |---|---|
//! | `scaled_delassus` | in the impulses of contacts: Ŵ as a sparse matrix, factorised |
//! | `velocity_system` | in the velocities of bodies: the Schur complement of the contact rows |
//! | `planar_system` | the same for planar bodies with Coulomb contacts, in fixed sizes |
//! | `alart_curnier` | the residual and the blocks A, B of Alart and Curnier's function |

use percuss_contact::Problem;

pub(crate) mod alart_curnier;
pub(crate) mod planar_system;
mod scaled_delassus;
pub(crate) mod velocity_system;

pub(crate) use scaled_delassus::ScaledDelassus;
use velocity_system::VelocitySystem;

/// Newton system (A + B (Ŵ + α)) dx = f, A and B block diagonal, in the variables in which it is smaller.
pub(crate) enum NewtonSystem {
    /// Velocities of bodies.
    Velocities(Box<VelocitySystem>),
    /// Impulses of contacts.
    Impulses(Box<ScaledDelassus>),
}

impl std::fmt::Debug for NewtonSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Velocities(_) => "Velocities",
            Self::Impulses(_) => "Impulses",
        })
    }
}

impl NewtonSystem {
    /// The system in velocities where the problem fits it, in impulses otherwise.
    pub fn new(problem: &Problem) -> Self {
        match VelocitySystem::new(problem) {
            Some(primal) => Self::Velocities(Box::new(primal)),
            None => Self::Impulses(Box::new(ScaledDelassus::new(problem))),
        }
    }

    /// A system for `problem` that reuses pattern and buffers of `other` where the contact graph is the same.
    pub fn reuse_or_new(other: Option<Self>, problem: &Problem) -> Self {
        // Only the system in velocities keeps its pattern from step to step.
        if let Some(Self::Velocities(mut primal)) = other
            && primal.refit(problem)
        {
            return Self::Velocities(primal);
        }
        Self::new(problem)
    }

    /// Solves for dx, which holds f on entry; false where the matrix could not be factorised.
    pub fn solve(&mut self, a: &[f64], b: &[f64], alpha: f64, dx: &mut [f64]) -> bool {
        match self {
            Self::Velocities(primal) => primal.solve(a, b, alpha, dx),
            Self::Impulses(scaled) => scaled.solve_newton(a, b, alpha, dx),
        }
    }
}
