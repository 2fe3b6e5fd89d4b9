//! Scene files: from TOML text to [`Scene`], a specification whose expressions are still text.
//!
//! `percuss_input::tables` reads the tables of the model and of the run, `percuss_input::report` cases, studies, findings
//! and plots; [`Scene`] is all of them, checked against each other. `overrides` applies `--set`, `applicability` says
//! where an expectation holds, `grains` replaces grains by numbers of a caller. Mechanics is in `symbolic` (mechanisms)
//! and `bodies_scene` (bodies), which build a scene into what can be run.

mod applicability;
mod content;
mod data;
mod grains;
mod overrides;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use data::DataFile;
pub use percuss_input::Formula;
pub use percuss_input::report::{
    Bisect, Case, Check, Colour, Datum, FindingSpec, Overrides, Picture, Plot, PlotKind, Spacing,
    Study, VariedValues, Vary,
};
pub use percuss_input::tables::{
    BodySubset, CertificateBounds, CheckpointPolicy, CrowdSpec, DistributionQuantity,
    DistributionSpec, DrawingShapeSpec, DrawingSpec, END_TOLERANCE, MechanismSpec,
    OPTIONAL_BODY_TABLES, OPTIONAL_MECHANISM_TABLES, OverSpec, PointSpec, ProfileSpec,
    RecordSelection, RowSelection, SceneKind, TableCompression,
};

use content::Content;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::{bodies, checkpoint_policy, mechanism, sweep};
use percuss_input::{Parameters, Reader, Value, value_error};

use crate::error::SceneError;

/// A scene: a mechanism or bodies, run settings, cases, studies, findings and plots.
#[derive(Debug, Clone)]
pub struct Scene {
    name: String,
    origin: String,
    text: String,
    title: String,
    source: String,
    about: String,
    content: Content,
    /// The content as the file has it, without overrides.
    declared: Arc<Content>,
    parameters: Parameters,
    overrides: Overrides,
    cases: Vec<Case>,
    /// Overrides of `[fast]`, empty where there is no such table, and its line.
    fast: (Overrides, usize),
    studies: Vec<Study>,
    findings: Vec<FindingSpec>,
    plots: Vec<Plot>,
    cadence: CheckpointPolicy,
    folder: PathBuf,
    warnings: Vec<String>,
}

impl Scene {
    /// Parses a scene from its text. `origin` is the name of the file in messages.
    ///
    /// # Errors
    /// The text is not a scene, or a parameter has no finite value.
    pub fn parse(name: &str, origin: &str, text: &str) -> Result<Self, SceneError> {
        let mut entries = percuss_input::parse(origin, text)?;
        let warnings = percuss_input::replace_renamed(origin, &mut entries)?;
        let mut root = Reader::new(origin, "", 1, entries);
        let (kind, sweeps) = kind(&mut root)?;
        let (title, source) = (root.text_if("title")?, root.text_if("source")?);
        let about = root.text_if("about")?;
        // The model and its run settings, by the kind of scene.
        let content = match kind {
            SceneKind::Mechanism if sweeps => Content::Mechanism(Box::new(sweep(&mut root)?)),
            SceneKind::Mechanism => Content::Mechanism(Box::new(mechanism(&mut root)?)),
            SceneKind::Bodies => Content::Bodies(Box::new(bodies::read(&mut root)?)),
        };
        // What is asked of it; keys that nobody took are refused.
        let cases = percuss_input::report::cases(&mut root)?;
        let fast = percuss_input::report::fast(&mut root)?.unwrap_or_default();
        let studies = percuss_input::report::studies(&mut root)?;
        let findings = percuss_input::report::findings(&mut root, &cases)?;
        let plots = percuss_input::report::plots(&mut root, &cases, &studies)?;
        let cadence = checkpoint_policy(&mut root)?;
        root.finish()?;
        let parameters = Parameters::resolve(origin, content.parameters())?;
        let scene = Self {
            name: name.to_string(),
            origin: origin.to_string(),
            text: text.to_string(),
            title: title.unwrap_or_else(|| name.to_string()),
            source: source.unwrap_or_default(),
            about: about.unwrap_or_default(),
            declared: Arc::new(content.clone()),
            content,
            parameters,
            overrides: Vec::new(),
            cases,
            fast,
            studies,
            findings,
            plots,
            cadence,
            folder: PathBuf::new(),
            warnings,
        };
        // Checks that need the whole scene.
        scene.check_keys()?;
        scene.check_intervals()?;
        scene.check_only_at()?;
        Ok(scene)
    }

