//! Motions that are known in closed form.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::{Friction, PairLaw, Plane, Space, plane, space};
use percuss_contact::Restitution;

const G: f64 = 9.81;

fn slope2(angle: f64) -> DVec2 {
    DVec2::new(G * angle.sin(), -G * angle.cos())
}

#[test]
fn a_block_below_its_friction_angle_does_not_creep() {
    let mu: f64 = 0.5;
    let mut stage = WorldBuilder::<Plane>::new(coulomb(mu), slope2(0.95 * mu.atan()));
    stage.floor();
    let block = stage.body(rectangle(0.2, 0.1), 1000.0, at2(0.0, 0.05), [0.0; 3]);
    stage.settings.step = 5e-3;
    let mut world = stage.world();
    run(&mut world, 12_000);
    // 60 s. Each step sticks exactly, so that what is left is rounding of sums: 12,000 of 1e-16.
    assert!(world.state().poses[block].position.x.abs() < 1e-9);
}

#[test]
fn a_block_above_its_friction_angle_slides_with_g_sin_minus_mu_cos() {
    let (mu, angle) = (0.5, 30.0_f64.to_radians());
    let mut stage = WorldBuilder::<Plane>::new(coulomb(mu), slope2(angle));
    stage.floor();
    let block = stage.body(rectangle(0.2, 0.1), 1000.0, at2(0.0, 0.05), [0.0; 3]);
    let mut world = stage.world();
    run(&mut world, 1000);
    let expected = G * (angle.sin() - mu * angle.cos());
    // The velocity is exact for constant forces; 1e-10 is the tolerance of the steps.
    assert!((world.state().velocities[block][0] - expected).abs() < 1e-9);
}

#[test]
fn kicked_across_a_slope_of_its_friction_angle_a_block_keeps_half_its_speed() {
    let mu: f64 = 0.4;
    let angle = mu.atan();
    for direction in [0.0_f64, 0.3, 0.5 * std::f64::consts::PI, 2.5, 4.0] {
        // Downhill is a direction of the floor that is no axis.
        let (sin, cos) = direction.sin_cos();
        let (down, across) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
        let gravity = down * (G * angle.sin()) - DVec3::Z * (G * angle.cos());
        let mut stage = WorldBuilder::<Space>::new(coulomb(mu), gravity);
        stage.floor();
        let kick = [across.x, across.y, 0.0, 0.0, 0.0, 0.0];
        let block = stage.body(cuboid(0.4, 0.4, 0.02), 1000.0, at3(DVec3::Z * 0.01), kick);
        stage.settings.step = 2.5e-4;
        let mut world = stage.world();
        run(&mut world, 16_000);
        let [x, y, ..] = world.state().velocities[block];
        let v = DVec3::new(x, y, 0.0);
        // |v| + v_down = 1 along the whole motion and |v| → ½; the direction of friction is that at
        // the end of a step, first order: half of h g sin = 1.8e-3 h/ms.
        assert!((v.length() + v.dot(down) - 1.0).abs() < 1e-3, "{v}");
        assert!((v.length() - 0.5).abs() < 1e-3, "{v}");
    }
}

#[test]
fn a_sliding_ball_ends_up_rolling_with_five_sevenths_of_its_speed() {
    let (mu, r) = (0.2, 0.1);
    let mut stage = WorldBuilder::<Space>::new(coulomb(mu), DVec3::Z * -G);
    stage.floor();
    let v = [0.6, 0.8, 0.0, 0.0, 0.0, 0.0];
    let ball = stage.body(
        space::Shape::sphere(r).unwrap(),
        1000.0,
        at3(DVec3::Z * r),
        v,
    );
    let mut world = stage.world();
    run(&mut world, 400);
    let [x, y, _, a, b, c] = world.state().velocities[ball];
    // Rolling starts within the step in which sliding ends: exact in velocity.
    assert!((x - 0.6 * 5.0 / 7.0).abs() < 1e-9 && (y - 0.8 * 5.0 / 7.0).abs() < 1e-9);
    let spin = world.state().poses[ball].rotation * DVec3::new(a, b, c);
    assert!((spin - DVec3::new(-y, x, 0.0) / r).length() < 1e-8);
}

#[test]
fn an_oblique_impact_sticks_or_slips_as_its_closed_form() {
    let (mu, e, r) = (0.2, 0.7, 0.1);
    for (v, expected) in [(1.0, 5.0 / 7.0), (2.0, 2.0 - mu * (1.0 + e))] {
        let mut stage = WorldBuilder::<Space>::new(with_rebound(mu, e, 0.0), DVec3::ZERO);
        stage.floor();
        let ball = space::Shape::sphere(r).unwrap();
        let at = at3(DVec3::Z * (r + 0.2e-3));
        let ball = stage.body(ball, 1000.0, at, [v, 0.0, -1.0, 0.0, 0.0, 0.0]);
        let mut world = stage.world();
        run(&mut world, 1);
        let end = world.state().velocities[ball];
        // One step, one contact: exact up to the lever, shortened by half the penetration 1.5e-4.
        assert!((end[0] - expected).abs() < 1e-3, "{end:?}");
        assert!((end[2] - e).abs() < 1e-12, "{end:?}");
        assert_eq!(world.num_contacts(), 1);
    }
}

