//! The recorder of runs of bodies.

use percuss_bodies::{Matrix, Plane, Space, State, World};
use percuss_scene::bodies_scene::{BuiltBodies, SceneNames};
use percuss_scene::{CheckpointPolicy, RecordSelection, SceneError};
use serde::{Deserialize, Serialize};

use super::super::error::RecordError;
use super::super::manifest::Manifest;
use super::joint_tables::JointTables;
use super::names::{NamesTableBuilder, RecordShape};
use super::rows::{self, PoseColumns, RepeatedTexts};
use super::tables::{self, BODY_TABLES};
use crate::checkpoint::{Restored, Snapshot};
use crate::observer::{Observer, Step, WorldRef};
use crate::output_directory::OutputDirectory;
use crate::recorder_methods::methods_of_run_writer;
use crate::run_writer::RunWriter;
use crate::selection::with_compression;
use crate::table_writer::TableWriter;

/// The initial state of a run, kept until its first step is computed.
#[derive(Debug)]
enum Start {
    Plane(State<Plane>),
    Space(State<Space>),
}

/// State of the recorder in a checkpoint, besides its tables.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    /// Whether `names` and the initial state are recorded.
    begun: bool,
    /// The last step with a row in `steps`, and the last with a state.
    accounted: usize,
    recorded: Option<usize>,
    pub(super) reached: Option<f64>,
}

/// Records a run of bodies. The directory is created with the first step, that of a preparation included: a run that
/// is refused leaves nothing behind.
///
/// A step may be passed a second time as the last one, when it turns out that the run cannot continue: its state is
/// then recorded if it was not, and nothing is recorded twice.
#[derive(Debug)]
pub struct BodiesRecorder {
    pub(super) writer: RunWriter,
    every: usize,
    pub(super) choice: RecordSelection,
    /// Needed until the table `names` is written.
    cast: Option<SceneNames>,
    start: Option<Start>,
    words: RepeatedTexts,
    /// names, steps, bodies, contacts.
    pub(super) tables: [TableWriter; 4],
    /// The table `cell`, with a periodic cell.
    pub(super) cell: Option<TableWriter>,
    /// The tables `midpoints` and `joints`.
    pub(super) joint_tables: JointTables,
    /// Written at the end of the run.
    pub(super) observables: Option<TableWriter>,
    pub(super) surveys: Vec<TableWriter>,
    pub(super) counters: Counters,
    fault: Option<RecordError>,
}

impl BodiesRecorder {
    methods_of_run_writer!(writer);

    /// A recorder of a scene of bodies. Writes nothing yet.
    ///
    /// # Errors
    /// The output directory is not empty.
    pub fn new(
        place: OutputDirectory,
        manifest: Manifest,
        collection: &BuiltBodies,
    ) -> Result<Self, RecordError> {
        let session = RunWriter::new(place, manifest, CheckpointPolicy::default())?;
        Self::on(session, collection)
    }

    /// A recorder of a scene of bodies with a run writer, which may be that of a resumed run.
    ///
    /// # Errors
    /// The resumed run had other tables, or a file operation fails.
    pub fn on(session: RunWriter, collection: &BuiltBodies) -> Result<Self, RecordError> {
        match collection {
            BuiltBodies::Plane(a) => {
                let aside = JointTables::new::<Plane>(&a.names, &a.settings);
                Self::of::<Plane>(session, a.names.clone(), a.record_every, aside)
            }
            BuiltBodies::Space(a) => {
                let aside = JointTables::new::<Space>(&a.names, &a.settings);
                Self::of::<Space>(session, a.names.clone(), a.record_every, aside)
            }
        }
    }

    /// A recorder of a world that the caller steps.
    ///
    /// # Errors
    /// As [`BodiesRecorder::on`].
    pub fn of_world(
        session: RunWriter,
        world: WorldRef<'_>,
        cast: &SceneNames,
        every: usize,
    ) -> Result<Self, RecordError> {
        match world {
            WorldRef::Plane(world) => {
                let aside = JointTables::new::<Plane>(cast, world.settings());
                Self::of::<Plane>(session, cast.clone(), every, aside)
            }
            WorldRef::Space(world) => {
                let aside = JointTables::new::<Space>(cast, world.settings());
                Self::of::<Space>(session, cast.clone(), every, aside)
            }
        }
    }

    /// A recorder of every `every`-th state of bodies with these names.
    fn of<D: percuss_bodies::Dim>(
        mut session: RunWriter,
        cast: SceneNames,
        every: usize,
        mut aside: JointTables,
    ) -> Result<Self, RecordError> {
        let choice = cast.record.clone();
        let columns = |name: &str| {
            let mut columns = tables::columns::<D>(name);
            if name == "contacts" && cast.cell {
                columns.extend(tables::shifts::<D>());
            }
            with_compression(&choice, columns)
        };
        let mut tables = BODY_TABLES.map(|name| TableWriter::new(name, columns(name)));
        let mut cell = cast.cell.then(|| TableWriter::new("cell", columns("cell")));
        choice.note(&mut session.manifest.settings, "bodies");
        for table in tables.iter_mut().chain(&mut cell).chain(&mut aside.tables) {
            session.restore_table(table)?;
        }
        let counters = session.restored_recorder()?.unwrap_or_default();
        let mut recorder = Self {
            writer: session,
            every: every.max(1),
            choice,
            cast: Some(cast),
            start: None,
            words: RepeatedTexts::new(),
            tables,
            cell,
            joint_tables: aside,
            observables: None,
            surveys: Vec::new(),
            counters,
            fault: None,
        };
        recorder.list_tables(false);
        recorder.writer.write_manifest()?;
        Ok(recorder)
    }

