//! Projection of overlaps after each step: convergence, what moves, and what does not.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::{Activation, Dynamics, Plane, Space, World, plane, space};

const RADIUS: f64 = 0.1;

/// Gaps below this share of the radii take part in a projection.
const NEAR: f64 = 1e-5;

fn ball() -> space::Shape {
    space::Shape::sphere(RADIUS).unwrap()
}

/// Pseudorandom numbers from −1 to 1.
fn noise(k: usize) -> f64 {
    let x = (12.9898 * (k + 1) as f64).sin() * 43_758.545;
    2.0 * (x - x.floor()) - 1.0
}

/// A cube of n³ spheres at rest, without gravity, that would touch exactly, each displaced by at most `shift`.
fn cube(n: usize, shift: f64) -> WorldBuilder<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::ZERO);
    for k in 0..n * n * n {
        let cell = DVec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
        let aside = DVec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2));
        let at = at3(cell * 2.0 * RADIUS + aside * shift);
        stage.body(ball(), 1000.0, at, [0.0; 6]);
    }
    stage.settings.projection = true;
    stage
}

fn deepest<D: Dynamics>(world: &mut World<D>) -> f64 {
    world.overlaps(0.0).first().map_or(0.0, |o| o.depth)
}

#[test]
fn two_balls_part_by_their_masses_and_keep_their_velocity() {
    for activation in [Activation::Gap, Activation::Predicted] {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::ZERO);
        stage.body(ball(), 1000.0, at3(DVec3::ZERO), [0.0; 6]);
        stage.body(ball(), 3000.0, at3(DVec3::X * 0.16), [0.0; 6]);
        stage.settings.projection = true;
        stage.settings.activation = activation;
        let mut world = stage.world();
        world.step().unwrap();
        let [a, b] = [0, 1].map(|i| world.state().poses[i].position);
        // One contact is one equation: 0.04 as 3 to 1; rounding of lengths below 1.
        assert!((a - DVec3::X * -0.03).length() < 1e-15, "{a}");
        assert!((b - DVec3::X * 0.17).length() < 1e-15, "{b}");
        assert_eq!(world.report().kinetic, 0.0);
        assert!(world.state().velocities.iter().all(|v| *v == [0.0; 6]));
    }
}

#[test]
fn what_pushes_one_pair_apart_does_not_press_its_neighbours_together() {
    // A row: the first two overlap by a hundredth of a radius, the others touch with a gap of rounding.
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::ZERO);
    let overlap = 0.01 * RADIUS;
    for k in 0..4 {
        let x = 2.0 * RADIUS * (1.0 + 1e-12) * k as f64 + if k == 0 { overlap } else { 0.0 };
        stage.body(ball(), 1000.0, at3(DVec3::X * x), [0.0; 6]);
    }
    stage.settings.projection = true;
    let mut world = stage.world();
    world.step().unwrap();
    // Stated: a tenth of the deepest overlap is left at most, where the sweeps are enough for it.
    let left = deepest(&mut world);
    assert!(left <= 0.1 * overlap, "{left:e}");
    for _ in 0..12 {
        world.step().unwrap();
    }
    // Until it is none any more: 1e-9 of the radii.
    let left = deepest(&mut world);
    assert!(left <= 2e-9 * RADIUS * (1.0 + 1e-6), "{left:e}");
}

#[test]
fn overlaps_of_a_packing_vanish_and_nothing_moves_of_itself() {
    for activation in [Activation::Gap, Activation::Predicted] {
        // Overlaps as a solver leaves them, and as somebody who draws a scene does.
        for shift in [1e-6, 1e-2] {
            let mut stage = cube(6, shift * RADIUS);
            stage.settings.activation = activation;
            let mut world = stage.world();
            let begin = deepest(&mut world);
            assert!(begin > shift * RADIUS);
            let mut last = begin;
            for _ in 0..8 {
                world.step().unwrap();
                let left = deepest(&mut world);
                // Small overlaps fall to a tenth, or by what the sweeps of a step do: with 8 of them to 0.28. Large
                // ones meet gaps that were too wide for a candidate, which are found in the next step: to 0.73.
                let share = if shift < NEAR { 0.5 } else { 0.9 };
                assert!(
                    left <= (share * last).max(2e-9 * RADIUS),
                    "{left:e} of {last:e}"
                );
                last = left;
                assert_eq!(world.report().kinetic, 0.0);
            }
            assert!(last <= 0.01 * begin, "{last:e} of {begin:e}");
            // No body is thrown out: displacements are as long as overlaps.
            let start = cube(6, shift * RADIUS).state;
            for (now, then) in world.state().poses.iter().zip(&start.poses) {
                let way = now.position.distance(then.position);
                assert!(way <= 2.0 * begin, "{way:e} by {begin:e}");
            }
        }
    }
}

