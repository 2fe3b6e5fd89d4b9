//! Statistics of a run of bodies: profiles over slices, distributions (histograms), standard errors
//! of time averages.
//!
//! ```text
//! profile        mean over a span of time of an observable of every slice of a region, ± standard error
//! distribution   counts of a quantity of contacts, chains or bodies in bins, over the recorded steps
//! ```
//!
//! `block` computes the standard error of a mean of correlated values; `profile` makes profiles
//! from the series of a run when it has ended; distributions are counted during the run
//! (`watch::bins`).

pub mod block;
mod profile;

pub use profile::ProfileRow;
pub(crate) use profile::{profiles, texts};

use crate::file::{Formula, Word};

/// A profile as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProfileSpec {
    pub name: String,
    pub title: Option<String>,
    pub line: usize,
    pub region: Word,
    pub quantity: Vec<Word>,
    pub from: Option<Formula>,
    pub to: Option<Formula>,
}

/// A distribution as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DistributionSpec {
    pub name: String,
    pub title: Option<String>,
    pub line: usize,
    pub of: Word,
    pub quantity: DistributionQuantity,
    pub bins: Option<usize>,
    pub low: Option<Formula>,
    pub high: Option<Formula>,
    pub from: Option<Formula>,
    pub to: Option<Formula>,
}

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

/// The quantity of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistributionQuantity {
    /// Normal forces of contacts over their mean in the step.
    NormalForce,
    /// Mobilised friction: friction force over its bound.
    Mobilised,
    /// Angle of the contact normals: in the plane from the x axis, 0 to π; in space from the z
    /// axis, 0 to π/2.
    ContactAngle,
    /// Radii of the discs or balls of the same volume.
    Size,
    /// Numbers of contacts of force chains.
    ChainLength,
}

/// Names of the quantities.
pub(crate) const DISTRIBUTION_QUANTITIES: [(&str, DistributionQuantity); 5] = [
    ("normal_force", DistributionQuantity::NormalForce),
    ("mobilised", DistributionQuantity::Mobilised),
    ("contact_angle", DistributionQuantity::ContactAngle),
    ("size", DistributionQuantity::Size),
    ("chain_length", DistributionQuantity::ChainLength),
];

impl DistributionQuantity {
    /// Label of the axis of its plot.
    pub(crate) fn label(self, dimension: usize) -> &'static str {
        match (self, dimension) {
            (Self::NormalForce, _) => "normal force over its mean",
            (Self::Mobilised, _) => "friction over its bound",
            (Self::ContactAngle, 2) => "angle of the normal from the x axis",
            (Self::ContactAngle, _) => "angle of the normal from the z axis",
            (Self::Size, _) => "radius",
            (Self::ChainLength, _) => "contacts of a chain",
        }
    }
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

/// The counts of a distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedDistribution {
    /// Quantity and bins.
    pub of: Distribution,
    /// Number of values in each bin.
    pub counts: Vec<usize>,
    /// Number of all values, those outside the bins included.
    pub total: usize,
    /// Sum of all values.
    pub sum: f64,
}

impl CountedDistribution {
    /// Nothing counted yet.
    pub(crate) fn new(of: Distribution) -> Self {
        Self {
            counts: vec![0; of.bins],
            of,
            total: 0,
            sum: 0.0,
        }
    }

    /// Counts a value; values that are not finite are left out.
    pub(crate) fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.total += 1;
        self.sum += value;
        // Position within the range of the bins.
        let share = (value - self.of.low) / (self.of.high - self.of.low);
        // The upper end belongs to the last bin.
        let bin = match share {
            1.0 => self.of.bins - 1,
            share if (0.0..1.0).contains(&share) => (share * self.of.bins as f64) as usize,
            _ => return,
        };
        if let Some(count) = self.counts.get_mut(bin) {
            *count += 1;
        }
    }

    /// Ends of a bin.
    pub fn bin(&self, k: usize) -> (f64, f64) {
        // Equal bins.
        let at = |k: usize| {
            let share = k as f64 / self.of.bins as f64;
            self.of.low + share * (self.of.high - self.of.low)
        };
        (at(k), at(k + 1))
    }

    /// Probability density: count of a bin over the number of all values and the width of the bin;
    /// NaN where nothing was counted.
    pub fn density(&self, k: usize) -> f64 {
        let (low, high) = self.bin(k);
        let count = self.counts.get(k).copied().unwrap_or(0);
        count as f64 / (self.total as f64 * (high - low))
    }
}