    /// The same scene with its data files looked for in this folder instead of the current one.
    #[must_use]
    pub fn from_folder(mut self, folder: &Path) -> Self {
        self.folder = folder.into();
        self
    }

    /// The folder that paths of data files are relative to; empty: the current one.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The checkpoint policy: when checkpoints are written and how many are kept.
    pub fn checkpoint_schedule(&self) -> CheckpointPolicy {
        self.cadence
    }

    /// The same scene with overrides: keys and values as for `--set`.
    ///
    /// # Errors
    /// A key is unknown, or a parameter has no finite value.
    pub fn with_overrides<K: AsRef<str>, V: AsRef<str>>(
        &self,
        set: &[(K, V)],
    ) -> Result<Self, SceneError> {
        let mut changed = self.clone();
        for (key, value) in set {
            let (key, value) = (key.as_ref(), value.as_ref());
            overrides::apply(&self.origin, &mut changed.content, key, value)?;
            let known = changed.overrides.iter_mut().find(|(k, _)| k == key);
            match known {
                Some((_, old)) => *old = value.to_string(),
                None => changed.overrides.push((key.to_string(), value.to_string())),
            }
        }
        // Parameters may depend on those overridden.
        changed.parameters = Parameters::resolve(&self.origin, changed.content.parameters())?;
        Ok(changed)
    }

    /// The same scene with the overrides of its table `[fast]`.
    ///
    /// # Errors
    /// The scene has no such table.
    pub fn fast(&self) -> Result<Self, SceneError> {
        let (overrides, _) = &self.fast;
        if overrides.is_empty() {
            let reader = Reader::new(&self.origin, "", 1, Vec::new());
            let problem = "a fast run was asked for, and the scene has no table `[fast]`";
            let advice =
                "Add `[fast]` with the settings of a short run, or choose them with `--set`";
            return Err(reader.error(problem, advice).into());
        }
        self.with_overrides(overrides)
    }

    pub(crate) fn other_kind(&self, kind: &str, call: &str) -> SceneError {
        let reader = Reader::new(&self.origin, "", 1, Vec::new());
        let problem = format!("`kind = \"{kind}\"`: a scene of the other kind was expected here");
        let advice = format!("A scene of this kind is made by `{call}`");
        reader.error(problem, advice).into()
    }

    /// Mechanism or bodies.
    pub fn kind(&self) -> SceneKind {
        self.content.kind()
    }

    /// The value of an expression in the parameters (bounds of studies, values of cases).
    ///
    /// # Errors
    /// The expression cannot be parsed or its value is not finite.
    pub fn evaluate(&self, part: &str, key: &str, formula: &Formula) -> Result<f64, SceneError> {
        let mut parameters = self.parameters.clone();
        Ok(parameters.evaluate(&self.origin, part, key, formula)?)
    }

    /// Refuses keys of cases and studies that cannot be overridden.
    fn check_keys(&self) -> Result<(), SceneError> {
        let require = |part: &str, key: &str, line: usize| {
            overrides::require_known(&self.origin, &self.content, part, key, line)
        };
        // Overrides of cases.
        for case in &self.cases {
            let part = format!("case `{}`", case.name);
            for (key, _) in &case.set {
                require(&part, key, case.line)?;
            }
        }
        for (key, _) in &self.fast.0 {
            require("[fast]", key, self.fast.1)?;
        }
        for study in &self.studies {
            let part = format!("study `{}`", study.name);
            for (key, _) in &study.set {
                require(&part, key, study.line)?;
            }
            for vary in &study.vary {
                require(&part, &vary.key, vary.line)?;
            }
            if let Some(bisect) = &study.bisect {
                require(&part, &bisect.key, bisect.line)?;
            }
        }
        Ok(())
    }

