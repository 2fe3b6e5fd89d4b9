//! What a Newton step costs in sweeps, estimated from the contact graph.
//!
//! A step factorises one matrix with a block for each body and each pair of bodies in contact; how much that costs
//! depends on the fill, which differs by a thousand between a chain of bodies and a dense packing of the same number.
//! The symbolic factorisation counts it. Times are estimates of one machine, and only their ratio is used: the result
//! does not depend on how fast a machine is at the moment.

use percuss_contact::{DelassusOperator, FactoredDelassus, Problem};
use percuss_linalg::MultifrontalLu;

/// Multiplications of a factorisation in a nanosecond.
const MULTIPLICATIONS: f64 = 2.0;

/// Nanoseconds of a Newton step for each contact: linearisation, assembly, solution, residuals.
const ASSEMBLY: f64 = 600.0;

/// Nanoseconds of a sweep for each contact: two rows; spheres in space; any other.
const PLANAR: f64 = 10.0;
const SPHERES: f64 = 30.0;
const GENERAL: f64 = 150.0;

/// Cost of a Newton step in sweeps; `None` where the operator is stored as a matrix.
pub(super) fn newton_step_in_sweeps(problem: &Problem) -> Option<f64> {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return None;
    };
    let contacts = problem.num_contacts();
    let (size, blocks) = body_graph(kinetic, contacts);
    let factorisation = MultifrontalLu::multiplications(&size, &blocks)? / MULTIPLICATIONS;
    let sweep: f64 = (0..contacts)
        .map(|a| match problem.dim(a) {
            0..=2 => PLANAR,
            _ if kinetic.sphere_contact(a).is_some() => SPHERES,
            _ => GENERAL,
        })
        .sum();
    Some((factorisation + ASSEMBLY * contacts as f64) / sweep.max(1.0))
}

/// Coordinates of each body that has contacts, and the pairs of such bodies that touch, both ways, with (i, i).
fn body_graph(kinetic: &FactoredDelassus, contacts: usize) -> (Vec<usize>, Vec<(u32, u32)>) {
    let offset = kinetic.group_offset();
    let mut number = vec![u32::MAX; kinetic.num_coordinates()];
    let (mut size, mut blocks) = (Vec::new(), Vec::new());
    for a in 0..contacts {
        for first in kinetic.first_coordinates(a) {
            if number[first] == u32::MAX {
                number[first] = size.len() as u32;
                let group = offset.partition_point(|start| *start <= first) - 1;
                size.push(offset[group + 1] - first);
            }
        }
        for i in kinetic.first_coordinates(a) {
            blocks.extend(kinetic.first_coordinates(a).map(|j| (number[i], number[j])));
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    (size, blocks)
}
