//! What may be wrong with a run: how often it was, when first, when worst, and where.

use serde::{Deserialize, Serialize};

/// What may be wrong with a step or a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// The residual missed its tolerance, or the iteration of the forces did not settle.
    Residual,
    /// Contacts and joints added energy that no law allows.
    Gain,
    /// A contact is too deep.
    Penetration,
    /// A contact that rests is too deep.
    Resting,
    /// A joint is too far apart.
    Drift,
    /// Contacts that last lost too much without sliding.
    Dissipation,
    /// Contacts added energy as restitution coefficients that differ allow: a warning.
    Mixed,
    /// A contact slides with γ ≤ 0: a warning.
    Nonunique,
    /// The laws allow other velocities of a step: a warning.
    OtherSolution,
}

impl Criterion {
    /// All of them.
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

    /// Those that a certificate has a bound for.
    pub const BOUNDED: [Self; 5] = [
        Self::Gain,
        Self::Penetration,
        Self::Resting,
        Self::Drift,
        Self::Dissipation,
    ];

    /// Its name, that of its key where it has a bound.
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

    /// Whether a certificate is not met where it happens; the others are warnings.
    pub fn decides(self) -> bool {
        !matches!(self, Self::Mixed | Self::Nonunique | Self::OtherSolution)
    }
}

/// How often something was wrong, when and where.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Violation {
    /// In how many steps.
    pub times: usize,
    /// The first of them and its end.
    pub first: (usize, f64),
    /// Where it was then; empty where there is no place.
    pub first_place: String,
    /// The worst of its figures, that step and its end.
    pub worst: f64,
    /// The step of the worst figure and its end.
    pub worst_at: (usize, f64),
    /// Where it was then.
    pub worst_place: String,
    /// The length or energy behind the worst figure.
    pub amount: f64,
}

impl Violation {
    /// Takes one more step with its figure.
    pub(super) fn note(
        &mut self,
        what: Criterion,
        at: (usize, f64),
        [figure, amount]: [f64; 2],
        place: &dyn Fn(Criterion) -> String,
    ) {
        self.times += 1;
        let worse = match what {
            _ if self.times == 1 => true,
            _ if self.worst.is_nan() => false,
            Criterion::Nonunique => !(figure >= self.worst),
            _ => !(figure <= self.worst),
        };
        if !worse {
            return;
        }
        (self.worst, self.worst_at, self.worst_place) = (figure, at, place(what));
        self.amount = amount;
        if self.times == 1 {
            (self.first, self.first_place) = (at, self.worst_place.clone());
        }
    }
}
