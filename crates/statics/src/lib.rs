#![doc = include_str!("../README.md")]

mod assembly;
mod bounds;
mod bounds_computation;
mod conic_program;
mod equilibrium;
mod error;
mod impulse_domain;
mod impulse_interval;
mod interval_ends;
mod limit_load;
mod nonassociated;
mod null_space;
mod self_stress;

pub use assembly::{ContactAssembly, ContactAssemblyBuilder};
pub use bounds::impulse_bounds;
pub use equilibrium::{EquilibriumReport, check_equilibrium};
pub use error::StaticsError;
pub use impulse_domain::{Face, INFINITE_FRICTION};
pub use impulse_interval::{ComputeOptions, ImpulseBounds, ImpulseInterval};
pub use limit_load::{LimitLoad, LimitStatus, Loads, Sense, limit_load};
pub use nonassociated::{NonassociatedLimit, nonassociated_limit};
pub use null_space::Hyperstaticity;
