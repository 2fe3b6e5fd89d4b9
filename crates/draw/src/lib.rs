//! Pictures of records: plots, bodies, drawings of mechanisms, films.

pub mod audit;
pub mod axis;
pub mod drawing;
pub mod equilibrium;
pub mod film;
pub mod picture;
pub mod plot;
pub mod rasterise;
