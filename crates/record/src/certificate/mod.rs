//! The certificate of a run: the worst figure of every criterion over all steps, held against its bound.
//!
//! ```text
//! residual      every step reached its tolerance and balances momentum
//! gain          energy that contacts and joints add and no law allows, over the turnover of the step
//! penetration   depth of a contact over the smallest dimension of its bodies (mechanisms: over the length
//!               of the system)
//! resting       the same of resting contacts, which carry an impulse and whose depth hardly changes in the step
//! drift         constraint error of a joint over the same
//! dissipation   |Σ work of lasting contacts, without sliding| over the energy at stake
//! ```
//!
//! The energy at stake is the largest kinetic energy, plus the range of the potential energy, plus the energy
//! supplied from outside, plus the energy that the forces would have given to bodies at rest, step by step: a stack
//! at rest has nothing else. Lengths and the energy at stake grow during a run; figures that are divided by them are
//! judged by the values at its end.
//!
//! `criterion` has the criteria and their violations, `words` the sentences and `json` the JSON form. The bounds are
//! [`percuss_scene::CertificateBounds`].

mod criterion;
pub(crate) mod json;
pub mod words;

use percuss_scene::CertificateBounds;
use serde::{Deserialize, Serialize};

pub use criterion::{Criterion, Violation};
pub use words::preparation_warnings;

use crate::step_report::StepReport;

/// A penetration or drift of a mechanism below this, in the units of the scene, is rounding error.
const ROUNDING: f64 = 1e-12;

/// The worst value of each column of the step reports over a run, with the violations of its criteria.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Certificate {
    /// Number of steps.
    pub steps: usize,
    /// Steps that did not reach their tolerance.
    pub missed: usize,
    /// Largest residual of a step (RV).
    pub worst_residual: f64,
    /// Deepest penetration of a contact.
    pub worst_penetration: f64,
    /// Deepest penetration of a resting contact.
    pub worst_resting: f64,
    /// Largest relative error of the momentum balance.
    pub worst_momentum: f64,
    /// Largest relative error of the energy balance.
    pub worst_energy: f64,
    /// Largest energy gain through contacts and joints, over the turnover of a step.
    pub worst_gain: f64,
    /// Largest constraint error of a joint.
    pub worst_drift: f64,
    /// Largest energy gain that no law allows, over the turnover of a step.
    pub worst_excess: f64,
    /// Whether every step reached its tolerance and every figure is finite and within its bound.
    pub ok: bool,
    bounds: CertificateBounds,
    sums: Sums,
    marks: [Violation; Criterion::ALL.len()],
}

/// Sums and extremes over a run that give the energy at stake and the reference lengths.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Sums {
    /// Work of lasting contacts summed over the steps, and the largest |sum| so far.
    lasting: f64,
    dissipated: f64,
    /// Largest kinetic energy; smallest and largest potential energy.
    kinetic: f64,
    potential: Option<(f64, f64)>,
    /// Kinetic and potential energy at the end of the last step.
    energy: f64,
    /// Energy supplied from outside; energy that forces would have given to bodies at rest.
    supplied: f64,
    forced: f64,
    /// Largest extent of a mechanism; `None` for bodies, which have dimensions of their own.
    extent: Option<f64>,
    /// Largest penetration, resting penetration and joint drift over the dimensions of bodies.
    shares: [f64; 3],
}

impl Certificate {
    /// The certificate of no step, with the default bounds.
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

    /// The bounds of the criteria.
    pub fn bounds(&self) -> &CertificateBounds {
        &self.bounds
    }

    /// Takes the report of the initial state, of which only the energies count.
    pub fn begin(&mut self, ledger: impl Into<StepReport>) {
        self.sums.note(&ledger.into(), true);
    }

