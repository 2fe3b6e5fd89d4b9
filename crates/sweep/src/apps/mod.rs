//! Applications of the sweeping process: hysteresis, plasticity, water in a cavity, crowds, circuits.
//!
//! Each builds the moving set, the metric and the perturbation of a known model and returns a [`crate::Process`] ready
//! to run, with functions that compute the model's quantities from it.

pub mod bar;
pub mod cavity;
pub mod circuit;
pub mod crowd;
pub mod hysteresis;
pub mod truss;

use crate::error::{Result, SweepingError};

/// Refuses anything but positive numbers.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(SweepingError::Invalid {
            what,
            value,
            expected: "a positive number",
        })
    }
}
