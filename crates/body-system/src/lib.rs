#![doc = include_str!("../README.md")]

mod coordinates;
mod error;
mod features;
mod jet;
mod joint_rows;
mod motion;
mod row;
mod system;
mod touch;

pub use coordinates::BodyDim;
pub use error::BodySystemError;
pub use motion::{BodyEvent, BodyMotion, Meeting};
pub use system::{BodySystem, Participant};
