//! Dry friction of joints, scaled by their reaction (B02 §6), against closed forms.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::joint::{Joint, JointFrame, JointFriction, JointKind};
use percuss_bodies::plane::Shape;
use percuss_bodies::{MassProperties, Plane, Space, World};

const G: f64 = 9.81;

fn side(body: Option<u32>, x: f64, y: f64) -> JointFrame<Plane> {
    JointFrame {
        body,
        point: DVec2::new(x, y),
        axes: [DVec2::X, DVec2::Y],
    }
}

/// A rotor of moment ½ on a pin in its middle, mass 1, under gravity.
fn rotor(rub: JointFriction, spin: f64) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let mass = MassProperties {
        mass: 1.0,
        inertia: 0.5,
    };
    let disc = Shape::disc(1.0).unwrap();
    let free = percuss_bodies::Freedom::Free;
    stage.add(disc, mass, free, at2(0.0, 0.0), [0.0, 0.0, spin]);
    let sides = [side(None, 0.0, 0.0), side(Some(0), 0.0, 0.0)];
    let mut joint = Joint::new("axle", JointKind::Revolute, sides);
    joint.friction = Some(rub);
    stage.model.joints.push(joint);
    stage.world()
}

#[test]
fn friction_of_a_pin_brakes_a_rotor_with_mu_times_radius_times_its_weight() {
    let rub = JointFriction {
        coefficient: 0.2,
        radius: 0.05,
    };
    // The pin carries the weight: the moment is μ R m g.
    let rate = 0.2 * 0.05 * G / 0.5;
    let spin = 0.1;
    let mut world = rotor(rub, spin);
    run(&mut world, 300);
    let now = world.joint(0).unwrap();
    // Constant in each step; the threshold is found to the tolerance of the run.
    assert!(
        (now.speed - (spin - 0.3 * rate)).abs() < 1e-9,
        "{}",
        now.speed
    );
    assert!((now.torque[2] + 0.5 * rate).abs() < 1e-8);
    run(&mut world, 400);
    // It stops at 0.51 s and stays.
    assert!(world.joint(0).unwrap().speed.abs() < 1e-13);
    let angle = world.joint(0).unwrap().angle;
    let wanted = 0.5 * spin * spin / rate;
    // The last step is cut short by its friction: first order there.
    assert!((angle - wanted).abs() < spin * 1e-3, "{angle} {wanted}");
    let rest = world.state().poses[0].rotation.angle();
    run(&mut world, 500);
    assert!((world.state().poses[0].rotation.angle() - rest).abs() < 1e-13);
}

#[test]
fn a_pendulum_sticks_where_friction_of_its_pin_bears_its_moment() {
    // At rest the reaction is m g: it sticks where l sin θ ≤ μ R.
    let (mu, radius) = (0.5_f64, 0.2);
    let limit = (mu * radius).asin();
    for (share, sticks) in [(0.99, true), (1.02, false)] {
        let angle: f64 = share * limit;
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
        let at = DVec2::new(angle.sin(), -angle.cos());
        stage.body(rectangle(0.1, 0.1), 100.0, at2(at.x, at.y), [0.0; 3]);
        let sides = [side(None, 0.0, 0.0), side(Some(0), -at.x, -at.y)];
        let mut joint = Joint::new("pin", JointKind::Revolute, sides);
        joint.friction = Some(JointFriction {
            coefficient: mu,
            radius,
        });
        stage.model.joints.push(joint);
        let mut world = stage.world();
        run(&mut world, 1000);
        let moved = world.state().poses[0].rotation.angle();
        // Sticking is exact in each step; sliding begins with g (sin θ − μ R)/l, 0.02 m/s².
        match sticks {
            true => assert!(moved.abs() < 1e-12, "{moved:e}"),
            false => assert!(moved < -1e-4, "{moved:e}"),
        }
    }
}