#[test]
fn a_rod_dropped_on_its_end_rebounds_as_its_closed_form() {
    // Rod of 1 m and 1 kg at 30 degrees, 1 m/s, e = 0.5, frictionless: P = 0.461538.
    let law = PairLaw {
        restitution: Restitution {
            normal: 0.5,
            tangential: 0.0,
        },
        ..PairLaw::default()
    };
    let mut stage = WorldBuilder::<Plane>::new(law, DVec2::ZERO);
    stage.floor();
    // A rod without thickness: a segment of tiny radius and the mass of a thin rod.
    let shape = plane::Shape::capsule(1.0, 1e-9).unwrap();
    let mass = percuss_bodies::MassProperties {
        mass: 1.0,
        inertia: 1.0 / 12.0,
    };
    let angle = 30.0_f64.to_radians();
    let pose = percuss_bodies::Pose {
        position: DVec2::new(0.0, 0.5 * angle.sin() + 1e-4),
        rotation: plane::Angle::new(angle),
    };
    let rod = stage.add(
        shape,
        mass,
        percuss_bodies::Freedom::Free,
        pose,
        [0.0, -1.0, 0.0],
    );
    let mut world = stage.world();
    run(&mut world, 1);
    let [_, v, spin] = world.state().velocities[rod];
    // Lever ½ cos 30°; the radius and the depth move it by 1e-9 and 1e-4·tan: not at all, since only
    // its horizontal part counts.
    assert!((v + 0.538_461_538).abs() < 1e-8, "{v}");
    assert!((spin.abs() - 2.398_224).abs() < 1e-5, "{spin}");
}

#[test]
fn rolling_resistance_stops_a_ball_and_holds_it_on_a_slope() {
    // r = 0.1, moment bounded by 0.02 S_n: holds for tan ≤ 0.2; deceleration 1.401429 on the flat.
    let law = PairLaw {
        rolling: 0.02,
        spinning: 0.0,
        ..coulomb(0.5)
    };
    let ball = || space::Shape::sphere(0.1).unwrap();
    let mut stage = WorldBuilder::<Space>::new(law.clone(), DVec3::Z * -G);
    stage.floor();
    let v = [1.0, 0.0, 0.0, 0.0, 10.0, 0.0];
    let one = stage.body(ball(), 1000.0, at3(DVec3::Z * 0.1), v);
    let mut world = stage.world();
    run(&mut world, 200);
    let lost = 1.0 - world.state().velocities[one][0];
    assert!((lost / 0.2 - 1.401_429).abs() < 1e-5, "{}", lost / 0.2);
    for (tan, holds) in [(0.19_f64, true), (0.21, false)] {
        let angle = tan.atan();
        let gravity = DVec3::new(G * angle.sin(), 0.0, -G * angle.cos());
        let mut stage = WorldBuilder::<Space>::new(law.clone(), gravity);
        stage.floor();
        let one = stage.body(ball(), 1000.0, at3(DVec3::Z * 0.1), [0.0; 6]);
        let mut world = stage.world();
        run(&mut world, 500);
        let speed = world.state().velocities[one][0];
        assert_eq!(speed.abs() < 1e-9, holds, "tan {tan}: {speed}");
    }
}

#[test]
fn anisotropic_friction_pulls_a_sliding_block_aside() {
    // Associated slip: −v in the normal cone of the ellipse at S_t. With v along (1, 1) and axes
    // (0.2, 0.4): S ∝ −(μ1² v1, μ2² v2)/|(μ1 v1, μ2 v2)|.
    let law = PairLaw {
        friction: Friction::Elliptic {
            mu1: 0.2,
            mu2: 0.4,
            along: [1.0, 0.0, 0.0],
        },
        ..PairLaw::default()
    };
    let mut stage = WorldBuilder::<Space>::new(law, DVec3::Z * -G);
    stage.floor();
    let v = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let block = stage.body(cuboid(0.4, 0.4, 1e-4), 1000.0, at3(DVec3::Z * 5e-5), v);
    stage.settings.step = 1e-4;
    let mut world = stage.world();
    run(&mut world, 1);
    let end = world.state().velocities[block];
    let norm = 0.2_f64.hypot(0.4);
    let expected = [0.04, 0.16].map(|m| m / norm * G * 1e-4);
    for k in 0..2 {
        // The velocity changes by 1e-3 of itself within the step, and with it the direction.
        assert!(((1.0 - end[k]) / expected[k] - 1.0).abs() < 2e-3, "{end:?}");
    }
}

#[test]
fn asymmetric_friction_has_a_coefficient_for_each_sense() {
    for (v, mu) in [(1.0, 0.3), (-1.0, 0.1)] {
        let law = PairLaw {
            friction: Friction::Asymmetric {
                plus: 0.3,
                minus: 0.1,
            },
            ..PairLaw::default()
        };
        let mut stage = WorldBuilder::<Plane>::new(law, DVec2::Y * -G);
        stage.floor();
        let block = stage.body(rectangle(0.4, 0.01), 1000.0, at2(0.0, 0.005), [v, 0.0, 0.0]);
        let mut world = stage.world();
        run(&mut world, 10);
        let lost = v.abs() - world.state().velocities[block][0].abs();
        // n = +y, t = −x: sliding towards +x is towards −t and meets `plus`.
        assert!((lost - mu * G * 0.01).abs() < 1e-9, "{v}: {lost}");
    }
}
