//! Writes the records of a run as it goes.

use std::path::{Path, PathBuf};

use mechanism::{Event, Ledger, State, Touch};
use serde::Serialize;
use serde_json::Value;

use super::choice::Kept;
use super::chunk::{self, CHUNK_ROWS};
use super::column::{Column, Values};
use super::error::RecordError;
use super::manifest::{Manifest, Status, TableEntry};
use super::place::Place;
use super::rows::{self, Words};
use super::tables::{Layout, TABLES};
use crate::error::SceneError;
use crate::nonunique::Nonunique;
use crate::sink::Sink;

/// A table that is being written: at most one chunk of it is in memory.
#[derive(Debug)]
pub struct TableWriter {
    name: String,
    columns: Vec<Column>,
    values: Vec<Values>,
    /// Checksums of the chunks written.
    chunks: Vec<u32>,
    rows: usize,
}

impl TableWriter {
    /// An empty table.
    pub fn new(name: &str, columns: Vec<Column>) -> Self {
        Self {
            name: name.into(),
            values: columns.iter().map(Values::empty).collect(),
            columns,
            chunks: Vec::new(),
            rows: 0,
        }
    }

    /// The columns of the rows in memory, to add to. Every column must grow alike.
    pub fn values(&mut self) -> &mut [Values] {
        &mut self.values
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn held(&self) -> usize {
        self.values.first().map_or(0, Values::len)
    }

    /// Writes a chunk if one is full. Asked after every row, all chunks but the last are of one size.
    ///
    /// # Errors
    /// The machine refuses.
    pub(super) fn spill(&mut self, directory: &Path) -> Result<(), RecordError> {
        if self.held() >= CHUNK_ROWS {
            self.write(directory)?;
        }
        Ok(())
    }

    fn write(&mut self, directory: &Path) -> Result<(), RecordError> {
        let (columns, values) = (&self.columns, &self.values);
        let number = self.chunks.len();
        let checksum = chunk::write(directory, &self.name, number, columns, values)?;
        self.chunks.push(checksum);
        self.rows += self.held();
        self.values.iter_mut().for_each(Values::clear);
        Ok(())
    }

    /// Writes what is in memory; an empty table gets one chunk without rows, so that readers of the
    /// directory find its columns.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn close(&mut self, directory: &Path) -> Result<(), RecordError> {
        if self.held() > 0 || self.chunks.is_empty() {
            self.write(directory)?;
        }
        Ok(())
    }

    /// Its entry in the manifest; counts only once it is closed.
    pub fn entry(&self, closed: bool) -> TableEntry {
        TableEntry {
            name: self.name.clone(),
            rows: closed.then_some(self.rows),
            checksums: closed.then(|| self.chunks.clone()),
            columns: self.columns.clone(),
        }
    }
}

/// Writes the records of a run as it goes. The directory is made with the first step: a run that is
/// refused leaves nothing behind.
#[derive(Debug)]
pub struct Recorder {
    place: Place,
    directory: Option<PathBuf>,
    manifest: Manifest,
    layout: Layout,
    words: Words,
    every: usize,
    /// steps, coordinates, contacts, events.
    tables: [TableWriter; 4],
    /// The rows of the last step that is not recorded: the last of the run always is.
    spare: [Vec<Values>; 3],
    reached: Option<f64>,
    fault: Option<RecordError>,
}

impl Recorder {
    /// A recorder that keeps every `every`-th step. Nothing is written yet.
    ///
    /// # Errors
    /// The directory is taken.
    pub fn new(
        place: Place,
        mut manifest: Manifest,
        layout: Layout,
        every: usize,
    ) -> Result<Self, RecordError> {
        place.check()?;
        let tables = TABLES.map(|name| TableWriter::new(name, layout.columns(name)));
        let spare = [0, 1, 2].map(|k| tables[k].columns.iter().map(Values::empty).collect());
        let kept = tables.iter().filter(|t| layout.choice.keeps(&t.name));
        manifest.tables = kept.map(|t| t.entry(false)).collect();
        layout.choice.note(&mut manifest.settings, "coordinates");
        Ok(Self {
            place,
            directory: None,
            manifest,
            words: Words::of(&layout),
            layout,
            every: every.max(1),
            tables,
            spare,
            reached: None,
            fault: None,
        })
    }

