//! Plots of runs and studies: SVG, and PNG from it.
//!
//! [`RunPlots`] finds the plots of a run directory by name: those that the scene declares and the standard
//! ones. It makes a [`Figure`], which is data; [`svg`] draws it, [`crate::rasterise::png`] rasterises the drawing. Observables
//! are evaluated from the scene's text in the manifest, so a run directory is all that a plot needs.

mod bodies_plots;
mod body_paths;
mod column_pair;
mod decimate;
mod declared;
mod draw;
mod fabric;
mod figure;
mod histogram;
mod legend;
mod moving_set;
mod options;
pub mod performance_profile;
mod profiles;
mod row_selection;
mod run_plots;
mod sampled_motion;
mod standard;
mod study;
mod superposed;
#[cfg(test)]
mod tests;
mod unit;

pub use declared::check_plots;
pub use draw::svg;
pub use figure::{Figure, HeatMapCell, Series, SeriesStyle};
pub use options::PlotOptions;
pub use run_plots::RunPlots;
