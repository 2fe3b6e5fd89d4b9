//! The kernels alone, for callgrind: `bench kernel NAME REPEATS` prints the number of units of work.

use percuss_bodies::{Detector, World};
use percuss_contact::Problem;
use percuss_solve::Nlgs;
use percuss_solve::sample::{Tower, Wall};

use crate::engine::percuss::{Choice, plane_world, settled, space_world};
use crate::engine::words;
use crate::lattice::lattice;
use crate::scaling::dense;
use crate::scene;

/// Runs a kernel; returns the number of units in which its instructions are counted.
pub fn run(name: &str, repeats: usize) -> Result<f64, String> {
    match name {
        "sphere sweep" => sweep(&lattice(512).map_err(words)?, repeats),
        "planar sweep" => sweep(&Wall::default().problem().map_err(words)?, repeats),
        "general sweep" => sweep(&Tower::of(40).problem().map_err(words)?, repeats),
        "sphere detection" => detection(repeats),
        "wall step" => step(
            &mut plane_world(&scene::wall(), &Choice::to(1e-6))?,
            repeats,
        ),
        "sphere step" => {
            // Settled enough to have contacts throughout, in few steps, since these are counted, too.
            let heap = settled(&scene::spheres(200, 5), &Choice::to(1e-3), 150)?;
            step(&mut space_world(&heap, &Choice::to(1e-4))?, repeats)
        }
        other => Err(format!("{other} is no kernel")),
    }
}

fn sweep(problem: &Problem, repeats: usize) -> Result<f64, String> {
    let mut impulse = vec![0.0; problem.num_rows()];
    Nlgs::default().sweep(problem, &mut impulse, repeats);
    Ok((problem.num_contacts() * repeats) as f64)
}

/// Contact detection of balls in a lattice that move a little between two calls, without a solver.
///
/// The count belongs to this configuration, 2.4 contact points and eight pairs of bounding boxes per ball: the
/// same detector takes a third of it where balls are loose and nothing touches. The pair list is cached from
/// one call to the next; what is counted is the update of the bounding boxes, the check of the pair list, and
/// the narrow phase.
fn detection(repeats: usize) -> Result<f64, String> {
    let heap = dense(1000);
    let world = space_world(&heap, &Choice::to(1e-4))?;
    let (model, mut poses) = (world.model(), world.state().poses.clone());
    let mut detector = Detector::new(1);
    for k in 0..repeats {
        for (i, pose) in poses.iter_mut().enumerate() {
            let way = if (i + k) % 2 == 0 { 1e-6 } else { -1e-6 };
            pose.position.x += way;
        }
        detector.detect(&model.bodies, &poses, &[]);
    }
    Ok((heap.grains.len() * repeats) as f64)
}

fn step<D: percuss_bodies::Dim>(world: &mut World<D>, repeats: usize) -> Result<f64, String> {
    for _ in 0..repeats {
        world.step().map_err(words)?;
    }
    Ok(repeats as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_say_how_much_they_did() {
        assert_eq!(run("sphere sweep", 2), Ok(2.0 * 3.0 * 512.0));
        assert_eq!(run("wall step", 3), Ok(3.0));
        assert!(run("no such", 1).is_err());
    }
}
