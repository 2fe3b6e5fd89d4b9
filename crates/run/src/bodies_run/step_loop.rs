//! The step loop of a run of bodies, one step per call of [`Driver::step`].
//!
//! Order within a step: world step, certificate, observables, events, progress callback,
//! distributions, observer, checkpoint. Records depend on this order.

use percuss_bodies::World;
use percuss_record::BodiesObserver;
use percuss_scene::SceneError;
use percuss_scene::file::END_TOLERANCE;

use super::checkpoint::RestoredRun;
use super::initial_overlaps as start;
use super::main_run::{ProgressCallback, RunObservers, RunSpec, run_progress};
use super::observed_dim::ObservedDim;
use super::outcome::BodiesOutcome;
use crate::stop::StopReason;

/// A run under way: its observers, the step number, and the first error of the observer.
pub(super) struct Driver {
    look: RunObservers,
    step: usize,
    /// The run is over when the time has reached this.
    end: f64,
    reason: Result<(), SceneError>,
}

impl Driver {
    /// Observes the initial state, or restores the observers from a checkpoint. None where the run
    /// cannot start; the outcome then says why.
    pub fn begin<D: ObservedDim>(
        main: &RunSpec<'_>,
        world: &World<D>,
        past: Option<RestoredRun<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) -> Option<Self> {
        // Observers and stop condition are compiled before the first step.
        let (start, until) = (outcome.start, outcome.until);
        let mut look = match main.observers(outcome) {
            Ok(look) => look,
            Err(reason) => {
                outcome.set_not_started(start, StopReason::Bodies(reason));
                return None;
            }
        };
        // The last step may fall short of the end by rounding.
        let end = until - END_TOLERANCE * world.settings().step.min(until - start);
        main.prepare_series(outcome);
        let (mut step, mut reason) = (0, Ok(()));
        // Resume from the checkpoint, or observe the initial state as step 0.
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

    /// Makes one step if there is one left; returns whether there may be another.
    pub fn step<D: ObservedDim>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
    ) -> bool {
        // Stopped, halted by its condition, or at the end.
        let over = outcome.halted || outcome.stopped.is_some();
        if self.reason.is_err() || !(world.state().t < self.end) || over {
            return false;
        }
        if let Err(error) = world.step() {
            let reason = start::describe_error(&error, &outcome.names);
            outcome.stop(world, StopReason::Bodies(reason));
            // The observer is given the last state once more, with `last` set. `overlaps` clears
            // the contacts of the failed step, which are not contacts of this state.
            world.overlaps(f64::INFINITY);
            self.reason = sink.on_step(self.step, D::view(world), true);
            return false;
        }
        // Certificate, observables, events; then the progress callback.
        self.step += 1;
        let span = (outcome.start, outcome.until);
        main.observe_step(world, &mut self.look, outcome);
        let going = progress(&run_progress(
            world,
            None,
            (self.step, &outcome.certificate),
            span,
        ));
        // Distributions and the observer are told which step is the last.
        let last = outcome.halted || !(world.state().t < self.end);
        self.look.distributions.step(self.step, world, last);
        self.reason = sink.on_step(self.step, D::view(world), last);
        if last || self.reason.is_err() {
            return false;
        }
        // A request to stop at the last step is no interruption; at any other it leaves a
        // checkpoint.
        if sink.checkpoint_due() || !going {
            self.reason = self.look.write_checkpoint(self.step, world, outcome, sink);
        }
        if !going && self.reason.is_ok() {
            self.stop_on_request(world, outcome, sink);
        }
        going && self.reason.is_ok()
    }

    /// Ends the run on request after a step whose checkpoint is written: the records are closed
    /// with this state as the last. A run resumed from the checkpoint does not depend on it.
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

    /// Writes a checkpoint and ends the run on request.
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

    /// Writes a checkpoint, from which the run can be resumed.
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

    /// Moves events, distributions and an error of the observer into the outcome.
    pub fn close<D: ObservedDim>(self, world: &World<D>, outcome: &mut BodiesOutcome) {
        if let Err(error) = self.reason {
            outcome.stop(world, StopReason::Observer(error));
        }
        outcome.events = self.look.event_detector.into_events();
        outcome.distributions = self.look.distributions.into_counts();
    }
}
