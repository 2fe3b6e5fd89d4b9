//! Snapshot of a run: the tables written so far, their step indices, and the scene's data.

use std::sync::Arc;

use percuss_record::{CheckpointRows, Lock, LockState, Record, RecordError, RunStatus};

use crate::account::IncrementalSteps;
use crate::company::BodyAttributes;
use crate::error::ViewError;
use crate::friction::FrictionUsage;
use crate::index::{StepIndex, StepSpan};
use crate::shelf::{LiveTable, VerifiedChunks};

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// In progress.
    Running,
    /// Completed.
    Ended,
    /// Stopped on request, or killed; it can be resumed.
    Interrupted,
    /// Stopped by an error.
    Failed,
}

impl RunState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended => "ended",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn of(record: &Record) -> Self {
        // The lock is tested only where it decides: the test takes it for an instant.
        let held = || Lock::state(record.directory()) == LockState::Held;
        match record.manifest().status {
            RunStatus::Running | RunStatus::Finished if held() => Self::Running,
            RunStatus::Running | RunStatus::Interrupted => Self::Interrupted,
            RunStatus::Finished => Self::Ended,
            RunStatus::Stopped => Self::Failed,
        }
    }
}

/// Scene data for the page.
#[derive(Debug, Clone, Default)]
pub(crate) struct SceneFacts {
    pub kind: &'static str,
    pub about: String,
    pub gravity: Option<Vec<f64>>,
    /// Along which cell vectors the cell is periodic.
    pub periodic: Vec<bool>,
    pub materials: Vec<String>,
    pub grip: Option<FrictionUsage>,
    /// Why the scene is invalid, if it is.
    pub fault: Option<String>,
}

impl SceneFacts {
    pub fn of(record: &Record) -> Self {
        let bodies = record.entry("names").is_ok();
        let plain = if bodies { "bodies" } else { "mechanism" };
        // Data of the scene; without a valid scene, only the type of the run.
        let read = || -> Result<Self, ViewError> {
            let scene = record.scene()?;
            let surroundings = scene.environment()?;
            Ok(Self {
                kind: if scene.is_sweeping_process() {
                    "sweep"
                } else {
                    plain
                },
                about: scene.about().into(),
                gravity: surroundings.as_ref().map(|s| s.gravity.clone()),
                periodic: surroundings
                    .as_ref()
                    .map_or(Vec::new(), |s| s.periodic.clone()),
                materials: surroundings
                    .as_ref()
                    .map_or(Vec::new(), |s| s.materials.clone()),
                grip: surroundings.map(FrictionUsage::new),
                fault: None,
            })
        };
        read().unwrap_or_else(|error| Self {
            kind: plain,
            fault: Some(error.to_string()),
            ..Self::default()
        })
    }
}

/// A table with its step index.
#[derive(Debug, Clone)]
pub(crate) struct IndexedTable {
    pub shelf: LiveTable,
    pub index: StepIndex,
}

/// A table, or why it is absent or damaged.
pub(crate) type TableResult<T> = Result<T, RecordError>;

/// A consistent snapshot of a run.
#[derive(Debug, Clone)]
pub struct RunSnapshot {
    pub(crate) record: Record,
    pub(crate) facts: Arc<SceneFacts>,
    pub(crate) state: RunState,
    pub(crate) revision: u64,
    pub(crate) flat: bool,
    pub(crate) body_attributes: TableResult<Arc<BodyAttributes>>,
    /// The table `bodies`, or `coordinates`.
    pub(crate) states: TableResult<IndexedTable>,
    pub(crate) contacts: TableResult<IndexedTable>,
    /// Steps whose contacts are known, including those without contacts.
    pub(crate) contact_steps: Vec<StepSpan>,
    pub(crate) cell: TableResult<IndexedTable>,
    pub(crate) steps: TableResult<(LiveTable, IncrementalSteps)>,
    pub(crate) checked: Arc<VerifiedChunks>,
    pub(crate) origin: [f64; 3],
}

impl RunSnapshot {
    /// Whether it is a run of bodies.
    pub(crate) fn has_bodies(&self) -> bool {
        self.facts.kind == "bodies"
    }

    /// The recorded states.
    pub fn frames(&self) -> &[StepSpan] {
        self.states
            .as_ref()
            .map_or(&[], |states| states.index.spans())
    }

    /// The steps whose contacts are known.
    pub fn contact_frames(&self) -> &[StepSpan] {
        &self.contact_steps
    }

    /// The record itself.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// State of the run.
    pub fn state(&self) -> RunState {
        self.state
    }

