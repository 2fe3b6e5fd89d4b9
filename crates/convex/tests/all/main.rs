//! All tests of the crate in one program: every further test program would be linked separately.

mod bad_input;
mod common;
mod cones;
mod dense;
mod excess;
mod impact;
mod known_sets;
mod qp;
mod reference_solver;
mod sets;