#[test]
fn a_slide_rubs_with_mu_times_the_force_across_it() {
    let (mu, angle) = (0.3_f64, 0.5_f64);
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    stage.body(rectangle(0.2, 0.2), 10.0, at2(0.0, 0.0), [0.0; 3]);
    let frame = [
        DVec2::new(angle.cos(), -angle.sin()),
        DVec2::new(angle.sin(), angle.cos()),
    ];
    let sides = [None, Some(0)].map(|body| JointFrame {
        body,
        point: DVec2::ZERO,
        axes: frame,
    });
    let mut joint = Joint::new("slide", JointKind::Prismatic, sides);
    joint.friction = Some(JointFriction {
        coefficient: mu,
        radius: 0.0,
    });
    stage.model.joints.push(joint);
    let mut world = stage.world();
    run(&mut world, 1000);
    let wanted = G * (angle.sin() - mu * angle.cos());
    // The threshold is found to 1e-10 of itself.
    assert!((world.joint(0).unwrap().speed - wanted).abs() < 1e-8);
}

#[test]
fn friction_of_a_ball_joint_brakes_a_spin_about_any_axis() {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -G);
    let spin = DVec3::new(0.3, -0.2, 0.5);
    let velocity = [0.0, 0.0, 0.0, spin.x, spin.y, spin.z];
    let ball = percuss_bodies::space::Shape::sphere(0.5).unwrap();
    let body = stage.body(ball, 100.0, at3(DVec3::ZERO), velocity);
    let frame = [DVec3::X, DVec3::Y, DVec3::Z];
    let sides = [None, Some(0)].map(|body| JointFrame {
        body,
        point: DVec3::ZERO,
        axes: frame,
    });
    let mut joint = Joint::new("ball", JointKind::Spherical, sides);
    joint.friction = Some(JointFriction {
        coefficient: 0.1,
        radius: 0.02,
    });
    let mass = stage.model.bodies[body].mass;
    stage.model.joints.push(joint);
    let mut world = stage.world();
    run(&mut world, 1000);
    let [_, _, _, x, y, z] = world.state().velocities[body];
    let rate = 0.1 * 0.02 * mass.mass * G / mass.inertia.x;
    let wanted = spin * (1.0 - rate / spin.length());
    assert!(
        (DVec3::new(x, y, z) - wanted).length() < 1e-8,
        "{x} {y} {z} {wanted}"
    );
}

/// Three bars that form a triangle, hung by one corner.
fn triangle(rub: Option<JointFriction>, solver: &str) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    let corners = [
        DVec2::new(0.0, 0.0),
        DVec2::new(1.0, 0.2),
        DVec2::new(0.4, -0.9),
    ];
    let mut middle = [DVec2::ZERO; 3];
    for (k, middle) in middle.iter_mut().enumerate() {
        *middle = (corners[k] + corners[(k + 1) % 3]) * 0.5;
        stage.body(
            rectangle(0.1, 0.1),
            100.0,
            at2(middle.x, middle.y),
            [0.0; 3],
        );
    }
    for k in 0..3 {
        let (at, next) = (corners[(k + 1) % 3], (k + 1) % 3);
        let end = |body: usize| {
            let point = at - middle[body];
            side(Some(body as u32), point.x, point.y)
        };
        let mut joint = Joint::new(
            &format!("corner_{k}"),
            JointKind::Revolute,
            [end(k), end(next)],
        );
        joint.friction = rub;
        stage.model.joints.push(joint);
    }
    let point = corners[0] - middle[0];
    let sides = [side(None, 0.0, 0.0), side(Some(0), point.x, point.y)];
    stage
        .model
        .joints
        .push(Joint::new("hook", JointKind::Revolute, sides));
    stage.settings.solver = solver.to_string();
    stage.world()
}

#[test]
fn friction_in_corners_that_cannot_turn_changes_nothing() {
    let rub = JointFriction {
        coefficient: 0.5,
        radius: 0.1,
    };
    let (mut plain, mut rough) = (triangle(None, "auto"), triangle(Some(rub), "auto"));
    run(&mut plain, 500);
    run(&mut rough, 500);
    let apart = plain.state().poses[1].position - rough.state().poses[1].position;
    // The same equations: rounding.
    assert!(apart.length() < 1e-11, "{apart}");
    assert!(rough.report().joint_friction.abs() < 1e-12);
}

#[test]
fn every_solver_takes_joints_directly() {
    for name in percuss_solve::NAMES {
        let mut world = triangle(None, name);
        run(&mut world, 20);
        assert_eq!(
            (world.report().iterations, world.method().as_str()),
            (1, "direct")
        );
    }
}
