//! Why and how a command ends: errors and outcomes, which decide the exit status.

use percuss_record::{PlotError, RecordError};
use percuss_run::{RunError, StudyError};
use percuss_scene::{InputError, Origin, SceneError};
use serde_json::{Value, json};

/// Why a command ends before its work is done.
#[derive(Debug)]
pub enum CommandError {
    /// The reader closed the pipe on standard output.
    ClosedPipe,
    /// Bad input; the sentence says what and where.
    Input(String),
    /// Bad input of which the file, the line and the key are known.
    Scene(Box<InputError>),
    /// Failure of the machine; the sentence says what and where.
    Machine(String),
}

impl From<SceneError> for CommandError {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Input(error) => Self::Scene(error),
            error if error.is_machine() => Self::Machine(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

impl CommandError {
    /// The sentence for the user, and the exit status; nothing for a closed pipe, which is no error.
    pub fn sentence(&self) -> Option<(String, u8)> {
        match self {
            Self::ClosedPipe => None,
            Self::Input(sentence) => Some((sentence.clone(), 2)),
            Self::Scene(error) => Some((error.to_string(), 2)),
            Self::Machine(sentence) => Some((sentence.clone(), 3)),
        }
    }

    /// The same as an object, for `--json`: `error`, `status`, and the place where it is known.
    pub fn json(&self) -> Option<Value> {
        let (sentence, status) = self.sentence()?;
        let mut object = json!({
            "error": sentence,
            "status": status,
            "file": null,
            "line": null,
            "part": null,
            "key": null,
        });
        if let Self::Scene(error) = self {
            let text = |text: &str| match text.is_empty() {
                true => Value::Null,
                false => text.into(),
            };
            object["file"] = text(&error.file);
            object["part"] = text(&error.part);
            object["key"] = text(&error.key);
            if let Origin::Line(line) = error.origin {
                object["line"] = line.into();
            }
        }
        Some(object)
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

impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        let text = match &error {
            RunError::OtherKind { .. } => {
                format!("{error}; give one that `percuss run` has written")
            }
            RunError::OtherVersion { .. } => format!("{error}, or add --force"),
            RunError::Scene(error) => return error.clone().into(),
            _ => error.to_string(),
        };
        match error.is_machine() {
            true => Self::Machine(text),
            false => Self::Input(text),
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
