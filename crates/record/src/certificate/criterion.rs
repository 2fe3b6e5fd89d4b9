//! Criteria of a certificate, and the record of their violations: count, first and worst step, place.

use percuss_scene::CertificateBounds;
use serde::{Deserialize, Serialize};

/// A criterion that a step or a run may violate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// The residual missed its tolerance, or the iteration of the forces did not settle.
    Residual,
    /// Contacts and joints added energy that no law allows.
    Gain,
    /// A contact penetrates beyond its bound.
    Penetration,
    /// A resting contact penetrates beyond its bound.
    Resting,
    /// The constraint drift of a joint is beyond its bound.
    Drift,
    /// Lasting contacts lost too much energy without sliding.
    Dissipation,
    /// Contacts added energy, as unequal restitution coefficients allow (Kane and Levinson): a warning.
    Mixed,
    /// A contact slides with γ ≤ 0, so that its continuation need not be unique: a warning.
    Nonunique,
    /// Another solution of the laws with other velocities was found for a step: a warning.
    OtherSolution,
}

impl Criterion {
    /// All criteria, in the order of their discriminants.
    pub const ALL: [Self; 9] = [
        Self::Residual,
        Self::Gain,
        Self::Penetration,
        Self::Resting,
        Self::Drift,
        Self::Dissipation,
        Self::Mixed,
        Self::Nonunique,
        Self::OtherSolution,
    ];

    /// Criteria that have a bound in `[certificate]`.
    pub const BOUNDED: [Self; 5] = [
        Self::Gain,
        Self::Penetration,
        Self::Resting,
        Self::Drift,
        Self::Dissipation,
    ];

    /// Its name; the key of its bound where it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Residual => "residual",
            Self::Gain => "gain",
            Self::Penetration => "penetration",
            Self::Resting => "resting",
            Self::Drift => "drift",
            Self::Dissipation => "dissipation",
            Self::Mixed => "mixed",
            Self::Nonunique => "nonunique",
            Self::OtherSolution => "another",
        }
    }

    /// The bound of the criterion; 0 for the residual, whose tolerance no step may miss, and for warnings without bound.
    pub fn bound(self, bounds: &CertificateBounds) -> f64 {
        match self {
            Self::Gain | Self::Mixed => bounds.gain,
            Self::Penetration => bounds.penetration,
            Self::Resting => bounds.resting,
            Self::Drift => bounds.drift,
            Self::Dissipation => bounds.dissipation,
            Self::Residual | Self::Nonunique | Self::OtherSolution => 0.0,
        }
    }

    /// Whether a violation makes the certificate fail; the other criteria are warnings.
    pub fn decides(self) -> bool {
        !matches!(self, Self::Mixed | Self::Nonunique | Self::OtherSolution)
    }
}

/// How often, when and where a criterion was violated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Violation {
    /// Number of steps that violate it.
    pub times: usize,
    /// First such step: its number from 1 and the time of its end.
    pub first: (usize, f64),
    /// Contact or joint of the first violation; empty where the criterion has no place.
    pub first_place: String,
    /// The worst figure.
    pub worst: f64,
    /// The step of the worst figure and the time of its end.
    pub worst_at: (usize, f64),
    /// Contact or joint of the worst figure.
    pub worst_place: String,
    /// The length or energy behind the worst figure.
    pub amount: f64,
}

impl Violation {
    /// Adds a violating step with its figure and amount; `place` is asked only for the first and for a new worst one.
    pub(super) fn note(
        &mut self,
        what: Criterion,
        at: (usize, f64),
        [figure, amount]: [f64; 2],
        place: &dyn Fn(Criterion) -> String,
    ) {
        self.times += 1;
        // NaN is worst and stays; γ is worse the smaller it is, every other figure the larger it is.
        let worse = match what {
            _ if self.times == 1 => true,
            _ if self.worst.is_nan() => false,
            Criterion::Nonunique => !(figure >= self.worst),
            _ => !(figure <= self.worst),
        };
        // Only a new worst figure asks for its place, which may be costly.
        if !worse {
            return;
        }
        (self.worst, self.worst_at, self.worst_place) = (figure, at, place(what));
        self.amount = amount;
        // The first violation is also the worst so far.
        if self.times == 1 {
            (self.first, self.first_place) = (at, self.worst_place.clone());
        }
    }
}
