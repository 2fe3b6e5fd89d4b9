//! Progress and signals during long computations: Ctrl-C, progress callbacks.
//!
//! The computation runs without the GIL. Every 20 ms it polls for signals, every 100 ms it reports progress;
//! both take the GIL for a moment. An exception raised there is stored, the computation is asked to end, and
//! the exception is raised when it has ended.

use std::time::{Duration, Instant};

use percuss_run::RunProgress;
use pyo3::prelude::*;

/// Interval between polls for signals.
const LOOK: Duration = Duration::from_millis(20);

/// Interval between progress reports.
const TELL: Duration = Duration::from_millis(100);

/// Polls signals and reports progress.
pub struct ProgressReporter<'a> {
    tell: Option<&'a Py<PyAny>>,
    looked: Instant,
    told: Instant,
    /// The exception that Python raised.
    pub raised: Option<PyErr>,
}

impl<'a> ProgressReporter<'a> {
    /// `tell(share, t, words)` receives the progress.
    pub fn new(tell: Option<&'a Py<PyAny>>) -> Self {
        let now = Instant::now();
        Self {
            tell,
            looked: now,
            told: now,
            raised: None,
        }
    }

    /// Polls and reports; returns whether to continue.
    pub fn update(&mut self, share: f64, t: f64, words: &str) -> bool {
        if self.raised.is_some() {
            return false;
        }
        // At most one poll per interval.
        let now = Instant::now();
        if now.duration_since(self.looked) < LOOK {
            return true;
        }
        self.looked = now;
        let telling = now.duration_since(self.told) >= TELL;
        // Signals, and progress if due, with the GIL.
        let done = Python::attach(|py| {
            py.check_signals()?;
            if let (Some(tell), true) = (self.tell, telling) {
                tell.call1(py, (share, t, words))?;
            }
            PyResult::Ok(())
        });
        if telling {
            self.told = now;
        }
        match done {
            Ok(()) => true,
            Err(raised) => {
                self.raised = Some(raised);
                false
            }
        }
    }

    /// The same for a step of a run.
    pub fn tick(&mut self, tick: &RunProgress<'_>) -> bool {
        self.update(tick.share, tick.t, tick.preparation.unwrap_or(""))
    }

    /// Raises the stored exception, if any.
    pub fn check(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
