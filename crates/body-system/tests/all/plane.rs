//! Bodies of the plane, against closed forms.

use glam::DVec2;
use percuss_bodies::Friction;
use percuss_contact::law::StaticDynamic;
use percuss_geometry::{MassProperties, Plane};
use percuss_mechanism::EventKind;

use crate::common::{Scene, close, disc, flat, floor, rectangle};

const G: f64 = 9.81;

fn scene(friction: f64, restitution: f64) -> Scene<Plane> {
    let (shape, pose, mass) = floor();
    Scene::new(friction, restitution, DVec2::new(0.0, -G)).fixed(shape, pose, mass)
}

/// A disc that slides and then rolls, in units of length `unit`; its position in these units, and when it begins to roll.
fn thrown(unit: f64, first: bool) -> (f64, f64, f64) {
    let (shape, pose, mass) = floor();
    let gravity = DVec2::new(0.0, -G * unit);
    let mut scene = Scene::<Plane>::new(0.2, 0.0, gravity);
    if first {
        scene = scene.fixed(shape.clone(), pose, mass);
    }
    let radius = 0.5 * unit;
    scene = scene.body(disc(radius), flat(0.0, radius, 0.0), [3.0 * unit, 0.0, 5.0]);
    if !first {
        scene = scene.fixed(shape, pose, mass);
    }
    let run = scene.run(0.1, 10);
    let body = usize::from(first);
    let rolls = run.instants(|kind| *kind == EventKind::Stick);
    assert_eq!(rolls.len(), 1);
    let (poses, velocities) = run.last();
    assert!(run.defect < 1e-12, "{:e}", run.defect);
    (poses[body].position.x / unit, rolls[0], velocities[body][2])
}

#[test]
fn a_thrown_disc_slides_and_then_rolls() {
    // Slip v + ω r = 5.5, falling at 3 μ g; then v = v0 − slip/3.
    let slip: f64 = 3.0 + 0.5 * 5.0;
    let rolls = slip / (3.0 * 0.2 * G);
    let speed = 3.0 - slip / 3.0;
    let way = 3.0 * rolls - 0.1 * G * rolls * rolls + speed * (1.0 - rolls);
    let (x, t, spin) = thrown(1.0, true);
    // Tolerances of the integrator are 1e-12 a step.
    close(x, way, 1e-11);
    close(t, rolls, 1e-11);
    close(spin, -speed / 0.5, 1e-11);
}

#[test]
fn the_order_of_bodies_and_the_unit_of_length_do_not_matter() {
    let (x, t, spin) = thrown(1.0, true);
    for (unit, first) in [(1.0, false), (1e3, true), (1e-3, true), (1e-3, false)] {
        let other = thrown(unit, first);
        close(other.0, x, 1e-11);
        close(other.1, t, 1e-11);
        close(other.2, spin, 1e-11);
    }
}

#[test]
fn a_sliding_block_stops_where_friction_stops_it() {
    let run = scene(0.3, 0.0)
        .body(rectangle(1.0, 0.5), flat(0.0, 0.25, 0.0), [2.0, 0.0, 0.0])
        .run(0.1, 12);
    let (poses, velocities) = run.last();
    close(poses[1].position.x, 4.0 / (2.0 * 0.3 * G), 1e-11);
    close(poses[1].position.y, 0.25, 1e-13);
    // At rest to the rounding of the speeds that it had.
    assert!(velocities[1].iter().all(|v| v.abs() < 1e-25));
    close(
        run.instants(|k| *k == EventKind::Stick)[0],
        2.0 / (0.3 * G),
        1e-11,
    );
}

