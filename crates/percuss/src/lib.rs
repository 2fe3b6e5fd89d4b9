#![doc = include_str!("../README.md")]

pub use percuss_bodies as bodies;
pub use percuss_contact as contact;
pub use percuss_convex as convex;
#[cfg(feature = "draw")]
pub use percuss_draw as draw;
pub use percuss_expr as expr;
#[cfg(feature = "fclib")]
pub use percuss_fclib as fclib;
pub use percuss_generate as generate;
pub use percuss_mechanism as mechanism;
#[cfg(feature = "run")]
pub use percuss_record as record;
#[cfg(feature = "run")]
pub use percuss_run as run;
#[cfg(feature = "scene")]
pub use percuss_scene as scene;
pub use percuss_solve as solve;
pub use percuss_statics as statics;
pub use percuss_sweep as sweep;
#[cfg(feature = "run")]
pub use percuss_verify as verify;
#[cfg(feature = "view")]
pub use percuss_view as view;

/// What most programs need: `use percuss::prelude::*`.
pub mod prelude {
    pub use percuss_bodies::{Plane, Space, World};
    pub use percuss_contact::law::{Law, Status};
    pub use percuss_contact::{
        Certificate, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
    };
    pub use percuss_mechanism::{EventDriven, Integrator, Settings, State, System, TimeStepper};
    #[cfg(feature = "scene")]
    pub use percuss_scene::Scene;
    pub use percuss_solve::{Auto, Goal, Outcome, Report, Solver};
}
