//! Motions with joints that are known in closed form or from other equations.

use std::f64::consts::PI;

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::geometry::Dim;
use percuss_bodies::joint::{ConstantSpeed, Joint, JointFrame, JointKind};
use percuss_bodies::plane::{Angle, Shape};
use percuss_bodies::{Freedom, MassProperties, Plane, Pose, Space, World, joint};

const G: f64 = 9.81;

/// Period of a pendulum of length 1 let go at 90°: 4 K(sin 45°)/√g.
const PERIOD: f64 = 2.3678419475762373;

fn side(body: Option<u32>, x: f64, y: f64) -> JointFrame<Plane> {
    JointFrame {
        body,
        point: DVec2::new(x, y),
        axes: [DVec2::X, DVec2::Y],
    }
}

/// A bob of mass 1 (all but a point: its inertia changes the period by 1e-8) on a massless rod from the origin.
fn pendulum(step: f64) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let mass = MassProperties {
        mass: 1.0,
        inertia: 1e-8,
    };
    let bob = Shape::disc(0.01).unwrap();
    stage.add(bob, mass, Freedom::Free, at2(1.0, 0.0), [0.0; 3]);
    let sides = [side(None, 0.0, 0.0), side(Some(0), -1.0, 0.0)];
    stage
        .model
        .joints
        .push(Joint::new("pin", JointKind::Revolute, sides));
    stage.settings.step = step;
    stage.settings.tolerance = POINT;
    stage.world()
}

/// Spins of the all but massless rotation are off by r ε/1e-8, the rounding of the pin's impulse: 1e-8 of g h at rest,
/// more where it moves fast.
const POINT: f64 = 1e-6;

/// Error of the period and range of the energy over two swings.
fn swing(step: f64) -> (f64, f64) {
    let mut world = pendulum(step);
    let (mut crossed, mut last) = (Vec::new(), (0.0, 1.0));
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    while crossed.len() < 3 {
        world.step().unwrap();
        let ledger = world.report();
        assert!(ledger.reached && ledger.energy < 1e-11 && ledger.drift < 1e-12);
        let energy = ledger.kinetic + ledger.potential;
        (low, high) = (f64::min(low, energy), f64::max(high, energy));
        let (t, x) = (world.state().t, world.state().poses[0].position.x);
        if last.1 > 0.0 && x <= 0.0 {
            crossed.push(last.0 + (t - last.0) * last.1 / (last.1 - x));
        }
        last = (t, x);
    }
    (0.5 * (crossed[2] - crossed[0]) - PERIOD, high - low)
}

#[test]
fn a_pendulum_keeps_period_and_energy_to_second_order() {
    let (coarse, fine) = (swing(4e-3), swing(1e-3));
    // Second order: a quarter of the step, a sixteenth of the error. Crossings are found to the square
    // of the step, with a constant that differs between the two.
    assert!(fine.0.abs() < 5e-6, "{fine:?}");
    assert!(fine.0.abs() < coarse.0.abs() / 10.0, "{coarse:?} {fine:?}");
    assert!(
        fine.1 < 3e-5 && fine.1 < coarse.1 / 12.0,
        "{coarse:?} {fine:?}"
    );
}

#[test]
fn a_pendulum_does_not_lose_energy_swing_by_swing() {
    let mut world = pendulum(1e-3);
    let energy = |world: &World<Plane>| world.report().kinetic + world.report().potential;
    let mut held = 0.0;
    for _ in 0..(20.0 * PERIOD / 1e-3) as usize {
        world.step().unwrap();
        held += world.report().bilateral;
    }
    // What the projection of velocities takes is of the order h³ for each unit of time: 47 s of it
    // from 9.81 J.
    assert!(held <= 0.0 && held > -1e-5, "{held:e}");
    assert!(energy(&world).abs() < 3e-5, "{}", energy(&world));
}

/// Angular accelerations of two point masses 1 on rods of length 1, angles from below.
fn double(q: [f64; 4]) -> [f64; 4] {
    let [a, b, u, v] = q;
    let (s, c) = (a - b).sin_cos();
    let (f, g) = (-v * v * s - 2.0 * G * a.sin(), u * u * s - G * b.sin());
    let det = 2.0 - c * c;
    [u, v, (f - c * g) / det, (2.0 * g - c * f) / det]
}

