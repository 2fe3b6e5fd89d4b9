#![doc = include_str!("../README.md")]

pub mod cone;
pub mod dense;
mod error;
mod metric;
pub mod qp;

pub use error::{ConvexError, Result};
pub use metric::Metric;
