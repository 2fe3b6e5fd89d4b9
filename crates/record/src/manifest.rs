//! The manifest `run.json`: metadata of a run directory.
//!
//! It holds everything needed to run again: the text of the scene, overrides, settings. Only `machine` depends on the
//! machine; nothing depends on the date: the same run writes the same bytes.

use std::io::Write;
use std::path::Path;

use percuss_mechanism::{AdaptiveStep, ForceEvaluation, Scheme, Settings, TangentCone};
use percuss_scene::{DataFile, Scene, SceneError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::chunk::replace;
use super::column::Column;
use super::error::RecordError;
use super::format::{MANIFEST, SCHEMA};
use super::machine::Machine;
use super::nonunique::NonuniqueInstant;
use super::renamed::rename_columns;

/// Status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Under way, or killed.
    Running,
    /// Reached its end.
    Finished,
    /// Could not continue; the records hold what was computed.
    Stopped,
    /// Stopped on request; `percuss resume` continues it.
    Interrupted,
}

impl RunStatus {
    /// The word in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Content and origin of a run directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Schema version of the records.
    pub schema: u64,
    /// Version of percuss that wrote them.
    pub percuss: String,
    /// `run` or `study`.
    pub kind: String,
    /// Name of the scene.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Source of the system (reference).
    pub source: String,
    /// The scene file, or `built-in`.
    pub origin: String,
    /// The full text of the scene.
    pub text: String,
    /// Overrides of `--set`, in order.
    pub overrides: Vec<Override>,
    /// Parameters with their overridden values.
    pub parameters: Map<String, Value>,
    /// Settings of the computation.
    pub settings: Value,
    /// Seed of the random numbers, where a run draws any; of several the first.
    pub seed: Option<u64>,
    /// The files that the scene refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<DataFile>,
    /// The machine; absent before schema 2.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// The tables.
    pub tables: Vec<TableEntry>,
    /// Status of the run.
    pub status: RunStatus,
    /// Why it stopped.
    pub reason: Option<String>,
    /// Last time reached.
    pub reached: Option<f64>,
    /// Certificate: the worst figures of the step reports over all steps.
    pub certificate: Option<Value>,
    /// Measured values of the findings of the scene; absent until measured.
    pub findings: Option<Vec<Value>>,
    /// Instants at which the motion is not unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nonunique: Vec<NonuniqueInstant>,
    /// Warnings, in sentences, and what the certificate lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One override of `--set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// A parameter or a key of `[run]`.
    pub key: String,
    /// Its value as given.
    pub value: String,
}

/// One table in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name; its chunks are `NAME-000000.parquet`, `NAME-000001.parquet`, …
    pub name: String,
    /// Rows of all chunks; absent while the run is under way.
    pub rows: Option<usize>,
    /// CRC-32 of every chunk in order; absent while the run is under way.
    pub checksums: Option<Vec<u32>>,
    /// Its columns in order.
    pub columns: Vec<Column>,
}

impl Manifest {
    /// An empty manifest with version and kind.
    pub fn new(kind: &str, scene: &str) -> Self {
        Self {
            schema: SCHEMA,
            percuss: env!("CARGO_PKG_VERSION").into(),
            kind: kind.into(),
            scene: scene.into(),
            title: String::new(),
            source: String::new(),
            origin: String::new(),
            text: String::new(),
            overrides: Vec::new(),
            parameters: Map::new(),
            settings: Value::Null,
            seed: None,
            files: Vec::new(),
            machine: None,
            tables: Vec::new(),
            status: RunStatus::Running,
            reason: None,
            reached: None,
            certificate: None,
            findings: None,
            nonunique: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Writes the manifest into a directory by atomic replacement.
    ///
    /// # Errors
    /// A file operation fails.
    pub fn write(&self, directory: &Path) -> Result<(), RecordError> {
        replace(&directory.join(MANIFEST), |mut file| {
            let mut text = serde_json::to_vec_pretty(self)?;
            text.push(b'\n');
            file.write_all(&text)
        })
    }

    /// Reads the manifest of a directory.
    ///
    /// # Errors
    /// There is none, it is damaged, or it is of a later version.
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let path = directory.join(MANIFEST);
        let not_a_run = |why: &str| RecordError::NotARun {
            path: directory.into(),
            why: why.into(),
        };
        if !directory.exists() {
            return Err(not_a_run("there is no such directory"));
        }
        if !directory.is_dir() {
            return Err(not_a_run("this is not a directory"));
        }
        if !path.exists() {
            return Err(not_a_run("this directory holds no run.json"));
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|e| RecordError::fault(&path, "read this file", &e))?;
        let value: Value =
            serde_json::from_str(&text).map_err(|e| RecordError::damaged(&path, e))?;
        let schema = value.get("schema").and_then(Value::as_u64);
        let schema = schema.ok_or_else(|| not_a_run("its run.json does not name a schema"))?;
        // A later schema may have another meaning: refused.
        if schema > SCHEMA {
            let version = value.get("percuss").and_then(Value::as_str);
            return Err(RecordError::Newer {
                path: directory.into(),
                found: schema,
                known: SCHEMA,
                version: version.unwrap_or("of a later date").into(),
            });
        }
        let manifest: Result<Self, _> = serde_json::from_value(value);
        let mut manifest = manifest.map_err(|e| RecordError::damaged(&path, e))?;
        // Records written before have columns with other names.
        for table in &mut manifest.tables {
            rename_columns(&table.name, &mut table.columns);
        }
        Ok(manifest)
    }

    /// The scene as it was run: its text with the overrides, its data files in the folder of the run.
    ///
    /// # Errors
    /// The text cannot be parsed by this version.
    pub fn recorded_scene(&self) -> Result<Scene, SceneError> {
        let scene = Scene::parse(&self.scene, &self.origin, &self.text)?;
        let overrides = self.overrides.iter();
        let overrides: Vec<(&str, &str)> = overrides
            .map(|change| (change.key.as_str(), change.value.as_str()))
            .collect();
        let scene = scene.with_overrides(&overrides)?;
        let folder = self.machine.as_ref();
        Ok(match folder.and_then(|machine| machine.folder.as_deref()) {
            Some(folder) => scene.from_folder(Path::new(folder)),
            None => scene,
        })
    }
}

/// Settings of a mechanism as the manifest holds them.
pub fn settings_json(settings: &Settings, start: f64, until: f64, record_every: usize) -> Value {
    let (integrator, theta) = match settings.scheme {
        Scheme::Midpoint => ("midpoint", None),
        Scheme::Projected => ("projected", None),
        Scheme::Theta(theta) => ("theta", Some(theta)),
        Scheme::Paoli => ("paoli", None),
        Scheme::Event => ("event", None),
    };
    // Bounds and tolerance of an adaptive step.
    let variable = |a: AdaptiveStep| {
        serde_json::json!({
            "tolerance": a.tolerance, "smallest": a.smallest, "largest": a.largest
        })
    };
    serde_json::json!({
        "start": start,
        "until": until,
        "step": settings.step,
        "variable": settings.adaptive.map(variable),
        "integrator": integrator,
        "theta": theta,
        "forces": match settings.force_evaluation {
            ForceEvaluation::Mean => "mean",
            ForceEvaluation::Begin => "begin",
            ForceEvaluation::Implicit => "implicit",
        },
        "tangent_cone": match settings.tangent_cone {
            TangentCone::Midpoint => "midpoint",
            TangentCone::End => "end",
        },
        "law": settings.impact.name().to_lowercase(),
        "correction": settings.projection,
        "tolerance": settings.tolerance,
        "record_every": record_every,
    })
}
