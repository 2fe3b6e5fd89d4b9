//! Runs of bodies, step by step.

mod cell;
mod compare;
mod contacts;
mod energy;
mod gather;
mod given;
mod hinge;
mod joints;
mod look;
mod motion;
mod pairs;
mod pull;
mod read;
mod shape;
mod spin;
mod start;

use bodies::{Activation, Dim};

use super::report::{Place, Report};
use super::stream::{Group, Stream};
use super::{Asked, VerifyError};
use crate::collection::Assembly;
use crate::record::{Name, Record, Status, names};

pub(super) use given::Flat;
use given::Given;
use motion::{Motion, Push};
use read::{Bodies, Touch};

/// Placements that follow from each other: rounding of a few additions, relative to the coordinates.
const KINEMATICS: f64 = 1e-12;

/// Momenta of a body, relative to the sum of the sizes of their terms: a dozen roundings of 1e-16, and
/// those of levers, which are differences of coordinates that may be a thousand times as large. The
/// built-in scenes stay below 2e-14.
const MOMENTUM: f64 = 1e-12;

/// Velocities of rows: as momenta, from which they are computed back.
const VELOCITY: f64 = 1e-12;

/// All that is known while a run is gone through.
struct Walk<'a, D: Dim> {
    given: Given<D>,
    names: Vec<Name>,
    plane: bool,
    tolerance: f64,
    predicted: bool,
    /// Whether joints or overlaps are put right after a step.
    corrects: bool,
    report: &'a mut Report,
    motion: Motion,
    touches: Vec<Touch>,
    pushes: Vec<Push>,
    joints: joints::Rows,
    ledger: energy::Ledger,
    shapes: Vec<std::sync::Arc<crate::record::Outline>>,
    pairs: pairs::Pairs,
    /// L without the impulses of the step.
    cell_free: Option<super::vector::M3>,
}

/// The tables of a run.
struct Tables<'a> {
    bodies: Stream<'a>,
    contacts: Stream<'a>,
    steps: Stream<'a>,
    midpoints: Option<Stream<'a>>,
    joints: Option<Stream<'a>>,
    cell: Option<Stream<'a>>,
}

impl<'a> Tables<'a> {
    fn open(record: &'a Record, plane: bool) -> Result<Self, VerifyError> {
        let missing = |table: &str| {
            let text = format!(
                "{}: there is no table `{table}`, so that there is nothing to verify",
                record.directory().display()
            );
            VerifyError::Nothing(text)
        };
        Ok(Self {
            bodies: read::open_states(record, "bodies", plane)?.ok_or_else(|| missing("bodies"))?,
            contacts: read::open_contacts(record, plane)?.ok_or_else(|| missing("contacts"))?,
            steps: energy::open(record)?.ok_or_else(|| missing("steps"))?,
            midpoints: read::open_states(record, "midpoints", plane)?,
            joints: joints::open(record, plane)?,
            cell: cell::open(record, plane)?,
        })
    }
}

/// Verifies a run of bodies.
pub(super) fn verify<D: Flat>(
    record: &Record,
    assembly: Assembly<D>,
    report: &mut Report,
    asked: &mut Asked<'_>,
) -> Result<(), VerifyError> {
    let plane = D::N == 2;
    let mut tables = Tables::open(record, plane)?;
    let names = names(record)?;
    let settings = assembly.settings.clone();
    let corrects = settings.correction || !assembly.model.joints.is_empty();
    let start = start::Start {
        state: assembly.state,
        t: assembly.start,
        prepared: !assembly.prepare.is_empty(),
        relaxed: assembly.overlap.relax,
    };
    let given = Given::new(assembly.model);
    if names.len() != given.parts.len() {
        let text = format!(
            "{}: the table `names` has {} bodies, the scene in run.json has {}",
            record.directory().display(),
            names.len(),
            given.parts.len()
        );
        return Err(VerifyError::Nothing(text));
    }
    let mut walk = Walk {
        shapes: names.iter().map(|name| name.outline.clone()).collect(),
        given,
        names,
        plane,
        tolerance: settings.tolerance,
        predicted: settings.activation == Activation::Predicted,
        corrects,
        report,
        motion: Motion::of_step(settings.step),
        touches: Vec::new(),
        pushes: Vec::new(),
        joints: joints::Rows::default(),
        ledger: energy::Ledger::default(),
        pairs: pairs::Pairs::default(),
        cell_free: None,
    };
    walk.announce(corrects);
    if corrects && tables.midpoints.is_none() {
        walk.report.skip(
            "midpoints are not recorded: bodies that joints or corrections moved after a step are not \
             where the step left them, and momenta cannot be compared",
        );
        return walk.ledger_only(&mut tables, asked);
    }
    walk.run(record, &start, &mut tables, asked)
}

