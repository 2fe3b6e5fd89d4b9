//! Sequential pass over the recorded steps of a run of bodies.

use percuss_record::{Record, RunStatus};

use super::super::report::Location;
use super::read::{self, RecordedState};
use super::scene_data::EmbedInSpace;
use super::{BodiesVerifier, Tables, cell, start};
use crate::recorded_selection::{NOT_RECORDED, selects_rows};
use crate::step_stream::StepRows;
use crate::{VerifyError, VerifyOptions};

/// The last step up to which all tables of a run under way are complete; `None` for a run that ended.
fn last_complete_step(record: &Record) -> Result<Option<i64>, VerifyError> {
    if record.manifest().status != RunStatus::Running {
        return Ok(None);
    }
    let mut least = i64::MAX;
    for table in ["bodies", "steps", "midpoints", "joints", "cell"] {
        if record.entry(table).is_err() {
            continue;
        }
        let bounds = match record.chunks(table)?.last() {
            Some(chunk) => chunk.bounds("step")?,
            None => None,
        };
        // Rows of the last step may continue in a chunk that was not written.
        let last = bounds.map_or(0, |(_, most)| most as i64);
        least = least.min(if table == "steps" { last } else { last - 1 });
    }
    Ok(Some(least))
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Verifies only the rows of `steps`, without states.
    pub(super) fn run_steps_only(
        &mut self,
        tables: &mut Tables<'_>,
        asked: &mut VerifyOptions<'_>,
    ) -> Result<(), VerifyError> {
        while let Some(group) = tables.steps.next()? {
            self.steps.add_row(&group, self.report);
            (asked.progress)(0.0);
        }
        Ok(())
    }

    pub(super) fn run(
        &mut self,
        record: &Record,
        start: &start::Start<D>,
        tables: &mut Tables<'_>,
        asked: &mut VerifyOptions<'_>,
    ) -> Result<(), VerifyError> {
        let count = self.scene.parts.len();
        // The first state.
        let Some(group) = tables.bodies.next()? else {
            let text = format!("{}: no state is recorded", record.directory().display());
            return Err(VerifyError::Nothing(text));
        };
        let Some(mut before) = read::state(&group, count, self.plane) else {
            return self.incomplete(record, &group, "bodies");
        };
        if !self.first_state(record, start, tables, asked, &before)? {
            return Ok(());
        }
        // All further states: rows of `steps` up to the state, displacement bound, then the step itself.
        let (start, until) = (before.t, asked.until);
        let safe = last_complete_step(record)?;
        while let Some(group) = tables.bodies.next()? {
            let Some(last) = read::state(&group, count, self.plane) else {
                return self.incomplete(record, &group, "bodies");
            };
            if safe.is_some_and(|safe| last.step > safe) {
                self.report.ends = Some(format!(
                    "the run was interrupted: some of its tables end before step {}, t = {}",
                    last.step, last.t
                ));
                return Ok(());
            }
            self.steps
                .advance_to(&mut tables.steps, last.step, self.report)?;
            self.motion.t = last.t;
            if !self.event_driven {
                self.compare_travel(&before, &last);
            }
            if asked.selects(last.step) {
                (asked.progress)(((last.t - start) / (until - start)).clamp(0.0, 1.0));
                if !self.step(record, tables, Some(&before), &last)? {
                    return Ok(());
                }
            }
            before = last;
        }
        // Rows of `steps` after the last recorded state.
        while let Some(group) = tables.steps.next()? {
            self.steps.add_row(&group, self.report);
        }
        Ok(())
    }

    /// Verifies the first recorded state; false where the records end.
    fn first_state(
        &mut self,
        record: &Record,
        start: &start::Start<D>,
        tables: &mut Tables<'_>,
        asked: &mut VerifyOptions<'_>,
        first: &RecordedState,
    ) -> Result<bool, VerifyError> {
        self.compare_start(start, first);
        self.scene.set_motion_origins(&first.poses, first.t);
        self.compare_masses();
        self.fixed_poses.clone_from(&first.poses);
        self.motion.t = first.t;
        self.start_unknown = first.step != 0 || start.prepared || start.relaxed;
        if first.step == 0 {
            self.compare_prescribed_motions(first);
            self.compare_held_velocities(first);
            let flow = cell::read_flow(&mut tables.cell, first.step, self.plane)?;
            self.compare_first_cell(flow, start);
            self.begin_energy(first, flow.map(|flow| flow.end));
            if !start.prepared {
                // No contacts before the first step.
                self.previous_contacts = Some((0, Vec::new()));
                self.persistent.keep(0);
            }
            return Ok(true);
        }
        // Recorded from a later time on: the first state is the end of a step like the others.
        self.begin_stake();
        self.steps
            .advance_to(&mut tables.steps, first.step, self.report)?;
        self.steps.take_travel_bound();
        match asked.selects(first.step) {
            true => self.step(record, tables, None, first),
            false => Ok(true),
        }
    }

    /// A step with missing rows: the end of an interrupted record, or a disagreement.
    fn incomplete(
        &mut self,
        record: &Record,
        group: &StepRows,
        table: &str,
    ) -> Result<(), VerifyError> {
        let running = record.manifest().status == RunStatus::Running;
        if running {
            self.report.ends = Some(format!(
                "the run was interrupted: its records end within step {}, t = {}",
                group.step, group.t
            ));
            return Ok(());
        }
        let (step, t, rows) = (group.step, group.t, group.rows);
        self.report
            .add_comparison("rows", f64::INFINITY, || Location {
                step: Some(step),
                t: Some(t),
                what: format!("`{table}` has {rows} rows there, or not in their order"),
            });
        Ok(())
    }

    /// Verifies one recorded step; false where the records end.
    fn step(
        &mut self,
        record: &Record,
        tables: &mut Tables<'_>,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<bool, VerifyError> {
        // Contacts: their number must be that of `steps`.
        let group = tables.contacts.at(last.step)?;
        read::read_contacts(&group, self.plane, &mut self.contacts);
        self.motion.t = last.t;
        let active = self.steps.active();
        if active != Some(group.rows) {
            return self.without_contacts(record, tables, &group, last, active);
        }
        self.report.add_comparison("rows", 0.0, || Location {
            step: Some(last.step),
            t: Some(last.t),
            what: "contacts".into(),
        });
        self.drop_invalid_contacts();
        if let Some(h) = self.steps.h() {
            self.motion.h = h;
        }
        if self.event_driven {
            if let Some(before) = before {
                self.compare_interval(before, last);
            }
            return Ok(true);
        }
        // Periodic cell, joint rows, final velocities and midpoints.
        let flow = cell::read_flow(&mut tables.cell, last.step, self.plane)?;
        self.compare_lattice(flow, last.step);
        self.motion.flow = flow.filter(|_| self.scene.flows());
        self.joints
            .read(&mut tables.joints, last.step, self.plane)?;
        self.sift_joints();
        self.set_end(tables, last)?;
        if self.corrects && !self.motion.midpoint_recorded {
            self.report.skip(NOT_RECORDED);
            return Ok(true);
        }
        // Reconstruct midpoint and initial velocities from the impulses.
        self.read_end_contacts(tables, last.step)?;
        self.set_pushes();
        let known = before.filter(|before| before.step + 1 == last.step);
        let consecutive = known.is_some();
        let mut motion = std::mem::take(&mut self.motion);
        motion.reconstruct(&mut self.scene, known, last, &self.impulses);
        self.motion = motion;
        self.set_free_rate();
        // All comparisons of the step.
        self.report.steps += 1;
        self.report.contacts += self.contacts.len();
        self.report.consecutive += usize::from(consecutive);
        self.compare_prescribed_motions(last);
        self.compare_kinematics(known, last);
        self.compare_momentum(consecutive);
        self.compare_velocities();
        self.compare_end_contacts(last);
        self.compare_laws();
        self.compare_geometry();
        self.compare_energy(last);
        self.compare_energy_budget();
        self.compare_shares(last);
        self.compare_joints(last);
        self.compare_end_positions(last);
        self.compare_cell();
        self.previous_contacts = Some((last.step, self.contacts.clone()));
        self.persistent.keep(last.step);
        Ok(true)
    }

    /// A step whose recorded contacts differ in number from its row in `steps`.
    fn without_contacts(
        &mut self,
        record: &Record,
        tables: &Tables<'_>,
        group: &StepRows,
        last: &RecordedState,
        active: Option<usize>,
    ) -> Result<bool, VerifyError> {
        let status = record.manifest().status;
        if status == RunStatus::Running && !tables.contacts.closed() {
            self.report.ends = Some(format!(
                "the run was interrupted: its contacts end within step {}, t = {}",
                last.step, last.t
            ));
            return Ok(false);
        }
        if group.rows == 0 && selects_rows(record) {
            self.report.skip(NOT_RECORDED);
            return Ok(true);
        }
        let aside = !last.step.unsigned_abs().is_multiple_of(self.every as u64);
        if matches!(status, RunStatus::Stopped | RunStatus::Interrupted) && group.rows == 0 && aside
        {
            // The state of the last step is recorded again when the run ends there; its contacts are then gone.
            self.report.skip(
                "contacts of the last step of a run that ended between two recorded states: its state is \
                 recorded without them",
            );
            self.compare_prescribed_motions(last);
            self.compare_end_energy(last);
            return Ok(true);
        }
        let (step, t, rows) = (last.step, last.t, group.rows);
        let counted = active.map_or("none".into(), |n: usize| n.to_string());
        self.report
            .add_comparison("rows", f64::INFINITY, || Location {
                step: Some(step),
                t: Some(t),
                what: format!(
                    "{rows} contacts are recorded, the account of the step has {counted}"
                ),
            });
        Ok(true)
    }
}
