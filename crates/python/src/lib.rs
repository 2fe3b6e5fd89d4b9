//! The extension module behind the Python package `percuss`.
//!
//! Everything here is a thin face of the crates below it: a scene is read by `scene`, a world is
//! built and stepped by `bodies`, a problem is solved by `solve`. What this crate adds is the border:
//! errors become exceptions with the same text, arrays are read and lent without copying, long work
//! runs without the interpreter's lock and hears Ctrl-C.

mod arrow;
mod audit;
mod callable;
mod certify;
mod error;
mod interop;
mod mechanism;
mod problem;
mod pulse;
mod record;
mod run;
mod scenes;
mod site;
mod sweep;
mod value;
mod world;

use pyo3::prelude::*;

/// The extension module; the package `percuss` re-exports it.
#[pymodule]
fn _percuss(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::register(module)?;
    scenes::register(module)?;
    run::register(module)?;
    audit::register(module)?;
    record::register(module)?;
    problem::register(module)?;
    world::register(module)?;
    interop::register(module)?;
    mechanism::register(module)?;
    sweep::register(module)
}
