//! The tests of the crate in one program: each program more is linked with everything once more.

mod auto;
mod bad_input;
mod common;
mod counts;
mod dense;
mod energy;
mod equivalence;
mod infeasible;
mod judge;
mod oracles;
mod referees;
mod structures;
mod velocity;
