//! Writes the records of a run of bodies as it goes.

use std::path::{Path, PathBuf};

use bodies::{Matrix, Plane, Space, State, World};
use serde::Serialize;
use serde_json::Value;

use super::super::error::RecordError;
use super::super::manifest::{Manifest, Status};
use super::super::place::Place;
use super::super::writer::TableWriter;
use super::aside::Aside;
use super::names::{Namer, Shaped};
use super::rows::{self, Words, Written};
use super::survey;
use super::tables::{self, BODY_TABLES};
use crate::collection::{Cast, Collection, Steps, View};
use crate::error::SceneError;
use crate::watch::BodiesOutcome;

/// The state that a run begins with, kept until its first step is computed.
#[derive(Debug)]
enum Start {
    Plane(State<Plane>),
    Space(State<Space>),
}

/// Writes the records of a run of bodies as it goes. The directory is made with the first step: a run
/// that is refused leaves nothing behind.
///
/// A step may be given a second time as the last one, when it turns out that the run cannot go on:
/// its state is then recorded if it was not, and nothing is recorded twice.
#[derive(Debug)]
pub struct BodiesRecorder {
    place: Place,
    directory: Option<PathBuf>,
    manifest: Manifest,
    every: usize,
    /// Needed until the table `names` is written.
    cast: Option<Cast>,
    start: Option<Start>,
    words: Words,
    /// names, steps, bodies, contacts.
    tables: [TableWriter; 4],
    /// The periodic cell, if there is one.
    cell: Option<TableWriter>,
    /// What joints and their bodies did.
    aside: Aside,
    /// Written at the end.
    observables: Option<TableWriter>,
    surveys: Vec<TableWriter>,
    /// The last step with an account, and the last with a state.
    accounted: usize,
    recorded: Option<usize>,
    reached: Option<f64>,
    fault: Option<RecordError>,
}

impl BodiesRecorder {
    /// A recorder of a collection. Nothing is written yet.
    ///
    /// # Errors
    /// The directory is taken.
    pub fn new(
        place: Place,
        manifest: Manifest,
        collection: &Collection,
    ) -> Result<Self, RecordError> {
        match collection {
            Collection::Plane(a) => {
                let aside = Aside::new::<Plane>(&a.cast, a.settings.correction);
                let made = Self::of::<Plane>(place, manifest, a.cast.clone(), a.record_every);
                made.map(|made| made.beside(aside))
            }
            Collection::Space(a) => {
                let aside = Aside::new::<Space>(&a.cast, a.settings.correction);
                let made = Self::of::<Space>(place, manifest, a.cast.clone(), a.record_every);
                made.map(|made| made.beside(aside))
            }
        }
    }

    /// A recorder that keeps every `every`-th state of bodies with these names.
    ///
    /// # Errors
    /// The directory is taken.
    pub fn of<D: bodies::Dim>(
        place: Place,
        mut manifest: Manifest,
        cast: Cast,
        every: usize,
    ) -> Result<Self, RecordError> {
        place.check()?;
        let tables = BODY_TABLES.map(|name| {
            let mut columns = tables::columns::<D>(name);
            if name == "contacts" && cast.cell {
                columns.extend(tables::shifts::<D>());
            }
            TableWriter::new(name, columns)
        });
        let cell = cast
            .cell
            .then(|| TableWriter::new("cell", tables::columns::<D>("cell")));
        manifest.tables = tables.iter().chain(&cell).map(|t| t.entry(false)).collect();
        Ok(Self {
            place,
            directory: None,
            manifest,
            every: every.max(1),
            cast: Some(cast),
            start: None,
            words: Words::new(),
            tables,
            cell,
            aside: Aside::default(),
            observables: None,
            surveys: Vec::new(),
            accounted: 0,
            recorded: None,
            reached: None,
            fault: None,
        })
    }

    /// The same with the tables that a check needs where joints or overlaps are put right.
    fn beside(mut self, aside: Aside) -> Self {
        self.aside = aside;
        self.list_tables(false);
        self
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

    /// Writes what was observed at every step, step 0 first, as the table `observables`: a column
    /// for each text. Does nothing when there was no step.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn add_series(
        &mut self,
        times: &[f64],
        series: &[(String, Vec<f64>)],
    ) -> Result<(), RecordError> {
        let Some(directory) = self.directory.clone() else {
            return Ok(());
        };
        let texts = series.iter().map(|(text, _)| text.as_str());
        let mut table = TableWriter::new("observables", tables::observables(texts));
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
        self.list_tables(self.manifest.status != Status::Running);
        self.manifest.write(&directory)
    }

