//! Wall in running bond.
//!
//! ```text
//! joint k of a course:  x_k = origin + k·l/2 (+ s_k),   |s_k| ≤ vary·l/2,   s = 0 at both ends
//! height of a course:   h·(1 + u),                      |u| ≤ vary
//! ```
//!
//! l and h are the block's length and height. Joints are integer multiples of half a block, so that
//! neighbours' faces coincide to rounding. With `vary`, joints move and courses change their height:
//! no block's length or height differs from its nominal one by more than the fraction `vary`, blocks
//! still touch along whole faces, a course keeps its length, and all blocks of a course have one
//! height, without which the course above would stand on a few high blocks only.

use std::collections::HashMap;

use percuss_bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::random::SplitMix64;
use crate::generator_dim::GeneratorDim;

/// Largest `vary`: joints of two courses, half a block apart, stay a quarter of a block apart.
const VARY: f64 = 0.25;

/// Parameters of a wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall<D: GeneratorDim> {
    /// Length and height of a block; in space length, depth and height.
    pub block: D::Vector,
    /// Number of courses.
    pub courses: usize,
    /// Length of the wall, a multiple of half a block.
    pub length: f64,
    /// Lower left corner (in space the one with the smallest coordinates).
    pub origin: D::Vector,
    /// Largest relative change of a block's length and height; 0 for none.
    pub vary: f64,
    /// Seed of the random numbers of `vary`.
    pub seed: u64,
}

/// Makes a wall in running bond, blocks by course from below, from left to right. Even courses begin with a
/// full block, odd ones with a half.
///
/// # Errors
/// A side, a length or a number out of range; a length that is no multiple of half a block.
pub fn wall<D: GeneratorDim>(wall: &Wall<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    let halves = halves(wall)?;
    let up = D::N - 1;
    let mut random = SplitMix64::new(wall.seed, "wall");
    let mut shapes = Shapes::<D>::default();
    let mut pieces = Vec::new();
    let (half, nominal) = (wall.block[0] / 2.0, wall.block[up]);
    // Heights of the bed joints: multiples of the block height while nothing varies.
    let mut raised = 0.0;
    for course in 0..wall.courses {
        // Random height of the course.
        let change = nominal * wall.vary * (2.0 * random.uniform() - 1.0);
        let bottom = course as f64 * nominal + raised;
        raised += change;
        let height = nominal + change;
        // Blocks of the course: from one joint to the next, in half blocks and a random shift.
        let mut from = (0, 0.0);
        while from.0 < halves {
            // Odd courses begin with a half block; a half may end the course.
            let full = from.0 + 2 <= halves && !(from.0 == 0 && course % 2 == 1);
            let step = if full { 2 } else { 1 };
            let end = from.0 + step;
            // Inner joints move at random, the ends do not.
            let shift = match end == halves {
                true => 0.0,
                false => half * wall.vary * (2.0 * random.uniform() - 1.0),
            };
            let mut sides = wall.block;
            let mut middle = wall.block * 0.5;
            // The block between the two joints.
            let length = step as f64 * half + (shift - from.1);
            sides = with(sides, 0, length);
            sides = with(sides, up, height);
            let centre = (from.0 + end) as f64 * 0.5 * half + 0.5 * (from.1 + shift);
            middle = with(middle, 0, centre);
            middle = with(middle, up, bottom + 0.5 * height);
            pieces.push(GeneratedBody {
                shape: shapes.block(sides)?,
                pose: Pose {
                    position: wall.origin + middle,
                    rotation: D::Rotation::default(),
                },
            });
            from = (end, shift);
        }
    }
    Ok(pieces)
}

/// Checks the parameters; returns the length in half blocks.
fn halves<D: GeneratorDim>(wall: &Wall<D>) -> Result<usize, GenerateError> {
    for side in wall.block.components() {
        error::length("block", *side)?;
    }
    error::length("length", wall.length)?;
    error::point("origin", wall.origin)?;
    error::count("courses", wall.courses)?;
    if !(0.0..=VARY).contains(&wall.vary) {
        return Err(GenerateError::new(
            "vary",
            format!("{} is not between 0 and {VARY}", wall.vary),
            "It is the largest relative change of a block's size: 0.001, say",
        ));
    }
    let half = wall.block[0] / 2.0;
    let ratio = wall.length / half;
    let halves = ratio.round();
    // Ratios such as 6.3/0.3 miss their integer by rounding.
    if halves < 1.0 || (ratio - halves).abs() > 1e-9 * halves {
        let lower = ratio.floor().max(1.0);
        return Err(GenerateError::new(
            "length",
            format!("{} is not a multiple of half a block, {half}", wall.length),
            format!("Take {} or {}", lower * half, (lower + 1.0) * half),
        ));
    }
    let blocks = (halves * 0.5 + 1.0) * wall.courses as f64;
    if blocks > super::MOST as f64 {
        return Err(GenerateError::new(
            "courses",
            format!(
                "the wall has about {blocks:.0} blocks, more than the {} one generator makes",
                super::MOST
            ),
            "Use larger blocks or fewer courses",
        ));
    }
    Ok(halves as usize)
}

/// A vector with one component replaced.
fn with<V: Vector>(vector: V, index: usize, value: f64) -> V {
    let mut entries = [0.0; 3];
    for (entry, old) in entries.iter_mut().zip(vector.components()) {
        *entry = *old;
    }
    entries[index] = value;
    V::from_components(&entries[..vector.components().len()])
}

/// Cache of block shapes: equal ones share their vertices.
struct Shapes<D: GeneratorDim>(HashMap<[u64; 3], D::Shape>);

impl<D: GeneratorDim> Default for Shapes<D> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<D: GeneratorDim> Shapes<D> {
    fn block(&mut self, sides: D::Vector) -> Result<D::Shape, GenerateError> {
        let mut key = [0; 3];
        for (entry, side) in key.iter_mut().zip(sides.components()) {
            *entry = side.to_bits();
        }
        if let Some(shape) = self.0.get(&key) {
            return Ok(shape.clone());
        }
        let shape = D::block(sides).map_err(|e| GenerateError::shape("block", &e))?;
        self.0.insert(key, shape.clone());
        Ok(shape)
    }
}
