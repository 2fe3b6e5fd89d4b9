#![doc = include_str!("../README.md")]

mod bodies;
mod certificate;
mod columns;
mod defects;
mod integers;
mod laws;
mod mechanism;
mod recorded_figures;
mod recorded_selection;
mod report;
mod status;
mod step_stream;
mod sum_set;
mod sweep;
#[cfg(test)]
mod tests;
mod times;
mod vector;

use std::fs;

use percuss_record::{Record, RecordError, RecordShape, RunStatus};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{Scene, SceneError, SceneKind};

pub use report::{Check, Disagreement, Location, MissedSteps, Report, RowRange, UncheckedColumn};

/// Why a run cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The scene in the manifest cannot be parsed or built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The directory has no steps to verify; the sentence says why.
    #[error("{0}")]
    Nothing(String),
}

/// Which recorded steps are verified, and the progress callback.
pub struct VerifyOptions<'a> {
    /// First and last step, inclusive; `None`: all steps.
    pub steps: Option<(i64, i64)>,
    /// Stride: only every `every`-th recorded step is verified.
    pub every: usize,
    /// End time of the run, for the progress.
    pub until: f64,
    /// Called with the fraction of the run that is done.
    pub progress: &'a mut dyn FnMut(f64),
    /// Number of recorded steps passed so far.
    pub seen: usize,
}

impl std::fmt::Debug for VerifyOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VerifyOptions")
            .field("steps", &self.steps)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}

impl<'a> VerifyOptions<'a> {
    /// Verifies all recorded steps.
    pub fn all(progress: &'a mut dyn FnMut(f64)) -> Self {
        Self {
            steps: None,
            every: 1,
            until: 0.0,
            progress,
            seen: 0,
        }
    }

    /// Whether a recorded step is verified; called once for each step, in order.
    fn selects(&mut self, step: i64) -> bool {
        let wanted = self.steps.is_none_or(|(a, b)| (a..=b).contains(&step));
        if !wanted {
            return false;
        }
        self.seen += 1;
        (self.seen - 1).is_multiple_of(self.every.max(1))
    }
}

/// Refuses directories of studies and records of a subset of the bodies.
fn refuse(record: &Record) -> Result<(), VerifyError> {
    let manifest = record.manifest();
    if manifest.kind != "run" {
        let text = format!(
            "{}: this is the directory of a {}; the runs in it are verified one by one",
            record.directory().display(),
            manifest.kind
        );
        return Err(VerifyError::Nothing(text));
    }
    // A subset of the bodies is not enough for momentum and laws.
    let some = manifest
        .settings
        .get("record")
        .and_then(|c| c.get("bodies"));
    if let Some(names) = some {
        let text = format!(
            "{}: only some bodies were recorded: `[record]` of the scene has bodies = {names}; momentum and \
             laws need all of them, run it again without that key",
            record.directory().display()
        );
        return Err(VerifyError::Nothing(text));
    }
    Ok(())
}

/// Verifies the records of a run.
///
/// # Errors
/// The directory is no run, its records cannot be read, or there is nothing to verify.
pub fn verify(record: &Record, asked: &mut VerifyOptions<'_>) -> Result<Report, VerifyError> {
    let manifest = record.manifest();
    refuse(record)?;
    // The status first, then the checksums: a damaged chunk makes all further comparisons meaningless.
    let mut report = Report::default();
    if manifest.status == RunStatus::Running {
        report.ends = Some("the run is under way or was interrupted".into());
    }
    if !checksums(record, &mut report)? {
        report.skip("the mechanics: a chunk is not the one that was written");
        return Ok(report);
    }
    // Rebuild the scene of the run from the text and the overrides in the manifest.
    let set: Vec<(&str, &str)> = manifest
        .overrides
        .iter()
        .map(|o| (o.key.as_str(), o.value.as_str()))
        .collect();
    let scene =
        Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?.with_overrides(&set)?;
    let until = manifest.settings.get("until").and_then(|t| t.as_f64());
    asked.until = manifest.reached.or(until).unwrap_or(f64::INFINITY);
    // Comparisons that need no mechanics, then the mechanics by kind of scene.
    columns::list(record, &scene, &mut report);
    certificate::compare(record, &mut report)?;
    match scene.kind() {
        SceneKind::Bodies => match scene.build_bodies()? {
            BuiltBodies::Plane(assembly) => collection(record, assembly, &mut report, asked)?,
            BuiltBodies::Space(assembly) => collection(record, assembly, &mut report, asked)?,
        },
        SceneKind::Mechanism => {
            integers::compare(record, integers::Counts::default(), &mut report)?;
            times::compare(
                record,
                &times::ExpectedTimes::of_mechanism(&scene)?,
                &mut report,
            )?;
            match sweeps(&scene) {
                true => sweep::verify(record, &scene, &mut report, asked)?,
                false => mechanism::verify(record, &scene, &mut report, asked)?,
            }
        }
    }
    Ok(report)
}

/// Verifies a run of bodies, in the plane or in space.
fn collection<D: bodies::EmbedInSpace + RecordShape>(
    record: &Record,
    assembly: BodiesSetup<D>,
    report: &mut Report,
    asked: &mut VerifyOptions<'_>,
) -> Result<(), VerifyError> {
    let counts = integers::Counts {
        bodies: assembly.model.bodies.len(),
        joints: assembly.model.joints.len(),
    };
    integers::compare(record, counts, report)?;
    times::compare(record, &times::ExpectedTimes::of_bodies(&assembly), report)?;
    bodies::verify(record, assembly, report, asked)
}

/// Whether a scene is a sweeping process.
fn sweeps(scene: &Scene) -> bool {
    scene.mechanism().is_some_and(|m| m.sweep.is_some())
}

/// Compares the CRC-32 of all chunks with those of the manifest; returns whether all are equal.
fn checksums(record: &Record, report: &mut Report) -> Result<bool, VerifyError> {
    let meaning = "chunks whose checksum is not the one in run.json";
    report.declare("checksums", meaning, 0.0);
    let mut right = true;
    for table in &record.manifest().tables {
        // A run under way has no checksums yet.
        let Some(sums) = &table.checksums else {
            continue;
        };
        for (chunk, sum) in record.chunks(&table.name)?.iter().zip(sums) {
            let path = chunk.path();
            let bytes =
                fs::read(path).map_err(|e| RecordError::fault(path, "read this file", &e))?;
            let same = crc32fast::hash(&bytes) == *sum;
            right &= same;
            report.add_comparison("checksums", if same { 0.0 } else { 1.0 }, || Location {
                step: None,
                t: None,
                what: path.display().to_string(),
            });
        }
    }
    Ok(right)
}