    /// Revision number, incremented with every change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A new snapshot, which reuses the old one where nothing changed.
    pub(crate) fn refresh(
        record: Record,
        tail: Option<&CheckpointRows>,
        state: RunState,
        revision: u64,
        old: Option<&Self>,
    ) -> Self {
        // The old snapshot is reused only for the same scene and overrides.
        let like = |old: &&Self| {
            let (old, new) = (old.record.manifest(), record.manifest());
            old.text == new.text && old.overrides == new.overrides
        };
        let same = old.filter(like);
        let facts = match same {
            Some(old) => Arc::clone(&old.facts),
            None => Arc::new(SceneFacts::of(&record)),
        };
        let old = same;
        let checked = old.map_or_else(Arc::default, |old| Arc::clone(&old.checked));
        let dimension = record.manifest().settings.get("dimension");
        let flat = dimension.is_none_or(|d| d.as_u64() != Some(3));
        let company = company(&record, &facts, flat, old);
        let count = company.as_ref().map_or(0, |c| c.bodies.len());
        // Tables with their step indices.
        let states = match facts.kind == "bodies" {
            true => states(&record, tail, count, old),
            false => steps(&record, "coordinates", tail, old.map(|old| &old.states)),
        };
        let contacts = match facts.kind == "bodies" {
            true => contacts(&record, tail, old),
            false => Err(RecordError::Unknown(
                "contacts of a mechanism have no place to be drawn at".into(),
            )),
        };
        let cell = steps(&record, "cell", tail, old.map(|old| &old.cell));
        let account = account(&record, &checked, tail, old);
        let mut moment = Self {
            facts,
            state,
            revision,
            flat,
            body_attributes: company,
            states,
            contacts,
            contact_steps: Vec::new(),
            cell,
            steps: account,
            checked,
            origin: old.map_or([0.0; 3], |old| old.origin),
            record,
        };
        // Contact steps, and the origin from the first state.
        moment.contact_steps = moment.find_contact_steps();
        if old.is_none_or(|old| old.frames().is_empty()) {
            moment.origin = moment.middle();
        }
        moment
    }

    /// Number of rows of each table: what changes as the run goes on.
    pub(crate) fn extent(&self) -> [usize; 5] {
        let of = |table: &TableResult<IndexedTable>| {
            table.as_ref().map_or(usize::MAX, |s| s.shelf.rows())
        };
        [
            self.body_attributes.as_ref().map_or(0, |c| c.bodies.len()),
            of(&self.states),
            of(&self.contacts),
            of(&self.cell),
            self.steps
                .as_ref()
                .map_or(usize::MAX, |(shelf, _)| shelf.rows()),
        ]
    }

    /// Steps whose contacts are known: those with contacts and, where contacts are recorded with every state,
    /// the states in between that have none.
    fn find_contact_steps(&self) -> Vec<StepSpan> {
        let Ok(contacts) = &self.contacts else {
            return Vec::new();
        };
        let spans = contacts.index.spans();
        let chosen = self.record.manifest().settings.get("record");
        let keys = ["contacts_every", "bodies_every", "from", "until"];
        let thinned = |key: &&str| chosen.is_some_and(|c| c.get(key).is_some());
        if keys.iter().any(thinned) || self.states.is_err() {
            return spans.to_vec();
        }
        let last = match contacts.shelf.closed {
            true => i64::MAX,
            false => spans.last().map_or(0, |span| span.step),
        };
        let mut all = spans.to_vec();
        // Contacts belong to a step: the initial state has none.
        let states = self
            .frames()
            .iter()
            .filter(|f| f.step >= 1 && f.step <= last);
        all.extend(
            states
                .filter(|f| contacts.index.of_step(f.step).is_none())
                .map(|f| StepSpan {
                    first: 0,
                    rows: 0,
                    ..*f
                }),
        );
        all.sort_by_key(|span| span.step);
        all
    }
}

fn company(
    record: &Record,
    facts: &SceneFacts,
    flat: bool,
    old: Option<&RunSnapshot>,
) -> TableResult<Arc<BodyAttributes>> {
    // The table of names is complete as soon as it exists.
    let known = old.and_then(|old| old.body_attributes.as_ref().ok());
    match known.filter(|company| !company.bodies.is_empty()) {
        Some(company) => Ok(Arc::clone(company)),
        None => BodyAttributes::read(record, &facts.materials, flat).map(Arc::new),
    }
}

fn steps(
    record: &Record,
    table: &str,
    tail: Option<&CheckpointRows>,
    old: Option<&TableResult<IndexedTable>>,
) -> TableResult<IndexedTable> {
    let old = old.and_then(|old| old.as_ref().ok());
    let shelf = LiveTable::open(record, table, tail, old.map(|old| &old.shelf))?;
    let mut index = old.map_or_else(StepIndex::default, |old| old.index.clone());
    index.update(record, &shelf)?;
    Ok(IndexedTable { shelf, index })
}

/// The states of bodies; an incomplete last state is left out.
fn states(
    record: &Record,
    tail: Option<&CheckpointRows>,
    bodies: usize,
    old: Option<&RunSnapshot>,
) -> TableResult<IndexedTable> {
    let mut states = steps(record, "bodies", tail, old.map(|old| &old.states))?;
    let chosen = record.manifest().settings.get("record");
    let some = chosen.is_some_and(|c| c.get("bodies").is_some());
    let each = states.index.each().or((!some).then_some(bodies));
    let short = each.is_none_or(|each| states.index.last_rows() < each);
    states.index.set_partial(!states.shelf.whole && short);
    Ok(states)
}

/// The contacts; the last step is complete only when a later one has contacts.
fn contacts(
    record: &Record,
    tail: Option<&CheckpointRows>,
    old: Option<&RunSnapshot>,
) -> TableResult<IndexedTable> {
    let mut contacts = steps(record, "contacts", tail, old.map(|old| &old.contacts))?;
    let whole = contacts.shelf.whole;
    contacts.index.set_partial(!whole);
    Ok(contacts)
}

fn account(
    record: &Record,
    checked: &VerifiedChunks,
    tail: Option<&CheckpointRows>,
    old: Option<&RunSnapshot>,
) -> TableResult<(LiveTable, IncrementalSteps)> {
    let old = old.and_then(|old| old.steps.as_ref().ok());
    let shelf = LiveTable::open(record, "steps", tail, old.map(|(shelf, _)| shelf))?;
    let mut account = old.map_or_else(IncrementalSteps::default, |(_, account)| account.clone());
    account.update(record, checked, &shelf)?;
    Ok((shelf, account))
}
