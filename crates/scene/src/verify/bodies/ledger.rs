//! The account of the steps: every row of `steps`, whether its state is recorded or not.

use super::super::account::{self, BalanceTolerances, RecordedFigures};
use super::super::report::{Location, Report};
use super::super::stream::{StepRows, StepStream};
use crate::record::{Record, RecordError};

/// Energies: sums over all bodies and contacts of products of figures that agree to rounding. The
/// built-in scenes stay below 1e-14.
const ENERGY: f64 = 1e-12;

/// The balance of a step of the account: rounding of sums over all bodies, as large as the energies.
const BALANCE: f64 = 1e-11;

/// Of the largest energy so far: less than this share of it is rest.
const REST: f64 = 1e-14;

/// The same over a run: roundings of some ten thousand steps.
const RUN: f64 = 1e-9;

/// What the balance of momentum may leave, relative: rounding of sums over all contacts of a body.
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
    "rub",
    "held",
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

/// The account of the step that is looked at.
#[derive(Debug, Default)]
pub(super) struct RecordedSteps {
    pub step: i64,
    pub row: Option<[f64; COLUMNS.len()]>,
    /// Kinetic energy before the step, once it is known.
    before: Option<f64>,
    /// Sums over the run: what is left, and the sizes of the works.
    left: f64,
    sizes: f64,
    /// Energy that gravity gives to bodies at rest in a step.
    pub gravity_energy: f64,
    reach: TravelBound,
    /// Largest energy or work so far.
    peak: f64,
    /// The tolerance of the run.
    tolerance: f64,
}

/// How far bodies can have come since the last recorded state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TravelBound {
    /// Σ ½h (√(2T_I) + √(2T_F)): a way times the root of a mass.
    pub root: f64,
    /// Σ of deepest overlap times the number of contacts.
    pub overlaps: f64,
}

impl RecordedSteps {
    /// Of a run with this tolerance.
    pub fn of(tolerance: f64) -> Self {
        Self {
            tolerance,
            ..Self::default()
        }
    }

    /// Goes on to a step; every one on the way is balanced.
    pub fn advance_to(
        &mut self,
        stream: &mut StepStream<'_>,
        step: i64,
        report: &mut Report,
    ) -> Result<(), RecordError> {
        while self.step < step || self.row.is_none() {
            let Some(group) = stream.next()? else {
                self.row = None;
                self.step = step;
                return Ok(());
            };
            self.add_row(&group, report);
        }
        Ok(())
    }

    /// One row of the account.
    pub fn add_row(&mut self, group: &StepRows, report: &mut Report) {
        let row: [f64; COLUMNS.len()] = std::array::from_fn(|k| group.at(k, 0));
        let works = &row[WORK..=HELD];
        // Joints are put together after the velocities of the step are known: those had more energy.
        let most = row[KINETIC] + row[HELD].abs();
        let first = self.before.unwrap_or(most);
        let both = (2.0 * first.max(0.0)).sqrt() + (2.0 * most.max(0.0)).sqrt();
        self.reach.root += 0.5 * row[0] * both;
        self.reach.overlaps += row[1] * row[4];
        self.peak = works.iter().fold(self.peak, |m, w| m.max(w.abs()));
        self.peak = self.peak.max(row[KINETIC]);
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

    /// The figures of a step with each other.
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
            // Work, boundary, motor and spring.
            given: [row[WORK], row[WORK + 3], row[WORK + 4], row[WORK + 5]],
        };
        let left = BalanceTolerances {
            tolerance: self.tolerance,
            momentum: MOMENTUM,
            energy: 10.0 * BALANCE,
        };
        account::compare(&figures, &left, report);
    }

    /// An energy that is nothing: bodies that came to rest keep velocities of rounding.
    pub fn floor(&self) -> f64 {
        REST * self.peak
    }

    /// Kinetic energy at the start.
    pub fn begin(&mut self, kinetic: f64) {
        self.peak = self.peak.max(kinetic);
        self.before = Some(kinetic);
    }

    /// What bodies can have come since it was last asked.
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

    /// Depth and joint error over the sizes of bodies; depth at rest, and over the sizes.
    pub fn shares(&self) -> Option<[f64; 4]> {
        self.row.map(|row| [row[25], row[26], row[27], row[28]])
    }
}
