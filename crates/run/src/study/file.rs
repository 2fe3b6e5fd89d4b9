//! Studies in files of their own (`kind = "study"`).

use std::path::Path;

use percuss_input::report::study as read_study;
use percuss_input::{Reader, parse as parse_tree, replace_renamed};
use percuss_scene::builtin::read;
use percuss_scene::{Formula, InputError, Origin, Scene, SceneError, Study};
use serde::Serialize;

use super::compile::compile_study;
use crate::finding::ground::with_expression_context;
use crate::study::table::group_outcomes;
use crate::study::{CompiledStudy, OutcomeGroup, StudyTable};
use percuss_simulation::Threads;

/// Which runs count as the same outcome: columns and tolerance.
#[derive(Debug, Clone, PartialEq)]
struct Alike {
    of: Vec<String>,
    tolerance: Formula,
    line: usize,
}

/// A file with `kind = "study"`.
#[derive(Debug, Clone)]
pub struct StudyFile {
    name: String,
    origin: String,
    text: String,
    title: String,
    about: String,
    scene: Scene,
    study: Study,
    alike: Option<Alike>,
    keep: bool,
    warnings: Vec<String>,
}

/// The result of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyResult {
    /// The runs.
    pub table: StudyTable,
    /// Groups of runs with the same outcome, the largest first; where requested.
    pub outcomes: Option<Vec<OutcomeGroup>>,
    /// Why there are no groups although requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes_reason: Option<String>,
}

