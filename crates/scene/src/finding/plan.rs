//! Compiles and checks the findings and studies of a scene before anything is run.

use crate::collection::{BuiltBodies, NameTable, SceneNames};
use crate::error::{InputError, SceneError};
use crate::file::{Check, Datum, FindingSpec as Asked, Formula, Scene, SceneKind, Study};
use crate::finding::expression::Expression;
use crate::finding::judge::Expectation;
use crate::finding::language::Language;
use crate::finding::names::Names;
use crate::study::CompiledStudy;
use crate::survey;
use crate::text::SymbolicSystem;
use crate::watch::{self, BodiesOutcome, ObservableRequest};

/// The names and settings against which the expressions of a scene are compiled.
pub(crate) enum ExpressionContext<'a> {
    /// A mechanism.
    Mechanism {
        system: Box<SymbolicSystem>,
        start: f64,
        step: f64,
    },
    /// A scene of bodies.
    Bodies { glossary: NameTable<'a>, step: f64 },
}

impl<'a> ExpressionContext<'a> {
    /// Bodies before their run.
    pub fn of_collection(scene: &'a Scene, collection: &'a BuiltBodies) -> Self {
        let (_, _, step) = collection.span();
        Self::Bodies {
            glossary: collection.name_table(scene.parameters()),
            step,
        }
    }

    /// Bodies after their run.
    pub fn of_outcome(scene: &'a Scene, outcome: &'a BodiesOutcome) -> Self {
        Self::Bodies {
            glossary: outcome.name_table(scene.parameters()),
            step: outcome.step,
        }
    }

    /// The names that observables may use.
    pub fn language(&mut self) -> Language<'_> {
        match self {
            Self::Mechanism { system, .. } => Language::Mechanism(system),
            Self::Bodies { glossary, .. } => Language::Bodies(*glossary),
        }
    }

    fn start(&self) -> f64 {
        match self {
            Self::Mechanism { start, .. } => *start,
            Self::Bodies { glossary, .. } => glossary.start,
        }
    }

    fn step(&self) -> f64 {
        match self {
            Self::Mechanism { step, .. } | Self::Bodies { step, .. } => *step,
        }
    }

    /// The names that value expressions may use.
    pub fn names<'b>(&'b mut self, scene: &'b Scene, studies: &'b [Study]) -> Names<'b> {
        Names {
            parameters: scene.parameters(),
            start: self.start(),
            language: self.language(),
            studies,
        }
    }
}

