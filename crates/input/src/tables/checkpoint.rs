//! Checkpoint policy: when checkpoints are written (`[checkpoint]` of a scene).

use serde::{Deserialize, Serialize};

/// When checkpoints are written and how many are kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CheckpointPolicy {
    /// Interval in steps.
    pub every: Option<usize>,
    /// Interval in seconds of wall time; 0: never.
    pub seconds: f64,
    /// Number of checkpoints that are kept.
    pub keep: usize,
}

impl Default for CheckpointPolicy {
    fn default() -> Self {
        Self {
            every: None,
            seconds: 60.0,
            keep: 2,
        }
    }
}
