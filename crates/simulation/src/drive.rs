//! The step loop of every run: [`Driver`].
//!
//! Order within a step: the step of the simulation, the certificate, the observers before the
//! progress callback, the progress callback, the observers after it, the checkpoint. Records
//! depend on this order.
//!
//! | run | observers before progress | observers after progress |
//! |---|---|---|
//! | mechanism | trajectory, recorder | |
//! | preparation of bodies | stop condition | recorder (nothing is recorded) |
//! | bodies | observables and stop condition, events | distributions, recorder |

#[cfg(test)]
mod tests;

use percuss_record::{SimulationRef, Step};
use percuss_scene::SceneError;
use percuss_scene::file::END_TOLERANCE;

use crate::progress::{ProgressCallback, RunProgress};
use crate::simulation::{Checkpoint, Simulation};
use crate::stop::{EarlyStop, StopReason};
use percuss_record::Certificate;

/// The observers of a run, in the order of its kind.
pub trait StepObservers {
    /// Observes a step before the progress callback; returns whether the stop condition holds.
    ///
    /// # Errors
    /// The step cannot be taken; the run stops there.
    fn before_progress(&mut self, step: &Step<'_>) -> Result<bool, SceneError>;

    /// Observes a step after the progress callback, when it is known whether it is the last.
    ///
    /// # Errors
    /// As [`StepObservers::before_progress`].
    fn after_progress(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        Ok(())
    }

    /// Counts a step; returns whether a checkpoint is to be written after it.
    fn checkpoint_due(&mut self) -> bool;

    /// Writes a checkpoint with what was gathered since the previous one.
    ///
    /// # Errors
    /// As [`StepObservers::before_progress`].
    fn write_checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), SceneError>;

    /// The step after this one failed: this is the last.
    ///
    /// # Errors
    /// As [`StepObservers::before_progress`].
    fn on_failure(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        Ok(())
    }

    /// The run is stopped on request after this step, whose checkpoint is written.
    ///
    /// # Errors
    /// As [`StepObservers::before_progress`].
    fn on_request(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        Ok(())
    }
}

/// The time interval of a run or of a preparation, with what its progress reports need.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    /// The preparation; nothing for the run itself.
    pub preparation: Option<&'a str>,
    /// Its start.
    pub start: f64,
    /// Its end.
    pub until: f64,
    /// `until` less the tolerance for rounding: it is over when the time has reached this.
    pub end: f64,
    /// Tolerance of the residual.
    pub tolerance: f64,
    /// Whether a checkpoint may be written at its last step.
    pub checkpoint_at_end: bool,
    /// Whether a request to stop at its last step is an interruption: after a preparation comes the
    /// run, after the run nothing.
    pub request_at_end: bool,
}

impl Stage<'_> {
    /// `until` less the tolerance for rounding: the last of constant steps may fall short of it.
    pub fn end_of(start: f64, until: f64, step: f64) -> f64 {
        until - END_TOLERANCE * step.min(until - start)
    }
}

/// A run under way: the number of its step, its certificate, and how it ended.
#[derive(Debug)]
pub struct Driver<'a> {
    /// Time interval.
    pub stage: Stage<'a>,
    /// Number of steps made.
    pub step: usize,
    /// Certificate so far.
    pub certificate: Certificate,
    /// Whether the stop condition ended it.
    pub halted: bool,
    /// Why it ended early.
    pub stopped: Option<EarlyStop>,
}

impl<'a> Driver<'a> {
    /// A run after a number of steps, 0 at its start, with the certificate so far.
    pub fn new(stage: Stage<'a>, step: usize, certificate: Certificate) -> Self {
        Self {
            stage,
            step,
            certificate,
            halted: false,
            stopped: None,
        }
    }

    /// Makes all steps that are left.
    pub fn drive(
        &mut self,
        simulation: &mut dyn Simulation,
        observers: &mut dyn StepObservers,
        progress: &mut ProgressCallback<'_>,
    ) {
        while self.step(simulation, observers, progress) {}
    }

    /// Makes one step if there is one left; returns whether there may be another.
    pub fn step(
        &mut self,
        simulation: &mut dyn Simulation,
        observers: &mut dyn StepObservers,
        progress: &mut ProgressCallback<'_>,
    ) -> bool {
        // Stopped, halted by its condition, or at the end.
        let over = self.halted || self.stopped.is_some();
        if over || !(simulation.time() < self.stage.end) {
            return false;
        }
        if let Err(reason) = simulation.step() {
            self.stop(simulation.time(), reason);
            // Observers may be given the last state once more, as the last.
            if simulation.discard_failed_step() {
                let last = self.step_of(simulation.view(), true);
                let taken = observers.on_failure(&last);
                self.note(simulation.time(), taken);
            }
            return false;
        }
        self.step += 1;
        let report = simulation.report();
        self.certificate
            .add(report, &|what| simulation.place_of(what));
        self.observe(simulation, observers, progress)
    }

