//! Errors of scenes: invalid input, a missing scene, a mechanism that cannot move, a fault of the machine.

use percuss_input::InputError;
use thiserror::Error;

/// Why a scene cannot be read, built or run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SceneError {
    /// Invalid input: a scene, a study or an override.
    #[error(transparent)]
    Input(#[from] Box<InputError>),
    /// A name that is neither a file nor a built-in scene, or a file that is not UTF-8 text.
    #[error("{0}")]
    Missing(String),
    /// The motion of a mechanism cannot start or cannot go on.
    #[error(transparent)]
    Mechanism(#[from] percuss_mechanism::MechanismError),
    /// A fault of the machine: a full disk, a missing permission.
    #[error("{what}: {reason}")]
    Machine {
        /// What was being done, with the path.
        what: String,
        /// The reason given by the operating system.
        reason: String,
    },
}

impl SceneError {
    /// A fault of the machine during the operation `what`.
    pub fn machine(what: impl Into<String>, reason: &std::io::Error) -> Self {
        Self::Machine {
            what: what.into(),
            reason: reason.to_string(),
        }
    }

    /// Whether the machine is at fault and not the input.
    pub fn is_machine(&self) -> bool {
        matches!(self, Self::Machine { .. })
    }
}

impl From<InputError> for SceneError {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}
