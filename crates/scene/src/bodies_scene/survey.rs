//! Profiles over slices and distributions that a scene asks for.

use percuss_input::tables::DistributionQuantity;

/// A profile over the slices of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The region that is divided into slices.
    pub region: String,
    /// The axis of the slices, from 0.
    pub axis: usize,
    /// Bounds of the slices at the start of the span: one more than there are slices.
    pub edges: Vec<f64>,
    /// Words of observables, `WORD_REGION_k`.
    pub quantity: Vec<String>,
    /// Start of the time span.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A distribution and its bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Its name.
    pub name: String,
    /// The group or region.
    pub of: String,
    /// The quantity.
    pub quantity: DistributionQuantity,
    /// Lower end of the first bin.
    pub low: f64,
    /// Upper end of the last bin.
    pub high: f64,
    /// Number of bins.
    pub bins: usize,
    /// Start of the time span whose recorded steps are counted.
    pub from: f64,
    /// Its end.
    pub to: f64,
}
