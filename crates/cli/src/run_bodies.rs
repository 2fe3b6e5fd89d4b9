//! `percuss run` of a scene of bodies, and its part of `percuss check`.

use percuss_draw::plot::check_plots;
use percuss_record::{BodiesRecorder, Manifest, NullObserver, RecordError};
use percuss_run::{BodiesOutcome, ObservableRequest, RunProgress, StopReason, Threads};
use percuss_scene::Scene;
use percuss_scene::bodies_scene::BuiltBodies;
use serde_json::{Value, json};

use crate::args::RunArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::progress::Progress;
use crate::run_end::{
    RunEnd, findings_interrupted_text, findings_json, interrupted, record_failure,
};
use crate::run_monitor::RunMonitor;
use crate::run_target::RunTarget;

/// Runs the bodies of a scene and records them, in a new directory or resuming an old one.
pub fn run(
    args: &RunArgs,
    scene: &Scene,
    target: RunTarget,
) -> Result<CommandStatus, CommandError> {
    let collection = scene.build_bodies()?;
    // Findings and plots are checked before the run and not after it.
    let wanted = percuss_run::observable_request(scene, &collection)?;
    percuss_run::check_collection(scene, &collection)?;
    check_plots(scene)?;
    let manifest = Manifest::of_bodies(scene, &collection, args.threads.get().get());
    let session = target.writer(args, scene, manifest)?;
    let mut recorder = BodiesRecorder::on(session, &collection)?;
    let fits = decomposition_errors(&collection);
    let outcome = follow(args, scene, collection, &wanted, &mut recorder);
    recorder.set_warnings(outcome.warnings());
    let mut certificate = outcome.certificate_json();
    if !fits.is_empty() {
        certificate["solids"] = fits.into();
    }
    if let Some(fault) = recorder.take_fault() {
        // The records so far stay readable; that the run failed is recorded if the disk still permits.
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    let stopped = outcome.stopped.as_ref();
    let asked = interrupted(stopped);
    let refused = !asked && stopped.is_some_and(|stop| !stop.started);
    if refused {
        recorder.abandon()?;
    } else if let Err(fault) = close(&mut recorder, &outcome, &certificate) {
        let _ = recorder.fail(&certificate, fault.to_string());
        return Err(record_failure(&fault, recorder.directory()));
    }
    if !asked {
        if !args.no_findings {
            measure(args, scene, &outcome, &mut recorder)?;
        }
        if !refused {
            recorder.finish()?;
        }
    }
    let ended = RunEnd {
        manifest: recorder.manifest(),
        directory: recorder.directory(),
        stopped: outcome.stopped.as_ref(),
        refused,
        certificate: Some(certificate),
    };
    ended.report(args)
}

/// Writes what is in memory and how the run ended.
fn close(
    recorder: &mut BodiesRecorder,
    outcome: &BodiesOutcome,
    certificate: &Value,
) -> Result<(), RecordError> {
    recorder.add_series(&outcome.times, &outcome.series)?;
    recorder.add_surveys(&outcome.surveys())?;
    let stopped = outcome.stopped.as_ref();
    match stopped.map(ToString::to_string) {
        Some(words) if interrupted(stopped) => recorder.interrupt(certificate, words),
        words => recorder.close(certificate, words),
    }
}

fn measure(
    args: &RunArgs,
    scene: &Scene,
    outcome: &BodiesOutcome,
    recorder: &mut BodiesRecorder,
) -> Result<(), CommandError> {
    // Findings may be interrupted at once: the records are closed already.
    let _at_once = interrupt::exit_at_once(findings_interrupted_text(recorder.directory()));
    let progress = Progress::of_shares(args.quiet);
    progress.at("findings");
    let mut tell = |name: &str, done: f64| {
        progress.share(done, || format!("finding {name}"));
        true
    };
    let threads = args.threads.get();
    let found = percuss_run::evaluate_bodies_findings(scene, outcome, threads, &mut tell)?;
    Ok(recorder.add_findings(findings_json(&found)?)?)
}

/// Approximation errors of convex decompositions: distance of the convex parts from the bodies.
pub fn decomposition_errors(collection: &BuiltBodies) -> Vec<Value> {
    let fits = collection.decomposition_errors();
    let json = |(name, fit): &(String, percuss_scene::bodies_scene::DecompositionFit)| {
        json!({
            "body": name,
            "parts": fit.parts,
            "volume": fit.volume,
            "parts_volume": fit.sum,
            "excess": fit.excess,
            "missing": fit.missing,
        })
    };
    fits.iter().map(json).collect()
}

fn follow(
    args: &RunArgs,
    scene: &Scene,
    collection: BuiltBodies,
    wanted: &ObservableRequest,
    recorder: &mut BodiesRecorder,
) -> BodiesOutcome {
    let mut monitor = RunMonitor::new(args.quiet, percuss_scene::SceneKind::Bodies);
    let threads = args.threads.get();
    let mut tell = |tick: &RunProgress<'_>| monitor.tick(tick);
    let outcome = percuss_run::run_bodies(scene, collection, wanted, threads, recorder, &mut tell);
    drop(monitor);
    // Redundant joint rows are reported.
    if let Some(warning) = outcome.redundant_rows_warning() {
        console::message(&format!("warning: {warning}"));
    }
    outcome
}

/// Validates a scene of bodies and computes its first step; counts of its content.
pub fn check(scene: &Scene) -> Result<Vec<(usize, &'static str)>, CommandError> {
    let collection = scene.build_bodies()?;
    percuss_run::check_collection(scene, &collection)?;
    check_plots(scene)?;
    let cast = collection.names();
    // Counts of what the scene declares.
    let mut counts = vec![
        (cast.bodies.len(), "body"),
        (cast.materials.len(), "material"),
        (cast.groups.len(), "group"),
        (cast.regions.len(), "region"),
        (cast.watches.len(), "watch"),
        (cast.joints.len(), "joint"),
    ];
    // One step without recording.
    let (wanted, threads) = (ObservableRequest::default(), Threads::all());
    let sink = &mut NullObserver;
    let outcome =
        percuss_run::run_bodies(scene, collection, &wanted, threads, sink, &mut |_| false);
    match outcome.stopped {
        Some(stop) if stop.reason != StopReason::Requested => {
            Err(CommandError::Input(format!("{}: {stop}", scene.origin())))
        }
        _ => {
            counts.push((
                outcome.redundant.len(),
                "joint row that others hold already",
            ));
            Ok(counts)
        }
    }
}
