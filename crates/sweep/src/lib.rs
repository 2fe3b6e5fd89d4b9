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

pub use carried::{Carried, Path, Scalar, Shape};
pub use discs::{Discs, Obstacle};
pub use error::{Result, SweepError};
pub use metric::Metric;
pub use polyhedron::{Polyhedron, Rows};
pub use process::{Change, Flow, Method, Pace, Process, Schedule, Settings, Start, Step, Summary};
pub use product::Product;
pub use set::{Bounded, Landing, MovingSet};
pub use smooth::{Inequalities, Smooth};
