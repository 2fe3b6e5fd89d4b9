//! Scenes in which bodies move from the start: heaps that fall, a frame that turns, a wall of unequal blocks on shaking
//! ground. Nothing has settled before. Shapes and lattices are those of `percuss-bodies`' example `moving_speed`.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use percuss_bodies::space::ConvexPolyhedron;

use crate::engine::words;
use crate::scene::{self, Frame, Grain, Place, Random, Scene, Shape};

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

/// Uniform in a cube of side 2.
fn point(random: &mut Random) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| between(random, -1.0, 1.0)))
}

fn rotation(random: &mut Random) -> DQuat {
    DQuat::from_array([(); 4].map(|()| between(random, -1.0, 1.0))).normalize()
}

/// Bodies of random shape and orientation that fall from a lattice of 7 × 7 onto the ground.
fn heap(
    name: &'static str,
    count: usize,
    shape: &dyn Fn(&mut Random) -> Result<Shape, String>,
) -> Result<Scene, String> {
    let mut random = Random(500);
    let mut grains = Vec::with_capacity(count);
    for k in 0..count {
        let cell = [k % 7, k / 7 % 7, k / 49].map(|i| i as f64);
        let shape = shape(&mut random)?;
        let site = 0.36 * DVec3::new(cell[0] - 3.0, cell[1] - 3.0, cell[2] + 0.6);
        let position = site + 0.02 * point(&mut random);
        let start = Place {
            rotation: rotation(&mut random),
            ..Place::at(position.x, position.y, position.z)
        };
        grains.push(Grain {
            shape,
            density: 1000.0,
            start,
        });
    }
    Ok(Scene {
        name,
        grains,
        half: None,
        friction: 0.5,
        quake: false,
        frame: None,
    })
}

/// Boxes with sides of 10 to 20 cm.
pub fn boxes(count: usize) -> Result<Scene, String> {
    heap("boxes", count, &|random| {
        let sides = DVec3::from_array([(); 3].map(|()| between(random, 0.1, 0.2)));
        Ok(Shape::Cuboid(0.5 * sides))
    })
}

/// Hulls of twelve points on a sphere of 12 cm.
pub fn hulls(count: usize) -> Result<Scene, String> {
    heap("hulls", count, &|random| {
        let points: Vec<DVec3> = (0..12).map(|_| 0.12 * point(random).normalize()).collect();
        let (hull, _) = ConvexPolyhedron::hull(&points).map_err(words)?;
        Ok(Shape::Hull(Arc::new(hull)))
    })
}

/// Capsules of 3 to 6 cm of radius, their segments 10 to 20 cm long.
pub fn capsules(count: usize) -> Result<Scene, String> {
    heap("capsules", count, &|random| {
        let (length, radius) = (between(random, 0.1, 0.2), between(random, 0.03, 0.06));
        Ok(Shape::Capsule(0.5 * length, radius))
    })
}

/// `across` by `across` squares of 10 cm in a square frame, twice as wide as they need, that turns.
pub fn tumbler(across: usize) -> Scene {
    let square = |k: usize| {
        let cell = [k % across, k / across].map(|i| i as f64 + 0.5 - 0.5 * across as f64);
        Grain {
            shape: Shape::Block([0.05, 0.05]),
            density: 1000.0,
            start: Place::at(0.13 * cell[0], 0.13 * cell[1], 0.0),
        }
    };
    Scene {
        name: "squares in a frame that turns",
        grains: (0..across * across).map(square).collect(),
        half: None,
        friction: 0.5,
        quake: false,
        frame: Some(Frame {
            half: 0.1 * across as f64,
            rate: 0.44,
        }),
    }
}

/// The wall of [`scene::wall`] with each side of each block shorter by up to 0.1 %. A block stands in the middle of its
/// cell, level, on the higher of the two below it.
pub fn scattered_wall() -> Scene {
    let mut scene = scene::wall();
    let mut random = Random(176);
    // Tops of the blocks of a course: both ends and the height.
    let (mut below, mut laid): (Vec<[f64; 3]>, Vec<[f64; 3]>) = (Vec::new(), Vec::new());
    let mut course = 0;
    for grain in &mut scene.grains {
        let Shape::Block(half) = &mut grain.shape else {
            continue;
        };
        let place = &mut grain.start.position;
        if (place.y / 0.4) as usize > course {
            course += 1;
            below = std::mem::take(&mut laid);
        }
        *half = half.map(|side| side * (1.0 - 1e-3 * random.unit()));
        let ends = [place.x - half[0], place.x + half[0]];
        let under = below.iter().filter(|b| b[0] < ends[1] && b[1] > ends[0]);
        let bed = under.map(|b| b[2]).fold(0.0, f64::max);
        place.y = bed + half[1];
        laid.push([ends[0], ends[1], bed + 2.0 * half[1]]);
    }
    scene.name = "unequal blocks in a wall";
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::deepest_at;

    #[test]
    fn scenes_start_without_overlap() {
        let scenes = [
            boxes(60).expect("shapes"),
            hulls(60).expect("shapes"),
            capsules(60).expect("shapes"),
            tumbler(5),
            scattered_wall(),
        ];
        for scene in scenes {
            let depth = deepest_at(&scene, &scene.starts(), 0.0).expect("sound");
            // Rounding of sums of a dozen decimal fractions of some metres.
            assert!(depth < 1e-14, "{}: {depth}", scene.name);
        }
    }

    #[test]
    fn blocks_of_the_scattered_wall_have_sides_of_their_own() {
        let (scene, equal) = (scattered_wall(), scene::wall());
        assert_eq!(scene.grains.len(), 176);
        let mut widths: Vec<f64> = Vec::new();
        for (grain, other) in scene.grains.iter().zip(&equal.grains) {
            let (Shape::Block(a), Shape::Block(b)) = (&grain.shape, &other.shape) else {
                panic!("a wall is made of blocks")
            };
            for k in 0..2 {
                assert!(a[k] <= b[k] && a[k] >= 0.999 * b[k]);
            }
            // Sixteen courses, each lower by at most 0.4 mm.
            let sunk = other.start.position.y - grain.start.position.y;
            assert!((0.0..=6.4e-3).contains(&sunk));
            widths.push(a[0]);
        }
        widths.sort_by(f64::total_cmp);
        assert!(widths.windows(2).all(|w| w[0] < w[1]));
    }
}
