//! Penetration depth, recomputed in f64 from the states with exact shapes: independent of every engine's own
//! value and of percuss's contact detection.
//!
//! Rectangles: the smallest overlap over the four separating axes. Discs and balls: r₁ + r₂ − d; capsules, with d
//! that of their segments, likewise. Ground, walls and frame: how far the lowest, or the outermost, point lies
//! beyond. Boxes and hulls in space are left to percuss's detection of these poses (`engine::percuss::deepest`).

use std::collections::HashMap;

use glam::{DQuat, DVec2, DVec3};

use crate::scene::{Place, Scene, Shape};

/// As [`deepest`], for every scene; `t` is the time of the places.
pub fn deepest_at(scene: &Scene, places: &[Place], t: f64) -> Result<f64, String> {
    let solid = |shape: &Shape| matches!(shape, Shape::Cuboid(_) | Shape::Hull(_));
    if scene.grains.iter().any(|g| solid(&g.shape)) {
        return crate::engine::percuss::deepest(scene, places);
    }
    let Some(frame) = scene.frame else {
        return Ok(deepest(scene, places));
    };
    // In the axes of the frame its sides are walls and ground.
    let mut turned = places.to_vec();
    let back = DQuat::from_rotation_z(-frame.rate * t);
    let mut depth = 0.0_f64;
    for (place, grain) in turned.iter_mut().zip(&scene.grains) {
        place.position = back * place.position;
        place.angle -= frame.rate * t;
        for axis in [DVec3::X, DVec3::Y] {
            let out =
                place.position.dot(axis).abs() + extent(&grain.shape, place, axis) - frame.half;
            depth = depth.max(out);
        }
    }
    Ok(depth.max(between(scene, &turned)))
}

/// The largest penetration of a scene without frame, m; 0 where nothing overlaps.
pub fn deepest(scene: &Scene, places: &[Place]) -> f64 {
    let mut depth = 0.0_f64;
    for (i, place) in places.iter().enumerate() {
        depth = depth.max(beyond(scene, &scene.grains[i].shape, place));
    }
    depth.max(between(scene, places))
}

/// The largest penetration of two bodies, m.
fn between(scene: &Scene, places: &[Place]) -> f64 {
    let depth = |(i, j): (usize, usize)| {
        let shapes = [&scene.grains[i].shape, &scene.grains[j].shape];
        pair(shapes, [&places[i], &places[j]])
    };
    near(scene, places)
        .into_iter()
        .map(depth)
        .fold(0.0, f64::max)
}

/// Radius of the bounding circle or ball of a shape.
fn reach(shape: &Shape) -> f64 {
    match shape {
        Shape::Block([a, b]) => a.hypot(*b),
        Shape::Disc(r) | Shape::Ball(r) => *r,
        Shape::Cuboid(half) => half.length(),
        Shape::Capsule(half, r) => half + r,
        Shape::Hull(hull) => hull
            .vertices()
            .iter()
            .fold(0.0, |most, v| most.max(v.length())),
    }
}

