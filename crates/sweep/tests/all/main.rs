//! The tests of the crate in one program: each program more is linked with everything once more.

mod apps;
mod closed;
mod common;
mod events;
mod laws;
mod projection;
mod regularised;
mod truss;
