//! Force chains in a picture: which contact forces belong to one.

use percuss_bodies::measure::{ForceChainContact, force_chains};
use percuss_record::frame::{DrawnForce, Frame};
use percuss_record::{BodyDescription, RecordedShape};
use percuss_run::bodies_run::ANGLE;

use super::{force_lines as force, norm};

/// For each force of a frame, whether it belongs to a force chain.
pub(super) fn chain_members(bodies: &[BodyDescription], still: &Frame) -> Vec<bool> {
    let struts: Vec<ForceChainContact> = still
        .forces
        .iter()
        .map(|force| strut(bodies, still, force))
        .collect();
    // Chains are made of forces above the mean.
    let carrying = struts.iter().filter(|s| s.force > 0.0);
    let (count, sum) = carrying.fold((0_usize, 0.0), |(n, sum), s| (n + 1, sum + s.force));
    let mut inside = vec![false; struts.len()];
    if count > 0 {
        let found = force_chains(&struts, sum / count as f64, ANGLE);
        for place in found.members.into_iter().flatten() {
            inside[place] = true;
        }
    }
    inside
}

fn strut(bodies: &[BodyDescription], still: &Frame, force: &DrawnForce) -> ForceChainContact {
    let passes = force
        .bodies
        .map(|k| bodies.get(k).is_some_and(|b| grain(&b.shape)));
    // Ends of the branch vector: centres of grains, or the contact point at a boundary.
    let end = |side: usize| {
        let place = still.bodies.get(force.bodies[side]);
        let centre = place.filter(|_| passes[side]).map(|p| p.position);
        centre.unwrap_or(force.at)
    };
    let (a, b) = (end(0), end(1));
    let along: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
    let length = norm(along);
    ForceChainContact {
        bodies: force.bodies.map(|k| u32::try_from(k).unwrap_or(u32::MAX)),
        along: along.map(|x| if length > 0.0 { x / length } else { 0.0 }),
        force: force.normal,
        passes,
    }
}

/// Whether a body is a grain and not a boundary: it has a size.
fn grain(outline: &RecordedShape) -> bool {
    force::thickness(outline).is_some()
}
