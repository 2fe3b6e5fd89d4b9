#![doc = include_str!("../README.md")]

mod bounds;
mod coulomb;
mod domain;
mod ends;
mod error;
mod limit;
mod null;
mod program;
mod recession;
mod stand;
mod system;
mod work;

pub use bounds::{Bounds, Effort, Interval, bounds};
pub use coulomb::{Coulomb, coulomb};
pub use domain::{Face, INFINITE_FRICTION};
pub use error::StaticsError;
pub use limit::{Extent, Limit, Loads, Sense, limit};
pub use null::Openness;
pub use stand::{Standing, stands};
pub use system::{System, SystemBuilder};
