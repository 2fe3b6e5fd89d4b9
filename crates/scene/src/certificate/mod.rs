//! What a run vouches for.
//!
//! ```text
//! residual      every step reached its tolerance
//! gain          energy that contacts and joints add and no law allows, over what the step turns over
//! penetration   depth of a contact over the smallest dimension of its bodies (mechanisms: over the length
//!               of the system)
//! resting       the same of contacts at rest, which carry an impulse and whose depth hardly changes in the step
//! drift         error of a joint over the same
//! dissipation   |Σ work of contacts that last, without sliding| over the energy at stake
//! ```
//!
//! The energy at stake is the largest kinetic energy, the range of the potential one, what came in from
//! outside, and what the forces would have given to bodies at rest, step by step: a stack at rest has
//! nothing else. Lengths and energies at stake grow during a run; what is held against them is judged
//! by those at its end.

mod bounds;
mod facts;
mod live;
mod mark;
mod sheet;
mod words;

use serde::{Deserialize, Serialize};

pub use bounds::CertificateBounds;
pub use facts::StepFigures;
pub use live::Warnings;
pub use mark::{Criterion, Violation};
pub use sheet::{CertificateJson, NotMet};

/// A penetration or an error of a joint below this, in the units of the scene, is rounding.
const ROUNDING: f64 = 1e-12;

/// The worst of each column of the ledger over a run, what was beyond its bound, and when.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Certificate {
    /// Steps made.
    pub steps: usize,
    /// Steps that did not reach their tolerance.
    pub missed: usize,
    /// Largest residual of a step.
    pub worst_residual: f64,
    /// Deepest penetration of a contact.
    pub worst_penetration: f64,
    /// Deepest penetration of a contact at rest.
    pub worst_resting: f64,
    /// Largest error of the balance of momentum, relative.
    pub worst_momentum: f64,
    /// Largest error of the balance of energy, relative.
    pub worst_energy: f64,
    /// Largest gain of energy through contacts, relative to what a step turns over.
    pub worst_gain: f64,
    /// Largest error of a joint.
    pub worst_drift: f64,
    /// Largest gain of energy that no law allows, relative to what a step turns over.
    pub worst_excess: f64,
    /// Whether every step reached its tolerance, every figure is within its bound and finite.
    pub ok: bool,
    bounds: CertificateBounds,
    sums: Sums,
    marks: [Violation; Criterion::ALL.len()],
}

/// What is summed up over a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Sums {
    /// Work of contacts that last, and the largest |sum| of it so far.
    lasting: f64,
    dissipated: f64,
    /// Largest kinetic energy; smallest and largest potential one.
    kinetic: f64,
    potential: Option<(f64, f64)>,
    /// Kinetic and potential energy at the end of the last step.
    energy: f64,
    /// Energy that came in from outside, and that forces would have given to bodies at rest.
    supplied: f64,
    forced: f64,
    /// Largest extent of a mechanism; none for bodies, which have sizes.
    extent: Option<f64>,
    /// Deepest penetration, deepest one at rest and largest error of a joint over the sizes of bodies.
    shares: [f64; 3],
}

impl Certificate {
    /// The certificate of no step.
    pub fn new() -> Self {
        Self::with_bounds(CertificateBounds::default())
    }

    /// The certificate of no step with these bounds.
    pub fn with_bounds(bounds: CertificateBounds) -> Self {
        Self {
            ok: true,
            bounds,
            ..Self::default()
        }
    }

    /// The bounds that the figures are held against.
    pub fn bounds(&self) -> &CertificateBounds {
        &self.bounds
    }

    /// Takes the account of the beginning: energies alone.
    pub fn begin(&mut self, ledger: impl Into<StepFigures>) {
        self.sums.note(&ledger.into(), true);
    }

