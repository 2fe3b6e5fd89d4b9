//! Grains on a lattice: square or cubic, triangular, face-centred cubic.
//!
//! ```text
//! square       x = s·(i, j, k)
//! triangular   x = s·(i + (j mod 2)/2, j·√3/2)
//! hexagonal    layers of triangles s·√(2/3) apart, shifted (0, 0), (1/2, √3/6), (0, √3/3) in turn:
//!              face-centred cubic, every grain with 12 neighbours at the distance s
//! ```

use percuss_bodies::Vector;

use super::error::{self, GenerateError};
use super::grain::{GrainShape, place};
use super::random::SplitMix64;
use super::sizes::Sizes;
use super::{GeneratedBody, MOST};
use crate::generator_dim::{GeneratorDim, within};

/// Lattice of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridLattice {
    /// Square or cubic.
    #[default]
    Square,
    /// Equilateral triangles, rows along x; plane.
    Triangular,
    /// Face-centred cubic, dense layers parallel to x and y; space.
    Hexagonal,
}

/// Parameters of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid<D: GeneratorDim> {
    /// Radii of the grains.
    pub radius: Sizes,
    /// Shape of the grains.
    pub form: GrainShape,
    /// Number of lattice sites along each axis.
    pub counts: Vec<usize>,
    /// Distance between neighbouring sites; `None`: 2.02 largest radii.
    pub spacing: Option<f64>,
    /// The lattice.
    pub lattice: GridLattice,
    /// Largest random shift of a grain from its site.
    pub jitter: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The first site.
    pub origin: D::Vector,
}

/// Makes grains on a lattice, the index along x running fastest.
///
/// # Errors
/// A number out of range, a lattice of the other dimension, or grains that could overlap.
pub fn grid<D: GeneratorDim>(grid: &Grid<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    let (counts, spacing) = check(grid)?;
    // Independent random streams for sizes, shapes and shifts.
    let (mut sizes, mut shapes) = (
        SplitMix64::new(grid.seed, "radius"),
        SplitMix64::new(grid.seed, "shape"),
    );
    let mut shifts = SplitMix64::new(grid.seed, "jitter");
    let mut pieces = Vec::with_capacity(counts.iter().product());
    for k in 0..counts[2] {
        for j in 0..counts[1] {
            for i in 0..counts[0] {
                let entries = site(grid.lattice, [i, j, k]).map(|entry| entry * spacing);
                let mut centre = grid.origin + D::Vector::from_components(&entries[..D::N]);
                if grid.jitter > 0.0 {
                    centre += within::<D>(grid.jitter, &mut shifts);
                }
                let radius = grid.radius.draw(D::N, &mut sizes);
                pieces.push(place(grid.form.make(radius, &mut shapes)?, centre));
            }
        }
    }
    Ok(pieces)
}

/// A site of the lattice with distance 1 between neighbours.
fn site(lattice: GridLattice, [i, j, k]: [usize; 3]) -> [f64; 3] {
    let row = 3.0_f64.sqrt() / 2.0;
    let (x, y, z) = (i as f64, j as f64, k as f64);
    // Every other row is shifted by half a spacing.
    let odd = 0.5 * (j % 2) as f64;
    match lattice {
        GridLattice::Square => [x, y, z],
        GridLattice::Triangular => [x + odd, y * row, 0.0],
        GridLattice::Hexagonal => {
            let [dx, dy] = [[0.0, 0.0], [0.5, row / 3.0], [0.0, 2.0 * row / 3.0]][k % 3];
            [x + odd + dx, y * row + dy, z * (2.0_f64 / 3.0).sqrt()]
        }
    }
}

/// Checks the parameters; returns three counts and the spacing.
fn check<D: GeneratorDim>(grid: &Grid<D>) -> Result<([usize; 3], f64), GenerateError> {
    grid.radius.check()?;
    grid.form.check::<D>()?;
    error::point("origin", grid.origin)?;
    // One count per axis.
    if grid.counts.len() != D::N {
        return Err(GenerateError::new(
            "counts",
            format!("{:?} has not {} numbers", grid.counts, D::N),
            "Give one for each axis",
        ));
    }
    let mut counts = [1; 3];
    for (count, given) in counts.iter_mut().zip(&grid.counts) {
        *count = error::count("counts", *given)?;
    }
    let total = counts.iter().try_fold(1_usize, |t, n| t.checked_mul(*n));
    if total.is_none_or(|total| total > MOST) {
        return Err(GenerateError::new(
            "counts",
            format!(
                "{:?} are more than the {MOST} grains one generator makes",
                grid.counts
            ),
            "Use fewer",
        ));
    }
    // Triangular lattices belong to the plane, hexagonal ones to space.
    let plane = D::N == 2;
    if (grid.lattice == GridLattice::Triangular && !plane)
        || (grid.lattice == GridLattice::Hexagonal && plane)
    {
        let (is, other) = if plane {
            ("hexagonal", "triangular")
        } else {
            ("triangular", "hexagonal")
        };
        return Err(GenerateError::new(
            "lattice",
            format!("there is no \"{is}\" lattice in {} dimensions", D::N),
            format!("Use \"{other}\" or \"square\""),
        ));
    }
    Ok((counts, room(grid)?))
}

/// The spacing, checked so that no two grains can overlap.
fn room<D: GeneratorDim>(grid: &Grid<D>) -> Result<f64, GenerateError> {
    let largest = grid.radius.largest();
    let spacing = error::length("spacing", grid.spacing.unwrap_or(2.02 * largest))?;
    // Distances of a lattice are exact to rounding only: grains that just touch are allowed.
    let spare = spacing * (1.0 + 1e-14) / 2.0 - largest;
    if spare < 0.0 {
        return Err(GenerateError::new(
            "spacing",
            format!("grains of radius {largest} overlap at a distance of {spacing}"),
            format!("Use {} or more", 2.0 * largest),
        ));
    }
    if !(grid.jitter >= 0.0 && grid.jitter <= spare) {
        return Err(GenerateError::new(
            "jitter",
            format!(
                "grains of radius {largest} at a distance of {spacing} could overlap when moved by {}",
                grid.jitter
            ),
            format!(
                "Use a jitter between 0 and {:.6e}, or a larger spacing",
                spare.max(0.0) * (1.0 - 1e-6)
            ),
        ));
    }
    Ok(spacing)
}
