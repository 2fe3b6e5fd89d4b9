//! Compiles and checks the findings and studies of a scene before anything is run.

use percuss_scene::bodies_scene::{BuiltBodies, SceneNames};
use percuss_scene::{FindingSpec as Asked, Scene, SceneError, SceneKind};

use crate::finding::expression::Expression;
use crate::finding::ground::{ExpressionContext, expectation, with_expression_context, wrong};
use crate::study::{CompiledStudy, compile_study};
use percuss_simulation::ObservableRequest;
use percuss_simulation::bodies_run;
use percuss_simulation::statistics;

/// The findings and studies of a scene, compiled.
pub struct CompiledFindings {
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
    bodies_run::check_stops(scene, collection)?;
    bodies_run::check_event_driven(scene, collection)
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
        let texts = statistics::texts(profile, collection.dimension());
        texts.iter().for_each(|text| wanted.observable(text));
    }
    wanted.distributions = true;
    Ok(wanted)
}

/// Compiles all findings and studies.
///
/// # Errors
/// As [`check_findings`].
pub fn compile_findings(
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
        // One without a value at these parameters is reported with the finding.
        let _ = expectation(scene, asked, parameters, step)?;
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