    /// Observers, progress callback and checkpoint of a step; returns whether there may be another.
    fn observe(
        &mut self,
        simulation: &dyn Simulation,
        observers: &mut dyn StepObservers,
        progress: &mut ProgressCallback<'_>,
    ) -> bool {
        let t = simulation.time();
        let at_end = !(t < self.stage.end);
        let mut step = self.step_of(simulation.view(), at_end);
        let taken = observers.before_progress(&step);
        self.halted = matches!(taken, Ok(true));
        let going = progress(&self.run_progress(simulation));
        // The others are told which step is the last.
        step.last = at_end || self.halted;
        let taken = taken.and_then(|_| observers.after_progress(&step));
        if !self.note(t, taken) || self.halted || (at_end && !self.stage.checkpoint_at_end) {
            return false;
        }
        // A run that is stopped on request leaves a checkpoint, so that it can be resumed.
        let going = going || (at_end && !self.stage.request_at_end);
        if observers.checkpoint_due() || !going {
            self.write_checkpoint(simulation, observers);
        }
        if !going && self.stopped.is_none() {
            self.stop_on_request(simulation, observers);
        }
        self.stopped.is_none()
    }

    /// Writes a checkpoint and ends the run on request.
    pub fn interrupt(&mut self, simulation: &dyn Simulation, observers: &mut dyn StepObservers) {
        self.write_checkpoint(simulation, observers);
        if !self.failed() {
            self.stop_on_request(simulation, observers);
        }
    }

    /// Writes a checkpoint, from which the run can be resumed.
    pub fn write_checkpoint(
        &mut self,
        simulation: &dyn Simulation,
        observers: &mut dyn StepObservers,
    ) {
        let saved = simulation
            .save()
            .filter(|_| self.step > 0 && !self.failed());
        if let Some(state) = saved {
            let written = observers.write_checkpoint(&Checkpoint {
                step: self.step,
                certificate: &self.certificate,
                simulation: state,
            });
            self.note(simulation.time(), written);
        }
    }

    /// Ends the run on request after a step whose checkpoint is written: the records are closed
    /// with this state as the last. A run resumed from the checkpoint does not depend on it.
    fn stop_on_request(&mut self, simulation: &dyn Simulation, observers: &mut dyn StepObservers) {
        let t = simulation.time();
        self.stop(t, StopReason::Requested);
        let taken = observers.on_request(&self.step_of(simulation.view(), true));
        self.note(t, taken);
    }

    /// Takes what an observer said of a step; an error ends the run. Returns whether all is well.
    pub fn note<T>(&mut self, t: f64, taken: Result<T, SceneError>) -> bool {
        match taken {
            Ok(_) => true,
            Err(error) => {
                self.stop(t, StopReason::Observer(error));
                false
            }
        }
    }

    /// Whether an observer has failed.
    fn failed(&self) -> bool {
        let reason = self.stopped.as_ref().map(|stop| &stop.reason);
        matches!(reason, Some(StopReason::Observer(_)))
    }

    fn stop(&mut self, t: f64, reason: StopReason) {
        self.stopped = Some(EarlyStop {
            t,
            started: true,
            reason,
        });
    }

    fn step_of<'s>(&self, view: SimulationRef<'s>, last: bool) -> Step<'s> {
        Step {
            number: self.step,
            last,
            view,
        }
    }

    /// Progress after a step.
    fn run_progress(&self, simulation: &dyn Simulation) -> RunProgress<'_> {
        let (t, report, stage) = (simulation.time(), simulation.report(), &self.stage);
        RunProgress {
            preparation: stage.preparation,
            step: self.step,
            t,
            until: stage.until,
            share: ((t - stage.start) / (stage.until - stage.start)).clamp(0.0, 1.0),
            contacts: report.num_contacts,
            iterations: report.iterations,
            residual: report.residual,
            tolerance: stage.tolerance,
            reached: report.reached,
            penetration: report.penetration,
            gain: report.gain,
            gamma: report.gamma,
            certificate: &self.certificate,
        }
    }
}
