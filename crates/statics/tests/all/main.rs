//! All tests of the crate in one program: every further test program would be linked separately.

mod arch;
mod common;
mod large;
mod loads;
mod random;
mod tables;
