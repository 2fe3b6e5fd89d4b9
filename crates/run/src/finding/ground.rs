//! What the texts of a scene are read against, and what is expected of its findings.

use percuss_scene::bodies_scene::{BuiltBodies, NameTable};
use percuss_scene::{
    Check, Datum, FindingSpec as Asked, Formula, InputError, Scene, SceneError, SceneKind, Study,
    SymbolicSystem,
};

use super::expectation::Expectation;
use super::expression::{NoValue, plain};
use super::language::Language;
use super::names::Names;
use percuss_simulation::BodiesOutcome;

/// The names and settings against which the expressions of a scene are compiled.
pub enum ExpressionContext<'a> {
    /// A mechanism.
    Mechanism {
        /// The system.
        system: Box<SymbolicSystem>,
        /// Start time of the run.
        start: f64,
        /// Step length.
        step: f64,
    },
    /// A scene of bodies.
    Bodies {
        /// The names that expressions may use.
        glossary: NameTable<'a>,
        /// Step length.
        step: f64,
    },
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

    /// Length of a step.
    pub fn step(&self) -> f64 {
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
pub fn with_expression_context<T>(
    scene: &Scene,
    work: impl FnOnce(&mut ExpressionContext<'_>) -> Result<T, SceneError>,
) -> Result<T, SceneError> {
    match scene.kind() {
        SceneKind::Mechanism => {
            // The system is kept: its names and its compiled expressions are the language.
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

/// Evaluates what is expected of a finding; the reason where it has no value at these parameters.
///
/// # Errors
/// The text of the expectation is wrong, whatever the parameters are.
pub fn expectation(
    scene: &Scene,
    asked: &Asked,
    parameters: &[(String, f64)],
    h: f64,
) -> Result<Result<Expectation, String>, SceneError> {
    // A text is expected of a text: it is not evaluated.
    if let Check::Expected {
        value: Datum::Text(text),
        ..
    } = &asked.check
        && asked.value.text.trim().starts_with(['"', '\''])
    {
        return Ok(Ok(Expectation::of_text(text)));
    }
    let (key, problem) = match Expectation::of(&asked.check, parameters, h) {
        Ok(expectation) => return Ok(Ok(expectation)),
        Err((key, NoValue::Here(reason))) if !is_constant(&asked.check) => {
            return Ok(Err(format!("`{key}` has no value here: {reason}")));
        }
        Err((key, problem)) => (key, problem.reason()),
    };
    let part = format!("finding `{}`", asked.name);
    let at = Formula::at_line("", asked.line);
    Err(wrong(scene.origin(), &part, key, &at, problem))
}

/// Whether an expectation depends neither on parameters nor on the step: what is wrong with it is so in every run.
fn is_constant(check: &Check) -> bool {
    let at = |text: &str, h: f64| match plain(text.trim_end().trim_end_matches('%'), &[], h) {
        Ok(value) => Some(Some(value)),
        Err(NoValue::Here(_)) => Some(None),
        Err(NoValue::Text(_)) => None,
    };
    let text = |text: &str| at(text, 1.0).is_some() && at(text, 1.0) == at(text, 2.0);
    let datum = |datum: &Datum| match datum {
        Datum::Number(_) | Datum::Truth(_) => true,
        Datum::Text(datum) => text(datum),
        Datum::List(items) => items.iter().all(|item| match item {
            Datum::Text(item) => text(item),
            _ => true,
        }),
    };
    match check {
        Check::Report => true,
        Check::Expected { value, tolerance } => {
            datum(value) && tolerance.as_ref().is_none_or(datum)
        }
        Check::AtMost(bound) | Check::AtLeast(bound) => text(&bound.text),
        Check::Between(least, most) => text(&least.text) && text(&most.text),
    }
}

/// An error about an expression of the scene.
pub fn wrong(file: &str, part: &str, key: &str, at: &Formula, problem: String) -> SceneError {
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