#[test]
fn a_rocking_block_loses_what_housner_says() {
    // Slender block about its corners; the impact keeps the angular momentum about the new corner.
    let (width, height): (f64, f64) = (1.0, 4.0);
    let half = 0.5 * width.hypot(height);
    let slender = (width / height).atan();
    let tilt: f64 = 0.1;
    let from_corner = DVec2::new(-0.5 * width, 0.5 * height);
    let turned = DVec2::from_angle(-tilt).rotate(from_corner);
    let run = scene(5.0, 0.0)
        .body(
            rectangle(width, height),
            flat(turned.x, turned.y, -tilt),
            [0.0; 3],
        )
        .run(0.01, 200);
    let impacts = run.impacts();
    assert!(!impacts.is_empty());
    // Energy before the first impact and the largest tilt after it: ω² falls by (1 − 1.5 sin²α)².
    let factor = (1.0 - 1.5 * slender.sin().powi(2)).powi(2);
    let energy = |angle: f64| half * ((slender - angle).cos() - slender.cos());
    let highest = (energy(tilt) * factor / half + slender.cos()).acos();
    let reached = slender - highest;
    // The largest tilt of the recorded states, improved by the parabola through three of them.
    let angles: Vec<f64> = run
        .states
        .iter()
        .map(|(p, _)| p[1].rotation.angle())
        .collect();
    let k = (1..angles.len() - 1)
        .find(|&k| angles[k] > 0.0 && angles[k] >= angles[k - 1] && angles[k] > angles[k + 1])
        .expect("a largest tilt");
    let (a, b, c) = (angles[k - 1], angles[k], angles[k + 1]);
    let top = b - (a - c) * (a - c) / (8.0 * (a - 2.0 * b + c));
    // The parabola is off by the fourth order of an interval of 0.01.
    close(top, reached, 1e-7);
    assert!(run.defect < 1e-10, "{:e}", run.defect);
}

#[test]
fn a_tumbling_box_without_friction_keeps_its_energy() {
    let run = scene(0.0, 1.0)
        .body(rectangle(1.0, 0.6), flat(0.0, 1.2, 0.4), [0.7, 0.0, 2.0])
        .run(0.05, 60);
    assert!(run.impacts().len() > 3);
    // Roots of gaps and steps to 1e-12 each, over some ten impacts.
    assert!(run.energy_change() < 1e-10, "{:e}", run.energy_change());
    close(run.last().1[1][0], 0.7, 1e-11);
}

#[test]
fn a_box_slides_over_the_edge_of_a_table_and_falls() {
    // Table of width 2 with its corner at the origin; the box has its centre beyond the corner after a time.
    let mass = MassProperties {
        mass: 1.0,
        inertia: 1.0,
    };
    let table = |scene: Scene<Plane>| scene.fixed(rectangle(2.0, 1.0), flat(-1.0, -0.5, 0.0), mass);
    let run = table(Scene::new(0.0, 0.0, DVec2::new(0.0, -G)))
        .body(rectangle(1.0, 0.5), flat(-0.75, 0.25, 0.0), [1.0, 0.0, 0.0])
        .run(0.05, 24);
    // Flat until the centre is over the corner, at t = 0.75.
    let (poses, velocities) = &run.states[14];
    close(poses[1].rotation.angle(), 0.0, 1e-13);
    close(velocities[1][0], 1.0, 1e-12);
    let (poses, _) = run.last();
    assert!(poses[1].rotation.angle() < -0.1);
    // Nothing collides: sliding and tipping without friction keep the energy.
    assert!(run.impacts().is_empty(), "{:?}", run.events);
    assert!(run.energy_change() < 1e-10, "{:e}", run.energy_change());
}

#[test]
fn discs_collide_as_spheres_of_a_line_do() {
    // Equal elastic discs in a row on the floor without friction: the first stops, the second takes its speed.
    let run = scene(0.0, 1.0)
        .body(disc(0.5), flat(0.0, 0.5, 0.0), [1.0, 0.0, 0.0])
        .body(disc(0.5), flat(2.0, 0.5, 0.0), [0.0; 3])
        .run(0.25, 8);
    close(run.impacts()[0], 1.0, 1e-12);
    let (poses, velocities) = run.last();
    close(velocities[1][0], 0.0, 1e-12);
    close(velocities[2][0], 1.0, 1e-12);
    close(poses[2].position.x, 3.0, 1e-11);
}

#[test]
fn three_boxes_rest_on_each_other() {
    let side = rectangle(1.0, 1.0);
    let mut scene = scene(0.5, 0.0);
    for k in 0..3 {
        let pose = flat(0.1 * f64::from(k), 0.5 + f64::from(k), 0.0);
        scene = scene.body(side.clone(), pose, [0.0; 3]);
    }
    let run = scene.run(0.1, 5);
    let (poses, velocities) = run.last();
    for k in 1..4 {
        close(poses[k].position.y, k as f64 - 0.5, 1e-13);
        assert!(velocities[k].iter().all(|v| v.abs() < 1e-13));
    }
    // Two ends of the overlap of each pair of sides.
    assert_eq!(run.closed, 6);
}

