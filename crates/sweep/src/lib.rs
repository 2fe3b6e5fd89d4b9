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

pub use carried::{TransformedSet, VectorFunction, ScalarFunction, SetFunction};
pub use discs::{DiscConfiguration, Obstacle};
pub use error::{Result, SweepingError};
pub use metric::Metric;
pub use polyhedron::{MovingPolyhedron, ConstraintRows};
pub use process::{ActiveSetChange, Perturbation, Method, StepSize, Process, Schedule, Settings, StartPolicy, SweepingStep, SweepingSummary};
pub use product::MovingProduct;
pub use set::{WithExcessBound, ProjectionReport, MovingSet};
pub use smooth::{Inequalities, InequalitySet};
