//! Why and how a command ends: errors and outcomes, which decide the exit status.

use percuss_record::{PlotError, RecordError};
use percuss_run::StudyError;
use percuss_scene::SceneError;

/// Why a command ends before its work is done.
#[derive(Debug)]
pub enum CommandError {
    /// The reader closed the pipe on standard output.
    ClosedPipe,
    /// Bad input; the sentence says what and where.
    Input(String),
    /// Failure of the machine; the sentence says what and where.
    Machine(String),
}

impl From<SceneError> for CommandError {
    fn from(error: SceneError) -> Self {
        match error.is_machine() {
            true => Self::Machine(error.to_string()),
            false => Self::Input(error.to_string()),
        }
    }
}

impl From<RecordError> for CommandError {
    fn from(error: RecordError) -> Self {
        match error.is_fault() {
            true => Self::Machine(error.to_string()),
            false => Self::Input(error.to_string()),
        }
    }
}

impl From<PlotError> for CommandError {
    fn from(error: PlotError) -> Self {
        match error {
            PlotError::Scene(error) => error.into(),
            PlotError::Record(error) => error.into(),
            PlotError::Unknown(text) | PlotError::Nothing(text) => Self::Input(text),
            PlotError::Drawing(_) => Self::Machine(error.to_string()),
        }
    }
}

impl From<StudyError> for CommandError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Scene(error) => error.into(),
            StudyError::Record(error) => error.into(),
            other => Self::Input(other.to_string()),
        }
    }
}

/// How a command on scenes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandStatus {
    /// All well.
    Success,
    /// Completed, but the certificate or a finding is not as required.
    NotMet,
    /// The input cannot be computed to its end; reported already.
    BadInput,
    /// Ended by SIGINT or SIGTERM; reported already.
    Interrupted,
}
