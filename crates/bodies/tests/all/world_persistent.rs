//! The integrator `projected`: persistent contacts at position and velocity level.

use std::sync::Arc;

use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::joint::{Clearance, JointFrame, JointKind};
use percuss_bodies::{
    Compound, Dynamics, ForceContext, ForceField, Freedom, Integrator, Joint, MassProperties,
    Plane, Pose, PrescribedMotion, Settings, Space, World, plane, space,
};

const G: f64 = 9.81;

fn settings(integrator: Integrator, step: f64) -> Settings {
    Settings {
        step,
        tolerance: 1e-11,
        integrator,
        ..Settings::default()
    }
}

/// Total energy.
fn energy<D: Dynamics>(world: &World<D>) -> f64 {
    world.report().kinetic + world.report().potential
}

/// Advances to time `until`; the books of every step have to balance, and no step may gain energy through contacts.
fn advance<D: Dynamics>(world: &mut World<D>, until: f64) {
    let h = world.settings().step;
    for _ in 0..(until / h).round() as usize {
        let before = world.report().kinetic;
        world.step().unwrap();
        let report = world.report();
        assert!(report.reached, "t = {}: {:e}", report.t, report.residual);
        let works = report.work
            + report.impact
            + report.sliding
            + report.boundary
            + report.bilateral
            + report.joint_friction
            + report.motor
            + report.spring;
        let left = report.kinetic - before - works;
        // Rounding of sums of energies.
        let scale = report.turnover.max(report.kinetic);
        assert!(left.abs() <= 1e-11 * scale, "t = {}: {left:e} J", report.t);
        assert!(
            report.excess <= 1e-9,
            "t = {}: {:e}",
            report.t,
            report.excess
        );
    }
}

/// Observed order of errors at halved steps.
fn order(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

/// Euler's disc: a coin that rolls without sliding on the edge of its rim.
fn disc(integrator: Integrator, h: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(5.0), DVec3::Z * -G);
    stage.settings = settings(integrator, h);
    stage.floor();
    let (radius, half) = (0.05, 0.005);
    let shape = space::Shape::cylinder(2.0 * half, radius).unwrap();
    let rotation = DQuat::from_rotation_y(0.6);
    // Lowest point of the rim, above which the disc stands.
    let low = rotation * DVec3::new(radius, 0.0, -half);
    let omega = DVec3::Z * 20.0 + rotation * DVec3::Z * -12.0;
    let v = -omega.cross(low);
    let spin = rotation.conjugate() * omega;
    let pose = Pose {
        position: DVec3::Z * -low.z,
        rotation,
    };
    stage.body(shape, 1000.0, pose, [v.x, v.y, v.z, spin.x, spin.y, spin.z]);
    stage.world()
}

#[test]
fn eulers_disc_keeps_its_energy() {
    let error = |integrator, h| {
        let mut world = disc(integrator, h);
        let first = energy(&world);
        advance(&mut world, 1.0);
        (energy(&world) / first - 1.0).abs()
    };
    let projected = error(Integrator::Projected, 1e-3);
    // A thousandth is asked for; the midpoint scheme loses half.
    assert!(projected < 1e-3, "{projected:e}");
    assert!(error(Integrator::Midpoint, 1e-3) > 50.0 * projected);
    // Of second order at least: an error of h³ dominates here.
    assert!(error(Integrator::Projected, 5e-4) < projected / 3.0);
}

/// A force of constant size towards the z axis, on body 1.
#[derive(Debug)]
struct Inwards(f64);

impl ForceField<Space> for Inwards {
    fn add_loads(&mut self, at: &ForceContext<'_, Space>, loads: &mut [[f64; 6]]) {
        let x = at.poses[1].position;
        let r = x.x.hypot(x.y);
        loads[1][0] -= self.0 * x.x / r;
        loads[1][1] -= self.0 * x.y / r;
    }
}

