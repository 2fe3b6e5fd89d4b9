//! A run with its records, from the first step to their closing.
//!
//! | module | contents |
//! |---|---|
//! | `error` | why a run could not be made, recorded or resumed |
//! | `listener` | who is told of the run while it is made |
//! | `outcome` | the result of a run, of a mechanism or of bodies |
//! | `records` | the records while the run is made: a directory, or a manifest in memory |
//!
//! Order: steps, warnings, a fault of the records, nonunique instants, closing (or removal, where
//! bodies cannot start). Findings come after it: see [`crate::execute`].

mod error;
mod listener;
mod outcome;
mod records;

pub use error::RunError;
pub use listener::{ResumePoint, RunListener};
pub use outcome::RunOutcome;
pub use records::{MemoryRecords, RunRecords};

use percuss_record::{
    BodiesRecorder, Manifest, MechanismLayout, MechanismRecorder, NonuniqueInstant, Observer,
    RunWriter,
};
use percuss_scene::bodies_scene::{BuiltBodies, DecompositionFit};
use percuss_scene::symbolic::{Remark, RemarkKind};
use percuss_scene::{BuiltMechanism, Scene};
use serde_json::{Value, json};

use percuss_simulation::ProgressCallback;
use percuss_simulation::StopReason;
use percuss_simulation::Threads;
use percuss_simulation::nonunique_instants;
use percuss_simulation::run_mechanism;
use percuss_simulation::{ObservableRequest, run_bodies};

/// Where the records of a run go.
#[derive(Debug)]
pub enum RecordTarget {
    /// Nowhere: the manifest stays in memory.
    Memory(Box<Manifest>),
    /// To a directory.
    Directory(Box<RunWriter>),
}

/// What `run.json` has beside settings, tables and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestContent {
    /// The certificate with its criteria and the errors of convex decompositions, warnings,
    /// nonunique instants. The records of bodies that could not start are removed.
    Full,
    /// The figures of the certificate alone; the records of a run that could not start are kept.
    Figures,
}

/// A run whose records are closed.
pub struct RecordedRun {
    pub outcome: RunOutcome,
    /// The certificate as in the manifest.
    pub certificate: Value,
    pub records: Box<dyn RunRecords>,
    /// Whether the records were removed because the run could not start.
    pub abandoned: bool,
}

/// Runs a mechanism and closes its records.
///
/// # Errors
/// The records cannot be written, or the checkpoint of a resumed run cannot be used.
pub fn record_mechanism(
    scene: &Scene,
    built: BuiltMechanism,
    target: RecordTarget,
    content: ManifestContent,
    listener: &mut dyn RunListener,
) -> Result<RecordedRun, RunError> {
    match target {
        RecordTarget::Memory(manifest) => {
            let records = MemoryRecords {
                manifest: *manifest,
            };
            mechanism(records, built, content, listener)
        }
        RecordTarget::Directory(writer) => {
            let layout = MechanismLayout::of_scene(scene, &built.system);
            let records = MechanismRecorder::on(*writer, layout, built.record_every)?;
            mechanism(records, built, content, listener)
        }
    }
}

fn mechanism<R: Observer + RunRecords + 'static>(
    mut records: R,
    built: BuiltMechanism,
    content: ManifestContent,
    listener: &mut dyn RunListener,
) -> Result<RecordedRun, RunError> {
    // Remarks on the initial state come from a copy: the run takes the system.
    let mut system = built.system.clone();
    let remarks = match content {
        ManifestContent::Full if built.sweep.is_none() => system.remarks(&built.initial),
        _ => Vec::new(),
    };
    listener.on_begin();
    let outcome = run_mechanism(built, &mut records, &mut |progress| {
        listener.on_step(progress)
    });
    let outcome = RunOutcome::Mechanism(Box::new(outcome));
    listener.on_steps_end(&outcome);
    // `Full` has criteria and shares, `Figures` what a study puts into its table.
    let certificate = match content {
        ManifestContent::Full => outcome.certificate_json(),
        ManifestContent::Figures => figures(&outcome),
    };
    // Instants of more than one motion are searched for on the trajectory, after the run.
    let mut nonunique = |outcome: &RunOutcome| match (outcome, content) {
        (RunOutcome::Mechanism(outcome), ManifestContent::Full) => {
            nonunique_instants(&mut system, outcome)
        }
        _ => Vec::new(),
    };
    let further = remarks_on(&remarks, &outcome);
    close(
        Box::new(records),
        outcome,
        certificate,
        (content, further),
        &mut nonunique,
    )
}

/// Remarks that belong to this run: those about the start, and the growth of the forces where the run did not reach its end.
fn remarks_on(remarks: &[Remark], outcome: &RunOutcome) -> Vec<String> {
    let stopped = outcome.stopped().is_some();
    let said = remarks.iter().filter(|remark| match remark.kind {
        RemarkKind::Regularity => true,
        RemarkKind::Growth => stopped,
        RemarkKind::Integrable => false,
    });
    said.map(|remark| remark.text.clone()).collect()
}

