//! Runs of mechanisms: A, K, G, W from the scene's expressions, everything else computed here.
//!
//! ```text
//!            place of A, G                K                                    q_F
//! midpoint   t_M, q_I + ½h v_I            (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F
//! θ          t_I + θh, q_I + θh v_I       θ K_F + (1−θ) K_I                    q_I + h(θ v_F + (1−θ) v_I)
//! Paoli      t_F, q_F                     (t_F, q_F, v_I)                      q_I + h v_I
//! A(v* − v_I) = hK + Σ Gᵀ S,   A(v_F − v*) = G_Fᵀ s     s makes v_F tangent where joints are at the end
//! ```
//!
//! Where the state before is not recorded, the step is followed back from its end, as long as nothing
//! has been put right there; joints and corrections are, and then only what concerns the end is compared.
//! The event-driven integrator records intervals and not steps: their ends, energies and signs are
//! compared.

mod compare;
mod dense;
mod event;
mod judge;
mod law;
mod start;
mod step;

use contact::law::Status;
use mechanism::{Chart, Coordinate, Scheme, Settings, State as Initial, System};

use super::report::{Place, Report};
use super::stream::{Group, Stream};
use super::{Asked, VerifyError};
use crate::file::Scene;
use crate::record::{Layout, Record, Status as Ended};
use crate::text::TextSystem;

/// A recorded state.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub step: i64,
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// A constraint that took part in a step.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub constraint: usize,
    pub status: Option<Status>,
    pub gap: f64,
    pub begin: Vec<f64>,
    pub end: Vec<f64>,
    pub impulse: Vec<f64>,
    /// Empty where it is not recorded.
    pub hold: Vec<f64>,
}

/// Columns of the account that are read.
const COLUMNS: [&str; 12] = [
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
];

/// The account of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Account {
    pub h: f64,
    pub active: f64,
    pub residual: f64,
    pub reached: bool,
    pub penetration: f64,
    pub drift: f64,
    pub kinetic: f64,
    pub potential: f64,
    /// Work, impact, sliding, boundary.
    pub works: [f64; 4],
}

/// All that is known while a run is gone through.
pub(super) struct Walk<'a> {
    pub system: TextSystem,
    pub settings: Settings,
    pub layout: Layout,
    pub report: &'a mut Report,
    pub account: Account,
    pub touches: Vec<Touch>,
    /// First position function of each constraint.
    pub first_gap: Vec<usize>,
    /// What each constraint did in the step before, if that is recorded.
    pub previous: Vec<Option<Status>>,
    pub step: i64,
    pub t: f64,
}

fn announce(report: &mut Report, event: bool) {
    let rows = "rows of a recorded step against the number of constraints of its account";
    report.expect("rows", rows, 0.0);
    let start = "the first state against the scene's initial values; relative to the largest";
    report.expect("start", start, 1e-12);
    let way = "q_F and the place of the step from the state before; relative to coordinates";
    report.expect("kinematics", way, 1e-11);
    let begin = "begin = G v_I + W; relative to its terms";
    report.expect("begin", begin, 1e-11);
    let end = "end = G v + W; relative to its terms";
    report.expect("end", end, 1e-11);
    let momentum = "A(v - v_I) = hK + sum of G'S; relative to its terms, coordinate by coordinate. K is \
                    iterated until v changes by 1e-13 and ten times the residual";
    report.expect("momentum", momentum, 1e-10);
    let laws = "R2 of the laws, recomputed, over the tolerance; steps that reached it";
    report.expect("laws", laws, 1.01);
    let gap = "gaps and joints at the end against contacts and account; relative to coordinates";
    report.expect("gap", gap, 1e-11);
    let pairs = "closed contacts that did not take part";
    report.expect("overlooked", pairs, 0.0);
    let energy = "energies and works recomputed against the account; relative to the largest";
    report.expect("energy", energy, 1e-12);
    let balance = "T_F - T_I against the works of the account; relative to the largest term";
    // Works of the event-driven integrator are integrals, as accurate as its motion.
    report.expect("balance", balance, if event { 1e-7 } else { 1e-11 });
}

