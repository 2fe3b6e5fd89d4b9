//! All tests of the crate in one program: every further test program would be linked separately.

mod bad_input;
mod collection;
mod common;
mod convert;
mod foreign;
mod mutation;
mod round_trip;