    pub(super) fn list_tables(&mut self, closed: bool) {
        let listed = self
            .tables
            .iter()
            .filter(|t| self.choice.has_table(t.name()));
        let listed = listed.chain(&self.cell).chain(&self.joint_tables.tables);
        let listed = listed.map(|t| t.entry(closed));
        let late = self.observables.iter().chain(&self.surveys);
        self.writer.manifest.tables = listed.chain(late.map(|t| t.entry(true))).collect();
    }

    /// Creates the directory, writes `names` and the initial state.
    fn begin<D: PoseColumns + RecordShape>(&mut self, world: &World<D>) -> Result<(), RecordError> {
        self.writer.open()?;
        self.counters.begun = true;
        // The table `names`.
        let cast = self.cast.take().unwrap_or_default();
        let table = &mut self.tables[0];
        let mut namer = NamesTableBuilder::new(&cast);
        for (number, body) in world.model().bodies.iter().enumerate() {
            namer.push(table.values(), number, body);
            self.writer.submit_full_chunk(table)?;
        }
        // `names` is complete while the run goes on: pictures need it.
        if let Some(directory) = self.writer.flush()? {
            table.close(&directory)?;
        }
        match self.start.take() {
            Some(Start::Plane(state)) if self.starts(state.t) => self.push_state(0, &state, None),
            Some(Start::Space(state)) if self.starts(state.t) => self.push_state(0, &state, None),
            _ => Ok(()),
        }
    }

    /// Whether the initial state is recorded.
    fn starts(&self, t: f64) -> bool {
        self.choice.selects("bodies", (0, t), self.every, false)
    }

    fn push_state<D: PoseColumns>(
        &mut self,
        step: usize,
        state: &State<D>,
        begin: Option<Matrix>,
    ) -> Result<(), RecordError> {
        let table = &mut self.tables[2];
        // Selected bodies, then the periodic cell.
        let each = state.poses.iter().zip(&state.velocities).enumerate();
        for (body, (pose, velocity)) in each.filter(|(body, _)| self.choice.has_body(*body)) {
            rows::push_body(table.values(), (step, state.t), body, pose, velocity);
            self.writer.submit_full_chunk(table)?;
        }
        if let (Some(table), Some(lattice)) = (&mut self.cell, &state.cell) {
            let begin = begin.unwrap_or(lattice.rate);
            rows::push_cell(table.values(), (step, state.t), lattice, &begin);
            self.writer.submit_full_chunk(table)?;
        }
        self.counters.recorded = Some(step);
        Ok(())
    }

    fn record<D: PoseColumns + RecordShape>(
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
        // A step that is passed again has no contacts any more.
        let fresh = step > self.counters.accounted;
        // The step report: once per step.
        if fresh {
            self.counters.accounted = step;
            let table = &mut self.tables[1];
            rows::push_step(table.values(), step, world.report());
            self.writer.submit_full_chunk(table)?;
        }
        // State with cell, joints and midpoints, then contacts of the selected bodies.
        let wanted = |table: &str| self.choice.selects(table, now, self.every, last);
        let (state, contacts) = (wanted("bodies"), wanted("contacts"));
        if state && self.counters.recorded != Some(step) {
            self.push_state(step, world.state(), Some(world.begin_strain_rate()))?;
            if fresh {
                self.joint_tables
                    .push(&self.writer, &self.words, step, world)?;
            }
        }
        if !contacts || !fresh {
            return Ok(());
        }
        // A contact is recorded if one of its bodies is selected.
        let table = &mut self.tables[3];
        for k in 0..world.num_contacts() {
            let contact = world.contact(k);
            if contact
                .bodies
                .iter()
                .any(|b| self.choice.has_body(*b as usize))
            {
                let shift = self.cell.as_ref().and(world.image(k));
                rows::push_contact(table.values(), &self.words, now, &contact, shift);
                self.writer.submit_full_chunk(table)?;
            }
        }
        Ok(())
    }

    /// Keeps the error and returns one for the run.
    fn keep_error(&mut self, done: Result<(), RecordError>) -> Result<(), SceneError> {
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

impl Observer for BodiesRecorder {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        // Mechanisms have a recorder of their own.
        let Some(world) = step.world() else {
            return Ok(());
        };
        let (number, last) = (step.number, step.last);
        // Step 0 is kept until the first step is computed.
        let recorded = match (number, world) {
            (0, WorldRef::Plane(world)) => {
                self.start = Some(Start::Plane(world.state().clone()));
                Ok(())
            }
            (0, WorldRef::Space(world)) => {
                self.start = Some(Start::Space(world.state().clone()));
                Ok(())
            }
            (_, WorldRef::Plane(world)) => self.record(number, world, last),
            (_, WorldRef::Space(world)) => self.record(number, world, last),
        };
        self.keep_error(recorded)
    }

    fn on_preparation_step(&mut self) -> Result<(), SceneError> {
        let opened = self.writer.open();
        self.keep_error(opened)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.writer.checkpoint_due()
    }

    fn write_checkpoint(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        let tables = self.tables.iter().chain(&self.cell);
        let tables = tables.chain(&self.joint_tables.tables);
        let kept = self
            .writer
            .write_checkpoint(tables, &self.counters, snapshot);
        self.keep_error(kept)
    }

    fn take_checkpoint(&mut self) -> Option<Restored> {
        self.writer.take_restored()
    }
}
