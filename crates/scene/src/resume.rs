//! What an interrupted run of a mechanism is continued from.
//!
//! A checkpoint has the number of steps made, the certificate so far and the motion itself; the histories
//! together have all states up to it, which findings look at.

use mechanism::MotionCheckpoint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::certificate::Certificate;
use crate::error::SceneError;
use crate::record::{self, EncodedBytes, Restored};
use crate::trajectory::{Trajectory, TrajectoryIncrement};

/// A run up to a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MechanismCheckpoint {
    pub step: usize,
    pub certificate: Certificate,
    pub motion: MotionCheckpoint,
}

/// Bytes of a value.
///
/// # Errors
/// It cannot be written as bytes: a slip in the program.
pub(crate) fn encode(value: &impl Serialize) -> Result<EncodedBytes, SceneError> {
    record::encode(value).map_err(|reason| SceneError::Machine {
        what: "a checkpoint cannot be made".into(),
        reason,
    })
}

fn decode<T: DeserializeOwned>(bytes: &EncodedBytes) -> Result<T, SceneError> {
    record::decode(bytes).map_err(|reason| incompatible_checkpoint(&reason))
}

/// A checkpoint that is whole but not one of this run.
pub(crate) fn incompatible_checkpoint(reason: &str) -> SceneError {
    SceneError::Machine {
        what: "the checkpoint cannot be continued from".into(),
        reason: format!(
            "{reason}; use the version of percuss that made it, or run the scene again into another \
             directory"
        ),
    }
}

impl MechanismCheckpoint {
    /// Takes apart what was kept; the states up to it go to `trajectory`.
    ///
    /// # Errors
    /// It is not of this run.
    pub fn of(restored: &Restored, trajectory: &mut Trajectory) -> Result<Self, SceneError> {
        let begun: Self = decode(&restored.motion)?;
        for history in &restored.histories {
            let piece: TrajectoryIncrement = decode(history)?;
            if !trajectory.append(piece) {
                return Err(incompatible_checkpoint(
                    "its history is that of another system",
                ));
            }
        }
        let (states, steps) = (trajectory.len(), begun.step);
        let meets = trajectory.end().map(f64::to_bits) == Some(begun.motion.t().to_bits());
        match states == steps + 1 && meets {
            true => Ok(begun),
            false => Err(incompatible_checkpoint(&format!(
                "its history has {states} states, and {steps} steps were made"
            ))),
        }
    }
}