/// A ball that rolls around a vertical cylinder, pressed against it.
fn pipe(integrator: Integrator, h: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(5.0), DVec3::Z * -G);
    stage.settings = settings(integrator, h);
    let none = MassProperties {
        mass: 0.0,
        inertia: DVec3::ZERO,
    };
    let cylinder = space::Shape::cylinder(20.0, 0.4).unwrap();
    stage.add(cylinder, none, Freedom::Fixed, at3(DVec3::ZERO), [0.0; 6]);
    let ball = space::Shape::sphere(0.1).unwrap();
    // v = -ω × (contact - centre): ω_z = v_φ / a on the outside.
    let v = 1.5;
    stage.body(
        ball,
        1000.0,
        at3(DVec3::X * 0.5),
        [0.0, v, 0.0, 0.0, 0.0, v / 0.1],
    );
    let m = stage.model.bodies[1].mass.mass;
    stage.field(Box::new(Inwards(60.0 * m)));
    stage.world()
}

#[test]
fn a_ball_around_a_pipe_oscillates() {
    // z̈ = −(2/7) φ̇² z − (5/7) g, φ̇ = 3 rad/s.
    let rate = (2.0_f64 / 7.0).sqrt() * 3.0;
    let amplitude = 5.0 / 7.0 * G / (rate * rate);
    let exact = amplitude * ((rate * 2.0).cos() - 1.0);
    let error = |integrator, h| {
        let mut world = pipe(integrator, h);
        advance(&mut world, 2.0);
        let p = world.state().poses[1].position;
        if integrator == Integrator::Projected {
            // The tolerance of closed contacts is 1e-9 of the radii, of which the cylinder has 20.
            assert!((p.x.hypot(p.y) - 0.5).abs() < 4e-8);
        }
        (p.z - exact).abs()
    };
    let errors = [2e-3, 1e-3, 5e-4, 2.5e-4].map(|h| error(Integrator::Projected, h));
    assert!((order(&errors) - 2.0).abs() < 0.15, "{errors:?}");
    let midpoint = error(Integrator::Midpoint, 1e-3);
    assert!(midpoint > 50.0 * errors[1], "{midpoint:e}, {errors:?}");
}

/// A wheel that rolls inside a loop: a pin in its hole.
fn wheel(integrator: Integrator, h: f64, v: f64, mu: f64) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    stage.settings = settings(integrator, h);
    let none = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    let disc = || plane::Shape::disc(0.1).unwrap();
    let wall = stage.add(disc(), none, Freedom::Fixed, at2(0.0, 0.0), [0.0; 3]);
    let ball = stage.body(disc(), 1000.0, at2(0.0, -0.9), [v, 0.0, -v / 0.1]);
    let frame = |body: usize| JointFrame::<Plane> {
        body: Some(body as u32),
        point: DVec2::ZERO,
        axes: [DVec2::X, DVec2::Y],
    };
    let mut joint = Joint::new("loop", JointKind::Clearance, [frame(wall), frame(ball)]);
    joint.clearance = Some(Clearance {
        pin: 0.1,
        play: 0.9,
        law: coulomb(mu),
    });
    stage.model.joints.push(joint);
    stage.world()
}

