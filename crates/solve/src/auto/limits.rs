//! What the cascade decides from the sizes of a problem: how far below the tolerance to go, and when to leave the sweeps.

use percuss_contact::{DelassusOperator, Problem, ResidualMeasure};

use super::newton_first::DEEPEST;
use crate::goal::Goal;
use crate::methods::newton_system::planar_system;
use crate::methods::nncg::{NncgParams, Sweeps};

/// Residual that structures of blocks in the plane are solved to where the methods get there. The normal velocities
/// that a larger residual leaves open interfaces by nanometres; a block that rested on four points then rests on
/// three, and every later step is a hard one (decision 49).
const DEEP: f64 = 1e-10;

/// Rows per coordinate from which a problem counts as hyperstatic (blocks that rest on faces): dense packings of
/// spheres have two, walls three and a half.
const HYPERSTATIC_RATIO: f64 = 2.5;

/// Whether the problem is strongly hyperstatic: many more contact rows than coordinates.
pub(super) fn is_hyperstatic(problem: &Problem) -> bool {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) => {
            problem.num_rows() as f64 >= HYPERSTATIC_RATIO * kinetic.num_coordinates() as f64
        }
        DelassusOperator::Stored { .. } => false,
    }
}

/// Fraction of the tolerance to aim at: for few bodies, and for structures of blocks in the plane, what their methods
/// reach; 1 where nothing is gained below the tolerance.
pub(super) fn target(problem: &Problem, goal: &Goal, few: bool, block_structure: bool) -> f64 {
    match goal.measure {
        ResidualMeasure::Fclib => 1.0,
        _ if few => (DEEPEST / goal.tolerance).min(1.0),
        _ if block_structure && planar_system::is_planar_coulomb(problem) => {
            (DEEP / goal.tolerance).min(1.0)
        }
        _ => 1.0,
    }
}

/// Parameters of sweeps that factorising methods follow.
pub(super) fn first_sweeps(sweeps: usize, patience: usize) -> NncgParams {
    NncgParams {
        max_sweeps: sweeps,
        patience,
        sweeps: Sweeps::Exact,
        ..NncgParams::default()
    }
}

/// Parameters of sweeps that no other method follows.
pub(super) fn all_sweeps(patience: usize) -> NncgParams {
    let usual = NncgParams::default();
    NncgParams {
        patience: usual.patience.max(patience),
        ..usual
    }
}
