//! The same bits for any number of threads.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::{Plane, Space, plane, space};

#[test]
fn a_collapse_is_the_same_to_the_bit_for_any_number_of_threads() {
    let mut states = Vec::new();
    for threads in [1, 2, 3, 7] {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::Z * -9.81);
        stage.floor();
        for k in 0..200 {
            let (i, j, l) = (k % 5, k / 5 % 5, k / 25);
            let wave = (k as f64).sin();
            let at = DVec3::new(0.25 * i as f64, 0.25 * j as f64, 0.2 + 0.25 * l as f64);
            let shape = match k % 3 {
                0 => cuboid(0.2, 0.2, 0.18),
                _ => space::Shape::sphere(0.1).unwrap(),
            };
            let v = [wave, wave * 0.3, -1.0, wave, 0.0, 1.0];
            stage.body(shape, 1000.0, at3(at), v);
        }
        stage.settings.tolerance = 1e-5;
        stage.settings.threads = threads;
        let mut world = stage.world();
        for _ in 0..150 {
            world.step().unwrap();
        }
        assert!(world.num_contacts() > 20);
        states.push(world.into_state());
    }
    for state in &states[1..] {
        assert_eq!(state, &states[0]);
    }
}

#[test]
fn a_heap_in_the_plane_is_the_same_to_the_bit_for_any_number_of_threads() {
    let mut states = Vec::new();
    for threads in [1, 2, 5] {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::Y * -9.81);
        stage.floor();
        for k in 0..300 {
            let at = at2(
                0.22 * (k % 20) as f64 + 0.03 * (k / 20) as f64,
                0.11 + 0.21 * (k / 20) as f64,
            );
            stage.body(plane::Shape::disc(0.1).unwrap(), 1000.0, at, [0.0; 3]);
        }
        stage.settings.tolerance = 1e-5;
        stage.settings.threads = threads;
        let mut world = stage.world();
        for _ in 0..200 {
            world.step().unwrap();
        }
        states.push(world.into_state());
    }
    assert!(states.iter().all(|state| state == &states[0]));
}