#[test]
fn a_wheel_in_a_loop() {
    // (3/2) ρ θ̈ = −g sin θ; in steps that are exact to rounding.
    let reference = |v: f64, until: f64| {
        let rate = |[x, w]: [f64; 2]| [w, -G / (1.5 * 0.9) * x.sin()];
        let mut y = [0.0, v / 0.9];
        let n = 20_000;
        let dt = until / f64::from(n);
        for _ in 0..n {
            let add = |a: [f64; 2], b: [f64; 2], s: f64| [a[0] + s * b[0], a[1] + s * b[1]];
            let k1 = rate(y);
            let k2 = rate(add(y, k1, 0.5 * dt));
            let k3 = rate(add(y, k2, 0.5 * dt));
            let k4 = rate(add(y, k3, dt));
            for i in 0..2 {
                y[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }
        y
    };
    let [angle, _] = reference(7.0, 2.0);
    let error = |integrator, h| {
        let mut world = wheel(integrator, h, 7.0, 3.0);
        advance(&mut world, 2.0);
        let p = world.state().poses[1].position;
        (p - DVec2::new(angle.sin(), -angle.cos()) * 0.9).length()
    };
    let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(|h| error(Integrator::Projected, h));
    assert!((order(&errors) - 2.0).abs() < 0.15, "{errors:?}");
    let midpoint = error(Integrator::Midpoint, 1e-3);
    assert!(midpoint > 50.0 * errors[2], "{midpoint:e}, {errors:?}");
}

/// A sphere away from the centre of mass of its body.
fn offset_sphere(radius: f64, pose: Pose<Space>) -> space::Shape {
    let parts = [(space::Shape::sphere(radius).unwrap(), pose)];
    // Masses are those of the bodies.
    let unit = MassProperties {
        mass: 1.0,
        inertia: DVec3::ONE,
    };
    let compound = Compound::<Space>::from_parts(&parts, unit, &at3(DVec3::ZERO), None).unwrap();
    space::Shape::Compound(Arc::new(compound))
}

/// A sphere of radius 1 cm whose centre of mass is 2 mm below its middle, turned fast on a table.
fn tippe_top(integrator: Integrator, h: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::Z * -G);
    stage.settings = settings(integrator, h);
    stage.floor();
    let shape = offset_sphere(0.01, at3(DVec3::Z * 0.002));
    let mass = MassProperties {
        mass: 0.005,
        inertia: DVec3::new(2.2e-7, 2.2e-7, 2.0e-7),
    };
    let rotation = DQuat::from_rotation_y(0.3);
    let middle = rotation * DVec3::Z * 0.002;
    let spin = DVec3::Z * 150.0;
    let pose = Pose {
        position: DVec3::Z * (0.01 - middle.z),
        rotation,
    };
    stage.add(
        shape,
        mass,
        Freedom::Free,
        pose,
        [0.0, 0.0, 0.0, spin.x, spin.y, spin.z],
    );
    stage.world()
}

/// Jellett's integral L · (contact − centre of mass).
fn jellett(world: &World<Space>) -> f64 {
    let (pose, v) = (&world.state().poses[1], &world.state().velocities[1]);
    let i = world.model().bodies[1].mass.inertia;
    let l = pose.rotation * (i * DVec3::new(v[3], v[4], v[5]));
    let contact = pose.rotation * DVec3::Z * 0.002 - DVec3::Z * 0.01;
    l.dot(contact)
}

#[test]
fn tippe_top_keeps_jelletts_integral() {
    let run = |integrator, h| {
        let mut world = tippe_top(integrator, h);
        let first = jellett(&world);
        advance(&mut world, 0.5);
        let axis = world.state().poses[1].rotation * DVec3::Z;
        ((jellett(&world) / first - 1.0).abs(), axis.z)
    };
    let runs = [1e-3, 5e-4, 2.5e-4, 1.25e-4].map(|h| run(Integrator::Projected, h));
    assert!((order(&runs.map(|r| r.0)) - 2.0).abs() < 0.15, "{runs:?}");
    // The tilt against its limit, extrapolated with order 2.
    let limit = runs[3].1 + (runs[3].1 - runs[2].1) / 3.0;
    let midpoint = (run(Integrator::Midpoint, 1e-3).1 - limit).abs();
    assert!(
        midpoint > 50.0 * (runs[0].1 - limit).abs(),
        "{midpoint:e}, {runs:?}"
    );
}

/// A heavy top on a round tip that does not slide.
fn top(integrator: Integrator, h: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(5.0), DVec3::Z * -G);
    stage.settings = settings(integrator, h);
    stage.floor();
    let shape = offset_sphere(0.002, at3(DVec3::Z * -0.03));
    let mass = MassProperties {
        mass: 0.1,
        inertia: DVec3::new(4e-5, 4e-5, 6e-5),
    };
    let rotation = DQuat::from_rotation_y(0.4);
    let low = rotation * DVec3::Z * -0.03 - DVec3::Z * 0.002;
    let spin = DVec3::Z * 120.0;
    let v = -(rotation * spin).cross(low);
    let pose = Pose {
        position: DVec3::Z * -low.z,
        rotation,
    };
    stage.add(
        shape,
        mass,
        Freedom::Free,
        pose,
        [v.x, v.y, v.z, spin.x, spin.y, spin.z],
    );
    stage.world()
}