/// How far a shape reaches along an axis from its centre (support function).
fn extent(shape: &Shape, place: &Place, axis: DVec3) -> f64 {
    let inside = place.rotation.conjugate() * axis;
    match shape {
        Shape::Block(half) => spread(*half, place.angle, axis.truncate()),
        Shape::Disc(r) | Shape::Ball(r) => *r,
        Shape::Cuboid(half) => half.dot(inside.abs()),
        Shape::Capsule(half, r) => half * inside.z.abs() + r,
        Shape::Hull(hull) => {
            let along = hull.vertices().iter().map(|v| v.dot(inside));
            along.fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

/// Penetration of a body into the ground and the walls.
fn beyond(scene: &Scene, shape: &Shape, place: &Place) -> f64 {
    let extent = |axis: DVec3| extent(shape, place, axis);
    // Below the ground.
    let up = scene.up();
    let mut depth = (extent(-up) - place.position.dot(up)).max(0.0);
    // Beyond the walls.
    if let Some(half) = scene.half {
        let sides: &[DVec3] = if scene.spatial() {
            &[DVec3::X, DVec3::Y]
        } else {
            &[DVec3::X]
        };
        for side in sides {
            for side in [*side, -*side] {
                depth = depth.max(place.position.dot(side) + extent(side) - half);
            }
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
        (Shape::Capsule(a, ra), Shape::Capsule(b, rb)) => {
            let axis = |k: usize| places[k].rotation * DVec3::Z;
            (ra + rb - segments(between, [*a * axis(0), *b * axis(1)])).max(0.0)
        }
        (a, b) => (reach(a) + reach(b) - between.length()).max(0.0),
    }
}

/// Distance of the segments {s·a} and {between + t·b}, s and t in [−1, 1].
fn segments(between: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    // The squared distance is convex: the least over the four sides of the square of (s, t) and its inside.
    let distance = |s: f64, t: f64| (between + t * b - s * a).length();
    let on = |t: f64| ((between + t * b).dot(a) / a.length_squared()).clamp(-1.0, 1.0);
    let other = |s: f64| ((s * a - between).dot(b) / b.length_squared()).clamp(-1.0, 1.0);
    let mut least = f64::INFINITY;
    for end in [-1.0, 1.0] {
        least = least
            .min(distance(on(end), end))
            .min(distance(end, other(end)));
    }
    // Where both derivatives vanish.
    let [aa, ab, bb] = [a.dot(a), a.dot(b), b.dot(b)];
    let determinant = aa * bb - ab * ab;
    let s = (bb * between.dot(a) - ab * between.dot(b)) / determinant;
    let t = (ab * between.dot(a) - aa * between.dot(b)) / determinant;
    if s.abs() <= 1.0 && t.abs() <= 1.0 {
        least = least.min(distance(s, t));
    }
    least
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
    use crate::scene::{Frame, Grain, spheres, tower, wall};

    fn two(shape: Shape, second: Place) -> f64 {
        let grain = |start| Grain {
            shape: shape.clone(),
            density: 1.0,
            start,
        };
        let first = match shape {
            Shape::Ball(_) | Shape::Capsule(..) => Place::at(0.0, 0.0, 10.0),
            _ => Place::at(0.0, 10.0, 0.0),
        };
        let scene = Scene {
            name: "two",
            grains: vec![grain(first), grain(second)],
            half: None,
            friction: 0.0,
            quake: false,
            frame: None,
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
    fn capsules_overlap_by_radii_less_distance_of_segments() {
        // Crossed at a right angle, 0.3 above each other, then end on, then side by side.
        let capsule = Shape::Capsule(0.5, 0.2);
        let mut second = Place::at(0.3, 0.0, 10.0);
        second.rotation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let crossed = two(capsule.clone(), second);
        let ends = two(capsule.clone(), Place::at(0.0, 0.0, 11.3));
        let sides = two(capsule, Place::at(0.3, 0.0, 10.1));
        // Rounding at 10 m.
        for depth in [crossed, ends, sides] {
            assert!((depth - 0.1).abs() < 1e-14, "{depth}");
        }
    }

    #[test]
    fn boxes_in_space_overlap_as_those_of_the_plane() {
        let grain = |start| Grain {
            shape: Shape::Cuboid(DVec3::splat(0.5)),
            density: 1.0,
            start,
        };
        let above = 0.5 + 0.5_f64.sqrt() - 0.01;
        let mut second = Place::at(0.0, 0.0, 10.0 + above);
        second.rotation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let scene = Scene {
            grains: vec![grain(Place::at(0.0, 0.0, 10.0)), grain(second)],
            frame: None,
            ..tower()
        };
        let depth = deepest_at(&scene, &scene.starts(), 0.0).expect("sound");
        // Rounding at 10 m, and a rotation that is normalised.
        assert!((depth - 0.01).abs() < 1e-13, "{depth}");
    }

    #[test]
    fn a_frame_holds_what_turns_with_it() {
        let mut scene = tower();
        scene.grains.truncate(1);
        let (rate, t) = (0.5, 1.4);
        scene.frame = Some(Frame { half: 2.0, rate });
        // In a corner of the frame, 1 mm beyond one side.
        let turn = DQuat::from_rotation_z(rate * t);
        let corner = turn * DVec3::new(1.501, -1.5, 0.0);
        let mut place = Place::at(corner.x, corner.y, 0.0);
        place.angle = rate * t;
        let depth = deepest_at(&scene, &[place], t).expect("sound");
        // Rounding of lengths of 2 m.
        assert!((depth - 1e-3).abs() < 1e-14, "{depth}");
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
