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

/// Whether the bodies are those of the plane, whatever their laws: no contact of more than two rows, or no group of more
/// than three coordinates.
pub(super) fn is_planar(problem: &Problem) -> bool {
    let narrow = (0..problem.num_contacts()).all(|a| problem.dim(a) <= 2);
    match problem.operator() {
        DelassusOperator::Factored(kinetic) => {
            narrow || kinetic.group_offset().windows(2).all(|g| g[1] - g[0] <= 3)
        }
        DelassusOperator::Stored { .. } => narrow,
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
pub(super) fn first_sweeps(problem: &Problem, sweeps: usize, patience: usize) -> NncgParams {
    NncgParams {
        max_sweeps: sweeps,
        patience: first_patience(problem, patience),
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

/// Cost, in factorisations, that sweeps without progress may have.
const WORTH: f64 = 15.0;

/// Smallest patience: a sweep carries information over one contact only.
const LEAST_PATIENCE: usize = 100;

/// Sweeps without progress before a factorising method is tried, at most `most`. In a nested-dissection estimate, n
/// bodies of w coordinates have frontal matrices of w n^{1/2} rows in the plane and w n^{2/3} in space, so that a
/// factorisation takes some w n (w n^{1/2})² or w n (w n^{2/3})² multiplications; a sweep takes some 20 per contact
/// row.
fn first_patience(problem: &Problem, most: usize) -> usize {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return most;
    };
    // Width of the largest front, and the cost of a sweep.
    let bodies = kinetic.num_groups().max(1) as f64;
    let coordinates = kinetic.num_coordinates() as f64;
    let width = coordinates / bodies;
    let front = width * bodies.powf(if width > 3.0 { 2.0 / 3.0 } else { 0.5 });
    let sweep = 20.0 * problem.num_rows().max(1) as f64;
    // Sweeps that cost as much as some factorisations.
    let patience = WORTH * coordinates * front * front / sweep;
    (patience.min(1e9) as usize).clamp(LEAST_PATIENCE.min(most), most)
}
