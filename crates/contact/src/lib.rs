#![doc = include_str!("../README.md")]

pub mod builder;
pub mod certificate;
mod derived;
pub mod error;
pub mod judge;
pub mod kinetic;
pub mod law;
pub mod problem;
mod speed;
pub mod stored;

pub use builder::{KineticBuilder, Restitution};
pub use certificate::{Certificate, Motion};
pub use error::ProblemError;
pub use judge::{Judge, Judgement, Measure};
pub use kinetic::{Balls, Kinetic};
pub use law::Law;
pub use problem::{Operator, Problem};
pub use stored::BlockSparse;
