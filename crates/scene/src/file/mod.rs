//! Scene files: TOML to [`Scene`].

mod overrides;
mod parameters;
mod read_model;
mod read_report;
mod read_run;
mod read_touch;
mod reader;
mod report;
mod spec;
mod tree;

use std::path::Path;

pub use reader::Formula;
pub use report::{
    Bisect, Case, Check, Datum, Finding, Overrides, Plot, PlotKind, Range, Study, Vary,
};

pub(crate) use parameters::{
    Parameters, expression_error, of_definitions, require_unreserved, value_error,
};
pub(crate) use read_report::study as read_study;
pub(crate) use reader::Reader;
pub(crate) use spec::{
    ContactSpec, CoordinateSpec, FrictionSpec, JointSpec, Mechanism, NonFirmSpec, ReboundSpec,
    RunSpec, SetSpec, StepSpec, VelocitySpec,
};
pub(crate) use tree::parse as parse_tree;

use crate::builtin;
use crate::error::SceneError;
use crate::text::{self, Built};

/// Longest file that is read, in bytes: nobody writes such a scene.
const LONGEST: u64 = 16 << 20;

/// A scene: a mechanism, how it is computed, what is known of it.
#[derive(Debug, Clone)]
pub struct Scene {
    name: String,
    origin: String,
    text: String,
    title: String,
    source: String,
    about: String,
    mechanism: Mechanism,
    parameters: Parameters,
    overrides: Overrides,
    cases: Vec<Case>,
    studies: Vec<Study>,
    findings: Vec<Finding>,
    plots: Vec<Plot>,
}

impl Scene {
    /// Reads a scene from its text. `origin` is what messages call the file.
    ///
    /// # Errors
    /// The text is not a mechanism scene; parameters without a finite value.
    pub fn parse(name: &str, origin: &str, text: &str) -> Result<Self, SceneError> {
        let entries = tree::parse(origin, text)?;
        let mut root = Reader::new(origin, "", 1, entries);
        let kind = root.take("kind");
        match kind.as_ref().map(|item| &item.value) {
            Some(tree::Value::Text(kind)) if kind == "mechanism" => {}
            None => {
                let advice = "Add `kind = \"mechanism\"`";
                return Err(root.error("the key `kind` is missing", advice).into());
            }
            Some(_) => {
                let item = kind.as_ref().map_or(String::new(), |item| item.raw.clone());
                let problem = format!("`kind = {item}`: \"mechanism\" was expected");
                let advice = "A file with `kind = \"study\"` is run by `percuss study`";
                return Err(root.error(problem, advice).into());
            }
        }
        let (title, source) = (root.text_if("title")?, root.text_if("source")?);
        let about = root.text_if("about")?;
        let mechanism = mechanism(&mut root)?;
        let cases = read_report::cases(&mut root)?;
        let studies = read_report::studies(&mut root)?;
        let findings = read_report::findings(&mut root, &cases)?;
        let plots = read_report::plots(&mut root, &cases, &studies)?;
        root.finish()?;
        let parameters = Parameters::resolve(origin, &mechanism.parameters)?;
        let scene = Self {
            name: name.to_string(),
            origin: origin.to_string(),
            text: text.to_string(),
            title: title.unwrap_or_else(|| name.to_string()),
            source: source.unwrap_or_default(),
            about: about.unwrap_or_default(),
            mechanism,
            parameters,
            overrides: Vec::new(),
            cases,
            studies,
            findings,
            plots,
        };
        scene.check_keys()?;
        scene.check_intervals()?;
        Ok(scene)
    }

    /// Reads a file, or a built-in scene by its name.
    ///
    /// # Errors
    /// There is neither, the file cannot be read, or as [`Scene::parse`].
    pub fn load(path_or_name: &str) -> Result<Self, SceneError> {
        let path = Path::new(path_or_name);
        let is_path = path.extension().is_some() || path.components().count() > 1;
        if !is_path && let Some(text) = builtin::text(path_or_name) {
            return Self::parse(path_or_name, path_or_name, text);
        }
        let name = path
            .file_stem()
            .map_or(path_or_name.into(), |stem| stem.to_string_lossy());
        Self::parse(&name, path_or_name, &read(path_or_name)?)
    }

