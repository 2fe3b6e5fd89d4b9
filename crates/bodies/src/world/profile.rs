//! Where the time of a step goes.
//!
//! A monotonic clock is read between the stages of a step, only where it was asked for; nothing of the
//! motion depends on it.

use std::time::Instant;

use super::World;
use crate::dim::Dim;

/// Seconds by stage, summed over the steps since the profile was begun.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepTimings {
    /// Steps that were completed.
    pub steps: u64,
    /// Touches at the midpoint: boxes, pairs, points.
    pub detection: f64,
    /// The contact problem (★) out of the touches.
    pub assembly: f64,
    /// The solver.
    pub solve: f64,
    /// Midpoints, free velocities, velocities and placements at the end, joints, projection.
    pub update: f64,
    /// Works, balances, and what is remembered for the next step.
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

/// A profile and when its last stage ended.
#[derive(Debug)]
pub(super) struct Profiler {
    profile: StepTimings,
    last: Instant,
}

impl<D: Dim> World<D> {
    /// Begins a new profile of the steps that follow. Costs some reads of a clock in each step and
    /// changes nothing else.
    pub fn begin_profile(&mut self) {
        self.profiler = Some(Profiler {
            profile: StepTimings::default(),
            last: Instant::now(),
        });
    }

    /// Ends the profile: steps read no clock any more.
    pub fn end_profile(&mut self) {
        self.profiler = None;
    }

    /// Where the time went since [`World::begin_profile`]; none without it.
    pub fn profile(&self) -> Option<&StepTimings> {
        self.profiler.as_ref().map(|clock| &clock.profile)
    }

    /// The first stage begins.
    pub(super) fn start_clock(&mut self) {
        if let Some(clock) = &mut self.profiler {
            clock.last = Instant::now();
        }
    }

    /// A stage ends and the next one begins.
    pub(super) fn lap(&mut self, stage: Stage) {
        let Some(clock) = &mut self.profiler else {
            return;
        };
        let now = Instant::now();
        let profile = &mut clock.profile;
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

    /// The last stage ends, and the step.
    pub(super) fn stop_clock(&mut self) {
        self.lap(Stage::Account);
        if let Some(clock) = &mut self.profiler {
            clock.profile.steps += 1;
        }
    }
}
