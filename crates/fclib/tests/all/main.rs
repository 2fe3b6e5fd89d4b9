//! All tests of the crate in one program: every further test program would be linked separately.

mod bad_input;
mod collection;
mod common;
mod foreign;
mod mutation;
mod problem;
mod round_trip;
