#![doc = include_str!("../README.md")]

pub mod admm;
pub mod anderson;
pub mod auto;
mod batch;
pub mod bilateral;
mod cold;
pub mod dense;
mod fronts;
pub mod goal;
pub mod infeasible;
pub mod interior;
mod krylov;
mod layers;
mod linear;
pub mod newton;
pub mod nncg;
mod plane;
mod primal;
pub mod proximal;
pub mod relaxation;
mod restart;
pub mod sample;
pub mod smoothing;
mod structure;
mod sweep;
mod tangent;
mod trigger;

pub use admm::Admm;
pub use anderson::Anderson;
pub use auto::Auto;
pub use bilateral::WithElimination;
pub use dense::DenseNlgs;
pub use goal::{Goal, Outcome, Report, Solver, Stage, Stages};
pub use infeasible::{InfeasibilityCertificate, find_infeasibility};
pub use interior::{InteriorPoint, PlanarInteriorPoint};
pub use newton::SemismoothNewton;
pub use nncg::Nncg;
pub use proximal::ProximalNewton;
pub use relaxation::Nlgs;
pub use smoothing::SmoothingNewton;

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
            smoothing::SmoothingNewtonParams::fixed(0.95),
        )),
        "interior" => Box::new(InteriorPoint::default()),
        "interior-plane" => Box::new(PlanarInteriorPoint::default()),
        _ => return None,
    };
    Some(Box::new(WithElimination(solver)))
}
