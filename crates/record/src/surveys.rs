//! What surveys of a run came to: rows of `profiles` and `distributions`.

use percuss_scene::bodies_scene::Distribution;

/// One slice of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRow {
    /// The profile.
    pub profile: String,
    /// Word of the observable.
    pub quantity: String,
    /// Number of the slice, from 1.
    pub slice: usize,
    /// Middle of the slice.
    pub position: f64,
    /// Mean over the span; absent where the observable had no value.
    pub mean: Option<f64>,
    /// Standard error of the mean; absent where the span is too short for one.
    pub error: Option<f64>,
}

/// The surveys of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surveys {
    /// Rows of the profiles; none where the scene asks for no profile.
    pub profiles: Option<Vec<ProfileRow>>,
    /// The distributions.
    pub distributions: Vec<CountedDistribution>,
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
    pub fn new(of: Distribution) -> Self {
        Self {
            counts: vec![0; of.bins],
            of,
            total: 0,
            sum: 0.0,
        }
    }

    /// Counts a value; values that are not finite are left out.
    pub fn add(&mut self, value: f64) {
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
