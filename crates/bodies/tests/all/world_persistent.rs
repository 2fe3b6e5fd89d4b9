//! The integrator `projected`: persistent contacts at position and velocity level.

use crate::support::*;
use glam::{DQuat, DVec3};
use percuss_bodies::{
    Freedom, Integrator, MassProperties, Pose, Settings, Space, World, space,
};

const G: f64 = 9.81;

/// Total energy.
fn energy(world: &World<Space>) -> f64 {
    world.report().kinetic + world.report().potential
}

/// Euler's disc: thickness and radius of a coin, tilted by 60 degrees from upright, in steady precession.
fn disc(integrator: Integrator, h: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(5.0), DVec3::Z * -G);
    stage.settings = Settings {
        step: h,
        tolerance: 1e-10,
        integrator,
        ..Settings::default()
    };
    stage.floor();
    let (radius, half) = (0.05, 0.005);
    let shape = space::Shape::cylinder(2.0 * half, radius).unwrap();
    let mass = <Space as percuss_bodies::Geometry>::mass_properties(&shape, 1000.0).unwrap();
    // Tilt of the axis from the vertical.
    let tilt = 0.6_f64;
    let rotation = DQuat::from_rotation_y(tilt);
    // Lowest point of the rim.
    let low = rotation * DVec3::new(radius, 0.0, -half);
    let position = DVec3::Z * -low.z;
    // A spin about the vertical through the contact point and some about the axis: rolling without slip.
    let omega = DVec3::new(0.0, 0.0, 20.0) + rotation * DVec3::Z * -12.0;
    let v = -omega.cross(low);
    let body = rotation.conjugate() * omega;
    let velocity = [v.x, v.y, v.z, body.x, body.y, body.z];
    let pose = Pose { position, rotation };
    stage.add(shape, mass, Freedom::Free, pose, velocity);
    stage.world()
}

#[test]
fn energy_of_eulers_disc() {
    for integrator in [Integrator::Midpoint, Integrator::Projected] {
        for h in [2e-3, 1e-3, 5e-4, 2.5e-4] {
            let mut world = disc(integrator, h);
            let first = energy(&world);
            let (mut worst, mut iterations) = (0.0_f64, 0);
            for _ in 0..(1.0 / h).round() as usize {
                world.step().unwrap();
                worst = worst.max((energy(&world) / first - 1.0).abs());
                iterations += world.report().iterations;
            }
            println!(
                "{integrator:?} {h}: worst {worst:e}, end {:e} gap {:e} z {} {iterations}",
                energy(&world) / first - 1.0,
                world.report().penetration,
                world.state().poses[1].position.z,
            );
        }
    }
}
