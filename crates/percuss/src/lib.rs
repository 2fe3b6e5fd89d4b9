#![doc = include_str!("../README.md")]

pub use contact;
pub use convex;
pub use fclib;
pub use solve;

/// What most programs need: `use percuss::prelude::*`.
pub mod prelude {
    pub use contact::law::{Law, Status};
    pub use contact::{Certificate, Judge, Kinetic, Measure, Problem, Restitution};
    pub use solve::{Auto, Goal, Outcome, Report, Solver};
}