#[test]
fn a_disc_rolls_over_a_corner() {
    // From the table over its corner and away: rolling on a side, then about the corner, without an impact between.
    let mass = MassProperties {
        mass: 1.0,
        inertia: 1.0,
    };
    let run = Scene::<Plane>::new(1.0, 0.0, DVec2::new(0.0, -G))
        .fixed(rectangle(2.0, 1.0), flat(-1.0, -0.5, 0.0), mass)
        .body(disc(0.5), flat(-0.3, 0.5, 0.0), [0.3, 0.0, -0.6])
        .run(0.05, 30);
    let (poses, _) = &run.states[18];
    // Uniform rolling to the corner at t = 1.
    close(poses[1].position.x, -0.3 + 0.3 * 0.9, 1e-12);
    assert!(run.impacts().is_empty(), "{:?}", run.events);
    assert!(run.energy_change() < 1e-10 || run.last().0[1].position.y < 0.3);
    // It is on the corner, half a unit from it, some time later.
    let (poses, _) = &run.states[23];
    close(poses[1].position.length(), 0.5, 1e-12);
}

#[test]
fn a_block_with_friction_and_impacts_is_the_same_in_other_units_and_order() {
    let end = |unit: f64, first: bool| {
        let (shape, pose, mass) = floor();
        let mut scene = Scene::<Plane>::new(0.4, 0.5, DVec2::new(0.0, -G * unit));
        let block = rectangle(0.4 * unit, 0.2 * unit);
        let place = flat(0.0, 0.5 * unit, 0.3);
        if first {
            scene = scene.fixed(shape.clone(), pose, mass);
        }
        scene = scene.body(block, place, [0.5 * unit, 0.0, 1.0]);
        if !first {
            scene = scene.fixed(shape, pose, mass);
        }
        let run = scene.run(0.05, 14);
        assert!(run.impacts().len() > 2, "{:?}", run.events);
        let pose = run.last().0[usize::from(first)];
        [
            pose.position.x / unit,
            pose.position.y / unit,
            pose.rotation.angle(),
        ]
    };
    let known = end(1.0, true);
    for (unit, first) in [(1.0, false), (1e3, true), (1e-3, false)] {
        for (found, wanted) in end(unit, first).into_iter().zip(known) {
            // Errors of 1e-12 a step (absolute ones of 1e-13 in the units at hand), grown by the impacts.
            close(found, wanted, 1e-8);
        }
    }
}

#[test]
fn a_disc_bounces_between_two_blocks_that_move() {
    // Three bodies on a line without friction and gravity: elastic impacts of equal masses exchange velocities.
    let side = std::f64::consts::PI.sqrt() * 0.5;
    let block = rectangle(side, side);
    let run = Scene::<Plane>::new(0.0, 1.0, DVec2::ZERO)
        .body(block.clone(), flat(-2.0, 0.0, 0.0), [1.0, 0.0, 0.0])
        .body(disc(0.5), flat(0.0, 0.0, 0.0), [0.0; 3])
        .body(block, flat(3.0, 0.0, 0.0), [0.0; 3])
        .run(0.5, 12);
    let gaps = [2.0 - 0.5 - 0.5 * side, 3.0 - 0.5 - 0.5 * side];
    let impacts = run.impacts();
    assert_eq!(impacts.len(), 2);
    close(impacts[0], gaps[0], 1e-12);
    close(impacts[1], gaps[0] + gaps[1], 1e-12);
    let (_, velocities) = run.last();
    close(velocities[2][0], 1.0, 1e-12);
    close(velocities[1][0], 0.0, 1e-12);
}