    /// Refuses bisections over an empty interval or with a tolerance that is not positive.
    fn check_intervals(&self) -> Result<(), SceneError> {
        for study in &self.studies {
            let part = format!("study `{}`, bisect", study.name);
            let Some(bisect) = &study.bisect else {
                continue;
            };
            let from = self.evaluate(&part, "from", &bisect.from)?;
            let to = self.evaluate(&part, "to", &bisect.to)?;
            if from >= to {
                let problem = format!("the interval from {from} to {to} is empty");
                let advice = "`from` must be below `to`";
                return Err(value_error(
                    &self.origin,
                    &part,
                    "from",
                    &bisect.from,
                    problem,
                    advice,
                )
                .into());
            }
            if self.evaluate(&part, "tolerance", &bisect.tolerance)? <= 0.0 {
                let problem = "a positive number was expected";
                let at = &bisect.tolerance;
                return Err(value_error(&self.origin, &part, "tolerance", at, problem, "").into());
            }
        }
        Ok(())
    }

    /// Name of the scene: the stem of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name of the file, or of the built-in scene, in messages.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Title, one line; the name where none is given.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Publication or origin of the system; may be empty.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Description, a paragraph; may be empty.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Warnings about the text, in sentences: words of an earlier version.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The overrides of [`Scene::with_overrides`], in order.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// Names and values of the parameters, overrides applied.
    pub fn parameters(&self) -> &[(String, f64)] {
        &self.parameters.values
    }

    /// The cases beside the main one.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The studies.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// The findings.
    pub fn findings(&self) -> &[FindingSpec] {
        &self.findings
    }

    /// The same scene with only the named findings.
    pub fn keeping_findings(&self, names: &[String]) -> Self {
        let mut changed = self.clone();
        changed.findings.retain(|f| names.contains(&f.name));
        changed
    }

    /// The plots.
    pub fn plots(&self) -> &[Plot] {
        &self.plots
    }

    /// The pictures declared in a scene of bodies; empty for a mechanism.
    pub fn pictures(&self) -> &[Picture] {
        self.bodies().map_or(&[], |bodies| &bodies.pictures)
    }

    /// The specification of a mechanism or a sweeping process; `None` for a scene of bodies.
    pub fn mechanism(&self) -> Option<&MechanismSpec> {
        match &self.content {
            Content::Mechanism(mechanism) => Some(mechanism),
            Content::Bodies(_) => None,
        }
    }

    /// The specification of a scene of bodies; `None` for a mechanism.
    pub fn bodies(&self) -> Option<&BodiesSpec> {
        match &self.content {
            Content::Mechanism(_) => None,
            Content::Bodies(bodies) => Some(bodies),
        }
    }

    /// The recording selection of a mechanism, for a run over this interval of time.
    ///
    /// # Errors
    /// A key of `[record]` is invalid.
    pub fn choice(&self, span: (f64, f64)) -> Result<RecordSelection, SceneError> {
        let Some(mechanism) = self.mechanism() else {
            return Ok(RecordSelection::default());
        };
        let mut parameters = self.resolved();
        let spec = &mechanism.run.record;
        Ok(spec.choice(
            &self.origin,
            &mut parameters,
            &OPTIONAL_MECHANISM_TABLES,
            span,
        )?)
    }

    pub(crate) fn resolved(&self) -> Parameters {
        self.parameters.clone()
    }
}

/// The value of `kind`, and whether it is a sweeping process, which is read as a mechanism with other run settings.
fn kind(root: &mut Reader<'_>) -> Result<(SceneKind, bool), SceneError> {
    let Some(item) = root.take("kind") else {
        let advice = "Add `kind = \"mechanism\"`, `kind = \"bodies\"` or `kind = \"sweep\"`";
        return Err(root.error("the key `kind` is missing", advice).into());
    };
    // A sweeping process is a mechanism with other run settings.
    match &item.value {
        Value::Text(kind) if kind == "mechanism" => Ok((SceneKind::Mechanism, false)),
        Value::Text(kind) if kind == "sweep" => Ok((SceneKind::Mechanism, true)),
        Value::Text(kind) if kind == "bodies" => Ok((SceneKind::Bodies, false)),
        _ => {
            let raw = &item.raw;
            let problem =
                format!("`kind = {raw}`: \"mechanism\", \"bodies\" or \"sweep\" was expected");
            let advice = "A file with `kind = \"study\"` is run by `percuss study`";
            Err(root.error(problem, advice).into())
        }
    }
}
