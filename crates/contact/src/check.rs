//! Checks of sizes and of finite values, shared by the builder and the problem.

use crate::error::ProblemError;

/// An error unless two sizes agree.
pub(crate) fn same_size(
    what: &str,
    found: usize,
    expected: usize,
    why: &str,
) -> Result<(), ProblemError> {
    if found == expected {
        return Ok(());
    }
    Err(ProblemError::Size {
        what: what.into(),
        found,
        expected,
        why: why.into(),
    })
}

/// An error unless every value is finite.
#[inline]
pub(crate) fn check_finite(
    what: &'static str,
    owner: impl Fn() -> String,
    values: &[f64],
) -> Result<(), ProblemError> {
    if all_finite(values) {
        return Ok(());
    }
    let value = values.iter().find(|v| !v.is_finite());
    Err(ProblemError::NotFinite {
        what,
        owner: owner(),
        value: value.copied().unwrap_or(f64::NAN),
    })
}

/// Whether every value is finite; branch-free, so that it vectorises.
#[inline(always)]
pub(crate) fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(true, |all, v| all & v.is_finite())
}
