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

pub use bounds::{ComputeOptions, ImpulseBounds, ImpulseInterval, impulse_bounds};
pub use coulomb::{NonassociatedLimit, nonassociated_limit};
pub use domain::{Face, INFINITE_FRICTION};
pub use error::StaticsError;
pub use limit::{LimitLoad, LimitStatus, Loads, Sense, limit_load};
pub use null::Hyperstaticity;
pub use stand::{EquilibriumReport, check_equilibrium};
pub use system::{ContactAssembly, ContactAssemblyBuilder};
