//! Checkpoint of a run of a mechanism.
//!
//! A checkpoint has the number of steps made, the certificate so far and the state of the
//! integrator. The trajectory increments written with the checkpoints together have all states up
//! to the last one, which findings are evaluated on.

use percuss_mechanism::MotionCheckpoint;
use percuss_record as record;
use percuss_record::{Certificate, EncodedBytes, Restored};
use percuss_scene::SceneError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::trajectory::{Trajectory, TrajectoryIncrement};

/// State of a run at the end of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MechanismCheckpoint {
    pub step: usize,
    pub certificate: Certificate,
    pub motion: MotionCheckpoint,
}

/// Encodes a value as the bytes of a checkpoint.
///
/// # Errors
/// The value cannot be encoded: a defect of the program.
pub fn encode(value: &impl Serialize) -> Result<EncodedBytes, SceneError> {
    record::encode(value).map_err(|reason| SceneError::Machine {
        what: "a checkpoint cannot be made".into(),
        reason,
    })
}

/// Decodes a value from the bytes of a checkpoint.
fn decode<T: DeserializeOwned>(bytes: &EncodedBytes) -> Result<T, SceneError> {
    record::decode(bytes).map_err(|reason| incompatible_checkpoint(&reason))
}

/// The error for a checkpoint that is intact but does not belong to this run.
pub fn incompatible_checkpoint(reason: &str) -> SceneError {
    SceneError::Machine {
        what: "the checkpoint cannot be continued from".into(),
        reason: format!(
            "{reason}; use the version of percuss that made it, or run the scene again into another \
             directory"
        ),
    }
}

impl MechanismCheckpoint {
    /// Decodes a restored checkpoint and appends the states up to it to `trajectory`.
    ///
    /// # Errors
    /// The checkpoint belongs to another system, or its history does not end at it.
    pub fn of(restored: &Restored, trajectory: &mut Trajectory) -> Result<Self, SceneError> {
        let begun: Self = decode(&restored.motion)?;
        // Trajectory increments, oldest first.
        for history in &restored.histories {
            let piece: TrajectoryIncrement = decode(history)?;
            if !trajectory.append(piece) {
                return Err(incompatible_checkpoint(
                    "its history is that of another system",
                ));
            }
        }
        // The history must end at the state of the integrator, bit for bit.
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