    /// The same scene with other values: keys and values as for `--set`.
    ///
    /// # Errors
    /// An unknown key, or parameters without a finite value.
    pub fn with<K: AsRef<str>, V: AsRef<str>>(&self, set: &[(K, V)]) -> Result<Self, SceneError> {
        let mut changed = self.clone();
        for (key, value) in set {
            let (key, value) = (key.as_ref(), value.as_ref());
            overrides::apply(&self.origin, &mut changed.mechanism, key, value)?;
            let known = changed.overrides.iter_mut().find(|(k, _)| k == key);
            match known {
                Some((_, old)) => *old = value.to_string(),
                None => changed.overrides.push((key.to_string(), value.to_string())),
            }
        }
        changed.parameters = Parameters::resolve(&self.origin, &changed.mechanism.parameters)?;
        Ok(changed)
    }

    /// Compiles the mechanism, its initial state and its settings.
    ///
    /// # Errors
    /// Whatever is wrong with an expression, a law or a setting.
    pub fn build(&self) -> Result<Built, SceneError> {
        text::build(self)
    }

    /// The value of an expression in the parameters (bounds of studies, values of cases).
    ///
    /// # Errors
    /// The expression cannot be parsed or its value is not finite.
    pub fn evaluate(&self, part: &str, key: &str, formula: &Formula) -> Result<f64, SceneError> {
        let mut parameters = self.parameters.clone();
        Ok(parameters.evaluate(&self.origin, part, key, formula)?)
    }

    /// Keys of cases and studies that nothing answers to.
    fn check_keys(&self) -> Result<(), SceneError> {
        let require = |part: &str, key: &str, line: usize| {
            overrides::require_known(&self.origin, &self.mechanism, part, key, line)
        };
        for case in &self.cases {
            let part = format!("case `{}`", case.name);
            for (key, _) in &case.set {
                require(&part, key, case.line)?;
            }
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

    /// Intervals of studies that are empty.
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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file, or the name of the built-in scene, as messages call it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// One line about it; its name where it has none.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where the system comes from; may be empty.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// A paragraph about it; may be empty.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was changed by [`Scene::with`], in order.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// Names and values of the parameters.
    pub fn parameters(&self) -> &[(String, f64)] {
        &self.parameters.values
    }

    /// Cases, without the main one.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Studies.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// Findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Plots.
    pub fn plots(&self) -> &[Plot] {
        &self.plots
    }

    pub(crate) fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    pub(crate) fn resolved(&self) -> Parameters {
        self.parameters.clone()
    }
}

fn mechanism(root: &mut Reader<'_>) -> Result<Mechanism, SceneError> {
    let parameters = read_model::named(root, "parameters")?;
    let coordinates = read_model::coordinates(root)?;
    let definitions = read_model::named(root, "definitions")?;
    let dynamics = read_model::dynamics(root, &coordinates)?;
    let contacts = read_touch::contacts(root)?;
    let joints = read_touch::joints(root)?;
    let velocity_constraints = read_touch::velocity_constraints(root)?;
    let nonfirm = read_touch::nonfirm(root)?;
    let run = read_run::run(root)?;
    Ok(Mechanism {
        parameters,
        coordinates,
        definitions,
        dynamics,
        contacts,
        joints,
        velocity_constraints,
        nonfirm,
        run,
    })
}

/// The text of a file; the built-in scenes are named where there is none.
pub(crate) fn read(path: &str) -> Result<String, SceneError> {
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => SceneError::Missing(nothing_there(path)),
        std::io::ErrorKind::InvalidData => {
            SceneError::Missing(format!("{path}: this is not a text in UTF-8"))
        }
        _ => SceneError::machine(format!("cannot read {path}"), &error),
    };
    let about = std::fs::metadata(path).map_err(fault)?;
    if about.is_dir() {
        let text = format!("{path}: this is a directory, a scene file was expected");
        return Err(SceneError::Missing(text));
    }
    if about.len() > LONGEST {
        let text = format!(
            "{path}: the file has {} bytes, more than a scene can have",
            about.len()
        );
        return Err(SceneError::Missing(text));
    }
    std::fs::read_to_string(path).map_err(fault)
}

fn nothing_there(path: &str) -> String {
    let names: Vec<String> = builtin::names().map(str::to_string).collect();
    let guess = match expr::nearest(path, &names).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    format!(
        "`{path}` is neither a file nor a built-in scene{guess} \
         (`percuss examples` lists the built-in scenes)"
    )
}
