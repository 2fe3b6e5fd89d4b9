#![doc = include_str!("../README.md")]

mod arch;
mod cards;
mod column;
mod deposit;
mod dome;
mod drums;
mod drystone;
mod error;
mod generator_dim;
mod grain;
mod grid;
pub mod ground_motion;
mod hierarchical_grid;
mod packing;
mod prism;
pub mod random;
mod region;
mod row;
mod sieve;
mod sizes;
mod vault;
mod wall;

pub use arch::{Arch, MOST_FACETS, arch};
pub use cards::{Cards, cards};
pub use column::{Column, column};
pub use deposit::{Deposit, deposit};
pub use dome::{Blocks, Dome, dome};
pub use drums::{Drums, drums};
pub use drystone::{Drystone, drystone};
pub use error::GenerateError;
pub use generator_dim::GeneratorDim;
pub use grain::GrainShape;
pub use grid::{Grid, GridLattice, grid};
pub use packing::{Amount, Packing, packing};
pub use prism::Prism;
pub use region::PackingRegion;
pub use row::{DominoRow, row};
pub use sizes::Sizes;
pub use vault::{Bond, Vault, vault};
pub use wall::{Wall, wall};

use percuss_bodies::{Dim, Pose};

/// Largest number of bodies of one generator: more is likelier a typing error than intended.
pub const MOST: usize = 10_000_000;

/// A generated body: shape and pose.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedBody<D: Dim> {
    /// Its shape; equal shapes share their vertices.
    pub shape: D::Shape,
    /// Position and orientation.
    pub pose: Pose<D>,
}
