//! Ballistic deposition: grains dropped one after the other, each rolling down to a stable position.
//!
//! ```text
//! minimise the height of the centre p   subject to   |p − c_j| ≥ r + r_j for the grains j there,
//!                                                    p at least r from the floor and the side walls
//! ```
//!
//! A grain falls from above at a uniform position and follows the steepest descent without friction
//! (Visscher and Bolsterli 1972): straight down, then over a grain, then along the valley between
//! two obstacles, until it cannot go down: it lies on the floor, or in the plane on two and in space
//! on three obstacles, the vertical through its centre inside their support. Each segment of the path is
//! a straight line or an arc of a circle, and its end is a root in closed form, so that supports
//! are touched to rounding. Grains placed before never move.
//!
//! Coordinates are relative to the corner `low`, which keeps digits: 1e-12 of a radius for boxes up to
//! some thousand radii wide and high. Cost: a bounded number of arcs per grain, each with a bounded
//! number of neighbours (hierarchical grid).
//!
//! `path` intersects lines and arcs with obstacles, `rest` finds the direction of descent, `roll` follows one grain.

mod path;
mod rest;
mod roll;

use percuss_bodies::Vector;

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::grain::{GrainShape, place};
use super::packing::{fine, fits};
use super::random::SplitMix64;
use super::region::widen;
use super::sizes::Sizes;
use crate::generator_dim::{GeneratorDim, Vec3};
use crate::hierarchical_grid::HierarchicalGrid;
use roll::Roll;

/// Times a grain is dropped again, elsewhere, when it comes to rest above the box.
const DROPS: usize = 100;

/// Parameters of a deposit.
#[derive(Debug, Clone, PartialEq)]
pub struct Deposit<D: GeneratorDim> {
    /// Radii of the grains.
    pub radius: Sizes,
    /// Shape of the grains. Irregular grains are inscribed in the circles or spheres that are deposited: they do
    /// not touch.
    pub form: GrainShape,
    /// Number of grains.
    pub count: usize,
    /// Lower corner of the box: floor and side walls.
    pub low: D::Vector,
    /// Upper corner. No grain reaches above; the height may be infinite.
    pub high: D::Vector,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Makes grains at rest on each other, in the order in which they were dropped.
///
/// # Errors
/// A number out of range, a grain larger than the box, or a full box: with the number placed.
pub fn deposit<D: GeneratorDim>(
    deposit: &Deposit<D>,
) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    check(deposit)?;
    let up = D::N - 1;
    let (mut sizes, mut shapes) = (
        SplitMix64::new(deposit.seed, "radius"),
        SplitMix64::new(deposit.seed, "shape"),
    );
    let mut random = SplitMix64::new(deposit.seed, "place");
    let sides = widen::<D>(deposit.high - deposit.low);
    // The plane is a box without depth: its grains have their centres at depth 0.
    let depth = if D::N == 2 { 0.0 } else { sides.y };
    let mut cells = HierarchicalGrid::new(
        Vec3::new(sides.x, depth, f64::INFINITY),
        deposit.radius.smallest(),
        deposit.radius.largest(),
        deposit.count,
    );
    let height = sides[up];
    let mut pieces = Vec::with_capacity(deposit.count);
    // One grain after the other: drop until it rests within the box.
    for placed in 0..deposit.count {
        let radius = deposit.radius.draw(D::N, &mut sizes);
        let mut roll = Roll::new(&cells, radius, [sides.x, depth]);
        let rest = (0..DROPS).find_map(|_| {
            let at = [random.uniform(), random.uniform()];
            let rest = roll.drop(at)?;
            (rest.z + radius <= height).then_some(rest)
        });
        let Some(rest) = rest else {
            return Err(full(deposit, placed));
        };
        cells.add(rest, radius);
        // In the plane the vertical axis is y.
        let entries = if D::N == 2 {
            [rest.x, rest.z, 0.0]
        } else {
            rest.to_array()
        };
        let centre = deposit.low + D::Vector::from_components(&entries[..D::N]);
        pieces.push(place(deposit.form.make(radius, &mut shapes)?, centre));
    }
    Ok(pieces)
}

fn check<D: GeneratorDim>(deposit: &Deposit<D>) -> Result<(), GenerateError> {
    deposit.radius.check()?;
    deposit.form.check::<D>()?;
    error::point("low", deposit.low)?;
    error::count("count", deposit.count)?;
    let up = D::N - 1;
    let sides = deposit.high - deposit.low;
    if !sides.components()[..up].iter().all(|x| x.is_finite()) {
        return Err(GenerateError::new(
            "high",
            format!(
                "{:?} has no finite place for a side wall",
                deposit.high.components()
            ),
            "Only the height of the box may be infinite",
        ));
    }
    fits::<D>(deposit.low, deposit.high, deposit.radius.largest())?;
    fine::<D>(sides, up, deposit.radius.smallest())
}

/// The error for a full box, with the number of grains placed.
fn full<D: GeneratorDim>(deposit: &Deposit<D>, placed: usize) -> GenerateError {
    GenerateError::new(
        "count",
        format!(
            "the box is full: {placed} of {} grains were placed, the next one came to lie above it wherever it was dropped ({DROPS} times)",
            deposit.count
        ),
        "Use fewer, or a higher box",
    )
}
