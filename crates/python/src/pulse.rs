//! The border between long work and the interpreter: Ctrl-C, progress, callbacks.
//!
//! Work runs without the interpreter's lock. Every 20 ms it asks whether a signal came, every 100 ms
//! it tells how far it is; both take the lock for a moment. What Python raises there is kept, the work
//! is told to end, and the exception is raised when it has.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use scene::RunProgress;

/// Time between two looks at signals.
const LOOK: Duration = Duration::from_millis(20);

/// Time between two words about progress.
const TELL: Duration = Duration::from_millis(100);

/// Listens to the interpreter while work goes on.
pub struct ProgressReporter<'a> {
    tell: Option<&'a Py<PyAny>>,
    looked: Instant,
    told: Instant,
    /// What Python raised.
    pub raised: Option<PyErr>,
}

impl<'a> ProgressReporter<'a> {
    /// `tell(share, t, words)` hears how far the work is.
    pub fn new(tell: Option<&'a Py<PyAny>>) -> Self {
        let now = Instant::now();
        Self {
            tell,
            looked: now,
            told: now,
            raised: None,
        }
    }

    /// Whether to go on.
    pub fn update(&mut self, share: f64, t: f64, words: &str) -> bool {
        if self.raised.is_some() {
            return false;
        }
        let now = Instant::now();
        if now.duration_since(self.looked) < LOOK {
            return true;
        }
        self.looked = now;
        let telling = now.duration_since(self.told) >= TELL;
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

    /// What Python raised, if it did.
    pub fn check(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
