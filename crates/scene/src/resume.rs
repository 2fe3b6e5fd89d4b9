//! What an interrupted run of a mechanism is continued from.
//!
//! A checkpoint has the number of steps made, the certificate so far and the motion itself; the histories
//! together have all states up to it, which findings look at.

use mechanism::MotionCheckpoint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::certificate::Certificate;
use crate::error::SceneError;
use crate::record::{Packed, Restored, pack, unpack};
use crate::trajectory::{Piece, Trajectory};

/// A run up to a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub step: usize,
    pub certificate: Certificate,
    pub motion: MotionCheckpoint,
}

/// Bytes of a value.
///
/// # Errors
/// It cannot be written as bytes: a slip in the program.
pub(crate) fn packed(value: &impl Serialize) -> Result<Packed, SceneError> {
    pack(value).map_err(|reason| SceneError::Machine {
        what: "a checkpoint cannot be made".into(),
        reason,
    })
}

fn unpacked<T: DeserializeOwned>(bytes: &Packed) -> Result<T, SceneError> {
    unpack(bytes).map_err(|reason| unfit(&reason))
}

/// A checkpoint that is whole but not one of this run.
pub(crate) fn unfit(reason: &str) -> SceneError {
    SceneError::Machine {
        what: "the checkpoint cannot be continued from".into(),
        reason: format!(
            "{reason}; use the version of percuss that made it, or run the scene again into another \
             directory"
        ),
    }
}

impl Begun {
    /// Takes apart what was kept; the states up to it go to `trajectory`.
    ///
    /// # Errors
    /// It is not of this run.
    pub fn of(restored: &Restored, trajectory: &mut Trajectory) -> Result<Self, SceneError> {
        let begun: Self = unpacked(&restored.motion)?;
        for history in &restored.histories {
            let piece: Piece = unpacked(history)?;
            if !trajectory.append(piece) {
                return Err(unfit("its history is that of another system"));
            }
        }
        let (states, steps) = (trajectory.len(), begun.step);
        let meets = trajectory.end().map(f64::to_bits) == Some(begun.motion.t().to_bits());
        match states == steps + 1 && meets {
            true => Ok(begun),
            false => Err(unfit(&format!(
                "its history has {states} states, and {steps} steps were made"
            ))),
        }
    }
}
