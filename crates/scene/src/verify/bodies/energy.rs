//! The account of the steps, and the energies of the recorded ones.
//!
//! ```text
//! T = ½ v·A v,   V = −Σ m g·x,   work = A(v_L − v_I)·½(v_F + v_I)
//! impact, sliding = Σ ½ S (U_I + U_F) of normal and other rows,   boundary = −Σ ½ S (W_I + W_F)
//! T_F − T_I = work + impact + sliding + boundary + motor + spring + rub + held       every step
//! ```

use super::super::report::{Place, Report};
use super::super::stream::{Group, Stream};
use super::super::vector::{apply, contract, dot, plus};
use super::Walk;
use super::given::{Flat, Speed};
use super::read::Bodies;
use crate::record::{Record, RecordError};

/// Energies: sums over all bodies and contacts of products of figures that agree to rounding. The
/// built-in scenes stay below 1e-14.
const ENERGY: f64 = 1e-12;

/// The balance of a step of the account: rounding of sums over all bodies, as large as the energies.
const BALANCE: f64 = 1e-11;

/// The same over a run: roundings of some ten thousand steps.
const RUN: f64 = 1e-9;

/// The columns that are read, in the order of the constants below.
const COLUMNS: [&str; 19] = [
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
];
const KINETIC: usize = 6;
const POTENTIAL: usize = 7;
const WORK: usize = 8;
const HELD: usize = 15;
const ELASTIC: usize = 16;

pub(super) fn announce(report: &mut Report) {
    let balance = "T_F - T_I against the works of the step; relative to the largest term";
    report.expect("balance", balance, BALANCE);
    let run = "the same over the whole run; relative to the sum of the works' sizes";
    report.expect("run balance", run, RUN);
    let energies = "energies and works recomputed against the account; relative to the largest";
    report.expect("energy", energies, ENERGY);
    let deep = "largest -gap of the contacts against the account; relative";
    report.expect("penetration", deep, 1e-12);
}

pub(super) fn open(record: &Record) -> Result<Option<Stream<'_>>, RecordError> {
    let names: Vec<String> = COLUMNS.iter().map(|name| (*name).to_string()).collect();
    Stream::open(record, "steps", &names, &[])
}

/// The account of the step that is looked at.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub step: i64,
    row: Option<[f64; COLUMNS.len()]>,
    /// Kinetic energy before the step, once it is known.
    before: Option<f64>,
    /// Sums over the run: what is left, and the sizes of the works.
    left: f64,
    sizes: f64,
    /// Energy that gravity gives to bodies at rest in a step.
    pub stake: f64,
}

impl Ledger {
    /// Goes on to a step; every one on the way is balanced.
    pub fn up_to(
        &mut self,
        stream: &mut Stream<'_>,
        step: i64,
        report: &mut Report,
    ) -> Result<(), RecordError> {
        while self.step < step || self.row.is_none() {
            let Some(group) = stream.next()? else {
                self.row = None;
                self.step = step;
                return Ok(());
            };
            self.pass(&group, report);
        }
        Ok(())
    }

    /// One row of the account.
    pub fn pass(&mut self, group: &Group, report: &mut Report) {
        let row: [f64; COLUMNS.len()] = std::array::from_fn(|k| group.at(k, 0));
        let works = &row[WORK..=HELD];
        let consecutive = group.step == self.step + 1;
        if let (Some(before), true) = (self.before, consecutive) {
            let sum: f64 = works.iter().sum();
            let left = row[KINETIC] - before - sum;
            let largest = works.iter().fold(self.stake, |m, w| m.max(w.abs()));
            let scale = largest.max(row[KINETIC]).max(before);
            self.left += left;
            self.sizes += works.iter().map(|w| w.abs()).sum::<f64>();
            let place = |what: &str| Place {
                step: Some(group.step),
                t: Some(group.t),
                what: what.to_string(),
            };
            let off = if left == 0.0 { 0.0 } else { left.abs() / scale };
            report.note("balance", off, || place("the account of the step"));
            let all = self.sizes.max(row[KINETIC]).max(self.stake);
            let off = if self.left == 0.0 {
                0.0
            } else {
                self.left.abs() / all
            };
            report.note("run balance", off, || place("all steps until then"));
        }
        self.before = Some(row[KINETIC]);
        self.step = group.step;
        self.row = Some(row);
    }