#[test]
fn rolling_resistance_slows_a_rolling_disc() {
    let mut scene = scene(0.5, 0.0);
    scene.law.rolling = 0.01;
    let run = scene
        .body(disc(0.5), flat(0.0, 0.5, 0.0), [1.0, 0.0, -2.0])
        .run(0.1, 10);
    // Moment 0.01 m g at the contact: 3/2 m a = −0.01 m g / r.
    let slower = 2.0 / 3.0 * 0.01 * G / 0.5;
    let (poses, velocities) = run.last();
    close(velocities[1][0], 1.0 - slower, 1e-11);
    close(poses[1].position.x, 1.0 - 0.5 * slower, 1e-11);
}

#[test]
fn static_friction_holds_what_dynamic_friction_would_not() {
    let law = StaticDynamic {
        mu_static: 0.6,
        mu_dynamic: 0.2,
    };
    // Gravity tilted by an angle between both: at rest it stays, sliding it goes on faster.
    let tilt: f64 = 0.4;
    let pull = DVec2::new(G * tilt.sin(), -G * tilt.cos());
    let end = |speed: f64| {
        let (shape, pose, mass) = floor();
        let mut scene = Scene::<Plane>::new(0.0, 0.0, pull).fixed(shape, pose, mass);
        scene.law.friction = Friction::StaticDynamic(law);
        let run = scene
            .body(rectangle(1.0, 0.5), flat(0.0, 0.25, 0.0), [speed, 0.0, 0.0])
            .run(0.1, 5);
        run.last().0[1].position.x
    };
    close(end(0.0), 0.0, 1e-13);
    let faster = G * (tilt.sin() - 0.2 * tilt.cos());
    close(end(0.1), 0.05 + 0.125 * faster, 1e-11);
}

#[test]
fn asymmetric_friction_depends_on_the_sense_of_sliding() {
    // The tangent is the normal turned anticlockwise, −x on the floor: `plus` bounds forces towards −x.
    let stop = |speed: f64| {
        let mut scene = scene(0.0, 0.0);
        scene.law.friction = Friction::Asymmetric {
            plus: 0.2,
            minus: 0.5,
        };
        let run = scene
            .body(rectangle(1.0, 0.2), flat(0.0, 0.1, 0.0), [speed, 0.0, 0.0])
            .run(0.1, 12);
        run.last().0[1].position.x
    };
    close(stop(1.0), 1.0 / (2.0 * 0.2 * G), 1e-11);
    close(stop(-1.0), -1.0 / (2.0 * 0.5 * G), 1e-11);
}

#[test]
fn a_pyramid_of_discs_rests_on_twelve_contacts_and_too_many_are_refused() {
    let pyramid = |rows: u32| {
        let mut scene = scene(0.5, 0.0);
        for row in 0..rows {
            for k in 0..rows - row {
                let x = f64::from(k) + 0.5 * f64::from(row);
                let y = 0.5 + f64::from(row) * 0.75_f64.sqrt();
                scene = scene.body(disc(0.5), flat(x, y, 0.0), [0.0; 3]);
            }
        }
        scene
    };
    let run = pyramid(3).run(0.1, 1);
    assert_eq!(run.closed, 12);
    // Rounding of coordinates of a few units.
    close(run.last().0[6].position.y, 0.5 + 3.0_f64.sqrt(), 1e-14);
    let error = pyramid(5).begin(0.1).unwrap_err().to_string();
    assert!(error.contains("at most 24"), "{error}");
}

#[test]
fn a_rocking_block_strikes_when_the_elliptic_integrals_say() {
    // The block of the scene `rocking-block`, tilted by half its critical angle: instants of its finding.
    let (b, h): (f64, f64) = (0.15, 0.6);
    let tilt = 0.5 * (b / h).atan();
    let centre = DVec2::from_angle(tilt).rotate(DVec2::new(b, h)) - DVec2::new(b, 0.0);
    let run = scene(0.6, 0.0)
        .body(
            rectangle(2.0 * b, 2.0 * h),
            flat(centre.x, centre.y, tilt),
            [0.0; 3],
        )
        .run(0.01, 160);
    let impacts = run.impacts();
    let exact = [0.3824983256607923, 1.0050161240731332, 1.5332296223932596];
    for (found, wanted) in impacts.iter().zip(exact) {
        // Steps of 1e-12, some forty between two impacts.
        close(*found, wanted, 1e-10);
    }
    assert_eq!(impacts.len(), 3);
}
