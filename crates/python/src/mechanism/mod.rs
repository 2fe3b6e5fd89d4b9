//! Mechanisms from Python: of expressions, and of Python functions.
//!
//! ```text
//! A(t,q) du = K(t,q,u) dt + Σ Gᵀ dS                                                     (M88 7.4)
//! ```
//!
//! Expressions are a scene's text and go the way of the command. Functions are a
//! [`callable::Callable`], one more [`mechanism::System`], which the same integrators move.

mod callable;
mod drive;
mod forms;
mod motion;
mod text;

use pyo3::prelude::*;

pub(crate) use callable::{SharedException, store_exception, take_exception};
pub use motion::Motion;
pub(crate) use text::SignalPoll;

/// Adds what is here to the module.
///
/// # Errors
/// Python refuses a name.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Motion>()?;
    module.add_function(wrap_pyfunction!(text::run_mechanism, module)?)?;
    module.add_function(wrap_pyfunction!(text::check_mechanism, module)?)?;
    module.add_function(wrap_pyfunction!(text::run_study, module)?)?;
    module.add_function(wrap_pyfunction!(drive::run_callable, module)?)?;
    Ok(())
}
