//! All tests of the crate in one binary: every further binary would be linked with everything again.

mod apps;
mod closed;
mod common;
mod events;
mod laws;
mod projection;
mod regularised;
mod retraction;
mod truss;
