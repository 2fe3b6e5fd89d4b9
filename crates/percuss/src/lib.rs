#![doc = include_str!("../README.md")]

pub use bodies;
pub use contact;
pub use convex;
pub use expr;
pub use fclib;
pub use mechanism;
pub use percuss_draw as draw;
pub use percuss_generate as generate;
pub use percuss_record as record;
pub use percuss_run as run;
pub use percuss_verify as verify;
pub use scene;
pub use solve;
pub use statics;
pub use sweep;

/// What most programs need: `use percuss::prelude::*`.
pub mod prelude {
    pub use bodies::{Plane, Space, World};
    pub use contact::law::{Law, Status};
    pub use contact::{
        Certificate, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
    };
    pub use mechanism::{EventDriven, Integrator, Settings, State, System, TimeStepper};
    pub use scene::Scene;
    pub use solve::{Auto, Goal, Outcome, Report, Solver};
}
