//! What a run of bodies is continued from, and what it has gathered on the way.
//!
//! A step depends on the state, the account of the step before and what observables, watches and
//! distributions remember; on nothing else, the workspace of the step and its number of threads
//! included. A run that goes on from a moment makes the same bits as one that was not interrupted.

use std::borrow::Cow;

use bodies::{Dim, StepReport, State};
use mechanism::Event;
use serde::{Deserialize, Serialize};

use super::events::SpotterMemory;
use super::outcome::{BodiesOutcome, Prepared};
use super::panel::PanelMemory;
use crate::certificate::Certificate;
use crate::collection::Steps;
use crate::error::SceneError;
use crate::record::{Snapshot, pack, unpack};

/// What a run is continued from at the end of a step, with the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Moment<'a> {
    /// The preparation it is in, from 0; none: the run itself.
    pub preparation: Option<usize>,
    pub step: usize,
    pub ledger: StepReport,
    /// Of the preparation or the run, up to here.
    pub certificate: Certificate,
    pub panel: PanelMemory,
    pub spotter: SpotterMemory,
    pub bins: Vec<(Vec<usize>, usize, f64)>,
    pub prepared: Cow<'a, [Prepared]>,
    pub relaxed: f64,
    pub most_contacts: usize,
    pub redundant: Cow<'a, [String]>,
}

impl<'a> Moment<'a> {
    /// The end of a step of a preparation.
    pub fn of(ledger: &StepReport, outcome: &'a BodiesOutcome) -> Self {
        Self {
            preparation: None,
            step: 0,
            ledger: *ledger,
            certificate: outcome.certificate.clone(),
            panel: PanelMemory::default(),
            spotter: SpotterMemory::default(),
            bins: Vec::new(),
            prepared: Cow::Borrowed(&outcome.prepared),
            relaxed: outcome.relaxed,
            most_contacts: outcome.most_contacts,
            redundant: Cow::Borrowed(&outcome.redundant),
        }
    }

    /// Hands it over to be kept, with what came to the history since it was last.
    pub fn keep<D: Dim>(
        &self,
        state: &State<D>,
        history: &History,
        sink: &mut dyn Steps,
    ) -> Result<(), SceneError> {
        let packed = pack(&(state, self)).and_then(|motion| {
            let history = pack(history)?;
            Ok(Snapshot { motion, history })
        });
        let snapshot = packed.map_err(|reason| SceneError::Machine {
            what: "the state of the run cannot be kept".into(),
            reason,
        })?;
        sink.keep(snapshot)
    }
}

/// What a run gathers at every step, since the last checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct History {
    times: Vec<f64>,
    series: Vec<Vec<f64>>,
    pub events: Vec<Event>,
}

/// How much of what is gathered is in a history already.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kept {
    times: usize,
    events: usize,
}

impl History {
    /// What came since, and how much it is then.
    pub fn since(kept: Kept, outcome: &BodiesOutcome, events: &[Event]) -> (Self, Kept) {
        let rest = |all: &[f64]| all.get(kept.times..).unwrap_or(&[]).to_vec();
        let history = Self {
            times: rest(&outcome.times),
            series: outcome.series.iter().map(|(_, all)| rest(all)).collect(),
            events: events.get(kept.events..).unwrap_or(&[]).to_vec(),
        };
        let kept = Kept {
            times: outcome.times.len(),
            events: events.len(),
        };
        (history, kept)
    }
}

/// A moment with everything gathered until then.
pub(super) struct Past<D: Dim> {
    pub moment: Moment<'static>,
    /// Until the motion has it.
    pub state: Option<State<D>>,
    pub histories: Vec<History>,
}

impl<D: Dim> Past<D> {
    /// What the sink has of an interrupted run.
    ///
    /// # Errors
    /// It is not that of such a run.
    pub fn of(sink: &mut dyn Steps) -> Result<Option<Self>, String> {
        let Some(restored) = sink.restored() else {
            return Ok(None);
        };
        let unfit = |reason| {
            format!("its checkpoint cannot be taken apart ({reason}); run the scene once more")
        };
        let histories = restored.histories.iter().map(unpack);
        let histories: Result<_, String> = histories.collect();
        let (state, moment) = unpack(&restored.motion).map_err(unfit)?;
        Ok(Some(Self {
            moment,
            state: Some(state),
            histories: histories.map_err(unfit)?,
        }))
    }

    /// Puts back into the outcome what is gathered; gives the events.
    pub fn gather(&mut self, outcome: &mut BodiesOutcome) -> Vec<Event> {
        let mut events = Vec::new();
        for history in self.histories.drain(..) {
            outcome.times.extend(history.times);
            for ((_, all), more) in outcome.series.iter_mut().zip(history.series) {
                all.extend(more);
            }
            events.extend(history.events);
        }
        events
    }

    /// Puts back into the outcome what it was.
    pub fn put(&self, outcome: &mut BodiesOutcome) {
        let moment = &self.moment;
        if moment.preparation.is_none() {
            outcome.certificate = moment.certificate.clone();
        }
        outcome.prepared = moment.prepared.to_vec();
        outcome.relaxed = moment.relaxed;
        outcome.most_contacts = moment.most_contacts;
        outcome.redundant = moment.redundant.to_vec();
    }
}