    /// Takes the account of one more step; `place` names where a contact or joint is beyond its bound.
    pub fn add(&mut self, ledger: impl Into<StepFigures>, place: &dyn Fn(Criterion) -> String) {
        let facts = ledger.into();
        self.steps += 1;
        self.missed += usize::from(!facts.solved());
        self.sums.note(&facts, false);
        for (worst, figure) in [
            (&mut self.worst_residual, facts.residual),
            (&mut self.worst_penetration, facts.penetration),
            (&mut self.worst_resting, facts.resting),
            (&mut self.worst_drift, facts.drift),
            (&mut self.worst_momentum, facts.momentum),
            (&mut self.worst_energy, facts.energy.abs()),
            (&mut self.worst_gain, facts.gain),
            (&mut self.worst_excess, facts.excess),
        ] {
            *worst = worse(*worst, figure);
        }
        let finite = self.columns().iter().all(|(_, worst)| worst.is_finite());
        let now = self.figures(&facts);
        for (what, figure) in Criterion::ALL.into_iter().zip(now) {
            if self.beyond(what, figure, &facts) {
                let amount = match what {
                    Criterion::Penetration => facts.penetration,
                    Criterion::Resting => facts.resting,
                    Criterion::Drift => facts.drift,
                    Criterion::Dissipation => self.sums.lasting.abs(),
                    _ => figure,
                };
                let mark = &mut self.marks[what as usize];
                mark.note(what, (self.steps, facts.t), [figure, amount], place);
            }
        }
        self.ok =
            finite && self.missed == 0 && !Criterion::BOUNDED.into_iter().any(|w| self.broken(w));
    }

    /// The figures of a step, in the order of [`What::ALL`].
    fn figures(&self, facts: &StepFigures) -> [f64; Criterion::ALL.len()] {
        let [penetration, resting, drift] = match facts.shares {
            Some(shares) => shares,
            None => [facts.penetration, facts.resting, facts.drift]
                .map(|figure| self.over_length(figure)),
        };
        Criterion::ALL.map(|what| match what {
            Criterion::Residual => facts.residual,
            Criterion::Gain => facts.excess,
            Criterion::Penetration => penetration,
            Criterion::Resting => resting,
            Criterion::Drift => drift,
            Criterion::Dissipation => over(self.sums.lasting.abs(), self.sums.energy_at_stake()),
            Criterion::Mixed => facts.gain,
            Criterion::Nonunique => facts.gamma,
            Criterion::OtherSolution => facts.apart,
        })
    }

    /// Whether a figure of a step is beyond its bound; what is not a number is within none.
    fn beyond(&self, what: Criterion, figure: f64, facts: &StepFigures) -> bool {
        match what {
            Criterion::Residual => !facts.solved() || figure.is_nan(),
            Criterion::Mixed => facts.mixed && !(figure <= self.bounds.gain),
            Criterion::Nonunique => !(figure > 0.0),
            _ => !(figure <= self.bounds.of(what)),
        }
    }

    /// Whether a figure of the run is beyond its bound, by the lengths and energies at its end.
    fn broken(&self, what: Criterion) -> bool {
        !(self.worst_of(what) <= self.bounds.of(what))
    }

    /// The figure of the run that is held against its bound.
    fn worst_of(&self, what: Criterion) -> f64 {
        let length = self.sums.extent.is_some();
        match what {
            Criterion::Residual => self.worst_residual,
            Criterion::Gain => self.worst_excess,
            Criterion::Penetration if length => self.over_length(self.worst_penetration),
            Criterion::Penetration => self.sums.shares[0],
            Criterion::Resting if length => self.over_length(self.worst_resting),
            Criterion::Resting => self.sums.shares[1],
            Criterion::Drift if length => self.over_length(self.worst_drift),
            Criterion::Drift => self.sums.shares[2],
            Criterion::Dissipation => over(self.sums.dissipated, self.sums.energy_at_stake()),
            Criterion::Mixed => self.worst_gain,
            Criterion::Nonunique | Criterion::OtherSolution => self.violation(what).worst,
        }
    }

    /// A length over that of the system.
    fn over_length(&self, figure: f64) -> f64 {
        let length = self.bounds.length.or(self.sums.extent).unwrap_or(0.0);
        match figure.abs() <= ROUNDING {
            true => 0.0,
            false => over(figure, length),
        }
    }

