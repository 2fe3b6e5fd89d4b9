//! Stacks, towers, moving boundaries, servo-controlled walls, restart.

use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::{
    Drag, Freedom, MassProperties, Plane, Pose, PrescribedMotion, Space, World, plane, space,
};

const G: f64 = 9.81;

/// Ten cubes of 1 m, the top one heavier.
fn tower(ratio: f64) -> WorldBuilder<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.5), DVec3::Z * -G);
    stage.floor();
    for k in 0..10 {
        let density = if k == 9 { ratio } else { 1.0 };
        let at = at3(DVec3::Z * (0.5 + k as f64));
        stage.body(cuboid(1.0, 1.0, 1.0), density, at, [0.0; 6]);
    }
    // Impulses of the heavy box are a million times those of the light ones: rounding leaves 1e-10 of their velocity.
    stage.settings.tolerance = 1e-9;
    stage.settings.step = 5e-3;
    stage
}

#[test]
fn a_tower_with_a_heavy_top_stands() {
    for ratio in [1.0, 1e3, 1e6] {
        let mut world = tower(ratio).world();
        for _ in 0..400 {
            world.step().unwrap();
            assert!(world.report().reached, "{:?}", world.report());
            // u ≤ 1e-6 g h, the tolerance of the published case.
            for v in &world.state().velocities {
                let fastest = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                assert!(fastest <= 1e-6 * G * 5e-3, "ratio {ratio}: {v:?}");
            }
        }
        assert!(world.report().penetration < 1e-6);
        // The impulses of an interface carry what is above it: h g Σ m.
        let mut sums = [0.0; 10];
        for k in 0..world.num_contacts() {
            let contact = world.contact(k);
            sums[contact.bodies[0] as usize] += contact.impulse[0];
        }
        for (k, sum) in sums.iter().enumerate() {
            let above = (9 - k) as f64 + ratio;
            // Far above the tolerance of the steps.
            let expected = 5e-3 * G * above;
            assert!(
                (sum / expected - 1.0).abs() < 1e-4,
                "ratio {ratio}, {k}: {sum}"
            );
        }
    }
}

/// x = a sin(ω t) along one axis.
#[derive(Debug)]
struct Shake {
    amplitude: f64,
    rate: f64,
    axis: usize,
}

impl PrescribedMotion<Plane> for Shake {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let (sin, cos) = (self.rate * t).sin_cos();
        let mut pose = *anchor;
        pose.position[self.axis] += self.amplitude * sin;
        let mut velocity = [0.0; 3];
        velocity[self.axis] = self.amplitude * self.rate * cos;
        (pose, velocity)
    }
}

fn shaken(axis: usize, amplitude: f64) -> (World<Plane>, usize) {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.5), DVec2::Y * -G);
    let rate = 4.0;
    let guide = stage.guide(Box::new(Shake {
        amplitude,
        rate,
        axis,
    }));
    let mass = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    stage.add(
        plane::Shape::HalfPlane,
        mass,
        guide,
        at2(0.0, 0.0),
        [0.0; 3],
    );
    let mut v = [0.0; 3];
    v[axis] = amplitude * rate;
    let block = stage.body(rectangle(0.4, 0.1), 1000.0, at2(0.0, 0.05), v);
    (stage.world(), block)
}

#[test]
fn a_block_that_sticks_to_a_shaken_floor_follows_it() {
    // Largest acceleration a ω² = 3.2 m/s² < μ g.
    let (mut world, block) = shaken(0, 0.2);
    for k in 1..=1000 {
        run(&mut world, 1);
        let expected = 0.2 * (4.0 * 1e-3 * f64::from(k)).sin();
        // Trapezoidal rule: h²/12 · a ω² · t.
        let error = world.state().poses[block].position.x - expected;
        assert!(error.abs() < 1e-6, "{error}");
    }
    // The work of the floor is in the energy balance: it moved the block.
    assert!(world.report().boundary.abs() > 0.0);
}

#[test]
fn a_block_rides_a_floor_that_moves_up_and_down_below_g() {
    let (mut world, block) = shaken(1, 0.2);
    for k in 1..=1000 {
        run(&mut world, 1);
        let expected = 0.05 + 0.2 * (4.0 * 1e-3 * f64::from(k)).sin();
        let error = world.state().poses[block].position.y - expected;
        // Between two activations the block falls freely for a step or two: some g h².
        assert!(error.abs() < 5e-5, "{k}: {error}");
    }
}

#[test]
fn a_servo_wall_presses_with_its_load() {
    // A disc between a fixed wall and a wall that is free along x only, pushed with 7 N.
    #[derive(Debug)]
    struct Push;
    impl percuss_bodies::ForceField<Plane> for Push {
        fn add_loads(
            &mut self,
            _: &percuss_bodies::ForceContext<'_, Plane>,
            loads: &mut [[f64; 3]],
        ) {
            loads[2][0] -= 7.0;
        }
    }
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::ZERO);
    let wall = |angle: f64, x: f64| Pose {
        position: DVec2::new(x, 0.0),
        rotation: plane::Angle::new(angle),
    };
    let half_pi = std::f64::consts::FRAC_PI_2;
    let mass = MassProperties {
        mass: 2.0,
        inertia: 0.0,
    };
    let plane_ = || plane::Shape::HalfPlane;
    stage.add(
        plane_(),
        mass,
        Freedom::Fixed,
        wall(-half_pi, 0.0),
        [0.0; 3],
    );
    let disc = plane::Shape::disc(0.1).unwrap();
    let disc = stage.body(disc, 100.0, at2(0.1, 0.0), [0.0; 3]);
    let servo = stage.add(
        plane_(),
        mass,
        Freedom::Partial(1),
        wall(half_pi, 0.21),
        [0.0; 3],
    );
    stage.field(Box::new(Push));
    let mut world = stage.world();
    run(&mut world, 1000);
    assert_eq!(world.num_contacts(), 2);
    for k in 0..2 {
        // At rest both contacts carry the load: to the tolerance of the steps.
        let force = world.contact(k).impulse[0] / 1e-3;
        assert!((force - 7.0).abs() < 1e-6, "{force}");
    }
    assert_eq!(world.state().velocities[servo][1..], [0.0, 0.0]);
    assert!(world.state().velocities[disc][0].abs() < 1e-9);
}

