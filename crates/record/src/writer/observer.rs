//! The recorder of a mechanism as observer of the run: it receives steps and writes checkpoints.

use percuss_scene::SceneError;
use serde::{Deserialize, Serialize};

use super::super::checkpoint::{Restored, Snapshot};
use super::super::column::ColumnValues;
use super::super::error::RecordError;
use super::super::saved::SavedValues;
use super::MechanismRecorder;
use crate::observer::{Observer, Step};

/// State of the recorder in a checkpoint, besides its tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    reached: Option<f64>,
    /// The rows of the last step, where it was not due.
    spare: Vec<Vec<SavedValues>>,
}

impl Observer for MechanismRecorder {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        // Bodies have a recorder of their own.
        let Some(mechanism) = step.mechanism() else {
            return Ok(());
        };
        let recorded = self.record(step.number, mechanism);
        self.keep_error(recorded)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.session.checkpoint_due()
    }

    fn write_checkpoint(&mut self, snapshot: Snapshot) -> Result<(), SceneError> {
        let saved = |columns: &Vec<ColumnValues>| columns.iter().map(SavedValues::of).collect();
        let counters = Counters {
            reached: self.reached,
            spare: self.spare.iter().map(saved).collect(),
        };
        let kept = self
            .session
            .write_checkpoint(self.tables.iter(), &counters, snapshot);
        self.keep_error(kept)
    }

    fn take_checkpoint(&mut self) -> Option<Restored> {
        self.session.take_restored()
    }
}

impl MechanismRecorder {
    /// Restores the state of a checkpoint.
    pub(super) fn restore(&mut self, known: Option<Counters>) {
        let Some(known) = known else {
            return;
        };
        self.reached = known.reached;
        let spare = known.spare.iter().flatten().map(SavedValues::values);
        // Of the same types as the tables, which were compared before.
        for (mine, known) in self.spare.iter_mut().flatten().zip(spare) {
            if let Some(known) = known {
                mine.append(known);
            }
        }
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
