//! `percuss run` of a mechanism or a sweeping process.

use percuss_draw::plot::check_plots;
use percuss_record::{Manifest, MechanismLayout, MechanismRecorder};
use percuss_run::{MechanismOutcome, StopReason};
use percuss_scene::{BuiltMechanism, Scene};
use serde_json::Value;

use crate::args::RunArgs;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::progress::Progress;
use crate::run_end::{
    RunEnd, findings_interrupted_text, findings_json, interrupted, record_failure,
};
use crate::run_monitor::RunMonitor;
use crate::run_target::RunTarget;

/// Runs a mechanism and records it, in a new directory or resuming an old one.
pub fn run(
    args: &RunArgs,
    scene: &Scene,
    target: RunTarget,
) -> Result<CommandStatus, CommandError> {
    let built = checked(scene)?;
    let layout = MechanismLayout::of_scene(scene, &built.system);
    let every = built.record_every;
    let manifest = Manifest::of_mechanism(scene, &built, args.threads.get().get());
    let session = target.writer(args, scene, manifest)?;
    let recorder = MechanismRecorder::on(session, layout, every)?;
    complete(args, scene, built, recorder)
}

/// Builds the mechanism; findings and plots are checked before the run and not after it.
fn checked(scene: &Scene) -> Result<BuiltMechanism, CommandError> {
    let built = scene.build_mechanism()?;
    percuss_run::check_findings(scene)?;
    check_plots(scene)?;
    Ok(built)
}

/// From the first step, or from a checkpoint, to findings and summary.
fn complete(
    args: &RunArgs,
    scene: &Scene,
    built: BuiltMechanism,
    mut recorder: MechanismRecorder,
) -> Result<CommandStatus, CommandError> {
    let mut system = built.system.clone();
    let outcome = follow(args, built, &mut recorder);
    let certificate = outcome.certificate.json();
    recorder.set_warnings(outcome.certificate.warnings());
    if let Some(fault) = recorder.take_fault() {
        // The records so far stay readable; that the run failed is recorded if the disk still permits.
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    if let Some(StopReason::Observer(error)) = stopped.map(|stop| &stop.reason) {
        // A checkpoint that cannot be used is left as it is.
        return Err(error.clone().into());
    }
    recorder.set_nonunique(percuss_run::nonunique_instants(&mut system, &outcome));
    let words = stopped.map(ToString::to_string);
    let closed = match words {
        Some(words) if interrupted(stopped) => recorder.interrupt(&certificate, words),
        words => recorder.close(&certificate, words),
    };
    if let Err(fault) = closed {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    if !interrupted(stopped) {
        if !args.no_findings {
            let _at_once = interrupt::exit_at_once(findings_interrupted_text(recorder.directory()));
            recorder.add_findings(findings(args, scene, &outcome)?)?;
        }
        recorder.finish()?;
    }
    let ended = RunEnd {
        manifest: recorder.manifest(),
        directory: recorder.directory(),
        stopped,
        refused: stopped.is_some_and(|stop| !stop.started),
        certificate: serde_json::to_value(certificate).ok(),
    };
    ended.report(args)
}

fn follow(
    args: &RunArgs,
    built: BuiltMechanism,
    recorder: &mut MechanismRecorder,
) -> MechanismOutcome {
    let mut monitor = RunMonitor::new(args.quiet, percuss_scene::SceneKind::Mechanism);
    percuss_run::run_mechanism(built, recorder, &mut |tick| monitor.tick(tick))
}

fn findings(
    args: &RunArgs,
    scene: &Scene,
    outcome: &MechanismOutcome,
) -> Result<Vec<Value>, CommandError> {
    let progress = Progress::of_shares(args.quiet);
    progress.at("findings");
    let found =
        percuss_run::evaluate_findings(scene, outcome, args.threads.get(), &mut |name, done| {
            progress.share(done, || format!("finding {name}"));
            true
        })?;
    findings_json(&found)
}
