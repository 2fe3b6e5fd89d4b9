//! Wall-clock time of the stages of a step.
//!
//! A monotonic clock is read between the stages, only if a profile was requested; the motion does not depend on it.

use std::time::Instant;

use super::World;
use crate::dynamics::Dynamics;
use crate::step::joints::Pass;

/// Seconds by stage, summed over the steps since [`World::begin_profile`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepTimings {
    /// Completed steps.
    pub steps: u64,
    /// Detection at the midpoint: bounding boxes, pairs, contact points.
    pub detection: f64,
    /// First assembly of the contact problem (★).
    pub assembly: f64,
    /// First solve of each step. The further solves for joint friction, gyroscopic moments and restitution
    /// beside joints count as `update`, those of the search for another solution as `account`.
    pub solve: f64,
    /// Midpoints, free velocities, end velocities and poses, joints with their further passes, projection.
    pub update: f64,
    /// Works, balances, search for another solution, and storing the contacts for the next step.
    pub account: f64,
}

impl StepTimings {
    /// Seconds of all stages together.
    pub fn total(&self) -> f64 {
        self.detection + self.assembly + self.solve + self.update + self.account
    }
}

/// The stages of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    Detection,
    Assembly,
    Solve,
    Update,
    Account,
}

/// The timings and the time at which the last stage ended.
#[derive(Debug)]
pub(super) struct Profiler {
    profile: StepTimings,
    last: Instant,
}

impl<D: Dynamics> World<D> {
    /// Starts a new profile of the following steps. Costs a few clock reads in each step.
    pub fn begin_profile(&mut self) {
        self.profiler = Some(Profiler {
            profile: StepTimings::default(),
            last: Instant::now(),
        });
    }

    /// Ends the profile: steps do not read the clock any more.
    pub fn end_profile(&mut self) {
        self.profiler = None;
    }

    /// Timings since [`World::begin_profile`]; `None` without it.
    pub fn profile(&self) -> Option<&StepTimings> {
        self.profiler.as_ref().map(|clock| &clock.profile)
    }
}

/// The first stage of a step begins.
pub(super) fn start(profiler: &mut Option<Profiler>) {
    if let Some(clock) = profiler {
        clock.last = Instant::now();
    }
}

/// The stage `stage` ends and the next one begins.
pub(super) fn lap(profiler: &mut Option<Profiler>, stage: Stage) {
    let Some(clock) = profiler else {
        return;
    };
    // One reading of the clock ends a stage and begins the next: no time is lost between them.
    let now = Instant::now();
    let profile = &mut clock.profile;
    // Accumulator of the stage that ends.
    let sum = match stage {
        Stage::Detection => &mut profile.detection,
        Stage::Assembly => &mut profile.assembly,
        Stage::Solve => &mut profile.solve,
        Stage::Update => &mut profile.update,
        Stage::Account => &mut profile.account,
    };
    *sum += now.duration_since(clock.last).as_secs_f64();
    clock.last = now;
}

/// The same in the first pass of a step; further passes are counted as a whole.
pub(super) fn lap_of_first(profiler: &mut Option<Profiler>, pass: Pass, stage: Stage) {
    if pass == Pass::First {
        lap(profiler, stage);
    }
}

/// The last stage and the step end.
pub(super) fn stop(profiler: &mut Option<Profiler>) {
    lap(profiler, Stage::Account);
    if let Some(clock) = profiler {
        clock.profile.steps += 1;
    }
}
