//! What a command does while steps are made: the bar, the warnings, and whether to go on.

use scene::{RunProgress, Warnings};

use crate::interrupt;
use crate::output;
use crate::progress::Progress;

/// Watches a run.
pub struct RunMonitor {
    progress: Progress,
    warnings: Warnings,
}

impl RunMonitor {
    /// Watches a run, of bodies or of a mechanism. From here on an interruption waits for the end of the
    /// step.
    pub fn new(quiet: bool, kind: scene::SceneKind) -> Self {
        let progress = Progress::of_run(quiet);
        progress.at("running");
        Self {
            progress,
            warnings: Warnings::new(kind == scene::SceneKind::Bodies),
        }
    }

    /// A step is done; whether to go on.
    pub fn tick(&mut self, tick: &RunProgress<'_>) -> bool {
        self.progress.tick(tick);
        for warning in self.warnings.step(tick) {
            output::message(&warning);
        }
        !interrupt::requested()
    }
}

impl Drop for RunMonitor {
    fn drop(&mut self) {
        for warning in self.warnings.close() {
            output::message(&warning);
        }
    }
}