    /// Takes the report of one more step; `place` names the contact or joint of a violated criterion.
    pub fn add(&mut self, ledger: impl Into<StepReport>, place: &dyn Fn(Criterion) -> String) {
        let facts = ledger.into();
        self.steps += 1;
        // A step is solved if it reached its tolerance and balances momentum.
        self.missed += usize::from(!facts.solved());
        self.sums.note(&facts, false);
        // Running maximum of every column.
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
        // Criteria that this step violates, by the lengths and the energy at stake so far.
        let finite = self.columns().iter().all(|(_, worst)| worst.is_finite());
        let now = self.figures(&facts);
        for (what, figure) in Criterion::ALL.into_iter().zip(now) {
            if self.beyond(what, figure, &facts) {
                // The length or energy behind the figure, for messages.
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
        // The verdict on the whole run, by the lengths and the energy at stake now.
        self.ok =
            finite && self.missed == 0 && !Criterion::BOUNDED.into_iter().any(|w| self.broken(w));
    }

    /// The figures of a step, in the order of [`Criterion::ALL`].
    fn figures(&self, facts: &StepReport) -> [f64; Criterion::ALL.len()] {
        // Relative to the dimensions of bodies, or to the length of the mechanism.
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

    /// Whether a figure of a step violates its criterion; NaN always does.
    fn beyond(&self, what: Criterion, figure: f64, facts: &StepReport) -> bool {
        match what {
            Criterion::Residual => !facts.solved() || figure.is_nan(),
            Criterion::Mixed => facts.mixed && !(figure <= self.bounds.gain),
            Criterion::Nonunique => !(figure > 0.0),
            _ => !(figure <= what.bound(&self.bounds)),
        }
    }

    /// Whether the worst figure of the run is beyond its bound, by the lengths and the energy at stake now.
    fn broken(&self, what: Criterion) -> bool {
        !(self.worst_of(what) <= what.bound(&self.bounds))
    }

    /// The worst figure of the run for a criterion.
    fn worst_of(&self, what: Criterion) -> f64 {
        // Mechanisms have an extent; bodies have shares of their own dimensions.
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

    /// A length over that of the mechanism: the given `length`, else its largest extent.
    fn over_length(&self, figure: f64) -> f64 {
        let length = self.bounds.length.or(self.sums.extent).unwrap_or(0.0);
        match figure.abs() <= ROUNDING {
            true => 0.0,
            false => over(figure, length),
        }
    }

    /// The violations of a criterion.
    pub fn violation(&self, what: Criterion) -> &Violation {
        &self.marks[what as usize]
    }

    /// Whether the run violates a criterion by its final lengths and energies, or has a warning of that kind.
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

    /// A certificate of which only the figures are known, in the order of [`Certificate::columns`]; without violations.
    pub fn of_figures(
        (steps, missed, ok): (usize, usize, bool),
        figures: impl IntoIterator<Item = f64>,
    ) -> Self {
        let mut known = Self {
            steps,
            missed,
            ok,
            ..Self::new()
        };
        // Same order as `columns`.
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
        // Only the ratio is known: taken of an energy at stake of 1.
        (known.sums.dissipated, known.sums.forced) = (figures.next().unwrap_or(0.0), 1.0);
        known.worst_resting = figures.next().unwrap_or(0.0);
        *resting = figures.next().unwrap_or(0.0);
        known
    }
}

impl Sums {
    /// Takes the figures of a step, or of the initial state (`first`).
    fn note(&mut self, facts: &StepReport, first: bool) {
        let energy = facts.kinetic + facts.potential;
        // Supplied energy: what the total gained over the work of contacts and joints, where positive.
        if !first {
            self.supplied += (energy - self.energy - facts.lost).max(0.0);
            self.forced += facts.forced;
            self.lasting += facts.lasting;
        }
        self.energy = energy;
        // Running extremes of the energies.
        self.kinetic = worse(self.kinetic, facts.kinetic);
        let (low, high) = self.potential.unwrap_or((facts.potential, facts.potential));
        self.potential = Some((low.min(facts.potential), high.max(facts.potential)));
        self.dissipated = worse(self.dissipated, self.lasting.abs());
        // Reference lengths: of the bodies at each contact, or the extent of the mechanism.
        match facts.shares {
            Some(shares) => {
                for (worst, share) in self.shares.iter_mut().zip(shares) {
                    *worst = worse(*worst, share);
                }
            }
            None => self.extent = Some(worse(self.extent.unwrap_or(0.0), facts.extent)),
        }
    }

    /// The energy at stake so far: largest kinetic energy, range of the potential one, supply, work on bodies at rest.
    fn energy_at_stake(&self) -> f64 {
        // Range of the potential energy: its zero is arbitrary.
        let range = self.potential.map_or(0.0, |(low, high)| high - low);
        self.kinetic + range + self.supplied + self.forced
    }
}

/// A ratio, with 0/0 = 0.
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
