//! The energy error of the scheme at persistent contacts (`lasting`) is separate from that of collisions.

use crate::support::*;
use glam::DVec2;
use percuss_bodies::{Freedom, MassProperties, Plane, Settings, plane};

const G: f64 = 9.81;

#[test]
fn the_turn_of_a_normal_does_the_work_of_its_closed_form() {
    // A disc slides without friction from the top of a fixed one. From one step to the next the normal turns by
    // v h/ρ, ρ the sum of the radii, and gives the contact the velocity v² h/ρ: its impulse N h does the work
    // ½ N v² h²/ρ on it, with N = m (g cos θ − v²/ρ).
    let (h, until, v0, rho) = (1e-4, 0.2, 1.0, 1.1);
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -G);
    stage.settings = Settings {
        step: h,
        tolerance: 1e-10,
        ..Settings::default()
    };
    let mass = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    let disc = |radius: f64| plane::Shape::disc(radius).unwrap();
    stage.add(disc(1.0), mass, Freedom::Fixed, at2(0.0, 0.0), [0.0; 3]);
    stage.body(disc(0.1), 1.0, at2(0.0, rho), [v0, 0.0, 0.0]);
    let m = stage.model.bodies[1].mass.mass;
    let mut world = stage.world();
    let mut done = 0.0;
    while world.state().t < until {
        world.step().unwrap();
        done += world.report().lasting;
    }
    // θ' = v/ρ, v² = v₀² + 2 g ρ (1 − cos θ), in steps that are exact to 1e-6.
    let (mut theta, mut expected, dt) = (0.0_f64, 0.0, 1e-6);
    for _ in 0..(until / dt) as usize {
        let square = v0 * v0 + 2.0 * G * rho * (1.0 - theta.cos());
        let force = m * (G * theta.cos() - square / rho);
        expected += 0.5 * force * square * h / rho * dt;
        theta += square.sqrt() / rho * dt;
    }
    // Of first order in h: the next order is h v/ρ = 1e-4 of it; the first steps are without a step before.
    assert!(
        (done - expected).abs() <= 2e-3 * expected,
        "{done:e} J, expected {expected:e} J"
    );
}

#[test]
fn collisions_are_not_booked_as_lost_by_contacts_that_last() {
    // One disc strikes a row of three. The impact takes two steps and each of its contacts carries impulses in both.
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::ZERO);
    stage.settings = Settings::default();
    let disc = || plane::Shape::disc(0.1).unwrap();
    for k in 0..3 {
        stage.body(disc(), 1.0, at2(0.2 * f64::from(k), 0.0), [0.0; 3]);
    }
    stage.body(disc(), 1.0, at2(-0.25, 0.0), [2.0, 0.0, 0.0]);
    let mut world = stage.world();
    let energy = 0.5 * world.model().bodies[3].mass.mass * 4.0;
    let (mut lost, mut lasting) = (0.0, 0.0_f64);
    for _ in 0..100 {
        world.step().unwrap();
        lost -= world.report().impact;
        lasting += world.report().lasting.abs();
    }
    // Four equal discs end with a quarter of the speed, and of the energy.
    assert!((lost - 0.75 * energy).abs() <= 1e-9 * energy, "{lost:e} J");
    // Normals of a straight row do not turn: rounding of impulses of 1 over velocities of 1.
    assert!(lasting <= 1e-12 * energy, "{lasting:e} of {energy:e} J");
}
