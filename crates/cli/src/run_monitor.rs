//! Run monitor: progress bar, warnings, and whether to continue.

use percuss_run::{RunProgress, Warnings};

use crate::console;
use crate::interrupt;
use crate::progress::Progress;

/// Observes a run.
pub struct RunMonitor {
    progress: Progress,
    warnings: Warnings,
}

impl RunMonitor {
    /// Monitor of a run of bodies or of a mechanism. From here on a signal waits for the end of the step.
    pub fn new(quiet: bool, kind: percuss_scene::SceneKind) -> Self {
        let progress = Progress::of_run(quiet);
        progress.at("running");
        Self {
            progress,
            warnings: Warnings::new(kind == percuss_scene::SceneKind::Bodies),
        }
    }

    /// Reports a step; returns whether to continue.
    pub fn tick(&mut self, tick: &RunProgress<'_>) -> bool {
        self.progress.tick(tick);
        for warning in self.warnings.step(tick) {
            console::message(&warning);
        }
        !interrupt::requested()
    }
}

impl Drop for RunMonitor {
    fn drop(&mut self) {
        for warning in self.warnings.close() {
            console::message(&warning);
        }
    }
}
