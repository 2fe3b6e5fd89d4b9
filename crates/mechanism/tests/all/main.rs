//! All tests of the crate in one binary: every further binary would be linked with everything again.

mod common;
mod event_dependent;
mod event_friction;
mod event_impacts;
mod event_joints;
mod event_limits;
mod limits;
mod native;
mod painleve;
mod persistent;
mod stepper;