impl StudyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file or its scene cannot be read or has an error.
    pub fn load(path: &str) -> Result<Self, SceneError> {
        let text = read(path)?;
        let file = Path::new(path);
        let name = file
            .file_stem()
            .map_or(path.into(), |stem| stem.to_string_lossy());
        Self::parse(&name, path, &text)
    }

    /// Reads a study from its text. A scene file is searched beside `origin` first.
    ///
    /// # Errors
    /// As [`StudyFile::load`].
    pub fn parse(name: &str, origin: &str, text: &str) -> Result<Self, SceneError> {
        Self::read(name, origin, text, None)
    }

    /// A study of a given scene: the same text without the key `scene`.
    ///
    /// # Errors
    /// The study has an error.
    pub fn of_scene(
        name: &str,
        origin: &str,
        text: &str,
        scene: Scene,
    ) -> Result<Self, SceneError> {
        Self::read(name, origin, text, Some(scene))
    }

    /// Reads the text; `scene` replaces the key `scene`.
    fn read(
        name: &str,
        origin: &str,
        text: &str,
        scene: Option<Scene>,
    ) -> Result<Self, SceneError> {
        let mut entries = parse_tree(origin, text)?;
        let warnings = replace_renamed(origin, &mut entries)?;
        let mut root = Reader::new(origin, "", 1, entries);
        // The kind must be given, so that a scene is not taken for a study.
        match root.text_if("kind")?.as_deref() {
            Some("study") => {}
            Some(other) => {
                let problem = format!("`kind = \"{other}\"`: \"study\" was expected");
                let advice = "A scene is run by `percuss run`";
                return Err(root.error(problem, advice).into());
            }
            None => {
                let advice = "Add `kind = \"study\"`";
                return Err(root.error("the key `kind` is missing", advice).into());
            }
        }
        // The keys of the study, then the scene.
        let (title, about) = (root.text_if("title")?, root.text_if("about")?);
        let path = match scene {
            None => root.text("scene")?,
            Some(_) => String::new(),
        };
        let study = read_study(&mut root, name.to_string())?;
        let alike = alike(&mut root)?;
        let keep = root.truth_if("keep")?.is_some_and(|(keep, _)| keep);
        root.finish()?;
        // A scene file is searched beside the study.
        let file = Self {
            name: name.to_string(),
            origin: origin.to_string(),
            text: text.to_string(),
            title: title.unwrap_or_else(|| name.to_string()),
            about: about.unwrap_or_default(),
            scene: match scene {
                None => Scene::load(&beside(origin, &path))?,
                Some(scene) => scene,
            },
            study,
            alike,
            keep,
            warnings,
        };
        file.check()?;
        Ok(file)
    }

    /// Warnings about its text and that of its scene, in sentences: words of an earlier version.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(self.scene.warnings())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line about it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// A paragraph about it; may be empty.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The scene that is run.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whether every run is recorded.
    pub fn keeps(&self) -> bool {
        self.keep
    }

    /// The columns by which outcomes are distinguished; none where that is not requested.
    pub fn outcome_columns(&self) -> &[String] {
        self.alike.as_ref().map_or(&[], |alike| &alike.of)
    }

    /// The same study with overrides of the scene: keys and values as for `--set`.
    ///
    /// # Errors
    /// As [`Scene::with_overrides`].
    pub fn with<K: AsRef<str>, V: AsRef<str>>(&self, set: &[(K, V)]) -> Result<Self, SceneError> {
        let mut changed = self.clone();
        changed.scene = self.scene.with_overrides(set)?;
        Ok(changed)
    }

    /// Number of runs.
    ///
    /// # Errors
    /// A value of the study cannot be evaluated.
    pub fn runs(&self) -> Result<usize, SceneError> {
        Ok(
            super::points(&self.scene.with_overrides(&self.study.set)?, &self.study)
                .map_err(|error| self.here(error))?
                .len(),
        )
    }

    /// Makes all runs. `progress` is called with the share done and returns whether to go on.
    ///
    /// # Errors
    /// A value of the study cannot be evaluated. A run that fails is a row without values.
    pub fn run(
        &self,
        threads: Threads,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<StudyResult, SceneError> {
        let compiled = self.compile()?;
        let table = compiled.run(&self.scene, threads, progress);
        self.conclude(table.map_err(|error| self.here(error))?)
    }

    /// Groups runs with the same outcome, where that is requested.
    pub(super) fn conclude(&self, table: StudyTable) -> Result<StudyResult, SceneError> {
        // A column without numbers gives a reason instead of groups.
        let (outcomes, outcomes_reason) = match &self.alike {
            None => (None, None),
            Some(alike) => match self.gather(alike, &table)? {
                Ok(outcomes) => (Some(outcomes), None),
                Err(reason) => (None, Some(reason)),
            },
        };
        Ok(StudyResult {
            table,
            outcomes,
            outcomes_reason,
        })
    }

    /// The groups, or why a column has no numbers.
    fn gather(
        &self,
        alike: &Alike,
        table: &StudyTable,
    ) -> Result<Result<Vec<OutcomeGroup>, String>, SceneError> {
        let tolerance = self.tolerance(alike)?;
        // Runs are compared by these columns.
        let columns = alike.of.iter().map(|column| table.numbers(column));
        let columns: Result<Vec<Vec<f64>>, String> = columns.collect();
        Ok(columns.map(|columns| group_outcomes(&columns, tolerance)))
    }

    /// The tolerance of the groups.
    fn tolerance(&self, alike: &Alike) -> Result<f64, SceneError> {
        let tolerance = self
            .scene
            .evaluate("[outcomes]", "tolerance", &alike.tolerance);
        let tolerance = tolerance.map_err(|error| self.here(error))?;
        match tolerance >= 0.0 {
            true => Ok(tolerance),
            false => {
                let problem = format!("`tolerance`: a number from 0 was expected, not {tolerance}");
                Err(self.wrong("[outcomes]", alike.line, problem))
            }
        }
    }

    /// Checks everything without running anything.
    fn check(&self) -> Result<(), SceneError> {
        let compiled = self.compile()?;
        let Some(alike) = &self.alike else {
            return Ok(());
        };
        self.tolerance(alike)?;
        let known = compiled.column_names();
        // The columns of `[outcomes]` must exist.
        for column in &alike.of {
            if !known.contains(column) {
                let guess = match percuss_expr::similar_names(column, &known).first() {
                    Some(nearest) => format!("; did you mean `{nearest}`?"),
                    None => String::new(),
                };
                let listed = known.join(", ");
                let problem =
                    format!("`of`: unknown column `{column}`{guess} (known here: {listed})");
                return Err(self.wrong("[outcomes]", alike.line, problem));
            }
        }
        Ok(())
    }

    /// The study with the findings of the scene as further columns: those of the main run that need
    /// no runs of their own.
    pub(super) fn compile(&self) -> Result<CompiledStudy, SceneError> {
        // Expressions are compiled against the unchanged scene.
        with_expression_context(&self.scene, |ground| {
            let compiled = compile_study(&self.scene, &self.study, ground.language());
            let mut compiled = compiled.map_err(|error| self.here(error))?;
            for finding in self.scene.findings() {
                let mut names = ground.names(&self.scene, self.scene.studies());
                compiled.add_finding(finding, &mut names);
            }
            Ok(compiled)
        })
    }

    /// Puts the study file, not the scene file, into an error of the study.
    fn here(&self, error: SceneError) -> SceneError {
        match error {
            // Errors of overrides are errors of the command line.
            SceneError::Input(mut input) if input.origin != Origin::Override => {
                input.file.clone_from(&self.origin);
                SceneError::Input(input)
            }
            other => other,
        }
    }

    fn wrong(&self, part: &str, line: usize, problem: String) -> SceneError {
        SceneError::from(InputError {
            file: self.origin.clone(),
            origin: Origin::Line(line),
            part: part.to_string(),
            key: String::new(),
            value: String::new(),
            problem,
            advice: String::new(),
        })
    }
}

/// A scene file beside the study, if there is one; else the path as written.
fn beside(origin: &str, scene: &str) -> String {
    // Relative to the study file first.
    let near = Path::new(origin).parent().map(|folder| folder.join(scene));
    match near {
        Some(path) if path.is_file() => path.to_string_lossy().into_owned(),
        _ => scene.to_string(),
    }
}

/// Reads the table `[outcomes]`.
fn alike(root: &mut Reader<'_>) -> Result<Option<Alike>, Box<InputError>> {
    let Some(item) = root.take("outcomes") else {
        return Ok(None);
    };
    // Columns and tolerance are both required.
    let mut table = root.of("[outcomes]", "outcomes", item)?;
    let Some(of) = table.formulas_if("of")? else {
        return Err(table.missing("of"));
    };
    let tolerance = table.formula("tolerance")?;
    let line = table.line;
    table.finish()?;
    Ok(Some(Alike {
        of: of.into_iter().map(|column| column.text).collect(),
        tolerance,
        line,
    }))
}
