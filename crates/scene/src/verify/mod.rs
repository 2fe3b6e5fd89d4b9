//! `percuss verify`: are the records of a run what they claim to be?
//!
//! From recorded placements, velocities and impulses alone, with masses, shapes, laws and forces of the
//! scene's text, every recorded step is computed anew:
//!
//! ```text
//! midpoint    q_M = q_F − ½h v_F                  gaps      x ∓ ½ g n on both surfaces
//! momentum    A(v_F − v_I) = hF + Σ Gᵀ S          velocity  U_I = G v_I + W,  U_F = G v_F + W
//! laws        0 ≤ Ū_n ⊥ S_n ≥ 0,  −Ū_t ∈ N_{S_n D}(S_t),   Ū = U_F + ρ U_I         (M88 §11, JM92 §6–7)
//! energy      T_F − T_I = work + impact + sliding + boundary + …
//! ```
//!
//! What decides is written here and nowhere else: laws, projections, residual, kinematics, surfaces, works.
//! Solvers, judge, detection and the accounts of the engine are not used (a test of this module reads its
//! own sources for their names). Memory is bounded by one chunk of each table and the bodies of two
//! states.

mod account;
mod bodies;
mod certificate;
mod columns;
mod defects;
mod integers;
mod laws;
mod mechanism;
mod report;
mod status;
mod stream;
mod sweep;
#[cfg(test)]
mod tests;
mod times;
mod vector;

use std::fs;

use crate::collection::{BodiesSetup, BuiltBodies};
use crate::error::SceneError;
use crate::file::{Scene, SceneKind};
use crate::record::{Record, RecordError, RecordShape, RunStatus};

pub use report::{Check, Disagreement, Location, MissedSteps, Report, RowRange, UncheckedColumn};

/// Why nothing can be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The scene in the manifest is none.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// There is nothing to verify; the sentence says why.
    #[error("{0}")]
    Nothing(String),
}

/// Which steps are looked at, and who hears of it.
pub struct VerifyOptions<'a> {
    /// First and last step; all where not given.
    pub steps: Option<(i64, i64)>,
    /// Only every so many recorded steps.
    pub every: usize,
    /// End of the run, for the progress.
    pub until: f64,
    /// Hears the share that is done.
    pub progress: &'a mut dyn FnMut(f64),
    /// Recorded steps passed so far.
    pub seen: usize,
}

impl std::fmt::Debug for VerifyOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("steps", &self.steps)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}

impl<'a> VerifyOptions<'a> {
    /// All recorded steps.
    pub fn all(progress: &'a mut dyn FnMut(f64)) -> Self {
        Self {
            steps: None,
            every: 1,
            until: 0.0,
            progress,
            seen: 0,
        }
    }

    /// Whether a recorded step is to be looked at; asked once for each, in order.
    fn selects(&mut self, step: i64) -> bool {
        let wanted = self.steps.is_none_or(|(a, b)| (a..=b).contains(&step));
        if !wanted {
            return false;
        }
        self.seen += 1;
        (self.seen - 1).is_multiple_of(self.every.max(1))
    }
}

/// Records that hold no run, or only parts of its states.
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
    let mut report = Report::default();
    if manifest.status == RunStatus::Running {
        report.ends = Some("the run is under way or was interrupted".into());
    }
    if !checksums(record, &mut report)? {
        report.skip("the mechanics: a chunk is not the one that was written");
        return Ok(report);
    }
    let set: Vec<(&str, &str)> = manifest
        .overrides
        .iter()
        .map(|o| (o.key.as_str(), o.value.as_str()))
        .collect();
    let scene =
        Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?.with_overrides(&set)?;
    let until = manifest.settings.get("until").and_then(|t| t.as_f64());
    asked.until = manifest.reached.or(until).unwrap_or(f64::INFINITY);
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

/// A run of bodies, plane or space.
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

/// Whether the scene chose which steps have contacts or states: rows may then be absent.
fn chosen(record: &Record) -> bool {
    let choice = record.manifest().settings.get("record");
    let keys = [
        "contacts_every",
        "bodies_every",
        "coordinates_every",
        "from",
        "until",
    ];
    choice.is_some_and(|choice| keys.iter().any(|key| choice.get(key).is_some()))
}

/// Says once that contacts of some steps were not recorded.
const NOT_CHOSEN: &str =
    "steps whose contacts or account the scene chose not to record (`[record]`)";

/// Compares the checksums of all chunks with those of the manifest; whether all are right.
fn checksums(record: &Record, report: &mut Report) -> Result<bool, VerifyError> {
    let meaning = "chunks whose checksum is not the one in run.json";
    report.declare("checksums", meaning, 0.0);
    let mut right = true;
    for table in &record.manifest().tables {
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
