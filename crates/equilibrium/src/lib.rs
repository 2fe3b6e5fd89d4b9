#![doc = include_str!("../README.md")]

mod critical_parameter;
mod face;
mod forces;
mod loads;
mod record_dim;
mod rows;
mod static_model;
mod table;

pub use critical_parameter::{CriticalParameter, critical_parameter};
pub use forces::{Contact, ForceBounds, ForceBoundsOptions, force_bounds};
pub use loads::{CollapseContact, LimitAnalysis, Moved, Role, analyse_load};
pub use static_model::CLOSED;
pub use table::{FORCES, write_forces};
