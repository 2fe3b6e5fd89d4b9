//! Penetration depth, recomputed in f64 from the states with exact shapes: independent of every engine's own
//! value and of percuss's contact detection.
//!
//! Rectangles: the smallest overlap over the four separating axes. Discs and balls: r₁ + r₂ − d. Ground and
//! walls: how far the lowest, or the outermost, point lies beyond.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

use crate::scene::{Place, Scene, Shape};

/// The largest penetration of a scene, m; 0 where nothing overlaps.
pub fn deepest(scene: &Scene, places: &[Place]) -> f64 {
    let mut depth = 0.0_f64;
    for (i, place) in places.iter().enumerate() {
        depth = depth.max(beyond(scene, &scene.grains[i].shape, place));
    }
    for (i, j) in near(scene, places) {
        let shapes = [&scene.grains[i].shape, &scene.grains[j].shape];
        depth = depth.max(pair(shapes, [&places[i], &places[j]]));
    }
    depth
}

/// Radius of the bounding circle or ball of a shape.
fn reach(shape: &Shape) -> f64 {
    match *shape {
        Shape::Block([a, b]) => a.hypot(b),
        Shape::Disc(r) | Shape::Ball(r) => r,
    }
}

/// Penetration of a body into the ground and the walls.
fn beyond(scene: &Scene, shape: &Shape, place: &Place) -> f64 {
    let extent = |axis: DVec3| match *shape {
        Shape::Block(half) => spread(half, place.angle, axis.truncate()),
        Shape::Disc(r) | Shape::Ball(r) => r,
    };
    // Below the ground.
    let up = scene.up();
    let mut depth = (extent(up) - place.position.dot(up)).max(0.0);
    // Beyond the walls.
    if let Some(half) = scene.half {
        let sides: &[DVec3] = if scene.spatial() {
            &[DVec3::X, DVec3::Y]
        } else {
            &[DVec3::X]
        };
        for side in sides {
            let out = place.position.dot(*side).abs() + extent(*side) - half;
            depth = depth.max(out);
        }
    }
    depth
}

/// Half the width of a rotated rectangle along an axis (support function).
fn spread(half: [f64; 2], angle: f64, axis: DVec2) -> f64 {
    let along = DVec2::from_angle(angle);
    half[0] * along.dot(axis).abs() + half[1] * along.perp().dot(axis).abs()
}

/// Penetration of two bodies; 0 where they are separated.
fn pair(shapes: [&Shape; 2], places: [&Place; 2]) -> f64 {
    let between = places[1].position - places[0].position;
    match (shapes[0], shapes[1]) {
        // Separating axes: the face normals of both rectangles.
        (Shape::Block(a), Shape::Block(b)) => {
            let angles = [places[0].angle, places[1].angle];
            let axes = angles.map(DVec2::from_angle);
            let axes = [axes[0], axes[0].perp(), axes[1], axes[1].perp()];
            let overlap = axes.map(|axis| {
                let room = spread(*a, angles[0], axis) + spread(*b, angles[1], axis);
                room - between.truncate().dot(axis).abs()
            });
            overlap.into_iter().fold(f64::INFINITY, f64::min).max(0.0)
        }
        (a, b) => (reach(a) + reach(b) - between.length()).max(0.0),
    }
}

/// Pairs whose bounding balls overlap, found with a uniform grid of cells as wide as the largest body.
fn near(scene: &Scene, places: &[Place]) -> Vec<(usize, usize)> {
    let largest = scene
        .grains
        .iter()
        .map(|g| reach(&g.shape))
        .fold(0.0, f64::max);
    let width = 2.0 * largest;
    let cell = |p: &Place| (p.position / width).floor().to_array().map(|x| x as i64);
    // Bodies by cell.
    let mut inside: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (i, place) in places.iter().enumerate() {
        inside.entry(cell(place)).or_default().push(i);
    }
    let mut found = Vec::new();
    // Pairs in neighbouring cells.
    for (i, place) in places.iter().enumerate() {
        let [x, y, z] = cell(place);
        for step in 0..27 {
            let there = [x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1];
            for &j in inside.get(&there).into_iter().flatten() {
                let reach = reach(&scene.grains[i].shape) + reach(&scene.grains[j].shape);
                if i < j && place.position.distance(places[j].position) < reach {
                    found.push((i, j));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Grain, spheres, tower, wall};

    fn two(shape: Shape, second: Place) -> f64 {
        let grain = |start| Grain {
            shape,
            density: 1.0,
            start,
        };
        let first = match shape {
            Shape::Ball(_) => Place::at(0.0, 0.0, 10.0),
            _ => Place::at(0.0, 10.0, 0.0),
        };
        let scene = Scene {
            name: "two",
            grains: vec![grain(first), grain(second)],
            half: None,
            friction: 0.0,
            quake: false,
        };
        deepest(&scene, &scene.starts())
    }

    #[test]
    fn walls_and_towers_touch_without_overlap() {
        for scene in [wall(), tower()] {
            // Rounding of sums of a dozen decimal fractions of some metres.
            assert!(deepest(&scene, &scene.starts()) < 1e-14);
        }
    }

    #[test]
    fn a_corner_reaches_into_a_face_by_what_geometry_says() {
        // A unit square stands on its corner 0.5 + √½ − 0.01 above the middle of another.
        let above = 0.5 + 0.5_f64.sqrt() - 0.01;
        let mut second = Place::at(0.0, 10.0 + above, 0.0);
        second.angle = std::f64::consts::FRAC_PI_4;
        let depth = two(Shape::Block([0.5, 0.5]), second);
        // Rounding at 10 m.
        assert!((depth - 0.01).abs() < 1e-14, "{depth}");
        second.position.y += 0.02;
        assert_eq!(two(Shape::Block([0.5, 0.5]), second), 0.0);
    }

    #[test]
    fn balls_overlap_by_radii_less_distance() {
        let depth = two(Shape::Ball(0.5), Place::at(0.6, 0.0, 10.6));
        // Rounding at 10 m.
        assert!((depth - (1.0 - 0.72_f64.sqrt())).abs() < 1e-14);
    }

    #[test]
    fn ground_and_walls_count() {
        let scene = spheres(1, 1);
        let Shape::Ball(r) = scene.grains[0].shape else {
            panic!("a ball")
        };
        let half = scene.half.expect("walls");
        let low = deepest(&scene, &[Place::at(0.0, 0.0, r - 1e-3)]);
        let aside = deepest(&scene, &[Place::at(0.0, half - r + 2e-3, 1.0)]);
        // Rounding of lengths below 1 m.
        assert!((low - 1e-3).abs() < 1e-15 && (aside - 2e-3).abs() < 1e-15);
    }

    #[test]
    fn the_grid_finds_every_pair_that_all_pairs_find() {
        let mut scene = spheres(300, 9);
        for (k, grain) in scene.grains.iter_mut().enumerate() {
            // Pushed together: many overlap, and some cells have negative indices.
            grain.start.position *= 0.6 + 1e-3 * (k % 7) as f64;
        }
        let places = scene.starts();
        let mut all = 0;
        for i in 0..places.len() {
            for j in 0..i {
                let reach = reach(&scene.grains[i].shape) + reach(&scene.grains[j].shape);
                all += usize::from(places[i].position.distance(places[j].position) < reach);
            }
        }
        assert!(all > 100);
        assert_eq!(near(&scene, &places).len(), all);
    }
}
