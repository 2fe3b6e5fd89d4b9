//! The tests of the crate in one program: each program more is linked with everything once more.

mod bad_input;
mod common;
mod cones;
mod dense;
mod impact;
mod known_sets;
mod qp;
mod referee;
mod sets;
