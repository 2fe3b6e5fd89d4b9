#![doc = include_str!("../README.md")]

mod chart;
mod error;
mod event;
pub mod impact;
mod inertia;
mod linear;
pub mod painleve;
mod saved;
pub mod scaling;
mod settings;
mod stage;
mod start;
mod state;
mod stepper;
mod system;

pub use chart::{ConfigurationSpace, Coordinate};
pub use error::{MechanismError, SystemError};
pub use event::EventDriven;
pub use saved::MotionCheckpoint;
pub use settings::{AdaptiveStep, ForceEvaluation, ImpactLaw, Scheme, Settings};
pub use start::check_initial_state;
pub use state::{ConstraintReport, Event, EventKind, Integrator, State, StepReport};
pub use stepper::TimeStepper;
pub use system::{Constraint, ConstraintKind, StateRef, System};
