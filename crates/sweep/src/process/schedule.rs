//! Schedule of a run: fixed or adaptive steps, jumps and kinks at given times.
//!
//! Adaptive steps keep the excess e(C_I, C_F) near a given length: it governs the error of the catching-up method (M99
//! §5), not the step length in time, since the process is rate-independent. Where no bound of the excess is known, the
//! distance from u to the next set replaces it, which is what the step will move.

use super::{Process, SweepingStep, SweepingSummary};
use crate::error::{Result, SweepingError};
use crate::moving_set::MovingSet;

/// Step lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepSize {
    /// Steps of this length; the last before a stop is shortened to end there.
    Fixed(f64),
    /// Steps over which C retracts by at most `excess`, between `shortest` and `longest`.
    Adaptive {
        /// Excess per step, a length.
        excess: f64,
        /// Shortest step; a set that retracts faster is taken to jump and refused.
        shortest: f64,
        /// Longest step.
        longest: f64,
    },
}

/// An interval with its stops.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// End time.
    pub end: f64,
    /// Step lengths.
    pub step_size: StepSize,
    /// Times at which C jumps; C(t) is its value after the jump.
    pub jumps: Vec<f64>,
    /// Times at which the motion has a kink: a step ends there.
    pub kinks: Vec<f64>,
}

impl Schedule {
    /// Steps of one length up to `end`, no stops.
    pub fn fixed(end: f64, step: f64) -> Self {
        Self {
            end,
            step_size: StepSize::Fixed(step),
            jumps: Vec::new(),
            kinks: Vec::new(),
        }
    }

    fn validate(&self) -> Result<()> {
        // Step lengths must be positive, stops finite.
        let positive = |what: &'static str, value: f64| {
            if value.is_finite() && value > 0.0 {
                Ok(())
            } else {
                Err(SweepingError::Invalid {
                    what,
                    value,
                    expected: "a positive number",
                })
            }
        };
        match self.step_size {
            StepSize::Fixed(step) => positive("step", step)?,
            StepSize::Adaptive {
                excess,
                shortest,
                longest,
            } => {
                positive("excess per step", excess)?;
                positive("shortest step", shortest)?;
                positive("longest step", longest)?;
            }
        }
        let stops = self.jumps.iter().chain(&self.kinks).chain([&self.end]);
        for &value in stops {
            if !value.is_finite() {
                return Err(SweepingError::Invalid {
                    what: "instant of the schedule",
                    value,
                    expected: "a finite number",
                });
            }
        }
        Ok(())
    }

    /// Stops after `from`: (time, whether C jumps there), in order, the end last.
    fn stops(&self, from: f64) -> Vec<(f64, bool)> {
        let inside = |t: &&f64| **t > from && **t <= self.end;
        let mut stops: Vec<(f64, bool)> = self
            .jumps
            .iter()
            .filter(inside)
            .map(|&t| (t, true))
            .collect();
        for &t in self.kinks.iter().filter(inside) {
            stops.push((t, false));
        }
        stops.push((self.end, false));
        // A jump takes precedence over a kink at the same time; then one stop per time.
        stops.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        stops.dedup_by(|later, first| later.0 == first.0);
        stops
    }
}

impl<S: MovingSet> Process<S> {
    /// Runs to the end of the schedule; `observe` gets every step and the point after it.
    pub fn run(
        &mut self,
        schedule: &Schedule,
        mut observe: impl FnMut(&SweepingStep, &[f64]),
    ) -> Result<SweepingSummary> {
        self.run_while(schedule, |step, process| {
            observe(step, &process.point);
            true
        })
    }

    /// The same with the process itself; stops when `observe` returns false.
    pub fn run_while(
        &mut self,
        schedule: &Schedule,
        mut observe: impl FnMut(&SweepingStep, &Self) -> bool,
    ) -> Result<SweepingSummary> {
        schedule.validate()?;
        if !self.summary.started {
            self.begin()?;
        }
        let mut guess = f64::INFINITY;
        for (stop, jumps) in schedule.stops(self.time) {
            // Before a jump the set is that of the left limit.
            let last = if jumps { stop.next_down() } else { stop };
            let next = self.jump_after(schedule);
            self.set_horizon(next.next_down());
            let start = self.time;
            let mut count = 0_u32;
            while self.time < last {
                let to = match schedule.step_size {
                    StepSize::Fixed(step) => {
                        count += 1;
                        let to = start + f64::from(count) * step;
                        // A remainder below a millionth of a step is rounding of the division.
                        if to > last - 1e-6 * step { last } else { to }
                    }
                    StepSize::Adaptive { .. } => {
                        self.next_instant(schedule.step_size, last, &mut guess)?
                    }
                };
                let step = self.advance(to)?;
                if !observe(&step, self) {
                    return Ok(self.summary.clone());
                }
            }
            // The jump itself is a projection at the stop.
            if jumps {
                let step = self.jump(stop)?;
                if !observe(&step, self) {
                    return Ok(self.summary.clone());
                }
            }
        }
        Ok(self.summary.clone())
    }

    /// The next jump of the schedule, +∞ where there is none.
    fn jump_after(&self, schedule: &Schedule) -> f64 {
        let later = schedule.jumps.iter().filter(|t| **t > self.time);
        later.copied().fold(f64::INFINITY, f64::min)
    }

    /// End of the next adaptive step, at most `last`; `guess` is the length to try first and becomes that of the step
    /// after. For fixed steps it is `last`.
    ///
    /// # Errors
    /// The set retracts too fast for the shortest step, or a projection fails.
    pub fn next_instant(&mut self, pace: StepSize, last: f64, guess: &mut f64) -> Result<f64> {
        let StepSize::Adaptive {
            excess,
            shortest,
            longest,
        } = pace
        else {
            return Ok(last);
        };
        // Shorten the trial step until the excess is within the bound.
        let mut h = guess.min(longest).min(last - self.time);
        loop {
            let to = if self.time + h >= last - 1e-6 * h {
                last
            } else {
                self.time + h
            };
            // Excess of the trial step, or the distance that u will move.
            let e = match self.retraction(self.time, to)? {
                Some(e) => e,
                None => {
                    self.set.linearise_at(to, &self.point)?;
                    let point = self.point.clone();
                    self.set.distance(&self.metric, to, &point)?
                }
            };
            if e <= excess {
                // Grow by at most a factor of two: the excess may rise suddenly.
                let growth = if e > 0.0 {
                    (0.9 * excess / e).clamp(0.5, 2.0)
                } else {
                    2.0
                };
                *guess = h * growth;
                return Ok(to);
            }
            h *= (0.9 * excess / e).clamp(0.1, 0.9);
            if h < shortest {
                return Err(SweepingError::NotConverged {
                    what: "the adaptive step (the set retracts by more than the excess allowed within the shortest step: declare a jump there, or allow more)",
                    time: self.time,
                    iterations: 0,
                    residual: e,
                });
            }
        }
    }
}
