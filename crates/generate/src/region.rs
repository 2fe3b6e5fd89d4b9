//! Regions of a packing: a box, a cylinder in it, a periodic cell.
//!
//! A cylinder is the largest upright one in the middle of its box; in the plane, where it is seen from
//! above, the largest disc. In a periodic cell positions are uniform and a grain stands for all its images: it is
//! stored with those images that a grain in the cell could meet. Where every distance between opposite
//! faces is at least two diameters of the largest grain, these have shifts −1, 0, 1.

use percuss_bodies::{Dim, Lattice, Vector};

use super::error::{self, GenerateError};
use super::random::SplitMix64;
use crate::generator_dim::Vec3;
use crate::hierarchical_grid::HierarchicalGrid;

/// The region in which grains are placed.
#[derive(Debug, Clone, PartialEq)]
pub enum PackingRegion<D: Dim> {
    /// In the box from `low` to `high`.
    Box,
    /// In the largest upright cylinder (plane: disc) in that box.
    Cylinder,
    /// In a periodic cell with its corner at the origin; the box is ignored.
    Cell(Lattice<D>),
}

/// A region with its dimensions, in coordinates relative to a corner.
#[derive(Debug)]
pub(super) struct PlacementRegion<D: Dim> {
    /// Origin of the coordinates.
    pub corner: D::Vector,
    /// Sides of the box that contains all grains stored, images included.
    pub extent: Vec3,
    /// Area or volume.
    pub volume: f64,
    /// Axis and radius of a cylinder.
    round: Option<(Vec3, f64)>,
    cell: Option<(Lattice<D>, Vec<Vec3>)>,
}

/// A vector of either dimension as one of space.
pub(super) fn widen<D: Dim>(vector: D::Vector) -> Vec3 {
    let mut entries = [0.0; 3];
    for (entry, value) in entries.iter_mut().zip(vector.components()) {
        *entry = *value;
    }
    Vec3::from_array(entries)
}

impl<D: Dim> PlacementRegion<D> {
    pub fn new(
        region: &PackingRegion<D>,
        low: D::Vector,
        high: D::Vector,
        largest: f64,
    ) -> Result<Self, GenerateError> {
        let sides = widen::<D>(high - low);
        let volume: f64 = (high - low).components().iter().product();
        let plain = Self {
            corner: low,
            extent: sides,
            volume,
            round: None,
            cell: None,
        };
        // A cylinder is the largest one in the box.
        match region {
            PackingRegion::Box => Ok(plain),
            PackingRegion::Cylinder => {
                let radius = 0.5 * sides.x.min(sides.y);
                let middle = Vec3::new(0.5 * sides.x, 0.5 * sides.y, 0.0);
                let height = if D::N == 2 { 1.0 } else { sides.z };
                Ok(Self {
                    volume: std::f64::consts::PI * radius * radius * height,
                    round: Some((middle, radius)),
                    ..plain
                })
            }
            PackingRegion::Cell(lattice) => Self::periodic(lattice, largest),
        }
    }

    fn periodic(lattice: &Lattice<D>, largest: f64) -> Result<Self, GenerateError> {
        let heights = lattice.heights();
        let least = heights.iter().fold(f64::INFINITY, |least, h| least.min(*h));
        // Images with shifts −1, 0, 1 suffice for cells wider than two diameters.
        if !(least > 4.0 * largest) {
            return Err(GenerateError::new(
                "radius",
                format!(
                    "a grain of radius {largest} is too large for the periodic cell, whose faces are {least} apart"
                ),
                "Use a cell of more than two diameters, or smaller grains",
            ));
        }
        let shifts = (0..27).map(|n: i32| [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1]);
        let shifts = shifts.filter(|shift| D::N == 3 || shift[2] == 0);
        let images: Vec<Vec3> = shifts
            .map(|shift| widen::<D>(lattice.offset(shift)))
            .collect();
        // Bounding box of the cell, with a margin for images.
        let corners = (0..8).map(|n: i32| [n & 1, n >> 1 & 1, n >> 2 & 1]);
        let corners = corners.map(|shift| lattice.offset(shift));
        let (mut low, mut high) = (D::Vector::default(), D::Vector::default());
        for corner in corners {
            (low, high) = (low.min(corner), high.max(corner));
        }
        let margin = D::Vector::splat(2.0 * largest);
        error::point("radius", high - low)?;
        Ok(Self {
            corner: low - margin,
            extent: widen::<D>(high - low + margin * 2.0),
            volume: lattice.volume(),
            round: None,
            cell: Some((*lattice, images)),
        })
    }

    /// Draws a uniform position; `None` if the grain would not be inside the region there.
    pub fn try_anywhere(&self, radius: f64, random: &mut SplitMix64) -> Option<Vec3> {
        // In a periodic cell: uniform in lattice coordinates.
        if let Some((lattice, _)) = &self.cell {
            let mut at = self.corner * -1.0;
            for vector in lattice.vectors.iter().take(D::N) {
                at += *vector * random.uniform();
            }
            return Some(widen::<D>(at));
        }
        // In a box: uniform where the grain is inside; a cylinder rejects the corners.
        let mut place = Vec3::ZERO;
        for axis in 0..D::N {
            let room = (self.extent[axis] - 2.0 * radius).max(0.0);
            place[axis] = radius + room * random.uniform();
        }
        match self.round {
            None => Some(place),
            Some((middle, wide)) => {
                let (x, y) = (place.x - middle.x, place.y - middle.y);
                (x.hypot(y) + radius <= wide).then_some(place)
            }
        }
    }

    /// Stores a grain, in a periodic cell with its images.
    pub fn keep(&self, cells: &mut HierarchicalGrid, centre: Vec3, radius: f64) {
        let Some((_, images)) = &self.cell else {
            cells.add(centre, radius);
            return;
        };
        // Images within reach of a grain in the cell.
        for image in images {
            let at = centre + *image;
            let inside = |k: usize| at[k] >= 0.0 && at[k] <= self.extent[k];
            if (0..D::N).all(inside) {
                cells.add(at, radius);
            }
        }
    }
}
