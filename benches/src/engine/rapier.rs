//! What the harnesses of Rapier in the plane and in space have in common.

/// How Rapier is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tuning {
    /// As it comes, sleep off.
    Stock,
    /// Stiff contacts (500 Hz, twice that against what does not move), lengths in units of 2 cm, and
    /// in space its own Coulomb friction.
    Tuned,
}

impl Tuning {
    /// Contact frequency of the tuned setting, Hz.
    pub const HERTZ: f32 = 500.0;
    /// Length unit of the tuned setting, m.
    pub const UNIT: f32 = 0.02;
}