/// Runs bodies and closes their records.
///
/// # Errors
/// The records cannot be written.
pub fn record_bodies(
    scene: &Scene,
    collection: BuiltBodies,
    wanted: &ObservableRequest,
    threads: Threads,
    target: RecordTarget,
    content: ManifestContent,
    listener: &mut dyn RunListener,
) -> Result<RecordedRun, RunError> {
    let mut bodies = BodiesSteps {
        scene,
        wanted,
        threads,
        content,
        listener,
    };
    match target {
        RecordTarget::Memory(manifest) => {
            let records = MemoryRecords {
                manifest: *manifest,
            };
            bodies.run(records, collection)
        }
        RecordTarget::Directory(writer) => {
            let records = BodiesRecorder::on(*writer, &collection)?;
            bodies.run(records, collection)
        }
    }
}

/// What the run of bodies needs beside bodies and records.
struct BodiesSteps<'a> {
    scene: &'a Scene,
    wanted: &'a ObservableRequest,
    threads: Threads,
    content: ManifestContent,
    listener: &'a mut dyn RunListener,
}

impl BodiesSteps<'_> {
    fn run<R: Observer + RunRecords + 'static>(
        &mut self,
        mut records: R,
        collection: BuiltBodies,
    ) -> Result<RecordedRun, RunError> {
        let fits = decomposition_errors(&collection);
        // The listener is lent to the progress callback while the steps are made.
        let listener = &mut *self.listener;
        listener.on_begin();
        let progress: &mut ProgressCallback<'_> = &mut |progress| listener.on_step(progress);
        let outcome = run_bodies(
            self.scene,
            collection,
            self.wanted,
            self.threads,
            &mut records,
            progress,
        );
        let outcome = RunOutcome::Bodies(Box::new(outcome));
        self.listener.on_steps_end(&outcome);
        // The certificate includes the errors of convex decompositions.
        let certificate = match self.content {
            ManifestContent::Full => {
                let mut certificate = outcome.certificate_json();
                if !fits.is_empty() {
                    certificate["solids"] = fits.into();
                }
                certificate
            }
            ManifestContent::Figures => figures(&outcome),
        };
        close_bodies(Box::new(records), outcome, certificate, self.content)
    }
}

/// The figures of a certificate, as they are.
fn figures(outcome: &RunOutcome) -> Value {
    serde_json::to_value(outcome.certificate()).unwrap_or_default()
}

/// Approximation errors of convex decompositions: distance of the convex parts from the bodies.
pub fn decomposition_errors(collection: &BuiltBodies) -> Vec<Value> {
    let json = |(name, fit): &(String, DecompositionFit)| {
        json!({
            "body": name,
            "parts": fit.parts,
            "volume": fit.volume,
            "parts_volume": fit.sum,
            "excess": fit.excess,
            "missing": fit.missing,
        })
    };
    collection.decomposition_errors().iter().map(json).collect()
}

/// Closes the records of bodies.
///
/// # Errors
/// As [`close`].
pub fn close_bodies(
    records: Box<dyn RunRecords>,
    outcome: RunOutcome,
    certificate: Value,
    content: ManifestContent,
) -> Result<RecordedRun, RunError> {
    let content = (content, Vec::new());
    close(records, outcome, certificate, content, &mut |_| Vec::new())
}

/// Closes the records as complete, stopped or interrupted, or removes those of bodies that could
/// not start.
///
/// # Errors
/// The records cannot be written, or the checkpoint of a resumed run cannot be used; that the
/// records failed is written to the manifest if the disk still permits.
fn close(
    mut records: Box<dyn RunRecords>,
    outcome: RunOutcome,
    certificate: Value,
    (content, further): (ManifestContent, Vec<String>),
    nonunique: &mut dyn FnMut(&RunOutcome) -> Vec<NonuniqueInstant>,
) -> Result<RecordedRun, RunError> {
    let full = content == ManifestContent::Full;
    if full {
        let warnings = outcome.warnings().into_iter().chain(further);
        records.add_warnings(warnings.collect());
    }
    // A failed write has ended the run; the records so far stay readable.
    if let Some(fault) = records.take_fault() {
        let _ = records.fail(&certificate, fault.to_string());
        return Err(RunError::of_fault(fault, records.directory()));
    }
    let stopped = outcome.stopped();
    if let Some(StopReason::Observer(error)) = stopped.map(|stop| &stop.reason) {
        // A checkpoint that cannot be used is left as it is.
        return Err(error.clone().into());
    }
    // Bodies that were refused have made no step; a mechanism has then written nothing.
    let abandoned = full && outcome.refused() && matches!(outcome, RunOutcome::Bodies(_));
    if abandoned {
        records.abandon()?;
    } else {
        records.set_nonunique(nonunique(&outcome));
        let words = stopped.map(ToString::to_string);
        let closed = records.add_outcome(&outcome).and_then(|()| match words {
            Some(words) if outcome.interrupted() => records.interrupt(&certificate, words),
            words => records.close(&certificate, words),
        });
        if let Err(fault) = closed {
            let _ = records.fail(&certificate, fault.to_string());
            return Err(RunError::of_fault(fault, records.directory()));
        }
    }
    Ok(RecordedRun {
        outcome,
        certificate,
        records,
        abandoned,
    })
}
