//! Many joined bodies: components that are factorised sparsely, from 128 coordinates on.

use crate::support::*;
use glam::DVec2;
use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::{Activation, Freedom, MassProperties, Plane, World, plane};

/// A stage with discs of mass 1 and moment 0.1 (times `ratio` for every third one) at these places.
fn discs(places: &[DVec2], radius: f64, ratio: f64) -> WorldBuilder<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.5), DVec2::Y * -9.81);
    stage.settings.tolerance = 1e-6;
    for (k, at) in places.iter().enumerate() {
        let mass = if k % 3 == 0 { ratio } else { 1.0 };
        let mass = MassProperties {
            mass,
            inertia: 0.1 * mass,
        };
        let shape = plane::Shape::disc(radius).unwrap();
        stage.add(shape, mass, Freedom::Free, at2(at.x, at.y), [0.0; 3]);
    }
    stage
}

fn pin(stage: &mut WorldBuilder<Plane>, between: [Option<usize>; 2], at: DVec2) {
    let frames = between.map(|body| JointFrame {
        body: body.map(|b| b as u32),
        point: at - body.map_or(DVec2::ZERO, |b| stage.state.poses[b].position),
        axes: [DVec2::X, DVec2::Y],
    });
    let name = format!("pin {}", stage.model.joints.len());
    let joint = Joint::new(&name, JointKind::Revolute, frames);
    stage.model.joints.push(joint);
}

/// n × n bodies, each pinned to its neighbours half-way, hung from its first corner: the squares can turn against each
/// other, (n − 2)² rows are redundant.
fn grid(n: usize, ratio: f64) -> WorldBuilder<Plane> {
    let place = |k: usize| DVec2::new((k / n) as f64, -((k % n) as f64));
    let places: Vec<DVec2> = (0..n * n).map(place).collect();
    let mut stage = discs(&places, 0.1, ratio);
    pin(&mut stage, [None, Some(0)], DVec2::Y * 0.5);
    for (k, at) in places.into_iter().enumerate() {
        if k % n > 0 {
            pin(&mut stage, [Some(k - 1), Some(k)], at + DVec2::Y * 0.5);
        }
        if k >= n {
            pin(&mut stage, [Some(k - n), Some(k)], at - DVec2::X * 0.5);
        }
    }
    stage
}

/// A chain of n bodies from the origin along x.
fn chain(n: usize, ratio: f64) -> WorldBuilder<Plane> {
    let places: Vec<DVec2> = (0..n).map(|k| DVec2::X * (k as f64 + 0.5)).collect();
    let mut stage = discs(&places, 0.05, ratio);
    for k in 0..n {
        pin(&mut stage, [k.checked_sub(1), Some(k)], DVec2::X * k as f64);
    }
    stage
}

/// Runs for some steps; every step is met and joints hold. Returns the largest change of the energy.
fn swing(world: &mut World<Plane>, steps: usize) -> f64 {
    let energy = |world: &World<Plane>| world.report().kinetic + world.report().potential;
    let (first, mut change) = (energy(world), 0.0_f64);
    for _ in 0..steps {
        world.step().unwrap();
        let report = world.report();
        assert!(report.reached, "residual {:e}", report.residual);
        // Rounding of positions of some ten metres.
        assert!(report.drift < 1e-13, "drift {:e}", report.drift);
        change = change.max((energy(world) - first).abs());
    }
    change
}

#[test]
fn a_grid_of_squares_swings_without_loss_and_counts_its_redundant_rows() {
    // 8 × 8 bodies: 192 coordinates. Two motions are free.
    let mut world = grid(8, 1.0).world();
    assert_eq!(world.redundant_rows().len(), 36);
    let change = swing(&mut world, 60);
    // The mass of 64 has fallen; the midpoint rule leaves energy of the order h².
    assert!(world.report().kinetic > 1.0);
    assert!(change < 1e-4 * world.report().kinetic, "{change:e}");
}

#[test]
fn the_order_of_joints_does_not_change_the_motion() {
    for ratio in [1.0, 1e6] {
        let mut first = grid(7, ratio).world();
        let mut stage = grid(7, ratio);
        // Every third one to the front, and backwards.
        let mut numbered: Vec<_> = stage.model.joints.drain(..).enumerate().collect();
        numbered.sort_by_key(|(k, _)| (k % 3, std::cmp::Reverse(*k)));
        stage.model.joints = numbered.into_iter().map(|(_, joint)| joint).collect();
        let mut second = stage.world();
        swing(&mut first, 20);
        swing(&mut second, 20);
        let poses = first.state().poses.iter().zip(&second.state().poses);
        for (a, b) in poses {
            // Rounding of redundant rows, with masses that differ by a million.
            let apart = (a.position - b.position).length();
            assert!(apart < 1e-12 * ratio.sqrt(), "{ratio}: {apart:e}");
        }
    }
}

#[test]
fn a_chain_of_fifty_links_converges_with_the_square_of_the_step() {
    // Places of the free end after 0.2 s with steps h, h/2, h/4.
    let ends = [4e-3, 2e-3, 1e-3].map(|h: f64| {
        let mut stage = chain(50, 1.0);
        stage.settings.step = h;
        let mut world = stage.world();
        swing(&mut world, (0.2 / h).round() as usize);
        world.state().poses[49].position
    });
    let ratio = (ends[0] - ends[1]).length() / (ends[1] - ends[2]).length();
    // Second order: 4, to what third-order terms leave at these steps.
    assert!((3.2..5.0).contains(&ratio), "{ratio}");
}

#[test]
fn a_long_chain_drapes_over_posts() {
    // 60 links, 180 coordinates, over round posts.
    let places: Vec<DVec2> = (0..60).map(|k| DVec2::new(k as f64 + 0.5, 1.5)).collect();
    let mut stage = discs(&places, 0.45, 1.0);
    stage.settings.activation = Activation::Predicted;
    for k in 1..60 {
        pin(
            &mut stage,
            [Some(k - 1), Some(k)],
            places[k] - DVec2::X * 0.5,
        );
    }
    let nothing = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    for k in 0..8 {
        let shape = plane::Shape::disc(1.0).unwrap();
        let at = at2(8.0 * f64::from(k) + 2.3, 0.0);
        stage.add(shape, nothing, Freedom::Fixed, at, [0.0; 3]);
    }
    let mut world = stage.world();
    let mut touched = 0;
    for _ in 0..150 {
        world.step().unwrap();
        let report = world.report();
        assert!(report.reached, "t = {}: {:e}", report.t, report.residual);
        // Drift: rounding; penetration of second order in the step.
        assert!(
            report.drift < 1e-12 && report.penetration < 1e-4,
            "{report:?}"
        );
        touched = touched.max(report.num_active);
    }
    assert!(touched >= 8);
}
