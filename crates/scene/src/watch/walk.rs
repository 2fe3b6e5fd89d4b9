//! A run of bodies step by step: the loop, one turn of it at a time.

use bodies::World;

use super::follow::{ProgressCallback, RunObservers, RunSpec, run_progress};
use super::moment::RestoredRun;
use super::outcome::BodiesOutcome;
use super::start;
use super::turn::ObservedDim;
use crate::collection::BodiesObserver;
use crate::error::SceneError;
use crate::run::{END_TOLERANCE, StopReason};

/// A run that is under way: what looks at it, and where it is.
pub(super) struct Driver {
    look: RunObservers,
    step: usize,
    /// The run is over when the time has reached this.
    end: f64,
    reason: Result<(), SceneError>,
}

impl Driver {
    /// Looks at the start, or goes on where a run was interrupted; nothing where the run is refused,
    /// which the outcome then says.
    pub fn begin<D: ObservedDim>(
        main: &RunSpec<'_>,
        world: &World<D>,
        past: Option<RestoredRun<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) -> Option<Self> {
        let (start, until) = (outcome.start, outcome.until);
        let mut look = match main.observers(outcome) {
            Ok(look) => look,
            Err(reason) => {
                outcome.set_not_started(start, StopReason::Bodies(reason));
                return None;
            }
        };
        let end = until - END_TOLERANCE * world.settings().step.min(until - start);
        main.prepare_series(outcome);
        let (mut step, mut reason) = (0, Ok(()));
        if let Some(past) = past {
            step = look.restore(past, outcome);
        } else {
            outcome.certificate.begin(world.report());
            outcome.push_state(world.state().t, look.observables.evaluate(D::view(world)));
            reason = sink.on_step(0, D::view(world), !(world.state().t < end));
        }
        Some(Self {
            look,
            step,
            end,
            reason,
        })
    }

    /// One step, if there is one left; whether there may be another one.
    pub fn step<D: ObservedDim>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
    ) -> bool {
        let over = outcome.halted || outcome.stopped.is_some();
        if self.reason.is_err() || !(world.state().t < self.end) || over {
            return false;
        }
        if let Err(error) = world.step() {
            let reason = start::describe_error(&error, &outcome.names);
            outcome.stop(world, StopReason::Bodies(reason));
            // The last state is given once more, as the last: contacts of the step that failed
            // are none of its contacts.
            world.overlaps(f64::INFINITY);
            self.reason = sink.on_step(self.step, D::view(world), true);
            return false;
        }
        self.step += 1;
        let span = (outcome.start, outcome.until);
        main.observe_step(world, &mut self.look, outcome);
        let going = progress(&run_progress(
            world,
            None,
            (self.step, &outcome.certificate),
            span,
        ));
        let last = outcome.halted || !(world.state().t < self.end);
        self.look.distributions.step(self.step, world, last);
        self.reason = sink.on_step(self.step, D::view(world), last);
        if last || self.reason.is_err() {
            return false;
        }
        if sink.checkpoint_due() || !going {
            self.reason = self.look.write_checkpoint(self.step, world, outcome, sink);
        }
        if !going && self.reason.is_ok() {
            self.stop_on_request(world, outcome, sink);
        }
        going && self.reason.is_ok()
    }

    /// Ends on request after a step whose state is kept. For the records as they are left; a run that
    /// is resumed knows nothing of it.
    fn stop_on_request<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) {
        self.look.distributions.close(self.step, world);
        self.reason = sink.on_step(self.step, D::view(world), true);
        outcome.stop(world, StopReason::Requested);
    }

    /// Keeps the state and ends on request.
    pub fn interrupt<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) {
        self.write_checkpoint(world, outcome, sink);
        if self.reason.is_ok() {
            self.stop_on_request(world, outcome, sink);
        }
    }

    /// Keeps the state, so that the run can be continued from here.
    pub fn write_checkpoint<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        outcome: &BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) {
        if self.step > 0 && self.reason.is_ok() {
            self.reason = self.look.write_checkpoint(self.step, world, outcome, sink);
        }
    }

    /// Puts what was seen into the outcome.
    pub fn close<D: ObservedDim>(self, world: &World<D>, outcome: &mut BodiesOutcome) {
        if let Err(error) = self.reason {
            outcome.stop(world, StopReason::Observer(error));
        }
        outcome.events = self.look.event_detector.into_events();
        outcome.distributions = self.look.distributions.into_counts();
    }
}
