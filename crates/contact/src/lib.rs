#![doc = include_str!("../README.md")]

pub mod builder;
pub mod certificate;
mod derived;
pub mod error;
pub mod judge;
pub mod kinetic;
pub mod law;
pub mod problem;
mod speed;
pub mod stored;

pub use builder::{ProblemBuilder, Restitution};
pub use certificate::{Certificate, StepVelocities};
pub use error::ProblemError;
pub use judge::{ResidualEvaluator, ResidualMeasure, Residuals};
pub use kinetic::{FactoredDelassus, SphereContact};
pub use law::Law;
pub use problem::{DelassusOperator, Problem};
pub use stored::BlockSparseMatrix;
