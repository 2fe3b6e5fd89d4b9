//! Settings common to Rapier in the plane and in space.

/// Settings of Rapier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tuning {
    /// Default settings, without sleeping.
    Stock,
    /// Stiff contacts (500 Hz, twice that against fixed bodies), lengths in units of 2 cm, and in space its own
    /// Coulomb friction.
    Tuned,
}

impl Tuning {
    /// Contact frequency of the tuned setting, Hz.
    pub const HERTZ: f32 = 500.0;
    /// Length unit of the tuned setting, m.
    pub const UNIT: f32 = 0.02;
}
