//! Events of a time stepper (impact, touch, detach, stick, slip, locked), derived a second time from the recorded
//! steps.
//!
//! A contact that carries an impulse is closed; one that carries none for more than [`REOPEN_STEPS`] steps has
//! detached at the last time at which it did. A closing contact is an impact where it approaches, at the midpoint of
//! the step; it is persistent contact where it was closed within these steps and approaches no faster than [`SPEED`]
//! times the velocity change by forces in one step, or than it did last time.

use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{ConstraintKind, Scheme, System, SystemError};

use super::super::report::RowRange;
use super::dense::{dot, solve};
use super::step::{Step, size};
use super::{ConstraintRow, MechanismVerifier, RecordedState};
use crate::step_stream::StepRows;

/// Steps for which a closed contact may carry no impulse without having detached.
const REOPEN_STEPS: usize = 4;

/// Ratio of approach velocities above which a contact that closes again is an impact.
const SPEED: f64 = 4.0;

/// A contact may be closed at the start to this share of the coordinates, and at rest to this share of the
/// velocities.
const CLOSED: f64 = 1e-9;
const STILL: f64 = 1e-7;

/// Event state of a constraint between steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConstraintMemory {
    /// Steps since it last carried an impulse.
    open: Option<usize>,
    last: f64,
    status: Status,
    closed: bool,
    approach: f64,
}

/// An event that follows from the steps.
struct ExpectedEvent {
    t: f64,
    constraint: usize,
    kind: &'static str,
    /// Velocities before and after an impact.
    speeds: Option<[f64; 2]>,
}

/// Why events cannot be derived from the records.
pub(super) const THINNED: &str = "told from every step, and not every step is recorded";
const APART: &str = "impacts of this law are resolved apart from the step";
const EVENT: &str = "the event-driven integrator meets events between recorded instants";

impl MechanismVerifier<'_> {
    /// Initialises the event states before the first step; none where events cannot be derived.
    pub(super) fn begin_events(
        &mut self,
        first: &RecordedState,
        every: bool,
    ) -> Result<(), SystemError> {
        let law = self.settings.impact;
        let why = if self.settings.scheme == Scheme::Event {
            Some(EVENT)
        } else if law.is_separate() {
            Some(APART)
        } else if first.step != 0 || !every {
            Some(THINNED)
        } else {
            None
        };
        self.constraint_memory = None;
        if let Some(why) = why {
            self.events_unread(why);
            return Ok(());
        }
        let blank = ConstraintMemory {
            open: None,
            last: 0.0,
            status: Status::Open,
            closed: false,
            approach: 0.0,
        };
        // Contacts that are closed and at rest at the start.
        let mut seen = vec![blank; self.system.constraints().len()];
        let mut gaps = vec![0.0; self.first_gap.last().copied().unwrap_or(0)];
        self.system.gaps(first.t, &first.q, &mut gaps)?;
        let near = CLOSED * (1.0 + size(&first.q));
        for (i, seen) in seen.iter_mut().enumerate() {
            let contact = self.system.constraints()[i].is_contact();
            if !contact || !(gaps[self.first_gap[i]] <= near) {
                continue;
            }
            let (g, w) = self.rows_of(i, first.t, &first.q)?;
            let g = &g[..first.v.len()];
            let long = |x: &[f64]| dot(x, x).sqrt();
            let speed = w[0] + dot(g, &first.v);
            let scale = w[0].abs() + 2.0 * long(g) * long(&first.v);
            if speed == 0.0 || speed.abs() <= STILL * scale {
                (seen.closed, seen.open, seen.last) = (true, Some(0), first.t);
                seen.approach = f64::INFINITY;
            }
        }
        self.constraint_memory = Some(seen);
        Ok(())
    }

    /// Marks the events as not verified.
    pub(super) fn events_unread(&mut self, why: &'static str) {
        self.constraint_memory = None;
        let columns = ["step", "t", "constraint", "kind", "before", "after"];
        self.report
            .mark_all_unchecked("events", &columns, RowRange::All, why);
    }

    /// Compares the derived events of a step with the recorded ones.
    pub(super) fn compare_events(
        &mut self,
        step: &Step,
        last: &RecordedState,
        recorded: &StepRows,
    ) {
        let Some(mut seen) = self.constraint_memory.take() else {
            return;
        };
        let locked = self.locked_joints(step, recorded);
        let mut all: Vec<ExpectedEvent> = Vec::new();
        let n = step.begin.len();
        // Velocity change by forces in the step.
        let forced = solve(&step.mass, &step.force).unwrap_or_else(|| vec![f64::NAN; n]);
        for (i, seen) in seen.iter_mut().enumerate() {
            let k = self
                .constraint_rows
                .iter()
                .position(|touch| touch.constraint == i);
            let kind = self.system.constraints()[i].kind;
            let touch = k.map(|k| (&self.constraint_rows[k], &step.rows[k].0, &step.rows[k].1));
            // Contacts close or open; joints with friction lock, stick or slip.
            match (kind, touch) {
                (ConstraintKind::Contact, Some((touch, g, w))) if touch.impulse[0] > 0.0 => {
                    let own = dot(&g[..n], &forced).abs();
                    detect_closing(
                        seen,
                        touch,
                        (own, w[0]),
                        (last.t - step.h, last.t),
                        &mut all,
                    );
                }
                (ConstraintKind::Contact, _) => detect_opening(seen, i, &mut all),
                (_, Some((touch, ..))) => {
                    if locked[i] {
                        all.push(ExpectedEvent {
                            t: last.t,
                            constraint: i,
                            kind: "locked",
                            speeds: None,
                        });
                    }
                    detect_slip_change(seen, touch, last.t - step.h, &mut all);
                }
                _ => {}
            }
        }
        all.sort_by(|a, b| a.t.total_cmp(&b.t));
        self.constraint_memory = Some(seen);
        // Warnings that a contact may jump are not compared.
        let rows: Vec<usize> = (0..recorded.rows)
            .filter(|row| recorded.text(1, *row) != "painleve")
            .collect();
        // The same number of events, then one by one in the order of time.
        let count = if rows.len() == all.len() { 0.0 } else { 1.0 };
        let place = self.place(format!("{} events, {} are recorded", all.len(), rows.len()));
        self.report.add_comparison("events", count, || place);
        for (row, own) in rows.iter().zip(&all) {
            let off = self.event_off(own, recorded, *row);
            let name = self.name(own.constraint);
            let place = self.place(format!("{} of {name}", own.kind));
            self.report.add_comparison("events", off, || place);
        }
    }

    /// Which constraints lock in this step; where that is not decided, as recorded.
    fn locked_joints(&mut self, step: &Step, recorded: &StepRows) -> Vec<bool> {
        let mut locked = vec![false; self.system.constraints().len()];
        for k in 0..self.constraint_rows.len() {
            let constraint = self.constraint_rows[k].constraint;
            let decided = self.locks(step, k).unwrap_or(None);
            let name = self.layout.constraints.get(constraint);
            locked[constraint] = decided.unwrap_or_else(|| {
                (0..recorded.rows).any(|row| {
                    recorded.text(1, row) == "locked"
                        && name.is_some_and(|name| name == recorded.text(0, row))
                })
            });
        }
        locked
    }

    /// Difference of a recorded event from the derived one.
    fn event_off(&self, own: &ExpectedEvent, recorded: &StepRows, row: usize) -> f64 {
        let name = self.layout.constraints.get(own.constraint);
        let named = name.is_some_and(|name| name == recorded.text(0, row));
        if !named || recorded.text(1, row) != own.kind {
            return f64::INFINITY;
        }
        // Time, then velocities before and after an impact.
        let mut off = (recorded.at(0, row) - own.t).abs() / (own.t.abs() + self.step_row.h);
        for k in 0..2 {
            let (found, wanted) = (recorded.at(1 + k, row), own.speeds.map(|s| s[k]));
            off = match wanted {
                Some(wanted) if found == wanted => off,
                Some(wanted) => off.max((found - wanted).abs() / wanted.abs().max(found.abs())),
                None if found.is_nan() => off,
                None => f64::INFINITY,
            };
        }
        if off.is_nan() { f64::INFINITY } else { off }
    }
}

