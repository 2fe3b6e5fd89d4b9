//! `percuss run`: runs a scene; records, certificate and findings.

use percuss_record::OutputDirectory;
use percuss_scene::{Scene, SceneKind};

use crate::args::RunArgs;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::log;
use crate::run_bodies;
use crate::run_mechanism;
use crate::run_target::RunTarget;

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<CommandStatus, CommandError> {
    let scene = Scene::load(&args.scene)?.with_overrides(args.set.pairs())?;
    let place = OutputDirectory::new(args.output.as_deref(), scene.name());
    run_scene(args, &scene, RunTarget::New(place))
}

/// Runs a scene in a new directory, or resumes one.
pub fn run_scene(
    args: &RunArgs,
    scene: &Scene,
    target: RunTarget,
) -> Result<CommandStatus, CommandError> {
    // Log and signal handler, before the work begins.
    let threads = args.threads.get().get();
    let what = format!("{} of {}", target.verb(), scene.name());
    log::open(&args.log, &what, threads)?;
    interrupt::install_handler()?;
    if scene.kind() == SceneKind::Bodies {
        return run_bodies::run(args, scene, target);
    }
    run_mechanism::run(args, scene, target)
}
