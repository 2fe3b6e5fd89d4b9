//! What is at rest stays, and what is symmetric stays symmetric, at the default settings.
//!
//! Ten cubes drifted by 0.13 mm in 30 s at rest and, shaken along x, by 5.2 mm along y: the residual was relative to
//! impulses of the whole stack, and what it left of single velocities had a preferred direction.

use crate::support::*;
use glam::DVec3;
use percuss_bodies::{MassProperties, Pose, PrescribedMotion, Settings, Space, World, space};

const G: f64 = 9.81;

#[derive(Debug)]
struct Shake {
    amplitude: f64,
    rate: f64,
}

impl PrescribedMotion<Space> for Shake {
    fn at(&mut self, anchor: &Pose<Space>, t: f64) -> (Pose<Space>, [f64; 6]) {
        let (sin, cos) = (self.rate * t).sin_cos();
        let mut pose = *anchor;
        pose.position.x += self.amplitude * (1.0 - cos);
        (
            pose,
            [self.amplitude * self.rate * sin, 0.0, 0.0, 0.0, 0.0, 0.0],
        )
    }
}

/// Ten cubes of 0.1 m on a floor that is shaken along x, at the default settings.
fn stack(amplitude: f64) -> World<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.5), DVec3::Z * -G);
    stage.settings = Settings::default();
    let guide = stage.guide(Box::new(Shake {
        amplitude,
        rate: 12.0,
    }));
    let mass = MassProperties {
        mass: 0.0,
        inertia: DVec3::ZERO,
    };
    stage.add(
        space::Shape::HalfSpace,
        mass,
        guide,
        at3(DVec3::ZERO),
        [0.0; 6],
    );
    for k in 0..10 {
        let at = at3(DVec3::Z * (0.05 + 0.1 * f64::from(k)));
        stage.body(cuboid(0.1, 0.1, 0.1), 1000.0, at, [0.0; 6]);
    }
    stage.world()
}

#[test]
fn a_stack_at_rest_stays_where_it_is() {
    let mut world = stack(0.0);
    let start = world.state().poses.clone();
    for _ in 0..30_000 {
        world.step().unwrap();
        assert!(world.report().reached);
    }
    for (now, start) in world.state().poses.iter().zip(&start) {
        let moved = now.position.distance(start.position);
        assert!(moved <= 1e-9, "{moved:e} m in 30 s");
    }
}

#[test]
fn a_stack_shaken_along_x_stays_in_its_plane() {
    // 12 rad/s and 3 mm: 0.43 m/s², half of what makes the stack rock (g b/h = 0.98 m/s²).
    let mut world = stack(0.003);
    for _ in 0..5_000 {
        world.step().unwrap();
    }
    for pose in &world.state().poses {
        assert!(
            pose.position.y.abs() <= 1e-6,
            "{:e} m along y",
            pose.position.y
        );
    }
}
