//! A run of bodies step by step: the loop, one turn of it at a time.

use bodies::World;

use super::follow::{Look, Main, Progress, tick};
use super::moment::Past;
use super::outcome::BodiesOutcome;
use super::start;
use super::turn::Turn;
use crate::collection::Steps;
use crate::error::SceneError;
use crate::run::{LEFT, StopReason};

/// A run that is under way: what looks at it, and where it is.
pub(super) struct Walk {
    look: Look,
    step: usize,
    /// The run is over when the time has reached this.
    end: f64,
    reason: Result<(), SceneError>,
}

impl Walk {
    /// Looks at the start, or goes on where a run was interrupted; nothing where the run is refused,
    /// which the outcome then says.
    pub fn begin<D: Turn>(
        main: &Main<'_>,
        world: &World<D>,
        past: Option<Past<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
    ) -> Option<Self> {
        let (start, until) = (outcome.start, outcome.until);
        let mut look = match main.look(outcome) {
            Ok(look) => look,
            Err(reason) => {
                outcome.refuse(start, StopReason::Bodies(reason));
                return None;
            }
        };
        let end = until - LEFT * world.settings().step.min(until - start);
        main.prepare_series(outcome);
        let (mut step, mut reason) = (0, Ok(()));
        if let Some(past) = past {
            step = look.recall(past, outcome);
        } else {
            outcome.certificate.begin(world.report());
            outcome.keep(world.state().t, look.panel.read(D::view(world)));
            reason = sink.step(0, D::view(world), !(world.state().t < end));
        }
        Some(Self {
            look,
            step,
            end,
            reason,
        })
    }

    /// One step, if there is one left; whether there may be another one.
    pub fn turn<D: Turn>(
        &mut self,
        main: &Main<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
        progress: &mut Progress<'_>,
    ) -> bool {
        let over = outcome.halted || outcome.stopped.is_some();
        if self.reason.is_err() || !(world.state().t < self.end) || over {
            return false;
        }
        if let Err(error) = world.step() {
            let reason = start::explain(&error, &outcome.cast);
            outcome.stop(world, StopReason::Bodies(reason));
            // The last state is given once more, as the last: contacts of the step that failed
            // are none of its contacts.
            world.overlaps(f64::INFINITY);
            self.reason = sink.step(self.step, D::view(world), true);
            return false;
        }
        self.step += 1;
        let span = (outcome.start, outcome.until);
        main.take(world, &mut self.look, outcome);
        let going = progress(&tick(world, None, (self.step, &outcome.certificate), span));
        let last = outcome.halted || !(world.state().t < self.end);
        self.look.bins.step(self.step, world, last);
        self.reason = sink.step(self.step, D::view(world), last);
        if last || self.reason.is_err() {
            return false;
        }
        if sink.due() || !going {
            self.reason = self.look.keep(self.step, world, outcome, sink);
        }
        if !going && self.reason.is_ok() {
            self.leave(world, outcome, sink);
        }
        going && self.reason.is_ok()
    }

    /// Ends on request after a step whose state is kept. For the records as they are left; a run that
    /// is resumed knows nothing of it.
    fn leave<D: Turn>(
        &mut self,
        world: &World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
    ) {
        self.look.bins.close(self.step, world);
        self.reason = sink.step(self.step, D::view(world), true);
        outcome.stop(world, StopReason::Asked);
    }

    /// Keeps the state and ends on request.
    pub fn interrupt<D: Turn>(
        &mut self,
        world: &World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
    ) {
        self.keep(world, outcome, sink);
        if self.reason.is_ok() {
            self.leave(world, outcome, sink);
        }
    }

    /// Keeps the state, so that the run can be continued from here.
    pub fn keep<D: Turn>(
        &mut self,
        world: &World<D>,
        outcome: &BodiesOutcome,
        sink: &mut dyn Steps,
    ) {
        if self.step > 0 && self.reason.is_ok() {
            self.reason = self.look.keep(self.step, world, outcome, sink);
        }
    }

    /// Puts what was seen into the outcome.
    pub fn close<D: Turn>(self, world: &World<D>, outcome: &mut BodiesOutcome) {
        if let Err(error) = self.reason {
            outcome.stop(world, StopReason::Sink(error));
        }
        outcome.events = self.look.spotter.into_events();
        outcome.distributions = self.look.bins.into_counts();
    }
}
