//! Where and why a run ended early.

use std::fmt;

use percuss_mechanism::MechanismError;
use percuss_scene::SceneError;

/// Where and why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStop {
    /// The last instant that was computed.
    pub t: f64,
    /// Whether there is a motion at all: false when the initial state was refused.
    pub started: bool,
    /// Why the run ended early.
    pub reason: StopReason,
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq)]
pub enum StopReason {
    /// The motion cannot start or cannot go on.
    Mechanism(MechanismError),
    /// Bodies cannot start or cannot go on; a message with their names.
    Bodies(String),
    /// The observer failed: a record that cannot be written, a checkpoint of another system.
    Observer(SceneError),
    /// The progress callback asked to stop.
    Requested,
}

impl fmt::Display for EarlyStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.started) {
            (StopReason::Requested, _) => write!(f, "stopped on request at t = {}", self.t),
            (StopReason::Mechanism(error), false) => write!(f, "the run cannot start: {error}"),
            (StopReason::Mechanism(error), true) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
            (StopReason::Bodies(reason), false) => write!(f, "the run cannot start: {reason}"),
            (StopReason::Bodies(reason), true) => {
                write!(f, "the run stopped at t = {}: {reason}", self.t)
            }
            (StopReason::Observer(error), _) => {
                write!(f, "the run stopped at t = {}: {error}", self.t)
            }
        }
    }
}

/// The clause of a message that names contacts whose conditions no velocity satisfies together;
/// empty where there are none.
pub fn infeasible_text(names: Vec<String>) -> String {
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "{}, which no velocity satisfies together (infeasible),",
            names.join(" and ")
        ),
    }
}
