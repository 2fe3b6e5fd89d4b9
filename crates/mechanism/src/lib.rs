#![doc = include_str!("../README.md")]

mod checkpoint;
mod configuration;
mod error;
mod event_driven;
pub mod impact;
mod inertia;
mod initial_state;
mod kinetic_projection;
mod least_norm;
mod modes;
mod motion;
pub mod normal_scaling;
pub mod painleve;
mod settings;
mod state;
mod step_problem;
mod system;
mod time_stepping;

pub use checkpoint::MotionCheckpoint;
pub use configuration::{ConfigurationSpace, Coordinate};
pub use error::{MechanismError, SystemError};
pub use event_driven::EventDriven;
pub use initial_state::check_initial_state;
pub use kinetic_projection::projection_coefficients;
pub use motion::Integrator;
/// The module [`normal_scaling`] under its short name.
pub use normal_scaling as scaling;
pub use settings::{AdaptiveStep, ForceEvaluation, ImpactLaw, Scheme, Settings, TangentCone};
pub use state::{ConstraintReport, Event, EventKind, PathSums, State, StepReport, mean_force};
pub use system::{Constraint, ConstraintKind, FeatureRange, StateRef, System};
pub use time_stepping::TimeStepper;
