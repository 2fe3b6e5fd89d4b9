//! Rate of steps and estimate of the remaining time.
//!
//! ```text
//! rate = Δsteps/Δτ,    left = (1 − share) Δτ/Δshare
//! ```
//!
//! Differences are taken over a sliding window and not over the whole run: steps become slower when bodies come
//! together, and an average over all of them would be too optimistic. The window is ten seconds or a fifth of
//! the elapsed time, whichever is longer, so that single slow steps matter little.

use std::collections::VecDeque;

/// Minimal length of the sliding window, in seconds and as a fraction of the elapsed time.
const WHILE: (f64, f64) = (10.0, 0.2);

/// Spacing of the samples, as a fraction of the window.
const APART: f64 = 0.02;

/// A sample: elapsed seconds, steps and fraction done.
#[derive(Debug, Clone, Copy)]
struct Sample {
    seconds: f64,
    steps: f64,
    share: f64,
}

/// Estimates rate and remaining time.
#[derive(Debug)]
pub struct RateEstimate {
    kept: VecDeque<Sample>,
    last: Sample,
}

impl RateEstimate {
    /// For work that begins at `seconds`.
    pub fn new(seconds: f64) -> Self {
        let begin = Sample {
            seconds,
            steps: 0.0,
            share: 0.0,
        };
        Self {
            kept: VecDeque::from([begin]),
            last: begin,
        }
    }

    /// Adds a sample at `seconds`. A decrease restarts the estimate.
    pub fn note(&mut self, seconds: f64, steps: usize, share: f64) {
        let sample = Sample {
            seconds,
            steps: steps as f64,
            share,
        };
        if share < self.last.share || sample.steps < self.last.steps {
            *self = Self::new(self.last.seconds);
        }
        self.last = sample;
        let span = WHILE.0.max(WHILE.1 * seconds);
        let newest = self.kept.back().map_or(f64::NEG_INFINITY, |s| s.seconds);
        if seconds - newest >= APART * span {
            self.kept.push_back(sample);
        }
        // Keep one sample older than the window, the most recent such.
        while self
            .kept
            .get(1)
            .is_some_and(|s| seconds - s.seconds >= span)
        {
            self.kept.pop_front();
        }
    }

    /// Steps per second.
    pub fn rate(&self) -> Option<f64> {
        let first = self.kept.front()?;
        let time = self.last.seconds - first.seconds;
        let rate = (self.last.steps - first.steps) / time;
        (rate > 0.0 && rate.is_finite()).then_some(rate)
    }

    /// Remaining seconds at the current rate.
    pub fn left(&self) -> Option<f64> {
        let first = self.kept.front()?;
        let (time, done) = (
            self.last.seconds - first.seconds,
            self.last.share - first.share,
        );
        let left = (1.0 - self.last.share) * time / done;
        (done > 0.0 && left.is_finite()).then_some(left)
    }
}

/// A duration in few characters.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).round();
    // Seconds, minutes, hours or days.
    if whole < 60.0 {
        format!("{whole:.0} s")
    } else if whole < 3600.0 {
        format!("{:.0}:{:02.0} min", (whole / 60.0).floor(), whole % 60.0)
    } else if whole < 360_000.0 {
        let minutes = (whole / 60.0).floor();
        format!("{:.0}:{:02.0} h", (minutes / 60.0).floor(), minutes % 60.0)
    } else {
        format!("{:.0} days", whole / 86_400.0)
    }
}

/// A rate in few characters.
pub fn rate(steps: f64) -> String {
    match steps {
        r if r >= 10.0 => format!("{r:.0} steps/s"),
        r if r >= 0.1 => format!("{r:.1} steps/s"),
        r => format!("{:.0} s a step", 1.0 / r),
    }
}

#[cfg(test)]
mod tests {
    use super::{RateEstimate, clock, rate};

    #[test]
    fn steady_work_is_foretold_exactly() {
        let mut pace = RateEstimate::new(0.0);
        assert_eq!((pace.rate(), pace.left()), (None, None));
        for k in 1..=400 {
            pace.note(0.1 * f64::from(k), 5 * k as usize, f64::from(k) / 1000.0);
        }
        // 600 of 1000 parts are left, each a tenth of a second; rounding errors of a few sums.
        assert!((pace.left().unwrap() - 60.0).abs() < 1e-9);
        assert!((pace.rate().unwrap() - 50.0).abs() < 1e-9);
    }

    #[test]
    fn when_steps_slow_down_the_time_left_follows_them_and_not_the_average() {
        let mut pace = RateEstimate::new(0.0);
        let mut seconds = 0.0;
        for k in 1..=100 {
            seconds += if k <= 50 { 0.1 } else { 1.0 };
            pace.note(seconds, k, k as f64 / 200.0);
        }
        // The window of 11 s contains steps of 1 s only: 100 steps are left.
        assert!((pace.left().unwrap() - 100.0).abs() < 1e-9);
        // The average over all would give 55 s.
        assert!((pace.rate().unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_goes_back_begins_anew() {
        let mut pace = RateEstimate::new(0.0);
        pace.note(1.0, 10, 0.9);
        pace.note(2.0, 1, 0.1);
        // A new task, begun at 1 s: a tenth took a second.
        assert!((pace.left().unwrap() - 9.0).abs() < 1e-9);
    }

    #[test]
    fn times_and_rates_are_short() {
        assert_eq!(clock(43.2), "43 s");
        assert_eq!(clock(59.7), "1:00 min");
        assert_eq!(clock(725.0), "12:05 min");
        assert_eq!(clock(12_310.0), "3:25 h");
        assert_eq!(clock(1e6), "12 days");
        assert_eq!(rate(512.3), "512 steps/s");
        assert_eq!(rate(0.05), "20 s a step");
    }
}
