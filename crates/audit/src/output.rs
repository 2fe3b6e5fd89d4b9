//! Input and output of an audit: recorded scenes, `audit.json`, the figure.

use std::fs;
use std::path::Path;

use percuss_record::{Manifest, OutputDirectory, PlotError, RecordError};
use percuss_scene::Scene;

use super::Audit;

/// The file with the whole audit.
pub const AUDIT: &str = "audit.json";

/// The scene of a run directory with its overrides.
///
/// # Errors
/// The directory is no run, or its scene cannot be read any more.
pub fn load_recorded_scene(directory: &Path) -> Result<(Scene, Manifest), PlotError> {
    let manifest = Manifest::read(directory)?;
    if manifest.kind != "run" {
        let why = format!("this is the directory of a {}, not of a run", manifest.kind);
        let path = directory.into();
        return Err(RecordError::NotARun { path, why }.into());
    }
    // Overrides of the recorded run.
    let set: Vec<(&str, &str)> = manifest
        .overrides
        .iter()
        .map(|change| (change.key.as_str(), change.value.as_str()))
        .collect();
    let scene =
        Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?.with_overrides(&set)?;
    // Files of the scene are searched in the folder of the original one.
    let machine = manifest.machine.as_ref();
    let folder = machine.and_then(|machine| machine.folder.as_deref());
    let scene = match folder {
        Some(folder) => scene.from_folder(Path::new(folder)),
        None => scene,
    };
    Ok((scene, manifest))
}

/// The output directory of the audit of a scene or of a run directory: that of `-o`, or the next
/// free `NAME-audit-N` in `runs` or beside the run.
pub fn output_place(given: Option<&Path>, run: Option<&Path>, name: &str) -> OutputDirectory {
    if given.is_some() {
        return OutputDirectory::new(given, name);
    }
    let Some(run) = run else {
        return OutputDirectory::new(None, &format!("{name}-audit"));
    };
    // `.` and `..` have no name of their own.
    let whole = fs::canonicalize(run).unwrap_or_else(|_| run.into());
    let own = whole
        .file_name()
        .map(|own| own.to_string_lossy().into_owned());
    let beside = run.parent().filter(|_| run.file_name().is_some());
    OutputDirectory::NextFree {
        folder: match beside {
            Some(folder) if folder.as_os_str().is_empty() => ".".into(),
            Some(folder) => folder.into(),
            None => whole.parent().unwrap_or(&whole).into(),
        },
        name: format!("{}-audit", own.as_deref().unwrap_or(name)),
    }
}

impl Audit {
    /// Compares the certificate in the manifest of a run with that of the reference, which repeats
    /// that run. A run that ended early has nothing to compare.
    pub fn check_record(&mut self, manifest: &Manifest) {
        let (Some(old), Some(run)) = (&manifest.certificate, self.runs.first()) else {
            return;
        };
        let whole = manifest
            .reached
            .is_some_and(|t| (t - run.end).abs() <= 1e-9 * self.step);
        let Some(new) = serde_json::to_value(&run.certificate)
            .ok()
            .filter(|_| whole)
        else {
            return;
        };
        // Figures that are equal to the last bit where the run is repeated.
        let figures = ["steps", "missed", "worst_residual", "worst_penetration"];
        let differ = |key: &&&str| old.get(**key).is_some_and(|value| *value != new[**key]);
        let differ: Vec<&str> = figures.iter().filter(differ).copied().collect();
        self.recorded = Some(differ.is_empty());
        if !differ.is_empty() {
            self.not_held.push(format!(
                "the recorded run is not the run made again: {} of its certificate differ (percuss {} wrote it)",
                differ.join(", "),
                manifest.percuss
            ));
            self.ok = false;
        }
    }
}
