//! Surveys of a run of bodies: profiles over slices and distributions, as tables and plots, and how well
//! a mean over time is known.
//!
//! ```text
//! profile        mean over a span of time of an observable of every slice of a region, ± standard error
//! distribution   counts of a quantity of contacts, chains or bodies in bins, over the recorded steps
//! ```
//!
//! `block` is the standard error of a mean of correlated values; `profile` makes profiles from the
//! series of a run when it has ended; distributions are counted while it goes on (`watch::bins`).

pub mod block;
mod profile;

pub use profile::ProfileRow;
pub(crate) use profile::{profiles, texts};

use crate::file::{Formula, Word};

/// What a profile says, as text.
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

/// What a distribution says, as text.
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
    /// The region that is cut in slices.
    pub region: String,
    /// The axis it is cut along, from 0.
    pub axis: usize,
    /// Where slices begin and end when the span begins: one more than there are slices.
    pub edges: Vec<f64>,
    /// Words of observables, `WORD_REGION_k`.
    pub quantity: Vec<String>,
    /// Begin of the span of time.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistributionQuantity {
    /// Normal forces of contacts over their mean in the step.
    NormalForce,
    /// Friction over its bound.
    Mobilised,
    /// Direction of the normals: in the plane from the x axis, 0 to π; in space from the z axis, 0 to
    /// π/2.
    ContactAngle,
    /// Radii of the balls of the same volume.
    Size,
    /// Contacts of force chains.
    ChainLength,
}

/// Names of what is counted.
pub(crate) const DISTRIBUTION_QUANTITIES: [(&str, DistributionQuantity); 5] = [
    ("normal_force", DistributionQuantity::NormalForce),
    ("mobilised", DistributionQuantity::Mobilised),
    ("contact_angle", DistributionQuantity::ContactAngle),
    ("size", DistributionQuantity::Size),
    ("chain_length", DistributionQuantity::ChainLength),
];

impl DistributionQuantity {
    /// What the axis of its plot is called.
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
    /// What is counted.
    pub quantity: DistributionQuantity,
    /// Lower end of the first bin.
    pub low: f64,
    /// Upper end of the last bin.
    pub high: f64,
    /// Number of bins.
    pub bins: usize,
    /// Recorded steps from here on count.
    pub from: f64,
    /// To here.
    pub to: f64,
}

/// A distribution that has been counted.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedDistribution {
    /// What and in which bins.
    pub of: Distribution,
    /// Values in each bin.
    pub counts: Vec<usize>,
    /// All values, those outside the bins among them.
    pub total: usize,
    /// Their sum.
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

    /// Counts a value; one that is none is not counted.
    pub(crate) fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.total += 1;
        self.sum += value;
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
        let at = |k: usize| {
            let share = k as f64 / self.of.bins as f64;
            self.of.low + share * (self.of.high - self.of.low)
        };
        (at(k), at(k + 1))
    }

    /// Count of a bin over the number of all values and the width of the bin; NaN where nothing was
    /// counted.
    pub fn density(&self, k: usize) -> f64 {
        let (low, high) = self.bin(k);
        let count = self.counts.get(k).copied().unwrap_or(0);
        count as f64 / (self.total as f64 * (high - low))
    }
}
