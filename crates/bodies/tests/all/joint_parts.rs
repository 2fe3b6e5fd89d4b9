//! Limits, motors, springs and clearances of joints, against closed forms; inconsistent joints.

use crate::support::*;
use glam::DVec2;
use percuss_bodies::joint::{
    Clearance, ConstantSpeed, Joint, JointFrame, JointKind, Limits, Motor, PrescribedSpeed, Spring,
};
use percuss_bodies::plane::Shape;
use percuss_bodies::{Friction, MassProperties, PairLaw, Plane, World, WorldError};
use percuss_contact::Restitution;

const G: f64 = 9.81;

fn side(body: Option<u32>, x: f64, y: f64) -> JointFrame<Plane> {
    JointFrame {
        body,
        point: DVec2::new(x, y),
        axes: [DVec2::X, DVec2::Y],
    }
}

/// A weight of mass 2 on a vertical slide, its coordinate the height.
fn lift(part: impl FnOnce(&mut Joint<Plane>), height: f64, step: f64) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let at = at2(0.0, height);
    stage.body(rectangle(1.0, 1.0), 2.0, at, [0.0; 3]);
    let frame = [DVec2::Y, -DVec2::X];
    let sides = [None, Some(0)].map(|body| JointFrame {
        body,
        point: DVec2::ZERO,
        axes: frame,
    });
    let mut joint = Joint::new("slide", JointKind::Prismatic, sides);
    part(&mut joint);
    stage.model.joints.push(joint);
    stage.settings.step = step;
    stage.world()
}

fn motor(speed: f64, bound: f64) -> Option<Motor> {
    Some(Motor {
        speed: Box::new(ConstantSpeed(speed)),
        bound,
    })
}

#[test]
fn a_motor_holds_its_speed_within_its_bound_and_stalls_exactly_at_it() {
    let weight = 2.0 * G;
    let mut strong = lift(|joint| joint.motor = motor(0.5, 2.0 * weight), 0.0, 1e-3);
    run(&mut strong, 1000);
    let reading = strong.joint(0).unwrap();
    // Exact in each step: rounding alone.
    assert!((reading.speed - 0.5).abs() < 1e-12, "{}", reading.speed);
    assert!((reading.force.y - weight).abs() < 1e-8, "{}", reading.force);
    assert!((reading.power - 0.5 * weight).abs() < 1e-8);
    let mut weak = lift(|joint| joint.motor = motor(0.5, 0.75 * weight), 0.0, 1e-3);
    run(&mut weak, 1000);
    let reading = weak.joint(0).unwrap();
    assert!((reading.force.y - 0.75 * weight).abs() < 1e-9 * weight);
    // It falls with what the motor leaves of gravity.
    assert!((reading.speed + 0.25 * G).abs() < 1e-9, "{}", reading.speed);
}

#[test]
fn a_motor_whose_speed_is_given_in_time_follows_it() {
    #[derive(Debug)]
    struct Wave;
    impl PrescribedSpeed for Wave {
        fn at(&mut self, t: f64) -> f64 {
            (3.0 * t).sin()
        }
    }
    let motor = Motor {
        speed: Box::new(Wave),
        bound: f64::INFINITY,
    };
    let mut world = lift(|joint| joint.motor = Some(motor), 0.0, 1e-3);
    run(&mut world, 2000);
    let height = world.state().poses[0].position.y;
    // Trapezoidal rule for the speed: h²/12 · 9 · 2.
    assert!(
        (height - (1.0 - 6.0_f64.cos()) / 3.0).abs() < 2e-6,
        "{height}"
    );
}

#[test]
fn a_limit_stops_or_throws_back_what_reaches_it() {
    for restitution in [0.0, 0.6] {
        let limits = Limits {
            low: 0.0,
            high: f64::INFINITY,
            restitution,
        };
        let mut world = lift(|joint| joint.limits = Some(limits), 1.0, 1e-4);
        let (mut before, mut after) = (0.0_f64, None);
        while world.state().t < 0.8 && after.is_none() {
            let speed = world.joint(0).unwrap().speed;
            run(&mut world, 1);
            let now = world.joint(0).unwrap().speed;
            if now > speed + 0.1 {
                (before, after) = (speed, Some(now));
            }
        }
        let after = after.unwrap();
        // √(2gs), met within a step; the rebound is that of the speed at the beginning of the step.
        assert!(
            (before + (2.0 * G).sqrt()).abs() < 2.0 * G * 1e-4,
            "{before}"
        );
        assert!(
            (after + restitution * before).abs() < 1e-9,
            "{after} {before}"
        );
        if restitution == 0.0 {
            run(&mut world, 1000);
            let reading = world.joint(0).unwrap();
            assert!(reading.speed.abs() < 1e-12);
            assert!((reading.force.y - 2.0 * G).abs() < 1e-8);
            // As deep as a contact: the way of one step at most.
            assert!(reading.slide.abs() < 1e-4 * (2.0 * G).sqrt());
        }
    }
}