#[test]
fn a_heavy_top_on_its_point() {
    let run = |integrator, h| {
        let mut world = top(integrator, h);
        let first = energy(&world);
        advance(&mut world, 0.5);
        let axis = world.state().poses[1].rotation * DVec3::Z;
        ((energy(&world) / first - 1.0).abs(), axis)
    };
    let runs = [1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5].map(|h| run(Integrator::Projected, h));
    // The axis against its limit, extrapolated with order 2.
    let limit = runs[4].1 + (runs[4].1 - runs[3].1) / 3.0;
    let errors = [0, 1, 2, 3].map(|k| (runs[k].1 - limit).length());
    assert!((order(&errors) - 2.0).abs() < 0.15, "{errors:?}");
    let midpoint = run(Integrator::Midpoint, 1e-3);
    assert!(
        (midpoint.1 - limit).length() > 50.0 * errors[0],
        "{errors:?}"
    );
    assert!(midpoint.0 > 50.0 * runs[0].0);
}

/// x and y turn about the z axis with the body.
#[derive(Debug)]
struct Turntable(f64);

impl PrescribedMotion<Space> for Turntable {
    fn at(&mut self, anchor: &Pose<Space>, t: f64) -> (Pose<Space>, [f64; 6]) {
        let rotation = DQuat::from_rotation_z(self.0 * t) * anchor.rotation;
        let pose = Pose {
            rotation,
            ..*anchor
        };
        (pose, [0.0, 0.0, 0.0, 0.0, 0.0, self.0])
    }
}

#[test]
fn a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_rate() {
    let error = |h| {
        let mut stage = WorldBuilder::<Space>::new(coulomb(2.0), DVec3::Z * -G);
        stage.settings = settings(Integrator::Projected, h);
        let none = MassProperties {
            mass: 0.0,
            inertia: DVec3::ZERO,
        };
        let guide = stage.guide(Box::new(Turntable(3.0)));
        let floor = space::Shape::HalfSpace;
        stage.add(floor, none, guide, at3(DVec3::ZERO), [0.0; 6]);
        // Rolls without sliding: v + ω × (−a z) = Ω z × r.
        let (a, r, v) = (0.1, DVec3::X, DVec3::Y);
        let slip = v - DVec3::Z.cross(r) * 3.0;
        let spin = DVec3::Z.cross(slip) / a;
        let ball = space::Shape::sphere(a).unwrap();
        let velocity = [v.x, v.y, v.z, spin.x, spin.y, spin.z];
        let ball = stage.body(ball, 1000.0, at3(r + DVec3::Z * a), velocity);
        let mut world = stage.world();
        advance(&mut world, 5.0);
        let centre = DVec3::X * (-1.0 / 6.0);
        let exact = centre + DQuat::from_rotation_z(6.0 / 7.0 * 5.0) * (r - centre);
        (world.state().poses[ball].position - exact - DVec3::Z * a).length()
    };
    let errors = [8e-3, 4e-3, 2e-3, 1e-3].map(error);
    assert!((order(&errors) - 2.0).abs() < 0.15, "{errors:?}");
}

