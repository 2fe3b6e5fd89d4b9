//! The command `percuss` in the wheel: the library behind the program, called with the arguments of a Python process.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

/// Exit status of a program that panicked.
const PANICKED: u8 = 101;

/// Runs the command with `arguments`, the name of the command first; returns its exit status. `program` is how the
/// command starts itself in a child process, and its first arguments. Once in a process.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>, program: Vec<OsString>) -> u8 {
    let run = AssertUnwindSafe(|| percuss_cli::run_as(program, arguments));
    let status = py.detach(|| catch_unwind(run)).unwrap_or(PANICKED);
    // The end of a program writes what is left in the buffer; nothing does here.
    let _ = std::io::stdout().flush();
    status
}

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_command, module)?)
}
