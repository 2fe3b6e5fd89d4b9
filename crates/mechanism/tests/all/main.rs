//! The tests of the crate in one program: each program more is linked with everything once more.

mod common;
mod event_dependent;
mod event_friction;
mod event_impacts;
mod event_joints;
mod event_limits;
mod limits;
mod native;
mod painleve;
mod stepper;
