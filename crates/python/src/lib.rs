//! The extension module behind the Python package `percuss`.
//!
//! It is a thin layer over the other crates: `scene` reads scenes, `bodies` builds and steps worlds, `solve`
//! solves contact problems. This crate adds the boundary to Python: errors become exceptions with the same
//! text, arrays are read and shared without copying, long computations release the GIL and respond to Ctrl-C.

mod arrow;
mod audit;
mod callable;
mod command;
mod error;
mod interop;
mod mechanism;
mod problem;
mod pulse;
mod record;
mod run;
mod scenes;
mod sweep;
mod value;
mod world;

use pyo3::prelude::*;

/// The extension module; the package `percuss` re-exports it.
#[pymodule]
fn _percuss(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Exceptions first: the other modules raise them.
    error::register(module)?;
    scenes::register(module)?;
    run::register(module)?;
    audit::register(module)?;
    record::register(module)?;
    problem::register(module)?;
    world::register(module)?;
    interop::register(module)?;
    mechanism::register(module)?;
    sweep::register(module)?;
    command::register(module)
}
