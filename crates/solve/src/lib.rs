//! solvers
pub mod admm;
pub mod goal;
mod linear;
pub mod nncg;
pub mod relaxation;
mod sweep;
pub use goal::{Goal, Outcome, Report, Solver, Stage};