    /// Kinetic energy at the start.
    pub fn begin(&mut self, kinetic: f64) {
        self.before = Some(kinetic);
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
}

impl<D: Flat> Walk<'_, D> {
    /// Kinetic energy of all that follows forces.
    pub(super) fn kinetic(&self, speeds: &[Speed]) -> f64 {
        let mut sum = 0.0;
        for (part, v) in self.given.parts.iter().zip(speeds) {
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                sum += part.masses[k] * v[k] * v[k];
            }
        }
        0.5 * sum
    }

    fn potential(&self, last: &Bodies) -> f64 {
        let gravity = self.given.gravity();
        let mut sum = 0.0;
        for (part, stand) in self.given.parts.iter().zip(&last.stands) {
            for k in (0..3).filter(|&k| part.inverse[k] > 0.0) {
                sum -= part.mass * gravity[k] * stand.x[k];
            }
        }
        sum
    }

    /// ½ M Σ q̇² B:B, with a rate of the cell.
    fn cell_hats(&self, rate: &[[f64; 3]; 3]) -> Vec<f64> {
        let Some(cell) = &self.given.model.cell else {
            return Vec::new();
        };
        let modes = cell.modes.iter();
        modes
            .map(|mode| {
                let square = contract(mode, mode);
                contract(rate, mode) / square * (cell.mass * square).sqrt()
            })
            .collect()
    }

    /// Energies at the start, which the balance of the first step begins with.
    pub(super) fn begin_energy(&mut self, start: &Bodies, flow: Option<[[f64; 3]; 3]>) {
        let mut kinetic = self.kinetic(&start.speeds);
        if let Some(rate) = flow {
            kinetic += 0.5 * self.cell_hats(&rate).iter().map(|x| x * x).sum::<f64>();
        }
        self.ledger.begin(kinetic);
        let (g, h) = (self.given.gravity(), self.motion.h);
        let heavy = self.given.parts.iter().filter(|part| part.movable);
        let mass: f64 = heavy.map(|part| part.mass).sum();
        self.ledger.stake = 0.5 * mass * h * h * dot(g, g);
    }

    pub(super) fn compare_energy(&mut self, last: &Bodies) {
        let (impact, sliding, boundary, size) = self.works();
        let joints = self.joint_works(last);
        let motion = &self.motion;
        let (mut work, mut at_stake) = (0.0, 0.0);
        for (i, part) in self.given.parts.iter().enumerate() {
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                let change = motion.free[i][k] - motion.begin[i][k];
                work += part.masses[k] * change * 0.5 * (motion.begin[i][k] + motion.end[i][k]);
                at_stake += 0.5 * part.masses[k] * change * change;
            }
        }
        let mut kinetic = self.kinetic(&last.speeds);
        if let (Some(flow), Some(free)) = (motion.flow, self.cell_free) {
            let [begin, free, end] =
                [&flow.begin, &free, &flow.end].map(|rate| self.cell_hats(rate));
            for m in 0..end.len() {
                work += (free[m] - begin[m]) * 0.5 * (begin[m] + end[m]);
                kinetic += 0.5 * end[m] * end[m];
            }
        }
        let Some(row) = self.ledger.row else { return };
        let own = [
            work,
            impact + joints.limit,
            sliding,
            boundary + joints.boundary,
            joints.motor,
            joints.spring,
            joints.rub,
            joints.held,
        ];
        let scale = own
            .iter()
            .fold(kinetic.max(size).max(at_stake), |m, w| m.max(w.abs()));
        let scale = scale.max(self.kinetic(&motion.begin));
        let over = |x: f64| if x == 0.0 { 0.0 } else { x.abs() / scale };
        let mut found = vec![("kinetic", over(kinetic - row[KINETIC]))];
        for (k, value) in own.iter().enumerate() {
            found.push((COLUMNS[WORK + k], over(value - row[WORK + k])));
        }
        found.push(("elastic", over(joints.elastic - row[ELASTIC])));
        let potential = self.potential(last);
        let size = potential.abs().max(scale).max(self.ledger.stake);
        let off = (potential - row[POTENTIAL]).abs();
        found.push(("potential", if off == 0.0 { 0.0 } else { off / size }));
        for (what, off) in found {
            let place = self.place(what);
            self.report.note("energy", off, || place);
        }
        self.compare_depth();
    }

    /// Works of the contacts, and the sum of their sizes.
    fn works(&self) -> (f64, f64, f64, f64) {
        let (mut impact, mut sliding, mut boundary, mut size) = (0.0, 0.0, 0.0, 0.0);
        let motion = &self.motion;
        let held = |v: &[Speed]| -> Vec<Speed> {
            let given = self.given.parts.iter().zip(v);
            given
                .map(|(part, v)| if part.movable { [0.0; 6] } else { *v })
                .collect()
        };
        let (first, last) = (held(&motion.begin), held(&motion.end));
        let mut at = 0;
        for touch in &self.touches {
            let branch = motion.branch(touch);
            for row in 0..touch.rows {
                let push = &self.pushes[at];
                at += 1;
                let s = push.size;
                let mut mean = 0.5
                    * (motion.relative(push, &motion.begin) + motion.relative(push, &motion.end));
                let mut carried =
                    0.5 * (motion.relative(push, &first) + motion.relative(push, &last));
                if let (Some(flow), false) = (&motion.flow, push.turn) {
                    let both = plus(&flow.begin, &flow.end, 1.0);
                    mean += 0.5 * dot(push.direction, apply(&both, branch));
                    let given = self.without_modes(&both);
                    carried += 0.5 * dot(push.direction, apply(&given, branch));
                }
                size += (s * mean).abs();
                boundary -= s * carried;
                match row {
                    0 => impact += s * mean,
                    _ => sliding += s * mean,
                }
            }
        }
        (impact, sliding, boundary, size)
    }

    /// A rate of the cell without what follows the stress.
    fn without_modes(&self, rate: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let modes = self.given.model.cell.iter().flat_map(|cell| &cell.modes);
        modes.fold(*rate, |rate, mode| {
            let part = contract(&rate, mode) / contract(mode, mode);
            plus(&rate, mode, -part)
        })
    }

    fn compare_depth(&mut self) {
        let deepest = self.touches.iter().fold(0.0_f64, |m, t| m.max(-t.gap));
        let Some(recorded) = self.ledger.penetration() else {
            return;
        };
        let place = self.place("all contacts");
        let size = deepest.max(recorded).max(f64::MIN_POSITIVE);
        let off = (deepest - recorded).abs() / size;
        self.report.note("penetration", off, || place);
    }
}