    /// The directory, once the first step is computed.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The manifest as it stands.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What went wrong while recording, if anything did; asked once.
    pub fn take_fault(&mut self) -> Option<RecordError> {
        self.fault.take()
    }

    /// Writes what is in memory and how the run ended. Does nothing when there was no step.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn close(
        &mut self,
        certificate: &impl Serialize,
        stopped: Option<String>,
    ) -> Result<(), RecordError> {
        let Some(directory) = self.directory.clone() else {
            return Ok(());
        };
        for (table, spare) in self.tables.iter_mut().zip(&mut self.spare) {
            for (values, spare) in table.values.iter_mut().zip(spare) {
                let spare = std::mem::replace(spare, Values::Real(Vec::new()));
                values.append(spare);
            }
        }
        let choice = &self.layout.choice;
        for table in self.tables.iter_mut().filter(|t| choice.keeps(&t.name)) {
            table.close(&directory)?;
        }
        let kept = self.tables.iter().filter(|t| choice.keeps(&t.name));
        self.manifest.tables = kept.map(|t| t.entry(true)).collect();
        self.manifest.status = match stopped {
            None => Status::Finished,
            Some(_) => Status::Stopped,
        };
        self.manifest.reason = stopped;
        self.manifest.reached = self.reached;
        self.manifest.certificate = serde_json::to_value(certificate).ok();
        self.manifest.write(&directory)
    }

    /// Adds the places where the motion is not unique to the manifest; written with what comes next.
    pub fn set_nonunique(&mut self, places: Vec<Nonunique>) {
        self.manifest.nonunique = places;
    }

    /// Adds the findings to the manifest.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn add_findings(&mut self, findings: Vec<Value>) -> Result<(), RecordError> {
        self.manifest.findings = Some(findings);
        match &self.directory {
            Some(directory) => self.manifest.write(directory),
            None => Ok(()),
        }
    }

    fn record(
        &mut self,
        step: usize,
        state: &State,
        ledger: &Ledger,
        touches: &[Touch<'_>],
        events: &[Event],
    ) -> Result<(), RecordError> {
        if step == 1 {
            let directory = self.place.make()?;
            self.manifest.write(&directory)?;
            self.directory = Some(directory);
        }
        self.reached = Some(state.t);
        let [steps, coordinates, contacts, happened] = &mut self.tables;
        let choice = &self.layout.choice;
        if choice.keeps("events") {
            for event in events {
                rows::push_event(&mut happened.values, &self.words, step, event);
            }
        }
        self.spare.iter_mut().flatten().for_each(Values::clear);
        let mut spare = self.spare.iter_mut();
        let mut open = [steps, coordinates, contacts].map(|table| {
            let spare = spare.next();
            match choice.of(&table.name, (step, state.t), self.every) {
                Kept::Yes => Some(&mut table.values),
                Kept::Last => spare,
                Kept::No => None,
            }
        });
        let [a, b, c] = &mut open;
        // Step 0 is the start: it has a state and no account.
        if let (Some(a), true) = (a, step > 0) {
            rows::push_step(a, step, ledger);
        }
        if let Some(b) = b {
            rows::push_state(b, step, state);
        }
        if let Some(c) = c {
            for touch in touches {
                rows::push_touch(c, &self.words, &self.layout, (step, state.t), touch);
            }
        }
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        self.tables.iter_mut().try_for_each(|t| t.spill(directory))
    }
}

impl Sink for Recorder {
    fn step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &Ledger,
        touches: &[Touch<'_>],
        events: &[Event],
    ) -> Result<(), SceneError> {
        let recorded = self.record(step, state, ledger, touches, events);
        recorded.map_err(|error| {
            let seen = SceneError::Machine {
                what: "the records cannot be written".into(),
                reason: error.to_string(),
            };
            self.fault = Some(error);
            seen
        })
    }
}
