//! Wall in running bond.
//!
//! ```text
//! cell of a block:   l·k/2 ≤ x − x₀ ≤ l·(k + 2)/2      (a half block: to l·(k + 1)/2)
//! side i of a block: s_i·(1 − vary·u_i),                u_i uniform in [0, 1), each drawn by itself
//! bottom of a block: the highest top of the blocks of the course below that it lies over
//! ```
//!
//! l is the block's length, s_i the sides of the block or half block. Cells are integer multiples of half a block, so that
//! the faces of equal blocks coincide to rounding. With `vary` each block, in the middle of its cell, has sides of its
//! own: head joints become gaps of less than `vary` times a block's length, and a block, which is laid level, rests on
//! the higher of the two below it until it settles. No two blocks overlap.
//!
//! Equal blocks are a limit case: every bed joint of a wall on ground that shakes is exactly at the threshold of sliding,
//! and the wall as one rigid body solves every step (docs/bodies.md). One height for a whole course leaves that as it is.

use std::collections::HashMap;

use percuss_bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::random::SplitMix64;
use crate::generator_dim::GeneratorDim;

/// Largest `vary`: a block still lies over each of the two below it by a quarter of its length.
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
    /// Largest fraction by which a side of a block is shorter than nominal; 0: all blocks are equal.
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
    let half = wall.block[0] / 2.0;
    // Blocks of the course below: both ends, and how much lower than equal blocks the top is.
    let mut below: Vec<[f64; 3]> = Vec::new();
    for course in 0..wall.courses {
        let bed = course as f64 * wall.block[up];
        let mut laid = Vec::with_capacity(halves / 2 + 1);
        let mut from = 0;
        while from < halves {
            // Odd courses begin with a half block; a half may end the course.
            let full = from + 2 <= halves && !(from == 0 && course % 2 == 1);
            let cells = if full { 2 } else { 1 };
            let nominal = with(wall.block, 0, cells as f64 * half);
            let sides = scattered(nominal, wall.vary, &mut random);
            // In the middle of its cell, level, on the highest block below it.
            let centre = (2 * from + cells) as f64 * 0.5 * half;
            let ends = [centre - 0.5 * sides[0], centre + 0.5 * sides[0]];
            let sunk = lowered(&below, ends);
            let short = nominal[up] - sides[up];
            let mut middle = with(wall.block * 0.5, 0, centre);
            middle = with(middle, up, bed - sunk + 0.5 * sides[up]);
            pieces.push(GeneratedBody {
                shape: shapes.block(sides)?,
                pose: Pose {
                    position: wall.origin + middle,
                    rotation: D::Rotation::default(),
                },
            });
            laid.push([ends[0], ends[1], sunk + short]);
            from += cells;
        }
        below = laid;
    }
    Ok(pieces)
}

/// The sides of a block, each shorter than nominal by a random fraction of its own. Nothing is drawn without `vary`.
fn scattered<V: Vector>(nominal: V, vary: f64, random: &mut SplitMix64) -> V {
    if vary == 0.0 {
        return nominal;
    }
    let axes = 0..nominal.components().len();
    axes.fold(nominal, |sides, axis| {
        with(sides, axis, nominal[axis] * (1.0 - vary * random.uniform()))
    })
}

/// How much lower than among equal blocks a block with these ends lies: as the highest of those below it. On the ground 0.
fn lowered(below: &[[f64; 3]], ends: [f64; 2]) -> f64 {
    // Blocks of a course are ordered from left to right: the first that reaches over the left end, and those that begin
    // before the right one.
    let first = below.partition_point(|[_, right, _]| *right <= ends[0]);
    let under = below[first..]
        .iter()
        .take_while(|[left, ..]| *left < ends[1]);
    let least = under.map(|[.., sunk]| *sunk).reduce(f64::min);
    least.unwrap_or(0.0)
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
            "It is the largest fraction by which a side of a block is shorter: 0.001, say",
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