/// Verifies a run of a mechanism.
pub(super) fn verify(
    record: &Record,
    scene: &Scene,
    report: &mut Report,
    asked: &mut Asked<'_>,
) -> Result<(), VerifyError> {
    let built = scene.build()?;
    let layout = Layout::of_scene(scene, &built.system);
    let mut first_gap = vec![0];
    for constraint in built.system.constraints() {
        let last = first_gap[first_gap.len() - 1];
        first_gap.push(last + constraint.num_gaps());
    }
    announce(report, built.settings.scheme == Scheme::Event);
    let count = built.system.constraints().len();
    let mut walk = Walk {
        system: built.system,
        settings: built.settings,
        layout,
        report,
        account: Account::default(),
        touches: Vec::new(),
        first_gap,
        previous: vec![None; count],
        step: 0,
        t: 0.0,
    };
    walk.run(record, &built.initial, asked)
}

impl Walk<'_> {
    pub(super) fn place(&self, what: impl Into<String>) -> Place {
        Place {
            step: Some(self.step),
            t: Some(self.t),
            what: what.into(),
        }
    }

    pub(super) fn name(&self, constraint: usize) -> String {
        let name = self.layout.constraints.get(constraint);
        name.map_or_else(|| "?".into(), |name| format!("`{name}`"))
    }

    /// The tables: coordinates, steps, contacts.
    fn open<'r>(
        &self,
        record: &'r Record,
        groups: &[String],
    ) -> Result<[Stream<'r>; 3], VerifyError> {
        let missing = |table: &str| {
            let text = format!(
                "{}: there is no table `{table}`, so that there is nothing to verify",
                record.directory().display()
            );
            VerifyError::Nothing(text)
        };
        let columns = self.layout.columns("coordinates");
        let names: Vec<String> = columns.into_iter().skip(2).map(|c| c.name).collect();
        let states = Stream::open(record, "coordinates", &names, &[])?;
        let states = states.ok_or_else(|| missing("coordinates"))?;
        let steps: Vec<String> = COLUMNS.map(String::from).into();
        let steps = Stream::open(record, "steps", &steps, &[])?.ok_or_else(|| missing("steps"))?;
        let mut names = vec!["gap".to_string()];
        for prefix in ["begin", "end", "impulse", "hold"] {
            names.extend(groups.iter().map(|group| format!("{prefix}_{group}")));
        }
        let texts = ["constraint", "status"];
        let contacts = Stream::open(record, "contacts", &names, &texts)?;
        let contacts = contacts.ok_or_else(|| missing("contacts"))?;
        Ok([states, steps, contacts])
    }

    fn run(
        &mut self,
        record: &Record,
        initial: &Initial,
        asked: &mut Asked<'_>,
    ) -> Result<(), VerifyError> {
        let groups = self.layout.groups();
        let [mut states, mut steps, mut contacts] = self.open(record, &groups)?;
        let Some(mut before) = states.next()?.map(|group| self.state(&group)) else {
            return Err(VerifyError::Nothing(format!(
                "{}: no state is recorded",
                record.directory().display()
            )));
        };
        self.compare_start(initial, &before);
        let (start, until) = (before.t, asked.until);
        while let Some(group) = states.next()? {
            let last = self.state(&group);
            (self.step, self.t) = (last.step, last.t);
            let account = steps.at(last.step)?;
            let group = contacts.at(last.step)?;
            let running = record.manifest().status == Ended::Running;
            if account.rows == 0 && running {
                break;
            }
            let absent = account.rows == 0 || (group.rows == 0 && account.at(1, 0) > 0.0);
            if absent && super::chosen(record) {
                self.report.skip(super::NOT_CHOSEN);
                self.previous.fill(None);
                before = last;
                continue;
            }
            if account.at(1, 0) != group.rows as f64 && running && !contacts.closed() {
                self.report.ends = Some(format!(
                    "the run was interrupted: its contacts end within step {}, t = {}",
                    last.step, last.t
                ));
                break;
            }
            self.read(&account, &group, groups.len());
            if asked.takes(last.step) {
                (asked.progress)(((last.t - start) / (until - start)).clamp(0.0, 1.0));
                self.one(&before, &last)?;
            }
            self.remember();
            before = last;
        }
        Ok(())
    }

    fn state(&self, group: &Group) -> State {
        let positions = self.layout.positions.len();
        let value = |k: usize| group.at(k, 0);
        State {
            step: group.step,
            t: group.t,
            q: (0..positions).map(value).collect(),
            v: (positions..positions + self.layout.velocities.len())
                .map(value)
                .collect(),
        }
    }

    fn read(&mut self, account: &Group, group: &Group, groups: usize) {
        let at = |k: usize| account.at(k, 0);
        self.account = Account {
            h: at(0),
            active: at(1),
            residual: at(2),
            reached: at(3) == 1.0,
            penetration: at(4),
            drift: at(5),
            kinetic: at(6),
            potential: at(7),
            works: [at(8), at(9), at(10), at(11)],
        };
        self.touches.clear();
        for row in 0..group.rows {
            let name = group.text(0, row);
            let known = self.layout.constraints.iter().position(|c| c == name);
            let Some(constraint) = known else {
                continue;
            };
            let slots = self.layout.slots(constraint);
            let rows = |kind: usize| -> Vec<f64> {
                let slot = |slot: &usize| group.at(1 + kind * groups + slot, row);
                slots.iter().map(slot).collect()
            };
            let hold: Vec<f64> = rows(3).into_iter().filter(|s| !s.is_nan()).collect();
            self.touches.push(Touch {
                constraint,
                status: match group.text(1, row) {
                    "open" => Some(Status::Open),
                    "stick" => Some(Status::Stick),
                    "slip" => Some(Status::Slip),
                    _ => None,
                },
                gap: group.at(0, row),
                begin: rows(0),
                end: rows(1),
                impulse: rows(2),
                hold,
            });
        }
        let rows = self.touches.len() as f64;
        let off = if self.account.active == rows {
            0.0
        } else {
            f64::INFINITY
        };
        let place = self.place(format!(
            "{rows} constraints are recorded, the account of the step has {}",
            self.account.active
        ));
        self.report.note("rows", off, || place);
    }

    /// What each constraint did, for laws that depend on it.
    fn remember(&mut self) {
        self.previous.fill(Some(Status::Open));
        for touch in &self.touches {
            if let Some(previous) = self.previous.get_mut(touch.constraint) {
                *previous = touch.status;
            }
        }
    }

    fn one(&mut self, before: &State, last: &State) -> Result<(), VerifyError> {
        let consecutive = before.step + 1 == last.step;
        if !consecutive {
            self.previous.fill(None);
        }
        self.report.steps += 1;
        self.report.contacts += self.touches.len();
        self.report.consecutive += usize::from(consecutive);
        let known = consecutive.then_some(before);
        let looked = match self.settings.scheme {
            Scheme::Event => self.interval(known, last),
            _ => self.look(known, last),
        };
        if let Err(error) = looked {
            let place = self.place(error.to_string());
            self.report.note("momentum", f64::INFINITY, || place);
        }
        Ok(())
    }
}

/// Positions after a velocity was held for a time; quaternions turn by the exponential.
pub(super) fn advance(chart: &Chart, q: &mut [f64], v: &[f64], h: f64) {
    let (mut p, mut s) = (0, 0);
    for coordinate in chart.coordinates() {
        if *coordinate == Coordinate::Orientation {
            let spin = [v[s], v[s + 1], v[s + 2]];
            let angle = h * super::vector::norm(spin);
            let axis = super::vector::unit(spin);
            let (sin, cos) = (0.5 * angle).sin_cos();
            let turn = [cos, sin * axis[0], sin * axis[1], sin * axis[2]];
            let now = [q[p], q[p + 1], q[p + 2], q[p + 3]];
            let next = super::vector::unit_quaternion(super::vector::product(now, turn));
            q[p..p + 4].copy_from_slice(&next);
        } else {
            q[p] += h * v[s];
        }
        p += coordinate.num_positions();
        s += coordinate.num_velocities();
    }
}
