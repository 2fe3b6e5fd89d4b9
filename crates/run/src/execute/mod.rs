//! One run of a scene, from its text to its findings: [`execute`].
//!
//! ```text
//! build ── check findings ── manifest ── run writer ── recorder ── steps ── warnings ──
//!       ── nonunique instants ── close, interrupt or abandon ── findings ── finish
//! ```
//!
//! A run is made in memory, in a new directory, or from the last checkpoint of an interrupted run
//! ([`InterruptedRun`]). A world that the caller owns is run step by step with [`ActiveRun`].

mod active_run;
mod interrupted_run;

pub use active_run::{ActiveRun, EndedRun, WorldRecordSpec, WorldRunSpan, record_snapshot};
pub use interrupted_run::InterruptedRun;

use std::path::PathBuf;

use percuss_record::{Manifest, OutputDirectory, RunStatus, RunWriter};
use percuss_scene::{CheckpointPolicy, Scene, SceneKind};

use crate::evaluate::compiled_findings::{check_collection, check_findings, observable_request};
use crate::evaluate::{evaluate_bodies_findings, evaluate_findings};
use crate::finding::Finding;
use crate::recorded::{
    ManifestContent, RecordTarget, RecordedRun, ResumePoint, RunError, RunListener, RunOutcome,
    record_bodies, record_mechanism,
};
use percuss_simulation::EarlyStop;
use percuss_simulation::RunProgress;
use percuss_simulation::Threads;

/// Where a run is recorded.
#[derive(Debug, Default)]
pub enum RunTarget {
    /// Nowhere: the result stays in memory.
    #[default]
    Memory,
    /// In a new directory, created with the first step.
    Directory(OutputDirectory),
    /// In the directory of an interrupted run, whose scene is the one to be run.
    Resume(Box<InterruptedRun>),
}

/// Which runs have their findings evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindingsOf {
    /// None.
    Nothing,
    /// Those whose records are kept: not bodies that could not start.
    RecordedRuns,
    /// Every run that was not interrupted.
    #[default]
    AllRuns,
}

/// Overrides of the scene's checkpoint policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CheckpointOverrides {
    /// Interval in steps.
    pub every: Option<usize>,
    /// Interval in seconds of wall time; 0: never.
    pub seconds: Option<f64>,
}

impl CheckpointOverrides {
    /// The policy with these overrides.
    fn applied_to(self, policy: CheckpointPolicy) -> CheckpointPolicy {
        CheckpointPolicy {
            every: self.every.or(policy.every),
            seconds: self.seconds.unwrap_or(policy.seconds),
            keep: policy.keep,
        }
    }
}

/// Options of a run. The default runs in memory on all cores and evaluates the findings.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Where the run is recorded.
    pub target: RunTarget,
    /// Threads of contact detection, of cases and of studies; results do not depend on it.
    pub threads: Threads,
    /// Whether findings are evaluated.
    pub findings: FindingsOf,
    /// Overrides of the scene's checkpoint policy.
    pub checkpoints: CheckpointOverrides,
    /// Who is told of the run while it is made.
    pub listener: Option<&'a mut dyn RunListener>,
}

impl std::fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions")
            .field("target", &self.target)
            .field("threads", &self.threads)
            .field("findings", &self.findings)
            .field("checkpoints", &self.checkpoints)
            .finish_non_exhaustive()
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// It reached its end.
    Finished,
    /// The stop condition of the scene ended it.
    Halted,
    /// The motion cannot go on.
    Stopped(EarlyStop),
    /// The motion cannot start.
    NotStarted(EarlyStop),
    /// It was stopped on request; its directory can be resumed.
    Interrupted(EarlyStop),
    /// Its steps are made, its findings were stopped on request; its directory can be resumed.
    FindingsInterrupted,
}

/// A run that has been made.
#[derive(Debug, Clone)]
pub struct Run {
    /// How it ended.
    pub end: RunEnd,
    /// Its motion and its certificate.
    pub outcome: RunOutcome,
    /// The certificate as `run.json` has it.
    pub certificate: serde_json::Value,
    /// The findings, where they were evaluated.
    pub findings: Option<Vec<Finding>>,
    /// The manifest as it was written, or would have been: scene, settings, status, warnings.
    pub manifest: Manifest,
    /// The directory of the records, where there is one.
    pub directory: Option<PathBuf>,
}

/// Runs a scene: builds and checks it, makes its steps, closes its records, evaluates its findings.
///
/// ```
/// use percuss_run::{RunEnd, RunOptions, execute};
/// use percuss_scene::Scene;
///
/// let scene = Scene::load("pendulum")?.with_overrides(&[("until", "0.1")])?;
/// let run = execute(&scene, RunOptions::default())?;
/// assert_eq!(run.end, RunEnd::Finished);
/// assert!(run.outcome.certificate().steps > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The scene has an error, or the records cannot be written. A motion that cannot start or cannot
/// go on is no error: [`Run::end`] says so.
pub fn execute(scene: &Scene, options: RunOptions<'_>) -> Result<Run, RunError> {
    let RunOptions {
        target,
        threads,
        findings,
        checkpoints,
        listener,
    } = options;
    let mut silent = |_: &RunProgress<'_>| true;
    let listener = listener.unwrap_or(&mut silent);
    // Everything is checked before the run and not after it.
    let recorded = match scene.kind() {
        SceneKind::Mechanism => {
            let built = scene.build_mechanism()?;
            check_findings(scene)?;
            listener.check(scene)?;
            let manifest = Manifest::of_mechanism(scene, &built, threads.get());
            let target = records_of(target, scene, manifest, checkpoints, listener)?;
            record_mechanism(scene, built, target, ManifestContent::Full, listener)?
        }
        SceneKind::Bodies => {
            let bodies = scene.build_bodies()?;
            let wanted = observable_request(scene, &bodies)?;
            check_collection(scene, &bodies)?;
            listener.check(scene)?;
            let manifest = Manifest::of_bodies(scene, &bodies, threads.get());
            let target = records_of(target, scene, manifest, checkpoints, listener)?;
            let content = ManifestContent::Full;
            record_bodies(scene, bodies, &wanted, threads, target, content, listener)?
        }
    };
    conclude(scene, recorded, findings, threads, listener)
}