#[test]
fn drag_is_second_order_and_has_its_terminal_speed() {
    let fall = |h: f64| {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -G);
        let ball = space::Shape::sphere(0.1).unwrap();
        stage.body(ball, 1000.0, at3(DVec3::ZERO), [0.0; 6]);
        let mass = stage.model.bodies[0].mass.mass;
        stage.drag(Drag {
            translation: 2.0 * mass,
            rotation: 0.0,
        });
        stage.settings.step = h;
        let mut world = stage.world();
        run(&mut world, (1.0 / h).round() as usize);
        world.state().velocities[0][2]
    };
    let exact = -G / 2.0 * (1.0 - (-2.0_f64).exp());
    let errors = [0.02, 0.01].map(|h| (fall(h) - exact).abs());
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.05, "order {order}");
}

#[test]
fn a_tumbling_box_keeps_energy_and_angular_momentum() {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::ZERO);
    let spin = [0.0, 0.0, 0.0, 1e-3, 3.0, 1e-3];
    let body = stage.body(cuboid(0.1, 0.2, 0.4), 1000.0, at3(DVec3::ZERO), spin);
    let mut world = stage.world();
    let momentum = |world: &World<Space>| {
        let inertia = world.model().bodies[body].mass.inertia;
        let [_, _, _, a, b, c] = world.state().velocities[body];
        world.state().poses[body].rotation * (inertia * DVec3::new(a, b, c))
    };
    let (l0, e0) = (momentum(&world), world.report().kinetic);
    let mut flipped = false;
    for _ in 0..100_000 {
        world.step().unwrap();
        flipped |= world.state().velocities[body][4] < -2.0;
    }
    // Both are exact invariants of the step: rounding of 1e5 steps.
    assert!((momentum(&world) - l0).length() / l0.length() < 1e-10);
    assert!((world.report().kinetic / e0 - 1.0).abs() < 1e-10);
    assert!(flipped, "rotation about the middle axis turns over");
}

#[test]
fn overlaps_are_named_and_relaxed() {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::Y * -G);
    stage.floor();
    let disc = || plane::Shape::disc(0.1).unwrap();
    stage.body(disc(), 1000.0, at2(0.0, 0.1), [0.0; 3]);
    stage.body(disc(), 1000.0, at2(0.15, 0.1), [0.0; 3]);
    stage.body(disc(), 1000.0, at2(0.5, 0.09), [0.0; 3]);
    let mut world = stage.world();
    let overlaps = world.overlaps(1e-6);
    let pairs: Vec<_> = overlaps.iter().map(|o| o.bodies).collect();
    assert_eq!(pairs, [[1, 2], [0, 3]]);
    assert!((overlaps[0].depth - 0.05).abs() < 1e-12);
    let left = world.separate_overlaps(1e-9, 50).unwrap();
    assert!(left <= 1e-9, "{left}");
    // Equal discs part symmetrically; nobody gains a velocity.
    let x: Vec<f64> = world.state().poses[1..3]
        .iter()
        .map(|p| p.position.x)
        .collect();
    assert!(
        (x[0] + 0.025).abs() < 1e-6 && (x[1] - 0.175).abs() < 1e-6,
        "{x:?}"
    );
    assert_eq!(world.report().kinetic, 0.0);
}

#[test]
fn correction_removes_the_penetration_of_a_landing() {
    for (correction, deep) in [(false, true), (true, false)] {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::Y * -G);
        stage.floor();
        stage.body(rectangle(0.2, 0.2), 1000.0, at2(0.0, 0.5), [0.0; 3]);
        stage.settings.projection = correction;
        let mut world = stage.world();
        run(&mut world, 1000);
        // It lands with 2.8 m/s: some tenths of v h deep, unless it is put back.
        assert_eq!(
            world.report().penetration > 1e-5,
            deep,
            "{:?}",
            world.report()
        );
    }
}

#[test]
fn a_motion_continued_from_its_state_is_the_same_to_the_bit() {
    let build = || {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.4), DVec3::Z * -G);
        stage.floor();
        for k in 0..8 {
            let x = 0.15 * (k % 2) as f64;
            let turn = DQuat::from_rotation_x(0.3 * k as f64);
            let pose = Pose {
                position: DVec3::new(x, 0.02 * k as f64, 0.3 + 0.3 * k as f64),
                rotation: turn,
            };
            stage.body(cuboid(0.2, 0.25, 0.15), 1000.0, pose, [0.0; 6]);
        }
        stage.settings.tolerance = 1e-8;
        stage
    };
    let mut whole = build().world();
    let mut half = build().world();
    for _ in 0..300 {
        whole.step().unwrap();
        half.step().unwrap();
    }
    let mut again = build();
    again.state = half.into_state();
    let mut again = again.world();
    for _ in 0..300 {
        whole.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(whole.state(), again.state());
    assert_eq!(whole.report(), again.report());
}