impl<D: Flat> Walk<'_, D> {
    fn announce(&mut self, corrects: bool) {
        let report = &mut *self.report;
        let counted = "rows of a recorded step against the numbers of bodies and contacts";
        report.expect("rows", counted, 0.0);
        report.expect("mass", "masses of `names` against the scene's", 1e-12);
        let start = "the first state against the scene's; relative to coordinates and velocities";
        report.expect("start", start, KINEMATICS);
        let given = "bodies with a given motion, or none, against it; relative to coordinates";
        report.expect("given", given, KINEMATICS);
        let way = "x_F = x_I + h(v_I + v_F)/2 and the midpoint; relative to coordinates";
        report.expect("kinematics", way, KINEMATICS);
        let before = "begin = G v_I; relative to the terms of the bodies' momenta";
        report.expect("begin", before, VELOCITY);
        let after = "end = G v_F; relative to the terms of the bodies' momenta";
        report.expect("end", after, VELOCITY);
        let momentum = "A(v_F - v_L) = sum of G'S; relative to its terms, body by body";
        report.expect("momentum", momentum, MOMENTUM);
        look::announce(report);
        contacts::announce(report);
        energy::announce(report);
        if corrects {
            joints::announce(report);
        }
        if self.given.flows() {
            cell::announce(report);
        }
    }

    fn place(&self, what: impl Into<String>) -> Place {
        Place {
            step: Some(self.motion_step()),
            t: Some(self.motion.t),
            what: what.into(),
        }
    }

    fn motion_step(&self) -> i64 {
        self.ledger.step
    }

    fn name(&self, body: usize) -> String {
        let name = self.names.get(body).map(|name| name.name.to_string());
        name.unwrap_or_else(|| format!("body {body}"))
    }

    /// The two bodies of a contact.
    fn pair_name(&self, touch: &Touch) -> String {
        let (a, b) = (self.name(touch.a), self.name(touch.b));
        format!("`{a}` and `{b}`, feature {}", touch.feature)
    }

    /// Only what the account says of itself.
    fn ledger_only(
        &mut self,
        tables: &mut Tables<'_>,
        asked: &mut Asked<'_>,
    ) -> Result<(), VerifyError> {
        while let Some(group) = tables.steps.next()? {
            self.ledger.pass(&group, self.report);
            (asked.progress)(0.0);
        }
        Ok(())
    }

    fn run(
        &mut self,
        record: &Record,
        start: &start::Start<D>,
        tables: &mut Tables<'_>,
        asked: &mut Asked<'_>,
    ) -> Result<(), VerifyError> {
        let count = self.given.parts.len();
        let Some(group) = tables.bodies.next()? else {
            let text = format!("{}: no state is recorded", record.directory().display());
            return Err(VerifyError::Nothing(text));
        };
        let Some(mut before) = read::state(&group, count, self.plane) else {
            return self.incomplete(record, &group, "bodies");
        };
        self.compare_start(start, &before);
        self.given.anchor(&before.stands, before.t);
        self.compare_masses();
        self.ledger.step = before.step;
        self.motion.t = before.t;
        self.compare_given(&before);
        let flow = cell::flow(&mut tables.cell, before.step, self.plane)?;
        self.begin_energy(&before, flow.map(|flow| flow.end));
        let (start, until) = (before.t, asked.until);
        while let Some(group) = tables.bodies.next()? {
            let Some(last) = read::state(&group, count, self.plane) else {
                return self.incomplete(record, &group, "bodies");
            };
            self.ledger
                .up_to(&mut tables.steps, last.step, self.report)?;
            if asked.takes(last.step) {
                (asked.progress)(((last.t - start) / (until - start)).clamp(0.0, 1.0));
                if !self.step(record, tables, &before, &last)? {
                    return Ok(());
                }
            }
            before = last;
        }
        // Steps of the account behind the last recorded state.
        while let Some(group) = tables.steps.next()? {
            self.ledger.pass(&group, self.report);
        }
        Ok(())
    }

    /// A step whose rows are not all there: an end of the records, or a disagreement.
    fn incomplete(
        &mut self,
        record: &Record,
        group: &Group,
        table: &str,
    ) -> Result<(), VerifyError> {
        let running = record.manifest().status == Status::Running;
        if running {
            self.report.ends = Some(format!(
                "the run was interrupted: its records end within step {}, t = {}",
                group.step, group.t
            ));
            return Ok(());
        }
        let (step, t, rows) = (group.step, group.t, group.rows);
        self.report.note("rows", f64::INFINITY, || Place {
            step: Some(step),
            t: Some(t),
            what: format!("`{table}` has {rows} rows there, or not in their order"),
        });
        Ok(())
    }

    /// One recorded step; false where the records end.
    fn step(
        &mut self,
        record: &Record,
        tables: &mut Tables<'_>,
        before: &Bodies,
        last: &Bodies,
    ) -> Result<bool, VerifyError> {
        let group = tables.contacts.at(last.step)?;
        read::touches(&group, self.plane, &mut self.touches);
        self.motion.t = last.t;
        let active = self.ledger.active();
        if active != Some(group.rows) {
            return self.without_contacts(record, tables, &group, last, active);
        }
        self.report.note("rows", 0.0, || Place {
            step: Some(last.step),
            t: Some(last.t),
            what: "contacts".into(),
        });
        self.sift();
        if let Some(h) = self.ledger.h() {
            self.motion.h = h;
        }
        self.motion.flow =
            cell::flow(&mut tables.cell, last.step, self.plane)?.filter(|_| self.given.flows());
        self.joints
            .read(&mut tables.joints, last.step, self.plane)?;
        self.sift_joints();
        self.set_end(tables, last)?;
        if self.corrects && !self.motion.fixed_mid {
            self.report.skip(super::NOT_CHOSEN);
            return Ok(true);
        }
        self.set_pushes();
        let consecutive = before.step + 1 == last.step;
        let known = consecutive.then_some(before);
        let mut motion = std::mem::take(&mut self.motion);
        motion.unroll(&mut self.given, known, last, &self.pushes);
        self.motion = motion;
        self.set_free_rate();
        self.report.steps += 1;
        self.report.contacts += self.touches.len();
        self.report.consecutive += usize::from(consecutive);
        self.compare_given(last);
        self.compare_way(known, last);
        self.compare_momentum(consecutive);
        self.compare_velocities();
        self.judge();
        self.look();
        self.compare_energy(last);
        self.compare_joints(last);
        self.compare_cell();
        Ok(true)
    }

    /// A step whose contacts are not those that its account counts.
    fn without_contacts(
        &mut self,
        record: &Record,
        tables: &Tables<'_>,
        group: &Group,
        last: &Bodies,
        active: Option<usize>,
    ) -> Result<bool, VerifyError> {
        let status = record.manifest().status;
        if status == Status::Running && !tables.contacts.closed() {
            self.report.ends = Some(format!(
                "the run was interrupted: its contacts end within step {}, t = {}",
                last.step, last.t
            ));
            return Ok(false);
        }
        if group.rows == 0 && super::chosen(record) {
            self.report.skip(super::NOT_CHOSEN);
            return Ok(true);
        }
        if status == Status::Stopped && group.rows == 0 {
            // The state is given again when the step after it fails; its contacts are gone then.
            self.report.skip(
                "the last step of a run that could not go on is recorded without its contacts",
            );
            return Ok(true);
        }
        let (step, t, rows) = (last.step, last.t, group.rows);
        let counted = active.map_or("none".into(), |n: usize| n.to_string());
        self.report.note("rows", f64::INFINITY, || Place {
            step: Some(step),
            t: Some(t),
            what: format!("{rows} contacts are recorded, the account of the step has {counted}"),
        });
        Ok(true)
    }
}
