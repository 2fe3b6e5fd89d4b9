//! Who is told of a run while it is made: [`RunListener`].

use std::path::Path;

use percuss_scene::{Scene, SceneError};

use super::outcome::RunOutcome;
use percuss_simulation::RunProgress;

/// Is told how far a run is, and may stop it. Every method has a default: tell nothing, go on.
///
/// A closure from [`RunProgress`] to `bool` is a listener of the steps.
pub trait RunListener {
    /// Further checks of the scene, such as those of its plots: after the findings are checked and
    /// before anything is written.
    ///
    /// # Errors
    /// The scene has an error; the run is not made.
    fn check(&mut self, _scene: &Scene) -> Result<(), SceneError> {
        Ok(())
    }

    /// The run is resumed from here.
    fn on_resume(&mut self, _from: &ResumePoint<'_>) {}

    /// The records are prepared; the first step follows.
    fn on_begin(&mut self) {}

    /// Called after every step, those of preparations included; returns whether to go on.
    fn on_step(&mut self, _progress: &RunProgress<'_>) -> bool {
        true
    }

    /// No further step is made.
    fn on_steps_end(&mut self, _outcome: &RunOutcome) {}

    /// The records are closed; `findings` says whether findings are evaluated next. Returns whether
    /// to go on: if not, the directory is left to be resumed.
    fn on_closed(&mut self, _directory: Option<&Path>, _findings: bool) -> bool {
        true
    }

    /// Called with the name of the finding in work and the share of all that is done; returns
    /// whether to go on.
    fn on_finding(&mut self, _name: &str, _share: f64) -> bool {
        true
    }

    /// The findings are in the manifest.
    fn on_findings_end(&mut self) {}
}

impl<F: FnMut(&RunProgress<'_>) -> bool> RunListener for F {
    fn on_step(&mut self, progress: &RunProgress<'_>) -> bool {
        self(progress)
    }
}

/// The checkpoint that a resumed run continues from.
#[derive(Debug, Clone, Copy)]
pub struct ResumePoint<'a> {
    /// The directory of the run.
    pub directory: &'a Path,
    /// The number of the checkpoint; 0 where there is none and the run is made from its start.
    pub checkpoint: usize,
    /// Notes on checkpoints that were skipped because they are damaged.
    pub notes: &'a [String],
}