#[test]
fn a_double_pendulum_follows_its_equations_in_angles_to_second_order() {
    let error = |step: f64| {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
        let mass = MassProperties {
            mass: 1.0,
            inertia: 1e-8,
        };
        let (a, b) = (1.0_f64, 2.0_f64);
        let first = DVec2::new(a.sin(), -a.cos());
        let second = first + DVec2::new(b.sin(), -b.cos());
        for at in [first, second] {
            let bob = Shape::disc(0.01).unwrap();
            stage.add(bob, mass, Freedom::Free, at2(at.x, at.y), [0.0; 3]);
        }
        let up = -first;
        let back = first - second;
        let joints = [
            [side(None, 0.0, 0.0), side(Some(0), up.x, up.y)],
            [side(Some(0), 0.0, 0.0), side(Some(1), back.x, back.y)],
        ];
        for sides in joints {
            stage
                .model
                .joints
                .push(Joint::new("pin", JointKind::Revolute, sides));
        }
        stage.settings.step = step;
        stage.settings.tolerance = POINT;
        let mut world = stage.world();
        run(&mut world, (1.5 / step).round() as usize);
        let end = world.state().poses[1].position;
        let (mut q, h) = ([a, b, 0.0, 0.0], 1e-4);
        for _ in 0..15_000 {
            let add = |x: [f64; 4], k: [f64; 4], f: f64| [0, 1, 2, 3].map(|i| x[i] + f * k[i]);
            let k1 = double(q);
            let k2 = double(add(q, k1, 0.5 * h));
            let k3 = double(add(q, k2, 0.5 * h));
            let k4 = double(add(q, k3, h));
            q = [0, 1, 2, 3].map(|i| q[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        let wanted = DVec2::new(q[0].sin() + q[1].sin(), -q[0].cos() - q[1].cos());
        (end - wanted).length()
    };
    let (coarse, fine) = (error(2e-3), error(5e-4));
    // The referee has an error of 1e-12, the inertia of the bobs one of 1e-8; second order gives 16.
    assert!(fine < 2e-5, "{fine:e}");
    assert!(
        (10.0..25.0).contains(&(coarse / fine)),
        "{coarse:e} {fine:e}"
    );
}

/// Angle of a rocker from that of its crank: circles about the crank's end and the rocker's pivot.
fn rocker_angle(theta: f64, [ground, crank, coupler, rocker]: [f64; 4]) -> f64 {
    let d = DVec2::new(crank * theta.cos() - ground, crank * theta.sin());
    let (l, base) = (d.length(), d.y.atan2(d.x));
    let cos = (l * l + rocker * rocker - coupler * coupler) / (2.0 * l * rocker);
    base - cos.acos()
}

#[test]
fn a_driven_four_bar_follows_its_closed_form() {
    // Ground 2, crank 0.5, coupler 2, rocker 1.2.
    let (ground, crank, coupler, rocker) = (2.0, 0.5, 2.0_f64, 1.2_f64);
    let rocker_angle = |theta: f64| rocker_angle(theta, [ground, crank, coupler, rocker]);
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let start = rocker_angle(0.0);
    let (o, a) = (DVec2::ZERO, DVec2::new(crank, 0.0));
    let (d, b) = (
        DVec2::new(ground, 0.0),
        DVec2::new(ground + rocker * start.cos(), rocker * start.sin()),
    );
    for (from, to) in [(o, a), (a, b), (d, b)] {
        let along = to - from;
        let pose = Pose {
            position: (from + to) * 0.5,
            rotation: Angle::new(along.y.atan2(along.x)),
        };
        stage.body(rectangle(along.length(), 0.05), 100.0, pose, [0.0; 3]);
    }
    let ends = |body: u32, length: f64, sign: f64| side(Some(body), 0.5 * sign * length, 0.0);
    let pins = [
        [side(None, 0.0, 0.0), ends(0, crank, -1.0)],
        [ends(0, crank, 1.0), ends(1, coupler, -1.0)],
        [ends(1, coupler, 1.0), ends(2, rocker, 1.0)],
        [side(None, ground, 0.0), ends(2, rocker, -1.0)],
    ];
    for (k, sides) in pins.into_iter().enumerate() {
        let mut joint = Joint::new(&format!("pin_{k}"), JointKind::Revolute, sides);
        joint.motor = (k == 0).then(|| joint::Motor {
            speed: Box::new(ConstantSpeed(2.0 * PI)),
            bound: f64::INFINITY,
        });
        stage.model.joints.push(joint);
    }
    // The crank turns from the first instant: velocities are made to fit.
    stage.state.velocities[0] = [0.0, 0.5 * crank * 2.0 * PI, 2.0 * PI];
    stage.settings.step = 1e-3;
    let mut world = stage.world();
    assert!(world.redundant_rows().is_empty());
    let mut worst = 0.0_f64;
    let offset = world.state().poses[2].rotation.angle() - start;
    for _ in 0..1500 {
        world.step().unwrap();
        assert!(world.report().reached);
        let crank = world.state().poses[0].rotation.angle();
        let found = world.state().poses[2].rotation.angle() - offset;
        let off = found - rocker_angle(crank);
        worst = worst.max(((off + PI).rem_euclid(2.0 * PI) - PI).abs());
    }
    // The joints are closed to rounding at every step, whatever the motion in time.
    assert!(worst < 1e-11, "{worst:e}");
    // The crank's speed is given at the end of each step of the motion: 1.5 turns.
    let turned = world.state().poses[0].rotation.angle();
    assert!((turned - 3.0 * PI).abs() < 1e-2, "{turned}");
}

/// A door of 1 × 2 in the plane x = 0, hung on a horizontal axis along y by this many hinges.
fn door(hinges: &[f64]) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -G);
    let at = DVec3::new(0.5, 0.0, 0.0);
    stage.body(cuboid(1.0, 2.0, 0.05), 100.0, at3(at), [0.0; 6]);
    for y in hinges {
        let frame = Space::contact_frame(DVec3::Y);
        let point = DVec3::new(0.0, *y, 0.0);
        let sides = [(None, point), (Some(0), point - at)].map(|(body, point)| JointFrame {
            body,
            point,
            axes: frame,
        });
        stage
            .model
            .joints
            .push(Joint::new("hinge", JointKind::Revolute, sides));
    }
    stage.settings.step = 1e-3;
    stage.world()
}

#[test]
fn a_door_on_two_hinges_swings_as_on_one_and_shares_its_weight() {
    let (mut one, mut two) = (door(&[0.0]), door(&[-0.8, 0.8]));
    assert!(one.redundant_rows().is_empty());
    // Ten rows hold five freedoms.
    assert_eq!(two.redundant_rows().len(), 5);
    run(&mut one, 1000);
    run(&mut two, 1000);
    let difference = one.state().poses[0].position - two.state().poses[0].position;
    // The same equations, solved through other rows: a thousand roundings.
    assert!(difference.length() < 1e-11, "{difference}");
    let [a, b] = [0, 1].map(|k| two.joint(k).unwrap().force);
    let all = one.joint(0).unwrap().force;
    // Least norm: by symmetry half of the reaction each.
    assert!((a - b).length() < 1e-8 * all.length(), "{a} {b}");
    assert!(
        (a + b - all).length() < 1e-8 * all.length(),
        "{a} {b} {all}"
    );
    assert!(two.report().drift < 1e-12);
}

#[test]
fn a_chain_with_a_load_of_a_thousand_does_not_drift() {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    for link in 0..10_u32 {
        let mass = if link == 9 { 1000.0 } else { 1.0 };
        let mass = MassProperties {
            mass,
            inertia: mass * 0.01 / 12.0,
        };
        let at = at2(0.1 * (f64::from(link) + 0.5), 0.0);
        stage.add(
            Shape::disc(1e-3).unwrap(),
            mass,
            Freedom::Free,
            at,
            [0.0; 3],
        );
        let before = match link {
            0 => side(None, 0.0, 0.0),
            _ => side(Some(link - 1), 0.05, 0.0),
        };
        let sides = [before, side(Some(link), -0.05, 0.0)];
        stage
            .model
            .joints
            .push(Joint::new("pin", JointKind::Revolute, sides));
    }
    stage.settings.step = 2e-4;
    let mut world = stage.world();
    for _ in 0..5000 {
        world.step().unwrap();
        // Rounding of placements of 1 m.
        assert!(world.report().drift < 1e-14 && world.report().reached);
    }
    // What is left of the energy of a load of 9810 J.
    let energy = world.report().kinetic + world.report().potential;
    assert!(energy.abs() < 1e-2, "{energy}");
}

#[test]
fn the_same_joints_give_the_same_bits_for_any_number_of_threads() {
    let end = |threads: usize| {
        let mut world = {
            let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::Y * -G);
            stage.floor();
            for k in 0..6_u32 {
                let at = at2(0.4 * f64::from(k), 0.5);
                stage.body(rectangle(0.4, 0.1), 100.0, at, [0.0; 3]);
                if k > 0 {
                    let sides = [side(Some(k), 0.2, 0.0), side(Some(k + 1), -0.2, 0.0)];
                    stage
                        .model
                        .joints
                        .push(Joint::new("pin", JointKind::Revolute, sides));
                }
            }
            stage.settings.tolerance = 1e-8;
            stage.settings.threads = threads;
            stage.world()
        };
        for _ in 0..500 {
            world.step().unwrap();
        }
        let poses = world.state().poses.iter();
        let bits = poses.map(|p| (p.position.x.to_bits(), p.position.y.to_bits()));
        bits.collect::<Vec<_>>()
    };
    assert_eq!(end(1), end(2));
    assert_eq!(end(1), end(1));
}
