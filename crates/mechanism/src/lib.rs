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

pub use chart::{Chart, Coordinate};
pub use error::{MechanismError, SystemError};
pub use event::EventDriven;
pub use saved::Saved;
pub use settings::{Adaptive, Forces, ImpactLaw, Scheme, Settings};
pub use start::check_start;
pub use state::{Event, EventKind, Ledger, Motion, State, Touch};
pub use stepper::Stepper;
pub use system::{Constraint, Instant, Kind, System};
