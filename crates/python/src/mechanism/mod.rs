//! Mechanisms from Python: of expressions, and of Python functions.
//!
//! ```text
//! A(t,q) du = K(t,q,u) dt + Σ Gᵀ dS                                                     (M88 7.4)
//! ```
//!
//! Mechanisms of expressions are compiled from a scene's text, as in the command. Mechanisms of Python
//! functions are a `CallableSystem`, which implements the trait `percuss_mechanism::System`, so that the same
//! integrators apply.

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
