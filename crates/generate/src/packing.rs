//! Random sequential addition (RSA): grains placed at random without overlap.
//!
//! Each grain takes the first of a sequence of uniform positions in the box at which it overlaps no grain
//! placed before; larger ones are placed first, so that mixtures find room. The expected cost is constant
//! per trial (hierarchical grid). The method jams: discs of one size at an area fraction of 0.547, spheres at
//! a volume fraction of 0.384. Just below it the number of trials grows without bound, and the generator gives up.

use percuss_bodies::{Dim, Vector};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::grain::{GrainShape, place};
use super::random::SplitMix64;
use super::region::{PackingRegion, PlacementRegion};
use super::sizes::Sizes;
use crate::generator_dim::{GeneratorDim, Vec3};
use crate::hierarchical_grid::HierarchicalGrid;

/// Positions tried for one grain before the generator gives up.
pub const TRIALS: usize = 200_000;

/// Number of grains of a packing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A given number.
    Count(usize),
    /// As many as fill this fraction of the area or volume of the region.
    Fraction(f64),
}

/// Parameters of a packing.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing<D: GeneratorDim> {
    /// Radii of the grains.
    pub radius: Sizes,
    /// Shape of the grains.
    pub form: GrainShape,
    /// Lower corner of the box, which contains all grains entirely.
    pub low: D::Vector,
    /// Upper corner.
    pub high: D::Vector,
    /// The region: box, cylinder or periodic cell.
    pub region: PackingRegion<D>,
    /// Number of grains, or fraction filled.
    pub amount: Amount,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Makes grains at random positions without overlap.
///
/// # Errors
/// A number out of range, a grain larger than the box, or no room: with the number placed.
pub fn packing<D: GeneratorDim>(
    packing: &Packing<D>,
) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    let region = check(packing)?;
    let grains = draw(packing, region.volume)?;
    let mut order: Vec<usize> = (0..grains.len()).collect();
    // Largest first. The sort is stable: grains of one size keep the order in which they were drawn.
    order.sort_by(|a, b| grains[*b].0.total_cmp(&grains[*a].0));
    let largest = grains
        .iter()
        .fold(0.0, |most: f64, grain| most.max(grain.0));
    let smallest = grains
        .iter()
        .fold(largest, |least, grain| least.min(grain.0));
    // Overlap queries by the hierarchical grid.
    let mut cells = HierarchicalGrid::new(region.extent, smallest, largest, grains.len());
    let mut random = SplitMix64::new(packing.seed, "place");
    let mut centres = vec![Vec3::ZERO; grains.len()];
    // Place one grain after the other, each at the first free position.
    for (placed, grain) in order.iter().enumerate() {
        let radius = grains[*grain].0;
        let place = (0..TRIALS).find_map(|_| {
            let place = region.try_anywhere(radius, &mut random)?;
            cells.free(place, radius).then_some(place)
        });
        let Some(place) = place else {
            return Err(jammed(packing, region.volume, &grains, &order[..placed]));
        };
        region.keep(&mut cells, place, radius);
        centres[*grain] = place;
    }
    // Back to the order of drawing and to the coordinates of the scene.
    let pieces = grains.into_iter().zip(centres);
    Ok(pieces
        .map(|((_, piece), centre)| {
            let at = D::Vector::from_components(&centre.to_array()[..D::N]);
            place(piece, region.corner + at)
        })
        .collect())
}

/// Draws radii and shapes of all grains, about the origin.
fn draw<D: GeneratorDim>(
    packing: &Packing<D>,
    volume: f64,
) -> Result<Vec<(f64, GeneratedBody<D>)>, GenerateError> {
    // Independent random streams for sizes and shapes.
    let (mut sizes, mut shapes) = (
        SplitMix64::new(packing.seed, "radius"),
        SplitMix64::new(packing.seed, "shape"),
    );
    let mut make = || {
        let radius = packing.radius.draw(D::N, &mut sizes);
        let piece = packing.form.make::<D>(radius, &mut shapes)?;
        Ok((radius, piece))
    };
    match packing.amount {
        Amount::Count(count) => (0..error::count("count", count)?).map(|_| make()).collect(),
        Amount::Fraction(fraction) => {
            let goal = fraction * volume;
            // The least number there can be, all grains of the largest size: refuse hopeless fractions early.
            let round = D::round(packing.radius.largest());
            let round = round.map_err(|e| GenerateError::shape("radius", &e))?;
            let largest = D::mass_properties(&round, 1.0).map_or(0.0, |m| m.mass);
            error::count("fraction", (goal / largest).max(1.0) as usize)?;
            let mut grains = Vec::new();
            let mut filled = 0.0;
            loop {
                let (radius, piece) = make()?;
                let size = D::mass_properties(&piece.shape, 1.0).map_or(0.0, |m| m.mass);
                // Stop at the number of grains whose total is nearest to the goal.
                if filled + 0.5 * size >= goal || !(size > 0.0) {
                    break;
                }
                filled += size;
                grains.push((radius, piece));
                error::count("fraction", grains.len())?;
            }
            error::count("fraction", grains.len()).map(|_| grains)
        }
    }
}

