//! Table writer, and the recorder of runs of mechanisms.

mod observer;

use percuss_scene::{CheckpointPolicy, RowSelection};
use serde::Serialize;

use super::column::ColumnValues;
use super::error::RecordError;
use super::manifest::{Manifest, RunStatus};
use super::nonunique::NonuniqueInstant;
use super::rows::{self, RepeatedTexts};
use super::table_writer::TableWriter;
use super::tables::{MechanismLayout, TABLES};
use crate::observer::MechanismRef;
use crate::output_directory::OutputDirectory;
use crate::recorder_methods::methods_of_run_writer;
use crate::run_writer::RunWriter;

/// Records a run of a mechanism. The directory is created with the first step: a run that is refused leaves nothing
/// behind.
#[derive(Debug)]
pub struct MechanismRecorder {
    session: RunWriter,
    layout: MechanismLayout,
    words: RepeatedTexts,
    every: usize,
    /// steps, coordinates, contacts, events.
    tables: [TableWriter; 4],
    /// The rows of the last step where it is not due: the last step of the run is always recorded.
    spare: [Vec<ColumnValues>; 3],
    reached: Option<f64>,
    fault: Option<RecordError>,
}

impl MechanismRecorder {
    methods_of_run_writer!(session);

    /// A recorder of every `every`-th step. Writes nothing yet.
    ///
    /// # Errors
    /// The output directory is not empty.
    pub fn new(
        place: OutputDirectory,
        manifest: Manifest,
        layout: MechanismLayout,
        every: usize,
    ) -> Result<Self, RecordError> {
        let session = RunWriter::new(place, manifest, CheckpointPolicy::default())?;
        Self::on(session, layout, every)
    }

    /// The same with a run writer, which may be that of a resumed run.
    ///
    /// # Errors
    /// The resumed run had other tables, or a file operation fails.
    pub fn on(
        mut session: RunWriter,
        layout: MechanismLayout,
        every: usize,
    ) -> Result<Self, RecordError> {
        let mut tables = TABLES.map(|name| TableWriter::new(name, layout.columns(name)));
        let spare = [0, 1, 2].map(|k| tables[k].columns.iter().map(ColumnValues::empty).collect());
        // Manifest: the selected tables, and the selection itself.
        let kept = tables
            .iter()
            .filter(|t| layout.selection.has_table(&t.name));
        session.manifest.tables = kept.map(|t| t.entry(false)).collect();
        layout
            .selection
            .note(&mut session.manifest.settings, "coordinates");
        for table in &mut tables {
            session.restore_table(table)?;
        }
        // State of a checkpoint, where the run is resumed.
        let known: Option<observer::Counters> = session.restored_recorder()?;
        session.write_manifest()?;
        let mut recorder = Self {
            session,
            words: RepeatedTexts::of(&layout),
            layout,
            every: every.max(1),
            tables,
            spare,
            reached: None,
            fault: None,
        };
        recorder.restore(known);
        Ok(recorder)
    }

    fn close_as(
        &mut self,
        status: RunStatus,
        certificate: &impl Serialize,
        reason: Option<String>,
    ) -> Result<(), RecordError> {
        let Some(directory) = self.session.flush()? else {
            return Ok(());
        };
        // The last step is recorded even where it was not due.
        for (table, spare) in self.tables.iter_mut().zip(&mut self.spare) {
            for (values, spare) in table.values.iter_mut().zip(spare) {
                let spare = std::mem::replace(spare, ColumnValues::Real(Vec::new()));
                values.append(spare);
            }
        }
        let choice = &self.layout.selection;
        for table in self.tables.iter_mut().filter(|t| choice.has_table(&t.name)) {
            table.close(&directory)?;
        }
        // Final manifest with row counts, checksums and certificate.
        let manifest = &mut self.session.manifest;
        let kept = self.tables.iter().filter(|t| choice.has_table(&t.name));
        manifest.tables = kept.map(|t| t.entry(true)).collect();
        manifest.status = status;
        manifest.reason = reason;
        manifest.reached = self.reached;
        manifest.certificate = serde_json::to_value(certificate).ok();
        self.session.write_manifest()
    }

    /// Records in the manifest that the records could not be written any further; what is there stays readable.
    ///
    /// # Errors
    /// That file operation fails, too.
    pub fn fail(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.session.fail(certificate, reason)
    }

    /// Adds the instants at which the motion is not unique to the manifest; written with the next manifest.
    pub fn set_nonunique(&mut self, places: Vec<NonuniqueInstant>) {
        self.session.manifest.nonunique = places;
    }

    fn record(&mut self, step: usize, mechanism: &MechanismRef<'_>) -> Result<(), RecordError> {
        let state = mechanism.state;
        if step == 1 {
            self.session.open()?;
        }
        self.reached = Some(state.t);
        let [steps, coordinates, contacts, happened] = &mut self.tables;
        let choice = &self.layout.selection;
        // Events are recorded at every step.
        if choice.has_table("events") {
            for event in mechanism.events {
                rows::push_event(&mut happened.values, &self.words, step, event);
            }
        }
        self.spare
            .iter_mut()
            .flatten()
            .for_each(ColumnValues::clear);
        let mut spare = self.spare.iter_mut();
        // Rows go to the table, to the buffer of the last step, or nowhere.
        let mut open = [steps, coordinates, contacts].map(|table| {
            let spare = spare.next();
            match choice.row_selection(&table.name, (step, state.t), self.every) {
                RowSelection::Yes => Some(&mut table.values),
                RowSelection::IfLast => spare,
                RowSelection::No => None,
            }
        });
        let [a, b, c] = &mut open;
        // Step 0 is the start: it has a state and no step report.
        if let (Some(a), true) = (a, step > 0) {
            rows::push_step(a, step, mechanism.report);
        }
        if let Some(b) = b {
            rows::push_state(b, step, state);
        }
        if let Some(c) = c {
            for touch in &mechanism.constraint_reports {
                rows::push_contact(c, &self.words, &self.layout, (step, state.t), touch);
            }
        }
        let session = &self.session;
        self.tables
            .iter_mut()
            .try_for_each(|t| session.submit_full_chunk(t))
    }
}
