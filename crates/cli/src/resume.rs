//! `percuss resume`: continues a run that was killed or interrupted, from its last checkpoint.

use percuss_run::{InterruptedRun, RunError, RunTarget};

use crate::args::ResumeArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::run::run_scene;

/// Runs the command.
pub fn run(args: &ResumeArgs) -> Result<CommandStatus, CommandError> {
    let interrupted = match InterruptedRun::open(&args.directory, args.force) {
        Ok(interrupted) => interrupted,
        Err(error @ RunError::NothingToResume { .. }) => {
            let shown = args.directory.display();
            console::message(&format!("{error}; `percuss show {shown}` shows it"));
            return Ok(CommandStatus::Success);
        }
        Err(error) => return Err(error.into()),
    };
    let scene = interrupted.scene.clone();
    let target = RunTarget::Resume(Box::new(interrupted));
    run_scene(&args.common, &scene, target)
}