fn check<D: GeneratorDim>(packing: &Packing<D>) -> Result<PlacementRegion<D>, GenerateError> {
    packing.radius.check()?;
    packing.form.check::<D>()?;
    let largest = packing.radius.largest();
    if !matches!(packing.region, PackingRegion::Cell(_)) {
        error::point("low", packing.low)?;
        error::point("high", packing.high)?;
        error::point("high", packing.high - packing.low)?;
        fits::<D>(packing.low, packing.high, largest)?;
    }
    let region = PlacementRegion::new(&packing.region, packing.low, packing.high, largest)?;
    let sides = D::Vector::from_components(&region.extent.to_array()[..D::N]);
    fine::<D>(sides, D::N, packing.radius.smallest())?;
    match packing.amount {
        Amount::Count(count) => error::count("count", count).map(|_| region),
        Amount::Fraction(fraction) if fraction > 0.0 && fraction < 1.0 => Ok(region),
        Amount::Fraction(fraction) => Err(GenerateError::new(
            "fraction",
            format!("{fraction} is not between 0 and 1"),
            "It is the part of the box that grains fill",
        )),
    }
}

/// Requires that the largest grain fits into the box.
pub(super) fn fits<D: Dim>(
    low: D::Vector,
    high: D::Vector,
    largest: f64,
) -> Result<(), GenerateError> {
    // Along every axis.
    for axis in 0..D::N {
        let width = high[axis] - low[axis];
        let name = ["x", "y", "z"][axis];
        if !(width > 0.0) {
            return Err(GenerateError::new(
                "high",
                format!(
                    "{} is not above `low`, {}, along {name}",
                    high[axis], low[axis]
                ),
                "",
            ));
        }
        if width < 2.0 * largest {
            return Err(GenerateError::new(
                "radius",
                format!(
                    "a grain of radius {largest} does not fit into the box, {width} wide along {name}"
                ),
                "Use a larger box or smaller grains",
            ));
        }
    }
    Ok(())
}

/// Requires that coordinates along the first axes of a box are fine enough for its grains: a coordinate of 10⁸ radii
/// is rounded to 10⁻⁸ of a radius.
pub(super) fn fine<D: Dim>(sides: D::Vector, axes: usize, least: f64) -> Result<(), GenerateError> {
    let widest = sides.components()[..axes]
        .iter()
        .fold(0.0, |w: f64, x| w.max(*x));
    if widest <= 1e8 * least {
        return Ok(());
    }
    Err(GenerateError::new(
        "radius",
        format!(
            "a grain of radius {least} is lost in a box {widest} wide: its place would not have enough digits"
        ),
        "Use a box of at most 1e8 of the smallest radii",
    ))
}

/// The error for a jammed packing: number of grains placed and fraction filled.
fn jammed<D: GeneratorDim>(
    packing: &Packing<D>,
    volume: f64,
    grains: &[(f64, GeneratedBody<D>)],
    order: &[usize],
) -> GenerateError {
    let placed = order.len();
    let size =
        |grain: &usize| D::mass_properties(&grains[*grain].1.shape, 1.0).map_or(0.0, |m| m.mass);
    let filled: f64 = order.iter().map(size).sum();
    let fraction = filled / volume;
    let key = match packing.amount {
        Amount::Count(_) => "count",
        Amount::Fraction(_) => "fraction",
    };
    let limit = if D::N == 2 { 0.54 } else { 0.38 };
    GenerateError::new(
        key,
        format!(
            "there is no room: {placed} of {} grains were placed (fraction {fraction:.3}), the next one found none in {TRIALS} trials",
            grains.len()
        ),
        format!(
            "Placing at random ends near a fraction of {limit} for equal round grains: use fewer, a larger box, a `[[deposit]]`, or compress a periodic cell"
        ),
    )
}
