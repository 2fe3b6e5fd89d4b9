#![doc = include_str!("../README.md")]

mod build;
mod configuration;
mod coordinates;
mod error;
mod features;
mod interface;
mod jet;
mod joint_rows;
mod motion;
mod row;
mod stepper;
mod system;
mod touch;

pub use coordinates::BodyDim;
pub use error::BodySystemError;
pub use motion::{BodyEvent, BodyMotion, EventSource};
pub use system::{BodySystem, ConstraintOrigin};
