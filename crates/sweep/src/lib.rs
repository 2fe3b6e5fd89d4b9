#![doc = include_str!("../README.md")]

pub mod apps;
mod disc_configuration;
mod error;
mod inequalities;
mod inequality_set;
mod lane_sums;
mod metric;
mod moving_set;
mod polyhedron;
mod process;
mod product;
mod transformed_set;

pub use disc_configuration::{DiscConfiguration, Obstacle};
pub use error::{Result, SweepingError};
pub use inequalities::Inequalities;
pub use inequality_set::InequalitySet;
pub use metric::Metric;
pub use moving_set::{MovingSet, ProjectionReport, WithExcessBound};
pub use polyhedron::{ConstraintRows, MovingPolyhedron};
pub use process::{
    ActiveSetChange, Method, Perturbation, Process, RetractionPolicy, Schedule, Settings,
    StartPolicy, StepSize, SweepingStep, SweepingSummary,
};
pub use product::MovingProduct;
pub use transformed_set::{ScalarFunction, SetFunction, TransformedSet, VectorFunction};
