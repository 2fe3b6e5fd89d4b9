//! How long a list of pairs serves.
//!
//! The list is one of pairs of wide boxes. As long as every box is within the wide one it was sorted
//! with, the list holds every pair, and what is left to do is to leave out the pairs whose boxes do
//! not meet. How wide, and how long, is a matter of time alone: pairs are the same with any list.

#[cfg(test)]
mod tests;

/// Skin of wide boxes over the typical size of a box: it adds an eighth to the pairs of a dense packing
/// and lasts for 30 steps of a thousandth of the size.
const SKIN: f64 = 1.0 / 32.0;
/// At most so many calls without a skin before another one is tried.
const LONGEST: u32 = 63;

/// When to use a skin.
#[derive(Debug, Default)]
pub(super) struct Keep {
    /// How often the list has served again.
    served: u32,
    /// Whether the list has a skin.
    skin: bool,
    /// So many lists are yet to be made without a skin.
    bare: u32,
    /// How many were last time.
    last: u32,
}

impl Keep {
    /// Whether there is a list that might serve.
    pub(super) fn kept(&self) -> bool {
        self.skin
    }

    /// The list serves again.
    pub(super) fn serve(&mut self) {
        self.served += 1;
    }

    /// The skin of the next list, for bodies of a typical size. Bodies that are too fast for a list to
    /// serve at least twice more are searched without, and less and less often with.
    pub(super) fn renew(&mut self, typical: f64) -> f64 {
        if self.skin {
            self.last = match self.served {
                0 | 1 => (2 * self.last + 1).min(LONGEST),
                _ => 0,
            };
            self.bare = self.last;
        } else {
            self.bare = self.bare.saturating_sub(1);
        }
        self.served = 0;
        let skin = SKIN * typical;
        self.skin = self.bare == 0 && skin > 0.0 && skin.is_finite();
        if self.skin { skin } else { 0.0 }
    }
}
