//! Exceptions of the package, with the text of the command.
//!
//! ```text
//! percuss.Error
//!   InputError (also ValueError)    bad input                        exit status 2 of the command
//!   MachineError (also OSError)     the machine failed               exit status 3
//!   NotConverged                    a result was required, not met   exit status 1
//! ```

use percuss_record::RecordError;
use percuss_run::RunError;
use percuss_scene::SceneError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    percuss,
    Error,
    PyException,
    "Something that percuss refuses or that failed; the base of its exceptions."
);
create_exception!(
    percuss,
    InputError,
    Error,
    "What was given is not right; the text names it and says what was expected."
);
create_exception!(
    percuss,
    MachineError,
    Error,
    "The machine failed: a disk is full, a permission is missing."
);
create_exception!(
    percuss,
    NotConverged,
    Error,
    "A residual that was required has not been reached."
);

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("MachineError", py.get_type::<MachineError>())?;
    module.add("NotConverged", py.get_type::<NotConverged>())
}

/// Bad input.
pub fn input(text: impl Into<String>) -> PyErr {
    InputError::new_err(text.into())
}

/// An invalid argument.
pub fn argument(name: &str, problem: impl std::fmt::Display) -> PyErr {
    InputError::new_err(format!("`{name}`: {problem}"))
}

/// A failure of the machine.
pub fn machine(text: impl Into<String>) -> PyErr {
    MachineError::new_err(text.into())
}

/// An error of a scene.
pub fn scene(error: SceneError) -> PyErr {
    match error.is_machine() {
        true => machine(error.to_string()),
        false => input(error.to_string()),
    }
}

/// An error of records.
pub fn record(error: RecordError) -> PyErr {
    match error.is_fault() {
        true => machine(error.to_string()),
        false => input(error.to_string()),
    }
}

/// An error of a run.
pub fn run(error: &RunError) -> PyErr {
    let text = match error {
        RunError::OtherVersion { .. } => format!("{error}, or force=True"),
        _ => error.to_string(),
    };
    match error.is_machine() {
        true => machine(text),
        false => input(text),
    }
}
