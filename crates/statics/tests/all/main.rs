//! The tests of the crate in one program: each program more is linked with everything once more.

mod arch;
mod common;
mod large;
mod loads;
mod random;
mod tables;
