#![doc = include_str!("../README.md")]

pub mod block_sparse;
pub mod builder;
pub mod certificate;
mod check;
mod contact_graph;
pub mod delassus;
pub mod error;
pub mod law;
mod local_blocks;
pub mod problem;
pub mod residual;
mod velocity_scale;

pub use block_sparse::BlockSparseMatrix;
pub use builder::{ProblemBuilder, Restitution};
pub use certificate::{Certificate, StepVelocities};
pub use contact_graph::Islands;
pub use delassus::{FactoredDelassus, SphereContact};
pub use error::ProblemError;
pub use law::Law;
pub use problem::{DelassusOperator, Problem};
pub use residual::{ResidualEvaluator, ResidualMeasure, Residuals};
