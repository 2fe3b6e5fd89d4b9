//! Writes the records of a run of bodies as it goes.

use std::path::Path;

use bodies::{Matrix, Plane, Space, State, World};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::checkpoint::{Cadence, Restored, Snapshot};
use super::super::choice::Choice;
use super::super::error::RecordError;
use super::super::manifest::{Manifest, Status};
use super::super::place::Place;
use super::super::session::Session;
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

/// What a checkpoint keeps of the recorder besides its tables.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Counters {
    /// Whether the bodies are named and the start is recorded.
    begun: bool,
    /// The last step with an account, and the last with a state.
    accounted: usize,
    recorded: Option<usize>,
    reached: Option<f64>,
}

/// Writes the records of a run of bodies as it goes. The directory is made with the first step, that of
/// a preparation included: a run that is refused leaves nothing behind.
///
/// A step may be given a second time as the last one, when it turns out that the run cannot go on:
/// its state is then recorded if it was not, and nothing is recorded twice.
#[derive(Debug)]
pub struct BodiesRecorder {
    session: Session,
    every: usize,
    choice: Choice,
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
    counters: Counters,
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
        let session = Session::new(place, manifest, Cadence::default())?;
        Self::on(session, collection)
    }

    /// A recorder of a collection in a session, which may be that of an interrupted run.
    ///
    /// # Errors
    /// The session goes on with a run that had other tables, or the machine refuses.
    pub fn on(session: Session, collection: &Collection) -> Result<Self, RecordError> {
        match collection {
            Collection::Plane(a) => {
                let aside = Aside::new::<Plane>(&a.cast, a.settings.correction);
                Self::of::<Plane>(session, a.cast.clone(), a.record_every, aside)
            }
            Collection::Space(a) => {
                let aside = Aside::new::<Space>(&a.cast, a.settings.correction);
                Self::of::<Space>(session, a.cast.clone(), a.record_every, aside)
            }
        }
    }

    /// A recorder that keeps every `every`-th state of bodies with these names.
    fn of<D: bodies::Dim>(
        mut session: Session,
        cast: Cast,
        every: usize,
        mut aside: Aside,
    ) -> Result<Self, RecordError> {
        let choice = cast.record.clone();
        let columns = |name: &str| {
            let mut columns = tables::columns::<D>(name);
            if name == "contacts" && cast.cell {
                columns.extend(tables::shifts::<D>());
            }
            choice.packed(columns)
        };
        let mut tables = BODY_TABLES.map(|name| TableWriter::new(name, columns(name)));
        let mut cell = cast.cell.then(|| TableWriter::new("cell", columns("cell")));
        choice.note(&mut session.manifest.settings, "bodies");
        for table in tables.iter_mut().chain(&mut cell).chain(&mut aside.tables) {
            session.restore(table)?;
        }
        let counters = session.recorder()?.unwrap_or_default();
        let mut recorder = Self {
            session,
            every: every.max(1),
            choice,
            cast: Some(cast),
            start: None,
            words: Words::new(),
            tables,
            cell,
            aside,
            observables: None,
            surveys: Vec::new(),
            counters,
            fault: None,
        };
        recorder.list_tables(false);
        recorder.session.publish()?;
        Ok(recorder)
    }

    /// The directory, once the first step is computed.
    pub fn directory(&self) -> Option<&Path> {
        self.session.directory()
    }

    /// The manifest as it stands.
    pub fn manifest(&self) -> &Manifest {
        &self.session.manifest
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
        let Some(directory) = self.session.settle()? else {
            return Ok(());
        };
        if !self.choice.keeps("observables") {
            return Ok(());
        }
        let texts = series.iter().map(|(text, _)| text.as_str());
        let columns = self.choice.packed(tables::observables(texts));
        let mut table = TableWriter::new("observables", columns);
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
        self.list_tables(self.session.manifest.status != Status::Running);
        self.session.publish()
    }

    /// Writes the profiles and distributions of a run. Does nothing when there was no step.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn add_surveys(&mut self, outcome: &BodiesOutcome) -> Result<(), RecordError> {
        let Some(directory) = self.session.settle()? else {
            return Ok(());
        };
        self.surveys = survey::write(&directory, outcome)?;
        self.list_tables(self.session.manifest.status != Status::Running);
        self.session.publish()
    }

    fn list_tables(&mut self, closed: bool) {
        let listed = self.tables.iter().filter(|t| self.choice.keeps(t.name()));
        let listed = listed.chain(&self.cell).chain(&self.aside.tables);
        let listed = listed.map(|t| t.entry(closed));
        let late = self.observables.iter().chain(&self.surveys);
        self.session.manifest.tables = listed.chain(late.map(|t| t.entry(true))).collect();
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
        let status = match stopped {
            None => Status::Finished,
            Some(_) => Status::Stopped,
        };
        self.close_as(status, certificate, stopped)
    }

    /// The same for a run that was stopped on request: `resume` will go on with it.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn interrupt(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.close_as(Status::Interrupted, certificate, Some(reason))
    }

    /// Says in the manifest that the records could not be written any further; what is there stays
    /// readable, and `resume` goes on from the last checkpoint.
    ///
    /// # Errors
    /// The machine refuses that, too.
    pub fn fail(
        &mut self,
        certificate: &impl Serialize,
        reason: String,
    ) -> Result<(), RecordError> {
        self.list_tables(false);
        self.session.fail(certificate, reason)
    }

    fn close_as(
        &mut self,
        status: Status,
        certificate: &impl Serialize,
        reason: Option<String>,
    ) -> Result<(), RecordError> {
        let Some(directory) = self.session.settle()? else {
            return Ok(());
        };
        let choice = &self.choice;
        let kept = self.tables.iter_mut().filter(|t| choice.keeps(t.name()));
        let kept = kept.chain(&mut self.cell);
        for table in kept.chain(&mut self.aside.tables) {
            table.close(&directory)?;
        }
        self.list_tables(true);
        let manifest = &mut self.session.manifest;
        manifest.status = status;
        manifest.reason = reason;
        manifest.reached = self.counters.reached;
        manifest.certificate = serde_json::to_value(certificate).ok();
        self.session.publish()
    }

    /// Adds the findings to the manifest.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn add_findings(&mut self, findings: Vec<Value>) -> Result<(), RecordError> {
        self.session.manifest.findings = Some(findings);
        self.session.publish()
    }

    /// Waits until every full chunk is on the disk.
    ///
    /// # Errors
    /// A chunk could not be written.
    pub fn settle(&self) -> Result<(), RecordError> {
        self.session.settle().map(|_| ())
    }

    /// The run has ended with all that belongs to it: only its manifest and its tables stay.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        self.session.finish()
    }

    /// There is no motion after all: nothing stays.
    ///
    /// # Errors
    /// The machine refuses.
    pub fn abandon(&mut self) -> Result<(), RecordError> {
        self.session.abandon()
    }

    /// Makes the directory, names the bodies and writes the state the run began with.
    fn begin<D: Written + Shaped>(&mut self, world: &World<D>) -> Result<(), RecordError> {
        self.session.open()?;
        self.counters.begun = true;
        let cast = self.cast.take().unwrap_or_default();
        let table = &mut self.tables[0];
        let mut namer = Namer::new(&cast);
        for (number, body) in world.model().bodies.iter().enumerate() {
            namer.push(table.values(), number, body);
            self.session.spill(table)?;
        }
        // Names are there while the run goes on: pictures need them.
        if let Some(directory) = self.session.settle()? {
            table.close(&directory)?;
        }
        match self.start.take() {
            Some(Start::Plane(state)) if self.starts(state.t) => self.push_state(0, &state, None),
            Some(Start::Space(state)) if self.starts(state.t) => self.push_state(0, &state, None),
            _ => Ok(()),
        }
    }

    /// Whether the state that the run began with is recorded.
    fn starts(&self, t: f64) -> bool {
        self.choice.now("bodies", (0, t), self.every, false)
    }

    fn push_state<D: Written>(
        &mut self,
        step: usize,
        state: &State<D>,
        begin: Option<Matrix>,
    ) -> Result<(), RecordError> {
        let table = &mut self.tables[2];
        let each = state.poses.iter().zip(&state.velocities).enumerate();
        for (body, (pose, velocity)) in each.filter(|(body, _)| self.choice.has(*body)) {
            rows::push_body(table.values(), (step, state.t), body, pose, velocity);
            self.session.spill(table)?;
        }
        if let (Some(table), Some(lattice)) = (&mut self.cell, &state.cell) {
            let begin = begin.unwrap_or(lattice.rate);
            rows::push_cell(table.values(), (step, state.t), lattice, &begin);
            self.session.spill(table)?;
        }
        self.counters.recorded = Some(step);
        Ok(())
    }

    fn record<D: Written + Shaped>(
        &mut self,
        step: usize,
        world: &World<D>,
        last: bool,
    ) -> Result<(), RecordError> {
        if !self.counters.begun {
            self.begin(world)?;
        }
        self.counters.reached = Some(world.state().t);
        let now = (step, world.state().t);
        // A step that is given again has no contacts any more.
        let fresh = step > self.counters.accounted;
        if fresh {
            self.counters.accounted = step;
            let table = &mut self.tables[1];
            rows::push_step(table.values(), step, world.ledger());
            self.session.spill(table)?;
        }
        let wanted = |table: &str| self.choice.now(table, now, self.every, last);
        let (state, contacts) = (wanted("bodies"), wanted("contacts"));
        if state && self.counters.recorded != Some(step) {
            self.push_state(step, world.state(), Some(world.begin_rate()))?;
            if fresh {
                self.aside.push(&self.session, step, world)?;
            }
        }
        if !contacts || !fresh {
            return Ok(());
        }
        let table = &mut self.tables[3];
        for k in 0..world.num_contacts() {
            let contact = world.contact(k);
            if contact.bodies.iter().any(|b| self.choice.has(*b as usize)) {
                let shift = self.cell.as_ref().and(world.image(k));
                rows::push_contact(table.values(), &self.words, now, &contact, shift);
                self.session.spill(table)?;
            }
        }
        Ok(())
    }

    /// What the run hears of a fault; the fault itself is kept.
    fn told(&mut self, done: Result<(), RecordError>) -> Result<(), SceneError> {
        done.map_err(|error| {
            let seen = SceneError::Machine {
                what: "the records cannot be written".into(),
                reason: error.to_string(),
            };
            self.fault = Some(error);
            seen
        })
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
        self.told(recorded)
    }

    fn rehearse(&mut self) -> Result<(), SceneError> {
        let opened = self.session.open();
        self.told(opened)
    }

    fn due(&mut self) -> bool {
        self.session.due()
    }

    fn keep(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        let tables = self.tables.iter().chain(&self.cell);
        let tables = tables.chain(&self.aside.tables);
        let kept = self.session.keep(tables, &self.counters, snapshot);
        self.told(kept)
    }

    fn restored(&mut self) -> Option<Restored> {
        self.session.take_motion()
    }
}
