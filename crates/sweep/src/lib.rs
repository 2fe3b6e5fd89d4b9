#![doc = include_str!("../README.md")]

pub mod apps;
mod carried;
mod discs;
mod error;
mod metric;
mod polyhedron;
mod process;
mod product;
mod set;
mod smooth;
mod vector;

pub use carried::{ScalarFunction, SetFunction, TransformedSet, VectorFunction};
pub use discs::{DiscConfiguration, Obstacle};
pub use error::{Result, SweepingError};
pub use metric::Metric;
pub use polyhedron::{ConstraintRows, MovingPolyhedron};
pub use process::{
    ActiveSetChange, Method, Perturbation, Process, Schedule, Settings, StartPolicy, StepSize,
    SweepingStep, SweepingSummary,
};
pub use product::MovingProduct;
pub use set::{MovingSet, ProjectionReport, WithExcessBound};
pub use smooth::{Inequalities, InequalitySet};
