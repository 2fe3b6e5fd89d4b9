//! Variable steps: a step is compared with its two halves.
//!
//! ```text
//! error = max_i |q_i(h) − q_i(h/2, h/2)| / (1 + |q_i|)
//! ```
//!
//! The halves are kept. In smooth motion the error of a step is of order h³, through an impact of
//! order h: a step across an impact shrinks to the smallest allowed and is then taken as it is.

use super::Stepper;
use crate::error::MechanismError;
use crate::state::{Ledger, Motion, State};
use crate::system::System;

/// Steps change by at most these factors, and aim this far below the tolerance.
const SHRINK: f64 = 0.25;
const GROW: f64 = 2.0;
const SAFETY: f64 = 0.8;

impl<S: System> Stepper<S> {
    /// One accepted half step: the halves of a pair are two steps of the motion.
    pub(super) fn advance_adaptively(&mut self) -> Result<(), MechanismError> {
        let Some(limits) = self.settings.adaptive else {
            return Ok(());
        };
        if let Some((second, end)) = self.second_half.take() {
            self.step(second, end)?;
            self.accept();
            return Ok(());
        }
        loop {
            let h = self.trial.min(self.until - self.state.t);
            let (coarse, fine) = self.try_both(h)?;
            let error = distance(&coarse, &fine);
            let factor = (SAFETY * limits.tolerance / error.max(1e-300)).cbrt();
            let wanted = self.trial.min(2.0 * h) * factor.clamp(SHRINK, GROW);
            self.trial = wanted.clamp(limits.smallest, limits.largest);
            if error <= limits.tolerance || h <= limits.smallest * (1.0 + 1e-9) {
                return self.take_first_half(h);
            }
        }
    }

    /// End states of one step of length h and of two of length h/2; the state is as before.
    fn try_both(&mut self, h: f64) -> Result<(State, State), MechanismError> {
        let (begin, ledger): (State, Ledger) = (self.state.clone(), self.ledger);
        let watch = self.watch.clone();
        let t = begin.t;
        let end = self.end_of(h);
        self.step(h, end)?;
        let coarse = self.next.clone();
        self.step(0.5 * h, t + 0.5 * h)?;
        self.accept();
        let result = self.step(0.5 * h, end);
        let fine = self.next.clone();
        self.state = begin;
        self.ledger = ledger;
        self.watch = watch;
        result.map(|()| (coarse, fine))
    }

    fn take_first_half(&mut self, h: f64) -> Result<(), MechanismError> {
        let t = self.state().t;
        self.second_half = Some((0.5 * h, self.end_of(h)));
        self.step(0.5 * h, t + 0.5 * h)?;
        self.accept();
        Ok(())
    }

    /// The end of a step of length h, exactly the end of the run where it is that.
    fn end_of(&self, h: f64) -> f64 {
        let end = self.state.t + h;
        let near = 1e-12 * self.until.abs().max(h);
        if self.until.is_finite() && (self.until - end).abs() <= near {
            self.until
        } else {
            end
        }
    }

    /// Variable steps are shortened so that one ends at `until`.
    pub fn end_at(&mut self, until: f64) {
        self.until = until;
    }
}

fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().zip(&b.q);
    pairs.fold(0.0, |m, (x, y)| m.max((x - y).abs() / (1.0 + y.abs())))
}
