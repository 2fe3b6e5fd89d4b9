//! The table `steps`: every row, whether the state of its step is recorded or not. Energy balance of each step and of
//! the whole run.

use percuss_record::{Record, RecordError};

use super::super::report::{Location, Report};
use crate::recorded_figures as account;
use crate::recorded_figures::{BalanceTolerances, RecordedFigures};
use crate::step_stream::{StepRows, StepStream};

/// Tolerance of energies: sums over all bodies and contacts of products of figures that agree to rounding. The
/// built-in scenes stay below 1e-14.
const ENERGY: f64 = 1e-12;

/// Tolerance of the energy balance of a recorded step: rounding of sums over all bodies, relative to the energies.
const BALANCE: f64 = 1e-11;

/// Energies below this share of the largest energy so far count as rest.
const REST: f64 = 1e-14;

/// Tolerance of the energy balance over a run: roundings of some ten thousand steps.
const RUN: f64 = 1e-9;

/// Relative error allowed in the momentum balance: rounding of sums over all contacts of a body.
const MOMENTUM: f64 = 1e-9;

/// The columns that are read, in the order of the constants below.
pub(super) const COLUMNS: [&str; 29] = [
    "h",
    "active",
    "residual",
    "reached",
    "penetration",
    "drift",
    "kinetic",
    "potential",
    "work",
    "impact",
    "sliding",
    "boundary",
    "motor",
    "spring",
    "joint_friction",
    "bilateral",
    "elastic",
    "energy",
    "momentum",
    "gain",
    "excess",
    "turnover",
    "forced",
    "lasting",
    "mixed",
    "penetration_share",
    "drift_share",
    "resting",
    "resting_share",
];
pub(super) const KINETIC: usize = 6;
pub(super) const POTENTIAL: usize = 7;
pub(super) const WORK: usize = 8;
pub(super) const HELD: usize = 15;
pub(super) const ELASTIC: usize = 16;
pub(super) const GAIN: usize = 19;
pub(super) const EXCESS: usize = 20;
pub(super) const TURNOVER: usize = 21;
pub(super) const FORCED: usize = 22;
pub(super) const LASTING: usize = 23;
pub(super) const MIXED: usize = 24;

pub(super) fn declare_checks(report: &mut Report) {
    let balance = "T_F - T_I against the works of the step; relative to the largest term";
    report.declare("balance", balance, BALANCE);
    let run = "the same over the whole run; relative to the sum of the works' sizes";
    report.declare("run balance", run, RUN);
    let energies = "energies and works recomputed against the account; relative to the largest";
    report.declare("energy", energies, ENERGY);
    let deep = "largest -gap of the contacts against the account; relative";
    report.declare("penetration", deep, 1e-12);
}

pub(super) fn open(record: &Record) -> Result<Option<StepStream<'_>>, RecordError> {
    let names: Vec<String> = COLUMNS.iter().map(|name| (*name).to_string()).collect();
    StepStream::open(record, "steps", &names, &[])
}

/// The row of the step under verification, and sums over the run.
#[derive(Debug, Default)]
pub(super) struct RecordedSteps {
    pub step: i64,
    pub row: Option<[f64; COLUMNS.len()]>,
    /// Kinetic energy before the step, once it is known.
    before: Option<f64>,
    /// Sums over the run: energy residual, and absolute values of the works.
    left: f64,
    sizes: f64,
    /// Energy that gravity gives to bodies at rest in a step.
    pub gravity_energy: f64,
    reach: TravelBound,
    /// Largest energy or work so far.
    peak: f64,
    /// The solver tolerance of the run.
    tolerance: f64,
}

/// Bound of the displacement of bodies since the last recorded state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TravelBound {
    /// Σ ½h (√(2T_I) + √(2T_F)): a displacement times the square root of a mass.
    pub root: f64,
    /// Σ of the deepest penetration times the number of contacts.
    pub overlaps: f64,
}

impl RecordedSteps {
    /// No rows yet, for a run with this tolerance.
    pub fn of(tolerance: f64) -> Self {
        Self {
            tolerance,
            ..Self::default()
        }
    }

    /// Advances to a step; the energy balance of every step on the way is checked.
    pub fn advance_to(
        &mut self,
        stream: &mut StepStream<'_>,
        step: i64,
        report: &mut Report,
    ) -> Result<(), RecordError> {
        while self.step < step || self.row.is_none() {
            // The table ends before the step: no row.
            let Some(group) = stream.next()? else {
                self.row = None;
                self.step = step;
                return Ok(());
            };
            self.add_row(&group, report);
        }
        Ok(())
    }

