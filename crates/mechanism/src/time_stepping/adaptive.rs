//! Adaptive step length by step doubling: a step is compared with two half steps.
//!
//! ```text
//! error = max_i |q_i(h) − q_i(h/2, h/2)| / (1 + |q_i|)
//! ```
//!
//! The half steps are the accepted ones (computed again, as two steps of the motion: a pair costs five steps). In
//! smooth motion the error of a step is of order h³. Through an impact it is of order h, and step and half steps may
//! agree in missing it: a step in which a contact closes or penetrates by more than the tolerance is shortened until it
//! has the smallest length allowed, and is then taken.

use percuss_contact::law::Status;

use super::TimeStepper;
use super::layout::StepInterval;
use crate::error::MechanismError;
use crate::state::{State, StepReport};
use crate::system::System;

/// Bounds of the change of the step length, and the safety factor on the tolerance.
const SHRINK: f64 = 0.25;
const GROW: f64 = 2.0;
const SAFETY: f64 = 0.8;

/// Error, in tolerances, that a step in which a contact closes is given: the next trial has about a third of its
/// length.
const CLOSING: f64 = 20.0;

impl<S: System> TimeStepper<S> {
    /// Takes one accepted half step: the halves of a pair are two steps of the motion.
    pub(super) fn advance_adaptively(&mut self) -> Result<(), MechanismError> {
        let Some(limits) = self.settings.adaptive else {
            return Ok(());
        };
        // The second half of an accepted pair.
        if let Some(second) = self.second_half.take() {
            self.step(second)?;
            self.accept();
            return Ok(());
        }
        loop {
            let h = self.trial_step.min(self.end_time - self.state.t);
            let (coarse, fine, closing) = self.try_both(h)?;
            let mut error = distance(&coarse, &fine);
            if closing {
                error = error.max(CLOSING * limits.tolerance);
            }
            // Local error of order h³: the step length goes with its cube root.
            let factor = (SAFETY * limits.tolerance / error.max(1e-300)).cbrt();
            let wanted = self.trial_step.min(2.0 * h) * factor.clamp(SHRINK, GROW);
            self.trial_step = wanted.clamp(limits.smallest, limits.largest);
            if error <= limits.tolerance || h <= limits.smallest * (1.0 + 1e-9) {
                return self.take_first_half(h);
            }
        }
    }

    /// End states of one step of length h and of two of length h/2, and whether a contact closes in them. State, report
    /// and event history are restored.
    fn try_both(&mut self, h: f64) -> Result<(State, State, bool), MechanismError> {
        let (begin, ledger): (State, StepReport) = (self.state.clone(), self.report);
        let (watch, persistent) = (self.event_detector.clone(), self.persistent.clone());
        let t = begin.t;
        // One step of length h.
        let end = self.end_of(h);
        self.step(StepInterval { h, end })?;
        let coarse = self.next.clone();
        let mut closing = self.has_new_contact(ledger.penetration);
        // Two half steps.
        let half = 0.5 * h;
        self.step(StepInterval {
            h: half,
            end: t + half,
        })?;
        closing |= self.has_new_contact(ledger.penetration);
        self.accept();
        let result = self.step(StepInterval { h: half, end });
        closing |= self.has_new_contact(ledger.penetration);
        let fine = self.next.clone();
        // Restore state, report and event history.
        self.state = begin;
        self.report = ledger;
        self.event_detector = watch;
        self.persistent = persistent;
        result.map(|()| (coarse, fine, closing))
    }

    /// Whether the step just computed closes a contact that was open, or penetrates deeper than `before` by more than
    /// the tolerance.
    fn has_new_contact(&self, before: f64) -> bool {
        let stage = &self.scratch.problem;
        let new = |(k, &i): (usize, &usize)| {
            let contact = self.system.constraints()[i].is_contact();
            let pushes = stage.impulse[stage.offset[k]] > 0.0;
            contact && pushes && self.state.status[i] == Status::Open
        };
        let tolerance = self.settings.adaptive.map_or(0.0, |a| a.tolerance);
        self.report.penetration > before + tolerance || stage.active.iter().enumerate().any(new)
    }

    /// Takes the first half of an accepted pair and schedules the second.
    fn take_first_half(&mut self, h: f64) -> Result<(), MechanismError> {
        let t = self.state.t;
        let half = 0.5 * h;
        self.second_half = Some(StepInterval {
            h: half,
            end: self.end_of(h),
        });
        self.step(StepInterval {
            h: half,
            end: t + half,
        })?;
        self.accept();
        Ok(())
    }

    /// End of a step of length h; exactly the end of the run where it is that to rounding.
    fn end_of(&self, h: f64) -> f64 {
        let end = self.state.t + h;
        let near = 1e-12 * self.end_time.abs().max(h);
        if self.end_time.is_finite() && (self.end_time - end).abs() <= near {
            self.end_time
        } else {
            end
        }
    }

    /// Adaptive steps are shortened so that one ends at `until`.
    pub fn set_end_time(&mut self, until: f64) {
        self.end_time = until;
    }
}

/// Error estimate: largest relative difference of the positions.
fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().zip(&b.q);
    pairs.fold(0.0, |m, (x, y)| m.max((x - y).abs() / (1.0 + y.abs())))
}