#[test]
fn a_spring_swings_to_second_order_and_a_stiff_one_stays_bounded() {
    let spring = |stiffness, damping| Spring {
        stiffness,
        rest: 0.0,
        damping,
    };
    let height = |stiffness: f64, damping: f64, step: f64, t: f64| {
        let mut world = lift(
            |joint| joint.spring = Some(spring(stiffness, damping)),
            0.3,
            step,
        );
        run(&mut world, (t / step).round() as usize);
        world.state().poses[0].position.y
    };
    let exact = |k: f64, c: f64, t: f64| {
        let (m, rest) = (2.0, -2.0 * G / k);
        let (decay, omega) = (0.5 * c / m, (k / m - 0.25 * c * c / (m * m)).sqrt());
        let amplitude = 0.3 - rest;
        let phase = (omega * t).cos() + decay / omega * (omega * t).sin();
        rest + amplitude * (-decay * t).exp() * phase
    };
    for damping in [0.0, 3.0] {
        let wanted = exact(80.0, damping, 1.0);
        let coarse = height(80.0, damping, 1e-2, 1.0) - wanted;
        let fine = height(80.0, damping, 2.5e-3, 1.0) - wanted;
        assert!(fine.abs() < 1e-3, "{fine:e}");
        // Second order: 16.
        assert!(
            (13.0..19.0).contains(&(coarse / fine)),
            "{coarse:e} {fine:e}"
        );
    }
    // A period of 1e-6 steps: neither grows nor leaves its place by more than it began with.
    let mut stiff = lift(|joint| joint.spring = Some(spring(8e16, 0.0)), 1e-3, 1e-2);
    for _ in 0..1000 {
        stiff.step().unwrap();
        let y = stiff.state().poses[0].position.y;
        assert!(y.abs() < 1.001e-3, "{y}");
    }
}

#[test]
fn the_energy_of_springs_motors_and_friction_adds_up() {
    let mut world = lift(
        |joint| {
            joint.spring = Some(Spring {
                stiffness: 50.0,
                rest: 0.1,
                damping: 0.4,
            });
            joint.motor = motor(1.0, 30.0);
        },
        0.0,
        1e-3,
    );
    let energy = |world: &World<Plane>| {
        let ledger = world.report();
        ledger.kinetic + ledger.potential + ledger.elastic
    };
    let (first, mut work, mut before) = (energy(&world), 0.0, world.report().elastic);
    for _ in 0..2000 {
        world.step().unwrap();
        let ledger = world.report();
        work += ledger.motor + (ledger.spring + ledger.elastic - before);
        before = ledger.elastic;
    }
    // Motor and damper account for the energy; the heights of the potential follow the mean velocity
    // exactly.
    let left = energy(&world) - first - work;
    assert!(left.abs() < 1e-10 * energy(&world).abs(), "{left:e}");
}

#[test]
fn a_pin_with_play_hangs_by_its_weight_at_the_edge_of_its_hole() {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let still = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    let fixed = percuss_bodies::Freedom::Fixed;
    let plate = Shape::disc(0.1).unwrap();
    stage.add(plate, still, fixed, at2(0.0, 0.0), [0.0; 3]);
    stage.body(rectangle(0.1, 0.6), 100.0, at2(0.0, -0.3), [0.0; 3]);
    let sides = [side(Some(0), 0.0, 0.0), side(Some(1), 0.0, 0.3)];
    let mut joint = Joint::new("pin", JointKind::Clearance, sides);
    joint.clearance = Some(Clearance {
        pin: 0.02,
        play: 0.005,
        law: PairLaw {
            friction: Friction::Coulomb(0.1),
            restitution: Restitution::default(),
            ..PairLaw::default()
        },
    });
    stage.model.joints.push(joint);
    stage.settings.step = 1e-4;
    let mut world = stage.world();
    let (mut contact, mut deepest) = (false, 0.0_f64);
    for _ in 0..3000 {
        world.step().unwrap();
        assert!(world.report().reached);
        deepest = deepest.max(world.report().penetration);
        contact |= world.num_contacts() == 1;
    }
    assert!(contact);
    let reading = world.joint(0).unwrap();
    // It falls 5 mm, at 0.31 m/s, and stops within the way of a step.
    assert!((reading.slide - 0.005).abs() < 3.2e-5, "{}", reading.slide);
    assert!(deepest < 3.2e-5, "{deepest}");
    let weight = world.model().bodies[1].mass.mass * G;
    assert!((reading.force - DVec2::Y * weight).length() < 1e-6 * weight);
    // Before that nothing held it: it fell freely.
    let expected = (2.0 * 0.005 / G).sqrt();
    assert!(expected > 0.03);
}

