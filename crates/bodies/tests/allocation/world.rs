//! A warm step without joints allocates nothing.

use crate::allocations;
use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{Activation, Compound, Dynamics, Freedom, Plane, Pose, Space, plane, space};
use std::sync::Arc;

/// Discs and boxes in a heap.
fn heap_of_discs() -> WorldBuilder<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.4), DVec2::Y * -9.81);
    stage.floor();
    for k in 0..60 {
        let at = at2(
            0.21 * (k % 10) as f64 + 0.01 * (k / 10) as f64,
            0.1 + 0.2 * (k / 10) as f64,
        );
        let shape = match k % 3 {
            0 => rectangle(0.18, 0.2),
            _ => plane::Shape::disc(0.1).unwrap(),
        };
        stage.body(shape, 1000.0, at, [0.0; 3]);
    }
    stage.settings.tolerance = 1e-4;
    stage
}

fn heap_of_balls() -> WorldBuilder<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.4), DVec3::Z * -9.81);
    stage.floor();
    for k in 0..80 {
        let (i, j, l) = (k % 4, k / 4 % 4, k / 16);
        let at = DVec3::new(0.2 * i as f64, 0.2 * j as f64, 0.1 + 0.2 * l as f64);
        let shape = match k % 5 {
            0 => cuboid(0.2, 0.2, 0.2),
            _ => space::Shape::sphere(0.1).unwrap(),
        };
        stage.body(shape, 1000.0, at3(at), [0.0; 6]);
    }
    stage.settings.tolerance = 1e-4;
    stage
}

/// Crosses and Ls on a floor of many boxes.
fn heap_of_compounds() -> WorldBuilder<Plane> {
    let joined = |pieces: &[percuss_bodies::CompoundPiece<Plane>]| {
        let (compound, axes) = Compound::<Plane>::new(pieces).unwrap();
        (plane::Shape::Compound(Arc::new(compound)), axes)
    };
    let bar = |w: f64, h: f64, x: f64, y: f64| (rectangle(w, h), at2(x, y), 1.0);
    let floor: Vec<_> = (0..40)
        .map(|k| bar(0.1, 0.2, 0.1 * k as f64, -0.1))
        .collect();
    let (floor, axes) = joined(&floor);
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.4), DVec2::Y * -9.81);
    let mass = Plane::from_mass_diagonal(&[0.0; 3]);
    stage.add(floor, mass, Freedom::Fixed, axes, [0.0; 3]);
    let (cross, _) = joined(&[bar(0.2, 0.06, 0.0, 0.0), bar(0.06, 0.2, 0.0, 0.0)]);
    let (ell, _) = joined(&[bar(0.2, 0.06, 0.0, 0.0), bar(0.06, 0.14, -0.07, 0.1)]);
    for k in 0..60 {
        let at = at2(
            0.5 + 0.24 * (k % 10) as f64 + 0.01 * (k / 10) as f64,
            0.11 + 0.22 * (k / 10) as f64,
        );
        let shape = if k % 2 == 0 { &cross } else { &ell };
        stage.body(shape.clone(), 1000.0, at, [0.0; 3]);
    }
    stage.settings.tolerance = 1e-4;
    stage
}

/// Jacks in a heap.
fn heap_of_jacks() -> WorldBuilder<Space> {
    let rod = |rotation: DQuat| {
        let position = DVec3::ZERO;
        let shape = space::Shape::capsule(0.14, 0.03).unwrap();
        (shape, Pose { position, rotation }, 1.0)
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let rods = [
        rod(DQuat::IDENTITY),
        rod(DQuat::from_rotation_x(quarter)),
        rod(DQuat::from_rotation_y(quarter)),
    ];
    let (jack, _) = Compound::<Space>::new(&rods).unwrap();
    let jack = space::Shape::Compound(Arc::new(jack));
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.4), DVec3::Z * -9.81);
    stage.floor();
    for k in 0..48 {
        let (i, j, l) = (k % 4, k / 4 % 4, k / 16);
        let at = DVec3::new(0.15 * i as f64, 0.15 * j as f64, 0.1 + 0.2 * l as f64);
        let shape = match k % 3 {
            0 => cuboid(0.12, 0.12, 0.2),
            _ => jack.clone(),
        };
        stage.body(shape, 1000.0, at3(at), [0.0; 6]);
    }
    stage.settings.tolerance = 1e-4;
    stage
}

/// Steps until all buffers have their size, then the allocations of ten more.
fn warm<D: Dynamics>(stage: WorldBuilder<D>) -> usize {
    let mut world = stage.world();
    for _ in 0..200 {
        world.step().unwrap();
    }
    assert!(world.num_contacts() > 50);
    let mut most = 0;
    for _ in 0..10 {
        let mut result = Ok(());
        most = most.max(allocations(|| result = world.step()));
        result.unwrap();
    }
    most
}

#[test]
fn a_warm_step_allocates_nothing() {
    assert_eq!(warm(heap_of_discs()), 0, "plane");
    assert_eq!(warm(heap_of_balls()), 0, "space");
    assert_eq!(warm(heap_of_compounds()), 0, "compounds of the plane");
    assert_eq!(warm(heap_of_jacks()), 0, "compounds of space");
    let mut predicted = heap_of_discs();
    predicted.settings.activation = Activation::Predicted;
    predicted.settings.projection = true;
    assert_eq!(warm(predicted), 0, "predicted activation and correction");
    for activation in [Activation::Gap, Activation::Predicted] {
        let mut round = heap_of_balls();
        let spheres = round.model.bodies.iter_mut().skip(1);
        spheres.for_each(|body| body.shape = space::Shape::sphere(0.1).unwrap());
        round.settings.activation = activation;
        round.settings.projection = true;
        assert_eq!(warm(round), 0, "correction of balls, {activation:?}");
    }
    // The counter does count.
    assert!(allocations(|| drop(std::hint::black_box(vec![0_u8; 100]))) > 0);
}
