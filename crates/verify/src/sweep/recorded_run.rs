//! Sequential pass over the records of a sweeping process.

use percuss_record::{Record, RunStatus};
use percuss_scene::model::mechanism::System;
use percuss_scene::model::sweep::StartPolicy;

use super::super::report::RowRange;
use super::metric::{dot, sub};
use super::{ConstraintRow, RecordedState, StepRow, SweepVerifier};
use crate::recorded_selection::{NOT_RECORDED, end_of_contacts, not_recorded};
use crate::step_stream::{StepRows, StepStream};
use crate::{VerifyError, VerifyOptions};

/// Columns of `steps` that are read.
const COLUMNS: [&str; 25] = [
    "h",
    "active",
    "residual",
    "reached",
    "penetration",
    "drift",
    "gain",
    "excess",
    "extent",
    // A sweeping process has no masses: these are 0, and the last one is absent.
    "momentum",
    "kinetic",
    "potential",
    "work",
    "impact",
    "sliding",
    "boundary",
    "energy",
    "turnover",
    "forced",
    "lasting",
    "mixed",
    "gamma",
    "variation",
    "retraction",
    "prox_radius",
];

/// The first of the columns that are 0, and the one that is absent.
const ZERO: usize = 9;
const ABSENT: usize = COLUMNS.len() - 4;