#[test]
fn a_rope_is_a_distance_with_an_upper_limit() {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    stage.body(rectangle(0.1, 0.1), 100.0, at2(0.6, 0.0), [0.0; 3]);
    let sides = [side(None, 0.0, 0.0), side(Some(0), 0.0, 0.0)];
    let mut joint = Joint::new("rope", JointKind::Distance, sides);
    joint.limits = Some(Limits {
        low: 0.0,
        high: 1.0,
        restitution: 0.0,
    });
    stage.model.joints.push(joint);
    let mut world = stage.world();
    let (mut slack, mut taut) = (false, false);
    for _ in 0..1000 {
        world.step().unwrap();
        let reading = world.joint(0).unwrap();
        let pulled = reading.force.length() > 0.0;
        let wanted = -0.5 * G * world.state().t.powi(2);
        if world.state().t < 0.4 {
            // √(0.36 + 0.16·… ) < 1: it falls freely.
            slack = true;
            assert!(!pulled && (world.state().poses[0].position.y - wanted).abs() < 1e-9);
        }
        taut |= pulled;
        // Taut, it is longer than it should be by the way of a step.
        assert!(reading.slide < 1.0 + 5e-3, "{}", reading.slide);
    }
    assert!(slack && taut);
}

fn refused(stage: WorldBuilder<Plane>) -> String {
    match World::new(stage.model, stage.state, stage.settings) {
        Err(WorldError::Joint(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn joints_that_cannot_be_are_named() {
    let two = || {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::ZERO);
        stage.body(rectangle(1.0, 0.1), 1.0, at2(0.0, 0.0), [0.0; 3]);
        stage.body(rectangle(1.0, 0.1), 1.0, at2(1.0, 0.0), [0.0; 3]);
        stage
    };
    let mut apart = two();
    let sides = [side(Some(0), 0.5, 0.0), side(Some(1), -0.4, 0.0)];
    apart
        .model
        .joints
        .push(Joint::new("gap", JointKind::Revolute, sides));
    let text = refused(apart);
    assert!(
        text.contains("`gap`") && text.contains("1.000000e-1"),
        "{text}"
    );

    let mut long = two();
    let sides = [side(Some(0), 0.0, 0.0), side(Some(1), 0.0, 0.0)];
    let mut joint = Joint::new("rod", JointKind::Distance, sides);
    joint.length = 1.25;
    long.model.joints.push(joint);
    let text = refused(long);
    assert!(text.contains("`rod`") && text.contains("1.25"), "{text}");

    let mut locked = two();
    let sides = [side(Some(0), 0.5, 0.0), side(Some(1), -0.5, 0.0)];
    locked
        .model
        .joints
        .push(Joint::new("weld", JointKind::Fixed, sides));
    let mut joint = Joint::new("drive", JointKind::Revolute, sides);
    joint.motor = motor(1.0, 5.0);
    locked.model.joints.push(joint);
    let text = refused(locked);
    assert!(
        text.contains("`drive`") && text.contains("`weld`"),
        "{text}"
    );
}

#[test]
fn motors_that_exclude_each_other_are_named_when_they_do() {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::ZERO);
    stage.body(rectangle(1.0, 0.1), 1.0, at2(0.0, 0.0), [0.0; 3]);
    for (name, speed) in [("left", 1.0), ("right", 2.0)] {
        let sides = [side(None, 0.0, 0.0), side(Some(0), 0.0, 0.0)];
        let mut joint = Joint::new(name, JointKind::Revolute, sides);
        joint.motor = motor(speed, f64::INFINITY);
        stage.model.joints.push(joint);
    }
    let mut world = stage.world();
    // Both pins hold the same point: that is allowed.
    assert_eq!(world.redundant_rows().len(), 2);
    let before = world.state().clone();
    let Err(WorldError::Joint(text)) = world.step() else {
        panic!("two speeds at once");
    };
    assert!(
        text.contains("`left`") && text.contains("`right`"),
        "{text}"
    );
    assert_eq!(*world.state(), before);
}
