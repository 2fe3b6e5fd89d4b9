#![doc = include_str!("../README.md")]

pub use percuss_audit as audit;
pub use percuss_bodies as bodies;
pub use percuss_contact as contact;
pub use percuss_convex as convex;
pub use percuss_draw as draw;
pub use percuss_equilibrium as equilibrium;
pub use percuss_expr as expr;
pub use percuss_fclib as fclib;
pub use percuss_generate as generate;
pub use percuss_input as input;
pub use percuss_mechanism as mechanism;
pub use percuss_record as record;
pub use percuss_run as run;
pub use percuss_scene as scene;
pub use percuss_solve as solve;
pub use percuss_statics as statics;
pub use percuss_sweep as sweep;
pub use percuss_verify as verify;

/// What most programs need: `use percuss::prelude::*`.
pub mod prelude {
    pub use percuss_bodies::{Plane, Space, World};
    pub use percuss_contact::law::{Law, Status};
    pub use percuss_contact::{
        Certificate, FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure, Restitution,
    };
    pub use percuss_mechanism::{EventDriven, Integrator, Settings, State, System, TimeStepper};
    pub use percuss_scene::Scene;
    pub use percuss_solve::{Auto, Goal, Outcome, Report, Solver};
}
