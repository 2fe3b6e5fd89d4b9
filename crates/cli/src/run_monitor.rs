//! Run monitor: progress bar, warnings, and whether to continue.

use std::path::Path;

use percuss_draw::plot::check_plots;
use percuss_run::{ResumePoint, RunListener, RunOutcome, RunProgress, Warnings};
use percuss_scene::{Scene, SceneError, SceneKind};

use crate::console;
use crate::interrupt::{self, ExitAtOnce};
use crate::progress::Progress;

/// Listens to a run and tells of it on the console.
pub struct RunMonitor {
    quiet: bool,
    kind: SceneKind,
    steps: Option<StepMonitor>,
    findings: Option<FindingsMonitor>,
}

impl RunMonitor {
    /// Monitor of a run of bodies or of a mechanism.
    pub fn new(quiet: bool, kind: SceneKind) -> Self {
        Self {
            quiet,
            kind,
            steps: None,
            findings: None,
        }
    }
}

impl RunListener for RunMonitor {
    fn check(&mut self, scene: &Scene) -> Result<(), SceneError> {
        check_plots(scene)?;
        console::warnings(scene.warnings());
        Ok(())
    }

    fn on_resume(&mut self, from: &ResumePoint<'_>) {
        from.notes.iter().for_each(|note| console::message(note));
        let shown = from.directory.display();
        match from.checkpoint {
            0 => console::message(&format!(
                "{shown}: there is no checkpoint to go on from; the run is made again from its start"
            )),
            number if !self.quiet => {
                console::message(&format!("{shown}: going on from checkpoint {number}"));
            }
            _ => {}
        }
    }

    /// From here on a signal waits for the end of the step.
    fn on_begin(&mut self) {
        let progress = Progress::of_run(self.quiet);
        progress.at("running");
        self.steps = Some(StepMonitor {
            progress,
            warnings: Warnings::new(self.kind == SceneKind::Bodies),
        });
    }

    fn on_step(&mut self, progress: &RunProgress<'_>) -> bool {
        if let Some(steps) = &mut self.steps {
            steps.tell(progress);
        }
        !interrupt::requested()
    }

    fn on_steps_end(&mut self, outcome: &RunOutcome) {
        self.steps = None;
        // Redundant joint rows are reported.
        let warning = outcome.bodies().and_then(|o| o.redundant_rows_warning());
        console::warnings(&warning);
    }

    /// Findings may be interrupted at once: the records are closed already.
    fn on_closed(&mut self, directory: Option<&Path>, findings: bool) -> bool {
        if findings {
            let at_once = interrupt::exit_at_once(findings_interrupted_text(directory));
            let progress = Progress::of_shares(self.quiet);
            progress.at("findings");
            self.findings = Some(FindingsMonitor {
                progress,
                _at_once: at_once,
            });
        }
        true
    }

    fn on_finding(&mut self, name: &str, share: f64) -> bool {
        if let Some(findings) = &self.findings {
            findings.progress.share(share, || format!("finding {name}"));
        }
        true
    }

    fn on_findings_end(&mut self) {
        self.findings = None;
    }
}

/// Progress and warnings while steps are made.
struct StepMonitor {
    progress: Progress,
    warnings: Warnings,
}

impl StepMonitor {
    /// Reports a step.
    fn tell(&mut self, progress: &RunProgress<'_>) {
        self.progress.tick(progress);
        for warning in self.warnings.step(progress) {
            console::message(&warning);
        }
    }
}

impl Drop for StepMonitor {
    fn drop(&mut self) {
        for warning in self.warnings.close() {
            console::message(&warning);
        }
    }
}

/// Progress while findings are evaluated; a signal ends the program at once.
struct FindingsMonitor {
    progress: Progress,
    _at_once: ExitAtOnce,
}

/// Message about an interruption while findings were measured.
fn findings_interrupted_text(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => format!(
            "interrupted while the findings were measured; the run itself is complete: its records \
             are in {0}, and `percuss resume {0}` measures the findings",
            directory.display()
        ),
        None => "interrupted while the findings were measured; nothing is recorded".into(),
    }
}
