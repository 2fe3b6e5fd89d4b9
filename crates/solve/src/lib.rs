#![doc = include_str!("../README.md")]

pub mod admm;
pub mod auto;
pub mod bilateral;
pub mod goal;
pub mod interior;
mod krylov;
mod linear;
pub mod newton;
pub mod nncg;
pub mod relaxation;
pub mod smoothing;
pub mod sample;
mod sweep;

pub use admm::Admm;
pub use auto::Auto;
pub use goal::{Goal, Outcome, Report, Solver, Stage};
pub use newton::Newton;
pub use nncg::Nncg;
pub use relaxation::Relaxation;

/// The names of all solvers, the default first.
pub const NAMES: [&str; 6] = ["auto", "nlgs", "nncg", "nncg-projection", "admm", "newton"];

/// A solver with its default parameters, by its name on the command line.
pub fn by_name(name: &str) -> Option<Box<dyn Solver>> {
    Some(match name {
        "auto" => Box::new(Auto::default()),
        "nlgs" => Box::new(Relaxation::default()),
        "nncg" => Box::new(Nncg::default()),
        "nncg-projection" => Box::new(Nncg::new(nncg::NncgParams {
            sweeps: nncg::Sweeps::Projection,
            ..Default::default()
        })),
        "admm" => Box::new(Admm::default()),
        "newton" => Box::new(Newton::default()),
        _ => return None,
    })
}