    /// What is known of one thing that may be wrong.
    pub fn violation(&self, what: Criterion) -> &Violation {
        &self.marks[what as usize]
    }

    /// Whether something is wrong with the run, or worth a warning.
    pub fn is_reported(&self, what: Criterion) -> bool {
        let counted = self.violation(what).times > 0;
        match what {
            Criterion::Residual => self.missed > 0 || self.worst_residual.is_nan(),
            Criterion::Mixed | Criterion::Nonunique | Criterion::OtherSolution => counted,
            _ => counted && self.broken(what),
        }
    }

    /// The columns by name, as `worst(name)` of a finding knows them.
    pub fn columns(&self) -> [(&'static str, f64); 12] {
        [
            ("residual", self.worst_residual),
            ("penetration", self.worst_penetration),
            ("drift", self.worst_drift),
            ("momentum", self.worst_momentum),
            ("energy", self.worst_energy),
            ("gain", self.worst_gain),
            ("excess", self.worst_excess),
            ("penetration_share", self.worst_of(Criterion::Penetration)),
            ("drift_share", self.worst_of(Criterion::Drift)),
            ("dissipation", self.worst_of(Criterion::Dissipation)),
            ("resting", self.worst_resting),
            ("resting_share", self.worst_of(Criterion::Resting)),
        ]
    }

    /// A certificate of which only the figures are known, in the order of [`Certificate::columns`].
    pub(crate) fn of_figures(
        (steps, missed, ok): (usize, usize, bool),
        figures: impl IntoIterator<Item = f64>,
    ) -> Self {
        let mut known = Self {
            steps,
            missed,
            ok,
            ..Self::new()
        };
        let mut figures = figures.into_iter();
        let [penetration, resting, drift] = &mut known.sums.shares;
        for worst in [
            &mut known.worst_residual,
            &mut known.worst_penetration,
            &mut known.worst_drift,
            &mut known.worst_momentum,
            &mut known.worst_energy,
            &mut known.worst_gain,
            &mut known.worst_excess,
            penetration,
            drift,
        ] {
            *worst = figures.next().unwrap_or(0.0);
        }
        // The share alone is known: of an energy of 1.
        (known.sums.dissipated, known.sums.forced) = (figures.next().unwrap_or(0.0), 1.0);
        known.worst_resting = figures.next().unwrap_or(0.0);
        *resting = figures.next().unwrap_or(0.0);
        known
    }
}

impl Sums {
    /// Takes the account of a step, or of the beginning.
    fn note(&mut self, facts: &StepFigures, first: bool) {
        let energy = facts.kinetic + facts.potential;
        if !first {
            self.supplied += (energy - self.energy - facts.lost).max(0.0);
            self.forced += facts.forced;
            self.lasting += facts.lasting;
        }
        self.energy = energy;
        self.kinetic = worse(self.kinetic, facts.kinetic);
        let (low, high) = self.potential.unwrap_or((facts.potential, facts.potential));
        self.potential = Some((low.min(facts.potential), high.max(facts.potential)));
        self.dissipated = worse(self.dissipated, self.lasting.abs());
        match facts.shares {
            Some(shares) => {
                for (worst, share) in self.shares.iter_mut().zip(shares) {
                    *worst = worse(*worst, share);
                }
            }
            None => self.extent = Some(worse(self.extent.unwrap_or(0.0), facts.extent)),
        }
    }

    /// The energy at stake so far.
    fn energy_at_stake(&self) -> f64 {
        let range = self.potential.map_or(0.0, |(low, high)| high - low);
        self.kinetic + range + self.supplied + self.forced
    }
}

/// A ratio; nothing over nothing is nothing.
fn over(figure: f64, size: f64) -> f64 {
    if figure == 0.0 { 0.0 } else { figure / size }
}

/// The larger one; a NaN stays: `f64::max` would drop it.
fn worse(worst: f64, value: f64) -> f64 {
    if worst.is_nan() || value.is_nan() {
        return f64::NAN;
    }
    worst.max(value)
}

#[cfg(test)]
mod tests;
