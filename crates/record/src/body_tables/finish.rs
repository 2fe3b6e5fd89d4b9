//! The end of the records of a run of bodies: observables, profiles, distributions, status, findings.

use serde::Serialize;

use super::super::error::RecordError;
use super::super::manifest::RunStatus;
use super::recorder::BodiesRecorder;
use super::{profiles, tables};
use crate::selection::with_compression;
use crate::surveys::Surveys;
use crate::table_writer::TableWriter;

impl BodiesRecorder {
    /// Writes the observables of every step, step 0 first, as the table `observables`: a column for each expression.
    /// Does nothing when there was no step.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn add_series(
        &mut self,
        times: &[f64],
        series: &[(String, Vec<f64>)],
    ) -> Result<(), RecordError> {
        let Some(directory) = self.writer.flush()? else {
            return Ok(());
        };
        if !self.choice.has_table("observables") {
            return Ok(());
        }
        let texts = series.iter().map(|(text, _)| text.as_str());
        let columns = with_compression(&self.choice, tables::observables(texts));
        let mut table = TableWriter::new("observables", columns);
        // One row per step, NaN where an expression has no value.
        for (step, t) in times.iter().enumerate() {
            let [number, time, rest @ ..] = table.values() else {
                break;
            };
            number.push_integer(step);
            time.push_real(*t);
            for (column, (_, values)) in rest.iter_mut().zip(series) {
                column.push_real(values.get(step).copied().unwrap_or(f64::NAN));
            }
            table.spill(&directory)?;
        }
        table.close(&directory)?;
        self.observables = Some(table);
        self.list_tables(self.writer.manifest.status != RunStatus::Running);
        self.writer.write_manifest()
    }

    /// Writes the profiles and distributions of a run. Does nothing when there was no step.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn add_surveys(&mut self, surveys: &Surveys) -> Result<(), RecordError> {
        let Some(directory) = self.writer.flush()? else {
            return Ok(());
        };
        // The manifest lists the new tables.
        self.surveys = profiles::write(&directory, surveys)?;
        self.list_tables(self.writer.manifest.status != RunStatus::Running);
        self.writer.write_manifest()
    }

    /// Records in the manifest that the records could not be written any further; what is there stays readable, and
    /// `resume` continues from the last checkpoint.
    ///
    /// # Errors
    /// That file operation fails, too.
    pub fn fail(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.list_tables(false);
        self.writer.fail(certificate, reason)
    }

    pub(super) fn close_as(
        &mut self,
        status: RunStatus,
        certificate: &impl Serialize,
        reason: Option<String>,
    ) -> Result<(), RecordError> {
        let Some(directory) = self.writer.flush()? else {
            return Ok(());
        };
        let choice = &self.choice;
        let kept = self
            .tables
            .iter_mut()
            .filter(|t| choice.has_table(t.name()));
        let kept = kept.chain(&mut self.cell);
        for table in kept.chain(&mut self.joint_tables.tables) {
            table.close(&directory)?;
        }
        self.list_tables(true);
        let manifest = &mut self.writer.manifest;
        manifest.status = status;
        manifest.reason = reason;
        manifest.reached = self.counters.reached;
        manifest.certificate = serde_json::to_value(certificate).ok();
        self.writer.write_manifest()
    }

    /// There is no motion: removes everything that was written.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn abandon(&mut self) -> Result<(), RecordError> {
        self.writer.abandon()
    }
}
