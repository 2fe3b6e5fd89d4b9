//! A recorder as the run sees it: steps come in, checkpoints are kept.

use mechanism::{Event, StepReport, State, ConstraintReport};
use serde::{Deserialize, Serialize};

use super::super::checkpoint::{Restored, Snapshot};
use super::super::column::Values;
use super::super::error::RecordError;
use super::super::saved::Saved;
use super::Recorder;
use crate::error::SceneError;
use crate::sink::Sink;

/// What a checkpoint keeps of the recorder besides its tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    reached: Option<f64>,
    /// The rows of the last step that is not recorded.
    spare: Vec<Vec<Saved>>,
}

impl Sink for Recorder {
    fn step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &StepReport,
        touches: &[ConstraintReport<'_>],
        events: &[Event],
    ) -> Result<(), SceneError> {
        let recorded = self.record(step, state, ledger, touches, events);
        self.told(recorded)
    }

    fn due(&mut self) -> bool {
        self.session.due()
    }

    fn keep(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        let saved = |columns: &Vec<Values>| columns.iter().map(Saved::of).collect();
        let counters = Counters {
            reached: self.reached,
            spare: self.spare.iter().map(saved).collect(),
        };
        let kept = self.session.keep(self.tables.iter(), &counters, snapshot);
        self.told(kept)
    }

    fn restored(&mut self) -> Option<Restored> {
        self.session.take_motion()
    }
}

impl Recorder {
    /// Puts back what a checkpoint kept of it.
    pub(super) fn recall(&mut self, known: Option<Counters>) {
        let Some(known) = known else {
            return;
        };
        self.reached = known.reached;
        let spare = known.spare.iter().flatten().map(Saved::values);
        // Of the same kinds as the tables, which were looked at before.
        for (mine, known) in self.spare.iter_mut().flatten().zip(spare) {
            if let Some(known) = known {
                mine.append(known);
            }
        }
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
