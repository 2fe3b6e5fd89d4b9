//! All tests of the crate in one binary: every further binary would be linked with everything again.

mod common;
mod joints;
mod plane;
mod refused;
mod space;