impl SweepVerifier<'_> {
    /// Opens the tables `coordinates`, `steps` and `contacts`.
    fn open<'r>(
        &self,
        record: &'r Record,
        groups: &[String],
    ) -> Result<[StepStream<'r>; 3], VerifyError> {
        let mut names = vec!["gap".to_string()];
        for prefix in ["begin", "end", "impulse", "projection"] {
            names.extend(groups.iter().map(|group| format!("{prefix}_{group}")));
        }
        let columns = self.layout.columns("coordinates");
        let states: Vec<String> = columns.into_iter().skip(2).map(|c| c.name).collect();
        let open = |table: &'static str, numbers: &[String], texts: &[&str]| {
            StepStream::open(record, table, numbers, texts)?.ok_or_else(|| {
                let text = format!(
                    "{}: there is no table `{table}`, so that there is nothing to verify",
                    record.directory().display()
                );
                VerifyError::Nothing(text)
            })
        };
        Ok([
            open("coordinates", &states, &[])?,
            open("steps", &COLUMNS.map(String::from), &[])?,
            open("contacts", &names, &["constraint", "status"])?,
        ])
    }

    /// Verifies all recorded steps.
    pub(super) fn run(
        &mut self,
        record: &Record,
        asked: &mut VerifyOptions<'_>,
    ) -> Result<(), VerifyError> {
        let groups = self.layout.groups();
        let [mut states, mut steps, mut contacts] = self.open(record, &groups)?;
        let texts = ["constraint", "kind"];
        let numbers = ["t", "before", "after", "gamma"].map(String::from);
        let mut events = StepStream::open(record, "events", &numbers, &texts)?;
        if self.plan.integrator() == "event" {
            let columns = [
                "step",
                "t",
                "constraint",
                "kind",
                "before",
                "after",
                "gamma",
            ];
            let why = "the event-driven method meets events between recorded instants";
            self.report
                .mark_all_unchecked("events", &columns, RowRange::All, why);
        }
        // The first state.
        let Some(mut before) = states.next()?.map(|group| self.state(&group)) else {
            return Err(VerifyError::Nothing(format!(
                "{}: no state is recorded",
                record.directory().display()
            )));
        };
        self.begin(&before);
        let (start, until) = (before.t, asked.until);
        let running = record.manifest().status == RunStatus::Running;
        if before.step > 0 {
            // Recorded from a later time on: the first state is the end of a step like the others.
            let account = steps.at(before.step)?;
            let group = contacts.at(before.step)?;
            let absent = account.rows == 0 || (group.rows == 0 && account.at(1, 0) > 0.0);
            if !absent && asked.selects(before.step) {
                self.read(&account, &group, groups.len());
                // The same step number as `before` marks the state before as unknown.
                let unknown = RecordedState {
                    step: before.step,
                    ..RecordedState::default()
                };
                self.verify_step(&unknown, &before, None);
            }
        }
        // Every further state with its rows of `steps`, `contacts` and `events`.
        while let Some(group) = states.next()? {
            let last = self.state(&group);
            (self.step, self.t) = (last.step, last.t);
            let account = steps.at(last.step)?;
            let group = contacts.at(last.step)?;
            if account.rows == 0 && running {
                break;
            }
            if not_recorded(record, &account, &group) {
                self.report.skip(NOT_RECORDED);
                (self.previous, self.sums.whole) = (None, false);
                before = last;
                continue;
            }
            let cut = running && !contacts.closed();
            if let Some(end) = end_of_contacts(&account, &group, cut, (last.step, last.t)) {
                self.report.ends = Some(end);
                break;
            }
            self.read(&account, &group, groups.len());
            // Steps that are not selected still enter the sums of the variation.
            let looked = asked.selects(last.step);
            if looked {
                (asked.progress)(((last.t - start) / (until - start)).clamp(0.0, 1.0));
            }
            let happened = match &mut events {
                Some(events) if !running => Some(events.at(last.step)?),
                _ => None,
            };
            self.skip_checks = !looked;
            self.verify_step(&before, &last, happened.as_ref());
            self.skip_checks = false;
            before = last;
        }
        Ok(())
    }

    fn state(&self, group: &StepRows) -> RecordedState {
        let n = self.layout.positions.len();
        let value = |k: usize| group.at(k, 0);
        RecordedState {
            step: group.step,
            t: group.t,
            u: (0..n).map(value).collect(),
            v: (n..2 * n).map(value).collect(),
        }
    }

    fn read(&mut self, account: &StepRows, group: &StepRows, groups: usize) {
        let at = |k: usize| account.at(k, 0);
        self.step_row = StepRow {
            h: at(0),
            active: at(1),
            residual: at(2),
            reached: at(3) == 1.0,
            penetration: at(4),
            drift: at(5),
            gain: at(6),
            excess: at(7),
            extent: at(8),
            variation: at(ABSENT + 1),
            retraction: at(ABSENT + 2),
            radius: at(ABSENT + 3),
        };
        self.constraint_rows.clear();
        for row in 0..group.rows {
            let name = group.text(0, row);
            let known = self.layout.constraints.iter().position(|c| c == name);
            let Some(constraint) = known else {
                continue;
            };
            let slots = self.layout.column_groups(constraint);
            let rows = |kind: usize| -> Vec<f64> {
                let slot = |slot: &usize| group.at(1 + kind * groups + slot, row);
                slots.iter().map(slot).collect()
            };
            // A constraint has at most one row per step.
            if self
                .constraint_rows
                .iter()
                .any(|t| t.constraint == constraint)
            {
                continue;
            }
            self.constraint_rows.push(ConstraintRow {
                constraint,
                gap: group.at(0, row),
                begin: rows(0),
                end: rows(1),
                impulse: rows(2),
            });
        }
        self.compare_blanks(account, group, groups);
        let rows = self.constraint_rows.len() as f64;
        let off = if self.step_row.active == rows {
            0.0
        } else {
            1.0
        };
        let what = format!(
            "{rows} constraints are recorded, the account of the step has {}",
            self.step_row.active
        );
        self.note("rows", off, what);
    }

    /// Columns that sweeping processes leave empty.
    fn compare_blanks(&mut self, account: &StepRows, group: &StepRows, groups: usize) {
        let none =
            (ZERO..ABSENT).all(|k| account.at(k, 0) == 0.0) && account.at(ABSENT, 0).is_nan();
        let rows = 0..group.rows;
        let held = rows.clone().all(|row| group.text(1, row) == "stick");
        let free = rows.clone().all(|row| {
            let first = 1 + 3 * groups;
            (first..first + groups).all(|k| group.at(k, row).is_nan())
        });
        // Columns of rows that the constraint does not have.
        let own = rows.clone().all(|row| {
            let name = group.text(0, row);
            let known = self.layout.constraints.iter().position(|c| c == name);
            let slots = known.map_or(&[][..], |c| self.layout.column_groups(c));
            let others = (0..groups).filter(|slot| !slots.contains(slot));
            others
                .flat_map(|slot| (0..3).map(move |kind| 1 + kind * groups + slot))
                .all(|k| known.is_none() || group.at(k, row).is_nan())
        });
        let curved = self.plan.prox_regular.is_some() || self.plan.room.is_some();
        let convex = curved || self.step_row.radius.is_nan();
        let off = if none && held && free && own && convex {
            0.0
        } else {
            1.0
        };
        self.note("rows", off, "columns that a sweeping process leaves empty");
    }

    /// Verifies the first recorded state.
    fn begin(&mut self, first: &RecordedState) {
        (self.step, self.t) = (first.step, first.t);
        if first.step != 0 {
            self.sums.whole = false;
            let why = "measured from the start, which is not recorded";
            self.report
                .mark_unchecked("steps", "extent", RowRange::All, why);
            return;
        }
        self.step_row.reached = true;
        self.previous = Some(vec![false; self.system.constraints().len()]);
        self.origin = Some(first.u.clone());
        // There is no velocity before the first step.
        let moves = first.v.iter().any(|v| *v != 0.0);
        self.note(
            "start",
            f64::from(u8::from(moves)),
            "the velocity at the start",
        );
        let given = self.initial.q.clone();
        let size = self.size(&given);
        let off = sub(&first.u, &given);
        // The start is the given point, or its projection onto C.
        match self.plan.start {
            StartPolicy::Inside => {
                let off = dot(&off, &off).sqrt() / size;
                self.note("start", off, "the start");
            }
            StartPolicy::Project if self.plan.room.is_some() => {}
            StartPolicy::Project => {
                let landed =
                    self.compare_nearest_point((first.t, "the start".into()), &first.u, &given);
                if let Err(error) = landed {
                    self.note("cone", f64::INFINITY, error.to_string());
                }
            }
        }
    }
}
