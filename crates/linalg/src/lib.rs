#![doc = include_str!("../README.md")]

pub mod banded;
pub mod dense;
mod gmres;
mod minimum_norm;
mod multifrontal;
#[cfg(test)]
mod noise;
mod pivoted_qr;
mod power_iteration;
pub mod small;
mod sparse;

pub use gmres::gmres;
pub use minimum_norm::MinimumNorm;
pub use multifrontal::MultifrontalLu;
pub use pivoted_qr::PivotedQr;
pub use power_iteration::largest_eigenvalue;
pub use sparse::{SparseFactor, SparsePattern};