/// A contact that carries an impulse; `forced`: velocity change by forces, and W.
fn detect_closing(
    seen: &mut ConstraintMemory,
    touch: &ConstraintRow,
    (forced, boundary): (f64, f64),
    (from, to): (f64, f64),
    all: &mut Vec<ExpectedEvent>,
) {
    let (speed, end) = (touch.begin[0], touch.end[0]);
    // Closed again after a short opening, and fast enough for an impact.
    let brief = seen.closed && seen.open.is_some_and(|n| n <= REOPEN_STEPS);
    let fast = -speed > SPEED * forced.max(seen.approach);
    let middle = 0.5 * (from + to);
    let constraint = touch.constraint;
    let mut push = |t: f64, kind: &'static str, speeds: Option<[f64; 2]>| {
        all.push(ExpectedEvent {
            t,
            constraint,
            kind,
            speeds,
        });
    };
    let status = touch.status.unwrap_or(Status::Open);
    // Closed since the start, closed again without impact, or newly closed.
    if brief && seen.approach.is_infinite() {
        push(from, "touch", None);
        seen.status = status;
    } else if brief && !fast {
        detect_slip_change(seen, touch, middle, all);
    } else {
        if seen.closed && seen.open.is_some_and(|n| n > 0) {
            push(seen.last, "detach", None);
        }
        let size = f64::EPSILON * (speed.abs() + boundary.abs() + forced + 1.0);
        match -speed > 8.0 * size {
            true => push(middle, "impact", Some([speed, end])),
            false => push(middle, "touch", None),
        }
        seen.status = status;
    }
    (seen.closed, seen.open, seen.last) = (true, Some(0), to);
    seen.approach = (-speed).max(0.0);
}

/// A contact that carries no impulse.
fn detect_opening(seen: &mut ConstraintMemory, constraint: usize, all: &mut Vec<ExpectedEvent>) {
    let Some(open) = &mut seen.open else { return };
    *open += 1;
    if seen.closed && *open > REOPEN_STEPS {
        (seen.closed, seen.status) = (false, Status::Open);
        all.push(ExpectedEvent {
            t: seen.last,
            constraint,
            kind: "detach",
            speeds: None,
        });
    }
}

/// Transition from stick to slip, or from slip to stick.
fn detect_slip_change(
    seen: &mut ConstraintMemory,
    touch: &ConstraintRow,
    t: f64,
    all: &mut Vec<ExpectedEvent>,
) {
    let status = touch.status.unwrap_or(Status::Open);
    let kind = match (seen.status, status) {
        (Status::Stick, Status::Slip) => Some("slip"),
        (Status::Slip, Status::Stick) => Some("stick"),
        _ => None,
    };
    if status != Status::Open {
        seen.status = status;
    }
    if let Some(kind) = kind {
        all.push(ExpectedEvent {
            t,
            constraint: touch.constraint,
            kind,
            speeds: None,
        });
    }
}
