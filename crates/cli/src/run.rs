//! `percuss run`: runs a scene; records, certificate and findings.

use percuss_record::OutputDirectory;
use percuss_run::{FindingsOf, RunOptions, RunTarget, execute};
use percuss_scene::Scene;

use crate::args::{OneRunArgs, RunArgs};
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::log;
use crate::run_end;
use crate::run_monitor::RunMonitor;

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<CommandStatus, CommandError> {
    let loaded = Scene::load(&args.scene)?;
    // Overrides of the command line win over those of the scene's table `[fast]`.
    let chosen = if args.fast { loaded.fast()? } else { loaded };
    let scene = chosen.with_overrides(args.set.pairs())?;
    let place = OutputDirectory::new(args.output.as_deref(), scene.name());
    run_scene(&args.common, &scene, RunTarget::Directory(place))
}

/// Runs a scene in a new directory, or resumes one.
pub fn run_scene(
    args: &OneRunArgs,
    scene: &Scene,
    target: RunTarget,
) -> Result<CommandStatus, CommandError> {
    // Log and signal handler, before the work begins.
    let threads = args.threads.get();
    let verb = match target {
        RunTarget::Resume(_) => "resumed run",
        RunTarget::Directory(_) | RunTarget::Memory => "run",
    };
    let what = format!("{verb} of {}", scene.name());
    log::open(&args.log, &what, threads.get())?;
    interrupt::install_handler()?;
    let mut monitor = RunMonitor::new(args.quiet, scene.kind());
    let options = RunOptions {
        target,
        threads,
        findings: match args.no_findings {
            true => FindingsOf::Nothing,
            false => FindingsOf::AllRuns,
        },
        checkpoints: args.checkpoint.overrides(),
        listener: Some(&mut monitor),
    };
    let run = execute(scene, options)?;
    run_end::report(&run, args)
}
