//! Reuse of the pair list from step to step: Verlet list with skin.
//!
//! The list contains the pairs of boxes enlarged by a skin. As long as every box lies within the enlarged box
//! it was sorted with, the list contains every pair, and only the pairs whose boxes do not overlap have to be
//! skipped. The skin and the time of reuse affect speed alone: the resulting pairs are the same with any list.

#[cfg(test)]
mod tests;

/// Verlet skin relative to the median size of a box: it adds an eighth to the pairs of a dense packing and
/// lasts for 30 steps in which bodies move by a thousandth of their size.
const VERLET_SKIN: f64 = 1.0 / 32.0;
/// Largest number of lists made without a skin before another one with a skin is tried.
const MAX_BACKOFF: u32 = 63;

/// Decides when the pair list gets a skin (exponential back-off where bodies are fast).
#[derive(Debug, Default)]
pub(super) struct PairListCache {
    /// Number of times the list has been reused.
    reuses: u32,
    /// Whether the list has a skin.
    has_skin: bool,
    /// Number of lists still to be made without a skin.
    backoff_left: u32,
    /// Length of the last back-off.
    backoff: u32,
}

impl PairListCache {
    /// Whether there is a list that might be reused.
    pub(super) fn is_reusable(&self) -> bool {
        self.has_skin
    }

    /// Counts a reuse of the list.
    pub(super) fn count_reuse(&mut self) {
        self.reuses += 1;
    }

    /// The skin of the next list, for bodies of this median size. Where bodies are so fast that a list is not
    /// reused at least twice, lists are made without a skin, and attempts with one become rarer.
    pub(super) fn next_skin(&mut self, typical: f64) -> f64 {
        // A list with a skin has ended: double the back-off if it did not pay, else reset it.
        if self.has_skin {
            self.backoff = match self.reuses {
                0 | 1 => (2 * self.backoff + 1).min(MAX_BACKOFF),
                _ => 0,
            };
            self.backoff_left = self.backoff;
        } else {
            self.backoff_left = self.backoff_left.saturating_sub(1);
        }
        self.reuses = 0;
        let skin = VERLET_SKIN * typical;
        self.has_skin = self.backoff_left == 0 && skin > 0.0 && skin.is_finite();
        if self.has_skin { skin } else { 0.0 }
    }
}
