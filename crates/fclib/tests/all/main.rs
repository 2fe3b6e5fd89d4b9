//! The tests of the crate in one program: each program more is linked with everything once more.

mod bad_input;
mod collection;
mod common;
mod foreign;
mod mutation;
mod problem;
mod round_trip;
