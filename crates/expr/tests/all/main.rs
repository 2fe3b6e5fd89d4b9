//! The tests of the crate in one program: each program more is linked with everything once more.

mod common;
mod hostile;
mod lagrange;
mod language;
mod orientation;
mod program;
mod properties;