/// The run writer of a new or of a resumed run.
fn records_of(
    target: RunTarget,
    scene: &Scene,
    manifest: Manifest,
    checkpoints: CheckpointOverrides,
    listener: &mut dyn RunListener,
) -> Result<RecordTarget, RunError> {
    let writer = match target {
        RunTarget::Memory => return Ok(RecordTarget::Memory(Box::new(manifest))),
        RunTarget::Directory(place) => {
            let policy = checkpoints.applied_to(scene.checkpoint_schedule());
            RunWriter::new(place, manifest, policy)?
        }
        RunTarget::Resume(interrupted) => {
            // Only with the same data files, from the last checkpoint.
            let (directory, lock) = interrupted.take(&manifest.files)?;
            let policy = scene.checkpoint_schedule();
            let (mut writer, notes) = RunWriter::resume(&directory, lock, manifest, policy)?;
            writer.policy = checkpoints.applied_to(writer.policy);
            listener.on_resume(&ResumePoint {
                directory: &directory,
                checkpoint: writer.checkpoint_number(),
                notes: &notes,
            });
            writer
        }
    };
    Ok(RecordTarget::Directory(Box::new(writer)))
}

/// Evaluates the findings of a run whose records are closed, and ends the records.
fn conclude(
    scene: &Scene,
    recorded: RecordedRun,
    findings: FindingsOf,
    threads: Threads,
    listener: &mut dyn RunListener,
) -> Result<Run, RunError> {
    let RecordedRun {
        outcome,
        certificate,
        mut records,
        abandoned,
    } = recorded;
    let mut end = RunEnd::of(&outcome);
    let mut found = None;
    // An interrupted run has no findings; it is left to be resumed.
    if !matches!(end, RunEnd::Interrupted(_)) {
        let wanted = match findings {
            FindingsOf::Nothing => false,
            FindingsOf::RecordedRuns => !abandoned,
            FindingsOf::AllRuns => true,
        };
        let mut going = listener.on_closed(records.directory(), wanted);
        if going && wanted {
            found = evaluate(scene, &outcome, threads, listener)?;
            going = found.is_some();
        }
        if let Some(found) = &found {
            let json = found.iter().map(serde_json::to_value);
            let json: Result<Vec<_>, _> = json.collect();
            records.add_findings(json.map_err(|error| RunError::Json(error.to_string()))?)?;
            listener.on_findings_end();
        }
        // A run that could not start says so, whatever became of its findings.
        match going {
            true if abandoned => {}
            true => records.finish()?,
            false if outcome.refused() => {}
            false => end = RunEnd::FindingsInterrupted,
        }
    }
    let mut manifest = records.manifest().clone();
    // A run that could not start has no records to read its status from.
    if let Some(stop) = outcome.stopped() {
        manifest.status = match outcome.interrupted() {
            true => RunStatus::Interrupted,
            false => RunStatus::Stopped,
        };
        manifest.reason = Some(stop.to_string());
        manifest.certificate = Some(certificate.clone());
    }
    Ok(Run {
        end,
        certificate,
        findings: found,
        manifest,
        directory: records.directory().map(Into::into),
        outcome,
    })
}

/// The findings; `None` where the listener stopped them.
fn evaluate(
    scene: &Scene,
    outcome: &RunOutcome,
    threads: Threads,
    listener: &mut dyn RunListener,
) -> Result<Option<Vec<Finding>>, RunError> {
    let mut going = true;
    let mut tell = |name: &str, share: f64| {
        let on = listener.on_finding(name, share);
        going &= on;
        on
    };
    let found = match outcome {
        RunOutcome::Mechanism(outcome) => evaluate_findings(scene, outcome, threads, &mut tell),
        RunOutcome::Bodies(outcome) => evaluate_bodies_findings(scene, outcome, threads, &mut tell),
    };
    // A request to stop takes precedence over the findings and their errors.
    match going {
        true => Ok(Some(found?)),
        false => Ok(None),
    }
}

impl RunEnd {
    /// How the steps of a run ended.
    fn of(outcome: &RunOutcome) -> Self {
        let Some(stop) = outcome.stopped().cloned() else {
            let halted = outcome.bodies().is_some_and(|bodies| bodies.halted);
            return if halted { Self::Halted } else { Self::Finished };
        };
        if outcome.interrupted() {
            return Self::Interrupted(stop);
        }
        match stop.started {
            true => Self::Stopped(stop),
            false => Self::NotStarted(stop),
        }
    }
}