/// A pendulum that hangs from a block on a smooth floor: the contact persists beside a joint.
#[test]
fn a_pendulum_on_a_sliding_block_keeps_its_energy() {
    let error = |h| {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
        stage.settings = settings(Integrator::Projected, h);
        stage.floor();
        let block = stage.body(rectangle(0.4, 0.2), 100.0, at2(0.0, 0.1), [0.0; 3]);
        let bob = stage.body(
            rectangle(0.05, 0.05),
            1000.0,
            at2(0.5, 0.1),
            [0.0, 1.0, 2.0],
        );
        let frame = |body: usize, point: DVec2| JointFrame::<Plane> {
            body: Some(body as u32),
            point,
            axes: [DVec2::X, DVec2::Y],
        };
        let sides = [frame(block, DVec2::ZERO), frame(bob, DVec2::X * -0.5)];
        stage
            .model
            .joints
            .push(Joint::new("pin", JointKind::Revolute, sides));
        let mut world = stage.world();
        let first = energy(&world);
        advance(&mut world, 0.1);
        (energy(&world) / first - 1.0).abs()
    };
    let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(error);
    // Second order or better.
    assert!(order(&errors) > 1.85, "{errors:?}");
}

#[test]
fn a_stack_at_rest_stays_and_rests_as_well_as_with_the_midpoint_scheme() {
    for tolerance in [1e-4, 1e-6] {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.5), DVec3::Z * -G);
        stage.settings = Settings {
            tolerance,
            ..settings(Integrator::Projected, 5e-3)
        };
        stage.floor();
        for k in 0..10 {
            let at = at3(DVec3::Z * (0.5 + k as f64));
            stage.body(cuboid(1.0, 1.0, 1.0), 1.0, at, [0.0; 6]);
        }
        let mut world = stage.world();
        let begin = world.state().poses.clone();
        advance(&mut world, 5.0);
        let moved = begin.iter().zip(&world.state().poses);
        let moved = moved.map(|(a, b)| (a.position - b.position).length());
        let worst = moved.fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst:e}");
    }
}

#[test]
fn a_body_that_lands_slides_and_stops_gains_no_energy() {
    for e in [0.0, 0.5] {
        let mut stage = WorldBuilder::<Plane>::new(with_rebound(0.3, e, 0.0), DVec2::Y * -G);
        stage.settings = settings(Integrator::Projected, 1e-3);
        stage.floor();
        let block = rectangle(0.2, 0.1);
        let block = stage.body(block, 1000.0, at2(0.0, 0.25), [1.0, 0.0, 0.0]);
        let mut world = stage.world();
        let mut last = energy(&world);
        let mut gained = 0.0_f64;
        for _ in 0..2000 {
            world.step().unwrap();
            gained = gained.max(energy(&world) - last);
            last = energy(&world);
        }
        // A contact that closes may be lifted by what it sank, of order (h g)² m.
        assert!(gained < 2e-3, "{gained:e} J");
        let (pose, v) = (
            &world.state().poses[block],
            &world.state().velocities[block],
        );
        assert!((pose.position.y - 0.05).abs() < 1e-9);
        assert!(v.iter().all(|v| v.abs() < 1e-9), "{v:?}");
    }
}

/// Discs that fall into a heap.
fn heap(threads: usize) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.4), DVec2::Y * -G);
    stage.settings = Settings {
        threads,
        tolerance: 1e-4,
        max_iterations: Some(200),
        ..settings(Integrator::Projected, 2e-3)
    };
    stage.floor();
    for k in 0..60 {
        let radius = 0.05 + 0.01 * f64::from(k * 7 % 5);
        let at = at2(0.14 * f64::from(k % 8), 0.1 + 0.15 * f64::from(k / 8));
        stage.body(plane::Shape::disc(radius).unwrap(), 1.0, at, [0.0; 3]);
    }
    stage.world()
}

#[test]
fn threads_and_a_restart_change_no_bit() {
    let mut one = heap(1);
    let mut three = heap(3);
    for _ in 0..150 {
        one.step().unwrap();
        three.step().unwrap();
    }
    assert_eq!(one.state(), three.state());
    assert!(one.num_end_contacts() > 0);
    let (state, report) = (one.state().clone(), *one.report());
    let mut again = heap(1);
    again.restore(&state, report).unwrap();
    for _ in 0..100 {
        one.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(one.state(), again.state());
}
