//! Column of equal blocks.

use percuss_bodies::{Pose, Vector};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use crate::generator_dim::GeneratorDim;

/// Parameters of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<D: GeneratorDim> {
    /// Length and height of a block; in space length, depth and height.
    pub block: D::Vector,
    /// Number of blocks.
    pub count: usize,
    /// Middle of the base.
    pub origin: D::Vector,
    /// Angle by which the column is rotated about the middle of its base, anticlockwise as seen with x
    /// to the right and up upwards: a positive one leans towards smaller x.
    pub lean: f64,
}

/// Makes a column, blocks from below: block i has its centre at the height (i + 1/2)·h along its axis.
///
/// # Errors
/// A side or a number out of range.
pub fn column<D: GeneratorDim>(column: &Column<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    for side in column.block.components() {
        error::length("block", *side)?;
    }
    error::point("origin", column.origin)?;
    error::count("count", column.count)?;
    if !column.lean.is_finite() {
        let problem = format!("{} is not an angle", column.lean);
        return Err(GenerateError::new("lean", problem, ""));
    }
    let up = D::N - 1;
    let shape = D::block(column.block).map_err(|e| GenerateError::shape("block", &e))?;
    let rotation = D::leaning(column.lean);
    // The leaning axis of the column.
    let mut axis = [0.0; 3];
    axis[up] = 1.0;
    let axis = D::rotate(&rotation, D::Vector::from_components(&axis[..D::N]));
    Ok((0..column.count)
        .map(|i| GeneratedBody {
            shape: shape.clone(),
            pose: Pose {
                position: column.origin + axis * ((i as f64 + 0.5) * column.block[up]),
                rotation,
            },
        })
        .collect())
}
