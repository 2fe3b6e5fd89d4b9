//! Bounds of the criteria of a certificate, from the table `[certificate]` of a scene.

use serde::{Deserialize, Serialize};

/// Bounds of a certificate, the table `[certificate]` of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CertificateBounds {
    /// Energy that contacts and joints may add where no law allows it (`excess`), over the turnover of a step.
    pub gain: f64,
    /// Penetration depth of a contact over the smallest dimension of its bodies.
    pub penetration: f64,
    /// Penetration depth of a resting contact, which carries an impulse and hardly moves, over the same dimension.
    pub resting: f64,
    /// Constraint drift of a joint over the same dimension.
    pub drift: f64,
    /// Energy lost in lasting contacts without sliding, over the energy at stake.
    pub dissipation: f64,
    /// Length that penetrations and drifts of a mechanism are divided by; without it the largest extent
    /// that its motion reaches.
    pub length: Option<f64>,
}

impl Default for CertificateBounds {
    fn default() -> Self {
        Self {
            // A relative error e of the velocities of a step is one of e of its turnover in the works. The usual
            // tolerance is 1e-6, and ten layers of contacts may add up that of each.
            gain: 1e-5,
            // With restitution, and by the papers' rule of activation, a body that strikes with v is v h deep for the
            // time of a bounce: a ball of 6 cm at 3 m/s and 1 ms is 5 % deep. What sinks is deeper.
            penetration: 0.05,
            // A resting body lies on the other body and not in it.
            resting: 0.01,
            drift: 0.01,
            // Moreau's step loses O(h) at contacts that turn; 5 % of the energy at stake shows in speeds
            // as 2.5 %.
            dissipation: 0.05,
            length: None,
        }
    }
}

impl CertificateBounds {
    /// The keys of `[certificate]`.
    pub const KEYS: [&'static str; 6] = [
        "gain",
        "penetration",
        "resting",
        "drift",
        "dissipation",
        "length",
    ];
}