    /// Adds one row of `steps`.
    pub fn add_row(&mut self, group: &StepRows, report: &mut Report) {
        let row: [f64; COLUMNS.len()] = std::array::from_fn(|k| group.at(k, 0));
        let works = &row[WORK..=HELD];
        // Joint drift is projected after the velocities of the step are computed: those had more energy.
        let most = row[KINETIC] + row[HELD].abs();
        let first = self.before.unwrap_or(most);
        let both = (2.0 * first.max(0.0)).sqrt() + (2.0 * most.max(0.0)).sqrt();
        // Displacement bound of this step.
        self.reach.root += 0.5 * row[0] * both;
        self.reach.overlaps += row[1] * row[4];
        self.peak = works.iter().fold(self.peak, |m, w| m.max(w.abs()));
        self.peak = self.peak.max(row[KINETIC]);
        // Energy balance T_F − T_I = Σ works, of the step and of the run.
        let consecutive = group.step == self.step + 1;
        if let (Some(before), true) = (self.before, consecutive) {
            let sum: f64 = works.iter().sum();
            let left = row[KINETIC] - before - sum;
            let largest = works
                .iter()
                .fold(self.gravity_energy, |m, w| m.max(w.abs()));
            let scale = largest.max(row[KINETIC]).max(before).max(self.floor());
            self.left += left;
            self.sizes += works.iter().map(|w| w.abs()).sum::<f64>();
            let place = |what: &str| Location {
                step: Some(group.step),
                t: Some(group.t),
                what: what.to_string(),
            };
            let off = if left == 0.0 { 0.0 } else { left.abs() / scale };
            report.add_comparison("balance", off, || place("the account of the step"));
            let all = self
                .sizes
                .max(row[KINETIC])
                .max(self.gravity_energy)
                .max(self.floor());
            let off = if self.left == 0.0 {
                0.0
            } else {
                self.left.abs() / all
            };
            report.add_comparison("run balance", off, || place("all steps until then"));
        }
        self.compare_account(group, &row, report);
        self.before = Some(row[KINETIC]);
        self.step = group.step;
        self.row = Some(row);
    }

    /// Consistency of the figures of a step with each other.
    fn compare_account(&self, group: &StepRows, row: &[f64; COLUMNS.len()], report: &mut Report) {
        let figures = RecordedFigures {
            step: group.step,
            t: group.t,
            residual: row[2],
            reached: row[3] == 1.0,
            penetration: row[4],
            drift: row[5],
            momentum: row[18],
            energy: row[17],
            gain: row[GAIN],
            excess: row[EXCESS],
            turnover: row[TURNOVER],
            // Works of forces, boundaries, motors and springs.
            given: [row[WORK], row[WORK + 3], row[WORK + 4], row[WORK + 5]],
        };
        let left = BalanceTolerances {
            tolerance: self.tolerance,
            momentum: MOMENTUM,
            energy: 10.0 * BALANCE,
        };
        account::compare(&figures, &left, report);
    }

    /// Energy below which bodies are at rest: what remains are velocities of rounding.
    pub fn floor(&self) -> f64 {
        REST * self.peak
    }

    /// Sets the kinetic energy at the start.
    pub fn begin(&mut self, kinetic: f64) {
        self.peak = self.peak.max(kinetic);
        self.before = Some(kinetic);
    }

    /// The displacement bound since the last call; resets it.
    pub fn take_travel_bound(&mut self) -> TravelBound {
        std::mem::take(&mut self.reach)
    }

    fn value(&self, column: usize) -> Option<f64> {
        self.row.map(|row| row[column])
    }

    pub fn h(&self) -> Option<f64> {
        self.value(0).filter(|h| *h > 0.0)
    }

    pub fn active(&self) -> Option<usize> {
        self.value(1).map(|x| x as usize)
    }

    pub fn residual(&self) -> Option<f64> {
        self.value(2)
    }

    pub fn reached(&self) -> bool {
        self.value(3) == Some(1.0)
    }

    pub fn penetration(&self) -> Option<f64> {
        self.value(4)
    }

    pub fn drift(&self) -> Option<f64> {
        self.value(5)
    }

    /// Penetration and drift relative to the size of bodies; penetration at rest, absolute and relative.
    pub fn shares(&self) -> Option<[f64; 4]> {
        self.row.map(|row| [row[25], row[26], row[27], row[28]])
    }
}
