//! Plots of runs and studies: SVG, and PNG from it.
//!
//! [`RunPlots`] finds the plots of a run directory by name: those that the scene declares and the standard
//! ones. It makes a [`Figure`], which is data; [`svg`] draws it, [`png`] rasterises the drawing. Observables
//! are evaluated from the scene's text in the manifest, so a run directory is all that a plot needs.

mod collection;
mod declared;
mod draw;
mod fabric;
mod figure;
mod gallery;
mod histogram;
mod legend;
mod moving;
mod pair;
mod path;
mod pick;
pub mod profile;
mod standard;
mod study;
mod survey;
#[cfg(test)]
mod tests;
mod thin;
mod track;
mod unit;
mod wish;

pub use declared::check_plots;
pub use draw::svg;
pub use figure::{Figure, HeatMapCell, Series, SeriesStyle};
pub use gallery::RunPlots;
pub use wish::PlotOptions;
