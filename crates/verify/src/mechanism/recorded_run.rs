//! Sequential pass over the recorded steps of a mechanism.

use percuss_contact::law::Status;
use percuss_record::{Record, RunStatus as Ended};
use percuss_scene::model::mechanism::{ConstraintKind, Scheme, State as Initial, System};

use super::{COLUMNS, ConstraintRow, MechanismVerifier, RecordedState, StepRow, events};
use crate::recorded_selection::{NOT_RECORDED, end_of_contacts, not_recorded};
use crate::step_stream::{StepRows, StepStream};
use crate::{VerifyError, VerifyOptions};

impl MechanismVerifier<'_> {
    /// Opens the tables `coordinates`, `steps` and `contacts`.
    fn open<'r>(
        &self,
        record: &'r Record,
        groups: &[String],
    ) -> Result<[StepStream<'r>; 3], VerifyError> {
        let missing = |table: &str| {
            let text = format!(
                "{}: there is no table `{table}`, so that there is nothing to verify",
                record.directory().display()
            );
            VerifyError::Nothing(text)
        };
        let columns = self.layout.columns("coordinates");
        let names: Vec<String> = columns.into_iter().skip(2).map(|c| c.name).collect();
        let states = StepStream::open(record, "coordinates", &names, &[])?;
        let states = states.ok_or_else(|| missing("coordinates"))?;
        let steps: Vec<String> = COLUMNS.map(String::from).into();
        let steps =
            StepStream::open(record, "steps", &steps, &[])?.ok_or_else(|| missing("steps"))?;
        let mut names = vec!["gap".to_string()];
        for prefix in ["begin", "end", "impulse", "projection"] {
            names.extend(groups.iter().map(|group| format!("{prefix}_{group}")));
        }
        let texts = ["constraint", "status"];
        let contacts = StepStream::open(record, "contacts", &names, &texts)?;
        let contacts = contacts.ok_or_else(|| missing("contacts"))?;
        Ok([states, steps, contacts])
    }

    pub(super) fn run(
        &mut self,
        record: &Record,
        initial: &Initial,
        asked: &mut VerifyOptions<'_>,
    ) -> Result<(), VerifyError> {
        let groups = self.layout.groups();
        let [mut states, mut steps, mut contacts] = self.open(record, &groups)?;
        let Some(mut before) = states.next()?.map(|group| self.state(&group)) else {
            return Err(VerifyError::Nothing(format!(
                "{}: no state is recorded",
                record.directory().display()
            )));
        };
        // First state against the scene, event memory before the first step.
        self.compare_start(initial, &before);
        if before.step == 0 {
            self.previous.fill(Some(Status::Open));
        }
        let (start, until) = (before.t, asked.until);
        let event = self.settings.scheme == Scheme::Event;
        let names = ["t", "before", "after"].map(String::from);
        let mut events = StepStream::open(record, "events", &names, &["constraint", "kind"])?;
        let every = asked.steps.is_none() && asked.every <= 1 && events.is_some();
        if let Err(error) = self.begin_events(&before, every) {
            let place = self.place(error.to_string());
            self.report.add_comparison("start", f64::INFINITY, || place);
        }
        if before.step > 0 {
            // Recorded from a later time on: the first state is the end of a step like the others.
            (self.step, self.t) = (before.step, before.t);
            let account = steps.at(before.step)?;
            let group = contacts.at(before.step)?;
            let absent = account.rows == 0 || (group.rows == 0 && account.at(1, 0) > 0.0);
            if !absent && asked.selects(before.step) {
                self.read(&account, &group, groups.len());
                self.verify_step(None, &before, None)?;
                self.remember();
            }
        }
        // Every further state with its rows of `steps`, `contacts` and `events`.
        while let Some(group) = states.next()? {
            let last = self.state(&group);
            (self.step, self.t) = (last.step, last.t);
            let account = steps.at(last.step)?;
            let group = contacts.at(last.step)?;
            let running = record.manifest().status == Ended::Running;
            if account.rows == 0 && running {
                break;
            }
            // Rows that the scene chose not to record interrupt statuses and events.
            if not_recorded(record, &account, &group) {
                self.report.skip(NOT_RECORDED);
                self.previous.fill(None);
                self.persists.fill(None);
                self.lose_track();
                before = last;
                continue;
            }
            let cut = running && !contacts.closed();
            if let Some(end) = end_of_contacts(&account, &group, cut, (last.step, last.t)) {
                self.report.ends = Some(end);
                break;
            }
            self.read(&account, &group, groups.len());
            if asked.selects(last.step) {
                (asked.progress)(((last.t - start) / (until - start)).clamp(0.0, 1.0));
                let happened = match &mut events {
                    Some(events) if self.constraint_memory.is_some() || event => {
                        Some(events.at(last.step)?)
                    }
                    _ => None,
                };
                self.verify_step(Some(&before), &last, happened.as_ref())?;
            }
            self.remember();
            before = last;
        }
        self.compare_late_events(&mut events)
    }

    /// Events after the last step.
    fn compare_late_events(
        &mut self,
        events: &mut Option<StepStream<'_>>,
    ) -> Result<(), VerifyError> {
        if let (Some(events), true, None) =
            (events, self.constraint_memory.is_some(), &self.report.ends)
            && let Some(group) = events.next()?
        {
            let place = self.place(format!("an event of step {}", group.step));
            self.report
                .add_comparison("events", f64::INFINITY, || place);
        }
        Ok(())
    }

    /// Events follow from consecutive steps: after a step that is not recorded they are not compared.
    fn lose_track(&mut self) {
        if self.constraint_memory.is_some() {
            self.events_unread(events::THINNED);
        }
    }

    fn state(&self, group: &StepRows) -> RecordedState {
        let positions = self.layout.positions.len();
        let value = |k: usize| group.at(k, 0);
        RecordedState {
            step: group.step,
            t: group.t,
            q: (0..positions).map(value).collect(),
            v: (positions..positions + self.layout.velocities.len())
                .map(value)
                .collect(),
        }
    }

    fn read(&mut self, account: &StepRows, group: &StepRows, groups: usize) {
        self.step_row = figures(account);
        self.compare_figures();
        self.constraint_rows.clear();
        let mut blank = true;
        for row in 0..group.rows {
            let name = group.text(0, row);
            let known = self.layout.constraints.iter().position(|c| c == name);
            let Some(constraint) = known else {
                continue;
            };
            // Columns of the rows that the constraint has.
            let slots = self.layout.column_groups(constraint);
            let rows = |kind: usize| -> Vec<f64> {
                let slot = |slot: &usize| group.at(1 + kind * groups + slot, row);
                slots.iter().map(slot).collect()
            };
            blank &= self.blank(group, row, constraint);
            // A constraint has at most one row per step.
            blank &= self
                .constraint_rows
                .iter()
                .all(|t| t.constraint != constraint);
            let hold: Vec<f64> = rows(3).into_iter().filter(|s| !s.is_nan()).collect();
            self.constraint_rows.push(ConstraintRow {
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
                end_impulse: hold,
            });
        }
        // Number of active constraints against `steps`.
        let rows = self.constraint_rows.len() as f64;
        let off = if self.step_row.active == rows && blank {
            0.0
        } else {
            f64::INFINITY
        };
        let place = self.place(format!(
            "{rows} constraints are recorded, the account of the step has {}",
            self.step_row.active
        ));
        self.report.add_comparison("rows", off, || place);
    }

    /// Columns of rows that the constraint does not have are empty; the column `projection` is filled for all rows or for
    /// none, and never in event-driven runs.
    fn blank(&self, group: &StepRows, row: usize, constraint: usize) -> bool {
        let (groups, slots) = (
            self.layout.groups().len(),
            self.layout.column_groups(constraint),
        );
        let empty = |kind: usize, slot: usize| group.at(1 + kind * groups + slot, row).is_nan();
        // begin, end, impulse and projection of every column group.
        let told = (0..4).all(|kind| {
            (0..groups).all(|slot| match slots.contains(&slot) {
                true => kind == 3 || !empty(kind, slot),
                false => empty(kind, slot),
            })
        });
        let held = slots.iter().filter(|slot| !empty(3, **slot)).count();
        let event = self.settings.scheme == Scheme::Event;
        told && (held == 0 || (held == self.held_rows(constraint) && !event))
    }

    /// Number of rows that the velocity projection at the end of a step acts on.
    pub(super) fn held_rows(&self, constraint: usize) -> usize {
        let known = &self.system.constraints()[constraint];
        match known.kind {
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            _ => known.rows,
        }
    }

    /// Stores the status of each constraint, for laws that depend on it.
    fn remember(&mut self) {
        self.previous.fill(Some(Status::Open));
        for touch in &self.constraint_rows {
            if let Some(previous) = self.previous.get_mut(touch.constraint) {
                *previous = touch.status;
            }
        }
        self.remember_persistent();
    }

    fn verify_step(
        &mut self,
        before: Option<&RecordedState>,
        last: &RecordedState,
        happened: Option<&StepRows>,
    ) -> Result<(), VerifyError> {
        let known = before.filter(|before| before.step + 1 == last.step);
        let consecutive = known.is_some();
        // A gap in the records: statuses and events before it are unknown.
        if !consecutive {
            self.previous.fill(None);
            self.persists.fill(None);
            self.lose_track();
        }
        self.report.steps += 1;
        self.report.contacts += self.constraint_rows.len();
        self.report.consecutive += usize::from(consecutive);
        let looked = match self.settings.scheme {
            Scheme::Event => {
                // Without the table `events` nothing is known of events.
                let events = happened.is_none_or(|happened| happened.rows > 0);
                self.interval(known, last, events)
            }
            _ => self.compare_step(known, last, happened),
        };
        if let Err(error) = looked {
            let place = self.place(error.to_string());
            self.report
                .add_comparison("momentum", f64::INFINITY, || place);
        }
        Ok(())
    }
}

/// The values of a row of `steps`.
fn figures(account: &StepRows) -> StepRow {
    let at = |k: usize| account.at(k, 0);
    StepRow {
        h: at(0),
        active: at(1),
        residual: at(2),
        reached: at(3) == 1.0,
        penetration: at(4),
        drift: at(5),
        kinetic: at(6),
        potential: at(7),
        works: [at(8), at(9), at(10), at(11)],
        momentum: at(12),
        energy: at(13),
        gain: at(14),
        excess: at(15),
        turnover: at(16),
        forced: at(17),
        lasting: at(18),
        extent: at(19),
        mixed: at(20) == 1.0,
        resting: at(21),
    }
}