#[test]
fn deep_overlaps_do_not_explode() {
    // A cube that is a third too small, and a ball in the middle of another.
    let mut stage = cube(5, 1e-3 * RADIUS);
    for pose in &mut stage.state.poses {
        pose.position *= 0.67;
    }
    let middle = stage.state.poses[62].position + DVec3::new(1e-3, 2e-3, 0.0);
    stage.body(ball(), 1000.0, at3(middle), [0.0; 6]);
    let mut world = stage.world();
    let begin = deepest(&mut world);
    for _ in 0..100 {
        world.step().unwrap();
        assert_eq!(world.report().kinetic, 0.0);
    }
    let left = deepest(&mut world);
    assert!(left <= 0.01 * begin, "{left:e} of {begin:e}");
    // The cube as it should be has a diagonal of 8√3 radii, once more as much is far too much.
    let all = world.state().poses.iter().map(|p| p.position.length());
    assert!(all.fold(0.0, f64::max) < 16.0 * 3.0_f64.sqrt() * RADIUS);
}

/// A heap of balls that falls on ground, loosely solved.
fn heap(threads: usize) -> WorldBuilder<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.3), DVec3::Z * -9.81);
    stage.floor();
    for k in 0..216 {
        let cell = DVec3::new((k % 6) as f64, (k / 6 % 6) as f64, (k / 36) as f64);
        let aside = DVec3::new(noise(2 * k), noise(2 * k + 1), 0.0);
        let at = cell * 2.05 * RADIUS + DVec3::Z * RADIUS + aside * 0.2 * RADIUS;
        stage.body(ball(), 1000.0, at3(at), [0.0; 6]);
    }
    stage.settings.tolerance = 1e-3;
    stage.settings.activation = Activation::Predicted;
    stage.settings.projection = true;
    stage.settings.threads = threads;
    stage
}

#[test]
fn a_heap_overlaps_by_a_twentieth_of_what_it_does_without() {
    let depth = |correction: bool| {
        let mut stage = heap(1);
        stage.settings.projection = correction;
        let mut world = stage.world();
        let mut worst = 0.0_f64;
        for step in 0..300 {
            world.step().unwrap();
            if step >= 100 {
                worst = worst.max(world.report().penetration);
            }
        }
        worst
    };
    let (with, without) = (depth(true), depth(false));
    // A loose goal lets bodies sink: measured is 6e-4 of it.
    assert!(with <= 0.05 * without, "{with:e} against {without:e}");
}

#[test]
fn a_corrected_heap_is_the_same_to_the_bit_for_any_number_of_threads() {
    let run = |threads: usize| {
        let mut world = heap(threads).world();
        (0..150).for_each(|_| world.step().unwrap());
        world.into_state()
    };
    let one = run(1);
    for threads in [2, 3] {
        assert_eq!(run(threads), one);
    }
}

#[test]
fn a_corrected_motion_goes_on_from_its_state_with_the_same_bits() {
    let (mut whole, mut half) = (heap(1).world(), heap(1).world());
    for _ in 0..80 {
        whole.step().unwrap();
        half.step().unwrap();
    }
    let mut again = heap(1);
    again.state = half.into_state();
    let mut again = again.world();
    for _ in 0..80 {
        whole.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(whole.state(), again.state());
}

#[test]
fn bodies_that_turn_are_corrected_with_all_that_is_nearly_closed() {
    // A row of boxes that touch; the first reaches into the second, and pushing it does not help alone.
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::ZERO);
    let overlap = 1e-3;
    for k in 0..4 {
        let x = 0.2 * (1.0 + 1e-12) * k as f64 + if k == 0 { overlap } else { 0.0 };
        stage.body(rectangle(0.2, 0.2), 1000.0, at2(x, 0.0), [0.0; 3]);
    }
    stage.body(
        plane::Shape::disc(0.1).unwrap(),
        1000.0,
        at2(0.0, 0.3),
        [0.0; 3],
    );
    stage.settings.projection = true;
    let mut world = stage.world();
    world.step().unwrap();
    // The projection is solved to 1e-6, relative; the row moves straight, so that it is linear.
    let left = deepest(&mut world);
    assert!(left <= 1e-5 * overlap, "{left:e}");
    assert_eq!(world.report().kinetic, 0.0);
}
