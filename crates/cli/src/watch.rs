//! What a command does while steps are made: the bar, the warnings, and whether to go on.

use scene::Tick;

use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use crate::warn::Warnings;

/// Watches a run.
pub struct Watcher {
    progress: Progress,
    warnings: Warnings,
}

impl Watcher {
    /// Watches a run; `smallest` is the radius of the smallest body, where there are bodies. From
    /// here on an interruption waits for the end of the step.
    pub fn new(quiet: bool, smallest: Option<f64>) -> Self {
        let progress = Progress::of_run(quiet);
        progress.at("running");
        Self {
            progress,
            warnings: Warnings::new(smallest),
        }
    }

    /// A step is done; whether to go on.
    pub fn tick(&mut self, tick: &Tick<'_>) -> bool {
        self.progress.tick(tick);
        for warning in self.warnings.step(tick) {
            output::message(&warning);
        }
        !interrupt::asked()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        for warning in self.warnings.close() {
            output::message(&warning);
        }
    }
}
