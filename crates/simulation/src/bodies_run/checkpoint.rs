//! Checkpoint of a run of bodies, and the history it has gathered.
//!
//! A step depends on the state, the step report of the step before, and the state of observables,
//! event detector and distributions; on nothing else, not on the workspace of the step and not on
//! the number of threads. A run resumed from a checkpoint makes the same bits as one that was not
//! interrupted.

use std::borrow::Cow;

use percuss_bodies::{Dim, State, StepReport};
use percuss_mechanism::Event;
use percuss_record::{Certificate, Observer, Snapshot, decode, encode};
use percuss_scene::SceneError;
use serde::{Deserialize, Serialize};

use super::event_detector::EventDetectorCheckpoint;
use super::observables::ObservablesCheckpoint;
use super::outcome::{BodiesOutcome, PreparationOutcome};

/// Checkpoint at the end of a step of a preparation or of the run; the state is encoded beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BodiesCheckpoint<'a> {
    /// The number of the preparation, from 0; none for the run itself.
    pub preparation: Option<usize>,
    pub step: usize,
    pub ledger: StepReport,
    /// Certificate of the preparation or the run, up to here.
    pub certificate: Certificate,
    pub observables: ObservablesCheckpoint,
    pub event_detector: EventDetectorCheckpoint,
    pub distributions: Vec<(Vec<usize>, usize, f64)>,
    pub prepared: Cow<'a, [PreparationOutcome]>,
    pub relaxed: f64,
    pub most_contacts: usize,
    pub redundant: Cow<'a, [String]>,
}

impl<'a> BodiesCheckpoint<'a> {
    /// The parts of a checkpoint, of a preparation or of the run, that the step report and the
    /// outcome have; the caller fills in the others.
    pub fn of(ledger: &StepReport, outcome: &'a BodiesOutcome) -> Self {
        // Preparation, step number and observers are filled in by the caller.
        Self {
            preparation: None,
            step: 0,
            ledger: *ledger,
            certificate: outcome.certificate.clone(),
            observables: ObservablesCheckpoint::default(),
            event_detector: EventDetectorCheckpoint::default(),
            distributions: Vec::new(),
            prepared: Cow::Borrowed(&outcome.prepared),
            relaxed: outcome.relaxed,
            most_contacts: outcome.most_contacts,
            redundant: Cow::Borrowed(&outcome.redundant),
        }
    }

    /// Encodes the checkpoint and passes it to the observer, with the history since the previous
    /// one.
    pub fn write<D: Dim>(
        &self,
        state: &State<D>,
        history: &HistoryIncrement,
        sink: &mut dyn Observer,
    ) -> Result<(), SceneError> {
        // State and checkpoint are encoded together, the history separately.
        let packed = encode(&(state, self)).and_then(|motion| {
            let history = encode(history)?;
            Ok(Snapshot { motion, history })
        });
        let snapshot = packed.map_err(|reason| SceneError::Machine {
            what: "the state of the run cannot be kept".into(),
            reason,
        })?;
        sink.write_checkpoint(snapshot)
    }
}

/// Times, series and events since the previous checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct HistoryIncrement {
    times: Vec<f64>,
    series: Vec<Vec<f64>>,
    pub events: Vec<Event>,
}

/// How much of times and events is in the history of checkpoints already.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HistoryLength {
    times: usize,
    events: usize,
}

impl HistoryIncrement {
    /// The increment since the previous checkpoint, and the new length.
    pub fn since(
        kept: HistoryLength,
        outcome: &BodiesOutcome,
        events: &[Event],
    ) -> (Self, HistoryLength) {
        // Only what was added since the previous checkpoint.
        let rest = |all: &[f64]| all.get(kept.times..).unwrap_or(&[]).to_vec();
        let history = Self {
            times: rest(&outcome.times),
            series: outcome.series.iter().map(|(_, all)| rest(all)).collect(),
            events: events.get(kept.events..).unwrap_or(&[]).to_vec(),
        };
        let kept = HistoryLength {
            times: outcome.times.len(),
            events: events.len(),
        };
        (history, kept)
    }
}

/// A checkpoint that was read back, with the whole history before it.
pub(super) struct RestoredRun<D: Dim> {
    pub checkpoint: BodiesCheckpoint<'static>,
    /// None once a world has taken it.
    pub state: Option<State<D>>,
    pub histories: Vec<HistoryIncrement>,
}

impl<D: Dim> RestoredRun<D> {
    /// Reads the checkpoint of the observer, if it has one.
    ///
    /// # Errors
    /// The bytes are not a checkpoint of such a run.
    pub fn of(sink: &mut dyn Observer) -> Result<Option<Self>, String> {
        let Some(restored) = sink.take_checkpoint() else {
            return Ok(None);
        };
        let unfit = |reason| {
            format!("its checkpoint cannot be taken apart ({reason}); run the scene once more")
        };
        // Histories of all checkpoints, oldest first.
        let histories = restored.histories.iter().map(decode);
        let histories: Result<_, String> = histories.collect();
        let (state, moment) = decode(&restored.motion).map_err(unfit)?;
        Ok(Some(Self {
            checkpoint: moment,
            state: Some(state),
            histories: histories.map_err(unfit)?,
        }))
    }

    /// Moves the history into the outcome; returns the events.
    pub fn restore_histories(&mut self, outcome: &mut BodiesOutcome) -> Vec<Event> {
        let mut events = Vec::new();
        // Increments are appended in order.
        for history in self.histories.drain(..) {
            outcome.times.extend(history.times);
            for ((_, all), more) in outcome.series.iter_mut().zip(history.series) {
                all.extend(more);
            }
            events.extend(history.events);
        }
        events
    }

    /// Restores certificate, preparations and counts of the outcome.
    pub fn restore_outcome(&self, outcome: &mut BodiesOutcome) {
        let moment = &self.checkpoint;
        // The certificate of a preparation is not that of the run.
        if moment.preparation.is_none() {
            outcome.certificate = moment.certificate.clone();
        }
        outcome.prepared = moment.prepared.to_vec();
        outcome.relaxed = moment.relaxed;
        outcome.most_contacts = moment.most_contacts;
        outcome.redundant = moment.redundant.to_vec();
    }
}
