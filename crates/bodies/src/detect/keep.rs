//! How long a list of pairs serves.
//!
//! The list is one of pairs of wide boxes. As long as every box is within the wide one it was sorted
//! with, the list holds every pair, and what is left to do is to leave out the pairs whose boxes do
//! not meet. How wide, and how long, is a matter of time alone: pairs are the same with any list.

#[cfg(test)]
mod tests;

/// Skin of wide boxes over the typical size of a box: it adds an eighth to the pairs of a dense packing
/// and lasts for 30 steps of a thousandth of the size.
const VERLET_SKIN: f64 = 1.0 / 32.0;
/// At most so many calls without a skin before another one is tried.
const MAX_BACKOFF: u32 = 63;

/// When to use a skin.
#[derive(Debug, Default)]
pub(super) struct PairListCache {
    /// How often the list has served again.
    reuses: u32,
    /// Whether the list has a skin.
    has_skin: bool,
    /// So many lists are yet to be made without a skin.
    backoff_left: u32,
    /// How many were last time.
    backoff: u32,
}

impl PairListCache {
    /// Whether there is a list that might serve.
    pub(super) fn is_reusable(&self) -> bool {
        self.has_skin
    }

    /// The list serves again.
    pub(super) fn count_reuse(&mut self) {
        self.reuses += 1;
    }

    /// The skin of the next list, for bodies of a typical size. Bodies that are too fast for a list to
    /// serve at least twice more are searched without, and less and less often with.
    pub(super) fn next_skin(&mut self, typical: f64) -> f64 {
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