    /// Writes the profiles and distributions of a run. Does nothing when there was no step.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn add_surveys(&mut self, outcome: &BodiesOutcome) -> Result<(), RecordError> {
        let Some(directory) = self.directory.clone() else {
            return Ok(());
        };
        self.surveys = survey::write(&directory, outcome)?;
        self.list_tables(self.manifest.status != Status::Running);
        self.manifest.write(&directory)
    }

    fn list_tables(&mut self, closed: bool) {
        let listed = self.tables.iter().chain(&self.cell);
        let listed = listed.chain(&self.aside.tables);
        let listed = listed.map(|t| t.entry(closed));
        let late = self.observables.iter().chain(&self.surveys);
        self.manifest.tables = listed.chain(late.map(|t| t.entry(true))).collect();
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
        let open = self.tables.iter_mut().chain(&mut self.cell);
        for table in open.chain(&mut self.aside.tables) {
            table.close(&directory)?;
        }
        self.list_tables(true);
        self.manifest.status = match stopped {
            None => Status::Finished,
            Some(_) => Status::Stopped,
        };
        self.manifest.reason = stopped;
        self.manifest.reached = self.reached;
        self.manifest.certificate = serde_json::to_value(certificate).ok();
        self.manifest.write(&directory)
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

    /// Makes the directory, names the bodies and writes the state the run began with.
    fn open<D: Written + Shaped>(&mut self, world: &World<D>) -> Result<(), RecordError> {
        let directory = self.place.make()?;
        self.manifest.write(&directory)?;
        self.directory = Some(directory.clone());
        let cast = self.cast.take().unwrap_or_default();
        let table = &mut self.tables[0];
        let mut namer = Namer::new(&cast);
        for (number, body) in world.model().bodies.iter().enumerate() {
            namer.push(table.values(), number, body);
            table.spill(&directory)?;
        }
        // Names are there while the run goes on: pictures need them.
        table.close(&directory)?;
        match self.start.take() {
            Some(Start::Plane(state)) => self.push_state(&directory, 0, &state, None),
            Some(Start::Space(state)) => self.push_state(&directory, 0, &state, None),
            None => Ok(()),
        }
    }

    fn push_state<D: Written>(
        &mut self,
        directory: &Path,
        step: usize,
        state: &State<D>,
        begin: Option<Matrix>,
    ) -> Result<(), RecordError> {
        let table = &mut self.tables[2];
        for (body, (pose, velocity)) in state.poses.iter().zip(&state.velocities).enumerate() {
            rows::push_body(table.values(), (step, state.t), body, pose, velocity);
            table.spill(directory)?;
        }
        if let (Some(table), Some(lattice)) = (&mut self.cell, &state.cell) {
            let begin = begin.unwrap_or(lattice.rate);
            rows::push_cell(table.values(), (step, state.t), lattice, &begin);
            table.spill(directory)?;
        }
        self.recorded = Some(step);
        Ok(())
    }

    fn record<D: Written + Shaped>(
        &mut self,
        step: usize,
        world: &World<D>,
        last: bool,
    ) -> Result<(), RecordError> {
        if self.directory.is_none() {
            self.open(world)?;
        }
        let Some(directory) = self.directory.clone() else {
            return Ok(());
        };
        self.reached = Some(world.state().t);
        if step > self.accounted {
            self.accounted = step;
            let table = &mut self.tables[1];
            rows::push_step(table.values(), step, world.ledger());
            table.spill(&directory)?;
        }
        let wanted = last || step.is_multiple_of(self.every);
        if !wanted || self.recorded == Some(step) {
            return Ok(());
        }
        self.push_state(&directory, step, world.state(), Some(world.begin_rate()))?;
        self.aside.push(&directory, step, world)?;
        let table = &mut self.tables[3];
        for k in 0..world.num_contacts() {
            let now = (step, world.state().t);
            let contact = world.contact(k);
            let shift = self.cell.as_ref().and(world.image(k));
            rows::push_contact(table.values(), &self.words, now, &contact, shift);
            table.spill(&directory)?;
        }
        Ok(())
    }
}

impl Steps for BodiesRecorder {
    fn step(&mut self, step: usize, view: View<'_>, last: bool) -> Result<(), SceneError> {
        let recorded = match (step, view) {
            (0, View::Plane(world)) => {
                self.start = Some(Start::Plane(world.state().clone()));
                Ok(())
            }
            (0, View::Space(world)) => {
                self.start = Some(Start::Space(world.state().clone()));
                Ok(())
            }
            (_, View::Plane(world)) => self.record(step, world, last),
            (_, View::Space(world)) => self.record(step, world, last),
        };
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
