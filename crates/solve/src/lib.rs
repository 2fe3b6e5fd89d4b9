#![doc = include_str!("../README.md")]

pub mod auto;
mod best_iterate;
pub mod dense_nlgs;
pub mod elimination;
pub mod goal;
pub mod infeasibility;
pub mod methods;
pub mod sample;
mod simd;
mod start;

pub use methods::{
    admm, anderson, interior_point, nlgs, nncg, proximal_newton, semismooth_newton,
    smoothing_newton,
};

pub use admm::Admm;
pub use anderson::Anderson;
pub use auto::Auto;
pub use dense_nlgs::DenseNlgs;
pub use elimination::WithElimination;
pub use goal::{Goal, Outcome, Report, Solver, Stage, Stages};
pub use infeasibility::{InfeasibilityCertificate, find_infeasibility};
pub use interior_point::{InteriorPoint, PlanarInteriorPoint};
pub use nlgs::Nlgs;
pub use nncg::Nncg;
pub use proximal_newton::ProximalNewton;
pub use semismooth_newton::SemismoothNewton;
pub use smoothing_newton::SmoothingNewton;

/// Names of all solvers that [`by_name`] knows, the default first.
pub const NAMES: [&str; 12] = [
    "auto",
    "nlgs",
    "anderson",
    "nncg",
    "nncg-projection",
    "admm",
    "newton",
    "proximal",
    "smoothing",
    "smoothing-fixed",
    "interior",
    "interior-plane",
];

/// The solver of this name with its default parameters; `None` for an unknown name. Bilateral rows are eliminated
/// before the method starts ([`WithElimination`]).
pub fn by_name(name: &str) -> Option<Box<dyn Solver>> {
    let solver: Box<dyn Solver> = match name {
        // `Auto` eliminates bilateral rows itself and needs no wrapper.
        "auto" => return Some(Box::new(Auto::default())),
        "nlgs" => Box::new(Nlgs::default()),
        "anderson" => Box::new(Anderson::default()),
        "nncg" => Box::new(Nncg::default()),
        "nncg-projection" => Box::new(Nncg::new(nncg::NncgParams {
            sweeps: nncg::Sweeps::Projection,
            ..Default::default()
        })),
        "admm" => Box::new(Admm::default()),
        "newton" => Box::new(SemismoothNewton::default()),
        "proximal" => Box::new(ProximalNewton::default()),
        "smoothing" => Box::new(SmoothingNewton::default()),
        "smoothing-fixed" => Box::new(SmoothingNewton::new(
            smoothing_newton::SmoothingNewtonParams::fixed(0.95),
        )),
        "interior" => Box::new(InteriorPoint::default()),
        "interior-plane" => Box::new(PlanarInteriorPoint::default()),
        _ => return None,
    };
    Some(Box::new(WithElimination::new(solver)))
}
