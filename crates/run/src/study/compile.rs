//! Compiles what a study observes.

use percuss_scene::bodies_scene::SceneNames;
use percuss_scene::{Formula, Scene, SceneError, Study};

use super::CompiledStudy;
use crate::finding::Names;
use crate::finding::expression::Expression;
use crate::finding::ground::wrong;
use crate::finding::language::Language;

/// Compiles what a study observes and checks its keys.
pub fn compile_study<'a>(
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
    // Expressions know watches and joints by their numbers; nothing else of the names is needed.
    let cast = match &language {
        Language::Mechanism(_) => SceneNames::default(),
        Language::Bodies(glossary) => SceneNames {
            watches: glossary.names.watches.clone(),
            joints: glossary.names.joints.clone(),
            has_impacts: glossary.names.has_impacts.clone(),
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
