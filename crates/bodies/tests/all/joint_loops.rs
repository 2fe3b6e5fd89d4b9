//! Linkages with closed loops: the leg of a small walking robot, two cranks and two shins that meet in the foot.
//!
//! Such legs of space hold their foot by a point joint, one row of which is redundant beside the hinges, and their
//! links have moments of inertia of 1e-4 kg m². Steps of such a robot without any contact once missed their tolerance.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::{Dynamics, Freedom, MassProperties, Plane, Space, World, plane, space};

/// Hips, lengths of crank and shin.
const HIPS: [DVec2; 2] = [DVec2::new(-0.02, 0.0), DVec2::new(0.02, 0.0)];
const CRANK: f64 = 0.1;
const SHIN: f64 = 0.2;

/// Mass and moment of each link.
const LINKS: [(f64, f64); 4] = [(0.08, 1e-4), (0.05, 2e-4), (0.07, 1e-4), (0.05, 2e-4)];

/// Places of the leg at the start: knees and foot. It is let go with its foot to one side.
fn places() -> ([DVec2; 2], DVec2) {
    let knees = [
        HIPS[0] + CRANK * DVec2::from_angle(200_f64.to_radians()),
        HIPS[1] + CRANK * DVec2::from_angle(20_f64.to_radians()),
    ];
    // The foot is below the middle of the knees.
    let across = knees[1] - knees[0];
    let down = -across.perp().normalize();
    let foot =
        0.5 * (knees[0] + knees[1]) + (SHIN * SHIN - 0.25 * across.length_squared()).sqrt() * down;
    (knees, foot)
}

/// A joint between two links (or the chassis, which is the world) at a place.
struct Link {
    name: &'static str,
    between: [Option<usize>; 2],
    at: DVec2,
}

/// Centres of the links in the order crank, shin, crank, shin, and the joints, the one that closes the loop last.
fn leg() -> ([DVec2; 4], [Link; 5]) {
    let (knees, foot) = places();
    let middle = |p: DVec2, q: DVec2| 0.5 * (p + q);
    let centres = [
        middle(HIPS[0], knees[0]),
        middle(knees[0], foot),
        middle(HIPS[1], knees[1]),
        middle(knees[1], foot),
    ];
    let link = |name, between, at| Link { name, between, at };
    let joints = [
        link("left hip", [None, Some(0)], HIPS[0]),
        link("left knee", [Some(0), Some(1)], knees[0]),
        link("right hip", [None, Some(2)], HIPS[1]),
        link("right knee", [Some(2), Some(3)], knees[1]),
        link("foot", [Some(1), Some(3)], foot),
    ];
    (centres, joints)
}

fn of_plane(step: f64) -> World<Plane> {
    let (centres, joints) = leg();
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -9.81);
    for (at, (mass, inertia)) in centres.iter().zip(LINKS) {
        let shape = plane::Shape::disc(0.001).unwrap();
        let mass = MassProperties { mass, inertia };
        stage.add(shape, mass, Freedom::Free, at2(at.x, at.y), [0.0; 3]);
    }
    for joint in joints {
        let sides = joint.between.map(|body| JointFrame {
            body: body.map(|b| b as u32),
            point: joint.at - body.map_or(DVec2::ZERO, |b| centres[b]),
            axes: [DVec2::X, DVec2::Y],
        });
        let joint = Joint::new(joint.name, JointKind::Revolute, sides);
        stage.model.joints.push(joint);
    }
    started(stage, step)
}

/// The same in the plane y = 0 of space; hinges about y, the foot held at a point.
fn of_space(step: f64) -> World<Space> {
    let (centres, joints) = leg();
    let lift = |p: DVec2| DVec3::new(p.x, 0.0, p.y);
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -9.81);
    for (at, (mass, inertia)) in centres.iter().zip(LINKS) {
        let shape = space::Shape::sphere(0.001).unwrap();
        let inertia = DVec3::splat(inertia);
        let mass = MassProperties { mass, inertia };
        stage.add(shape, mass, Freedom::Free, at3(lift(*at)), [0.0; 6]);
    }
    for joint in joints {
        let kind = match joint.name {
            "foot" => JointKind::Spherical,
            _ => JointKind::Revolute,
        };
        let sides = joint.between.map(|body| JointFrame {
            body: body.map(|b| b as u32),
            point: lift(joint.at - body.map_or(DVec2::ZERO, |b| centres[b])),
            axes: [DVec3::Y, DVec3::Z, DVec3::X],
        });
        stage.model.joints.push(Joint::new(joint.name, kind, sides));
    }
    started(stage, step)
}

/// The default tolerance.
fn started<D: Dynamics>(mut stage: WorldBuilder<D>, step: f64) -> World<D> {
    stage.settings.step = step;
    stage.settings.tolerance = 1e-6;
    stage.world()
}

/// Range of the energy over a second, in J; every step is met and the joints stay closed.
fn swing<D: Dynamics>(world: &mut World<D>, steps: usize) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for step in 0..steps {
        world.step().unwrap();
        let ledger = world.report();
        assert!(
            ledger.reached,
            "step {step}: residual {:e}",
            ledger.residual
        );
        assert_eq!(ledger.num_active, 0);
        // A few roundings of places of 0.3 m.
        assert!(ledger.drift < 1e-14, "step {step}: {:e} m", ledger.drift);
        let energy = ledger.kinetic + ledger.potential;
        (low, high) = (low.min(energy), high.max(energy));
    }
    high - low
}

#[test]
fn a_leg_with_a_closed_loop_swings_in_plane_and_space_and_meets_every_step() {
    let mut last: Option<[f64; 3]> = None;
    for (step, steps) in [(1e-3, 1_000), (5e-4, 2_000)] {
        let (mut flat, mut solid) = (of_plane(step), of_space(step));
        let ranges = [swing(&mut flat, steps), swing(&mut solid, steps)];
        let pairs = flat.state().poses.iter().zip(&solid.state().poses);
        let apart = pairs.fold(0.0_f64, |m, (p, q)| {
            let image = DVec3::new(p.position.x, 0.0, p.position.y);
            m.max(q.position.distance(image))
        });
        // It falls by some 0.1 J. Energy is conserved, and plane and space have other rows for the same motion: both
        // errors are of second order, 3e-5 J and 8e-7 m at 1 ms.
        assert!(ranges[0].max(ranges[1]) < 1e-4, "{ranges:?} J");
        assert!(apart < 3e-6, "{apart:e} m");
        let errors = [ranges[0], ranges[1], apart];
        if let Some(last) = last {
            for (coarse, fine) in last.iter().zip(&errors) {
                // A quarter, with a fifth of it to spare for the terms that follow.
                assert!(*fine < 0.3 * coarse, "{last:?} {errors:?}");
            }
        }
        last = Some(errors);
    }
}
