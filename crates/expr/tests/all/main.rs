//! All tests of the crate in one binary: every further binary would be linked with everything again.

mod common;
mod hostile;
mod lagrange;
mod language;
mod orientation;
mod program;
mod properties;
