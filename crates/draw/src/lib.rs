#![doc = include_str!("../README.md")]

pub mod audit;
pub mod axis;
pub mod drawing;
pub mod equilibrium;
pub mod film;
pub mod picture;
pub mod plot;
pub mod rasterise;