/// Builds the scene and calls `work` with its expression context.
///
/// # Errors
/// The mechanism or the bodies cannot be built, or the error of `work`.
pub(crate) fn with_expression_context<T>(
    scene: &Scene,
    work: impl FnOnce(&mut ExpressionContext<'_>) -> Result<T, SceneError>,
) -> Result<T, SceneError> {
    match scene.kind() {
        SceneKind::Mechanism => {
            let built = scene.build_mechanism()?;
            work(&mut ExpressionContext::Mechanism {
                start: built.initial.t,
                step: built.settings.step,
                system: Box::new(built.system),
            })
        }
        SceneKind::Bodies => {
            let collection = scene.build_bodies()?;
            work(&mut ExpressionContext::of_collection(scene, &collection))
        }
    }
}

/// The findings and studies of a scene, compiled.
pub(crate) struct CompiledFindings {
    pub findings: Vec<Expression>,
    pub studies: Vec<CompiledStudy>,
}

impl CompiledFindings {
    /// What a run of bodies must keep for the findings of a case; `None` is the main run.
    pub fn observable_request(
        &self,
        scene: &Scene,
        cast: &SceneNames,
        case: Option<&str>,
    ) -> ObservableRequest {
        let mut wanted = ObservableRequest::default();
        for (asked, finding) in scene.findings().iter().zip(&self.findings) {
            if asked.case.as_deref().filter(|name| *name != "main") == case {
                finding.add_requests(cast, &mut wanted);
            }
        }
        wanted
    }
}

/// Checks all findings and studies of a scene without running anything.
///
/// # Errors
/// The first expression with an error, with its finding or study, line and place.
pub fn check_findings(scene: &Scene) -> Result<(), SceneError> {
    match scene.kind() {
        SceneKind::Mechanism => {
            with_expression_context(scene, |ground| compile_findings(scene, ground)).map(|_| ())
        }
        SceneKind::Bodies => check_collection(scene, &scene.build_bodies()?),
    }
}

/// Checks all findings, studies and stop conditions of a scene of bodies without running anything.
///
/// # Errors
/// The first expression with an error, with its part, line and place.
pub fn check_collection(scene: &Scene, collection: &BuiltBodies) -> Result<(), SceneError> {
    compile_findings(
        scene,
        &mut ExpressionContext::of_collection(scene, collection),
    )?;
    watch::check_stops(scene, collection)
}

/// What the main run of a scene of bodies must keep for its findings, plots and profiles.
///
/// # Errors
/// As [`check_collection`].
pub fn observable_request(
    scene: &Scene,
    collection: &BuiltBodies,
) -> Result<ObservableRequest, SceneError> {
    let plan = compile_findings(
        scene,
        &mut ExpressionContext::of_collection(scene, collection),
    )?;
    let mut wanted = plan.observable_request(scene, collection.names(), None);
    // Plots of the main run, then profiles.
    for plot in scene.plots().iter().filter(|plot| plot.study.is_none()) {
        if plot.cases.iter().any(|case| case == "main") {
            let texts = plot.x.iter().chain(&plot.y);
            texts.for_each(|formula| wanted.observable(&formula.text));
        }
    }
    for profile in &collection.names().profiles {
        let texts = survey::texts(profile, collection.dimension());
        texts.iter().for_each(|text| wanted.observable(text));
    }
    wanted.distributions = true;
    Ok(wanted)
}

/// Compiles all findings and studies.
///
/// # Errors
/// As [`check_findings`].
pub(crate) fn compile_findings(
    scene: &Scene,
    ground: &mut ExpressionContext<'_>,
) -> Result<CompiledFindings, SceneError> {
    let step = ground.step();
    let mut findings = Vec::with_capacity(scene.findings().len());
    // Findings, with the overrides of their cases.
    for asked in scene.findings() {
        let case = scene
            .cases()
            .iter()
            .find(|case| Some(&case.name) == asked.case.as_ref());
        let changed = case
            .map(|case| scene.with_overrides(&case.set))
            .transpose()?;
        let mut compiled = compile(scene, asked, ground);
        // A case may have bodies that the main run does not have.
        if let (Err(_), Some(changed), ExpressionContext::Bodies { .. }) =
            (&compiled, &changed, &*ground)
        {
            compiled = with_expression_context(changed, |ground| compile(scene, asked, ground));
        }
        let parameters = changed.as_ref().unwrap_or(scene).parameters();
        expectation(scene, asked, parameters, step)?;
        findings.push(compiled?);
    }
    // Overrides of cases that no finding names are checked, too.
    for case in scene.cases() {
        scene.with_overrides(&case.set)?;
    }
    let mut studies = Vec::with_capacity(scene.studies().len());
    for study in scene.studies() {
        studies.push(compile_study(scene, study, ground.language())?);
    }
    Ok(CompiledFindings { findings, studies })
}

/// Compiles the value of a finding.
fn compile(
    scene: &Scene,
    asked: &Asked,
    ground: &mut ExpressionContext<'_>,
) -> Result<Expression, SceneError> {
    let part = format!("finding `{}`", asked.name);
    let mut names = ground.names(scene, scene.studies());
    Expression::compile(&asked.value.text, &mut names)
        .map_err(|problem| wrong(scene.origin(), &part, "value", &asked.value, problem))
}

/// Compiles what a study observes and checks its keys.
pub(crate) fn compile_study<'a>(
    scene: &Scene,
    study: &Study,
    language: impl Into<Language<'a>>,
) -> Result<CompiledStudy, SceneError> {
    let language = language.into();
    // Start of the run, at which exact solutions are tested.
    let start = match &language {
        Language::Mechanism(_) => scene.build_mechanism()?.initial.t,
        Language::Bodies(glossary) => glossary.start,
    };
    // Expressions know watches by their numbers; nothing else of the names is needed.
    let cast = match &language {
        Language::Mechanism(_) => SceneNames::default(),
        Language::Bodies(glossary) => SceneNames {
            watches: glossary.names.watches.clone(),
            ..SceneNames::default()
        },
    };
    let part = format!("study `{}`", study.name);
    let mut names = Names {
        parameters: scene.parameters(),
        language,
        start,
        studies: &[],
    };
    // Errors name the study and the key.
    let mut compile = |key: &str, formula: &Formula| {
        let compiled = Expression::compile(&formula.text, &mut names);
        compiled.map_err(|problem| wrong(scene.origin(), &part, key, formula, problem))
    };
    let mut observe = Vec::with_capacity(study.observe.len());
    for (name, formula) in &study.observe {
        observe.push(compile(name, formula)?);
    }
    let when = study
        .when
        .as_ref()
        .map(|when| compile("when", when))
        .transpose()?;
    CompiledStudy::new(scene, study, observe, when, cast)
}

/// Evaluates what is expected of a finding.
pub(crate) fn expectation(
    scene: &Scene,
    asked: &Asked,
    parameters: &[(String, f64)],
    h: f64,
) -> Result<Expectation, SceneError> {
    // A text is expected of a text: it is not evaluated.
    if let Check::Expected {
        value: Datum::Text(text),
        ..
    } = &asked.check
        && asked.value.text.trim().starts_with(['"', '\''])
    {
        return Ok(Expectation::of_text(text));
    }
    Expectation::of(&asked.check, parameters, h).map_err(|(key, problem)| {
        let part = format!("finding `{}`", asked.name);
        let at = Formula::at_line("", asked.line);
        wrong(scene.origin(), &part, key, &at, problem)
    })
}

/// An error about an expression of the scene.
fn wrong(file: &str, part: &str, key: &str, at: &Formula, problem: String) -> SceneError {
    SceneError::from(InputError {
        file: file.to_string(),
        origin: at.origin.clone(),
        part: part.to_string(),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}
