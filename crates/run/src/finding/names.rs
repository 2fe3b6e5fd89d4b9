//! The names that a value expression may use.

use percuss_scene::Study;

use crate::finding::language::Language;
use crate::scan::{Part, TextError};

/// The names known to value expressions of one scene.
pub struct Names<'a> {
    pub parameters: &'a [(String, f64)],
    /// Names of observables and constraints.
    pub language: Language<'a>,
    /// Start of the run.
    pub start: f64,
    /// The studies of the scene; none within a study.
    pub studies: &'a [Study],
}

impl Names<'_> {
    /// Checks an observable and returns its text.
    pub fn observable(&mut self, part: Part<'_>) -> Result<String, TextError> {
        self.language.observable(part)?;
        Ok(part.text.to_string())
    }

    /// Checks an exact solution, an expression in `t`, parameters and definitions made of them, and
    /// returns its text.
    pub fn exact(&mut self, part: Part<'_>) -> Result<String, TextError> {
        self.language.exact(part, self.parameters, self.start)?;
        Ok(part.text.to_string())
    }

    /// The number of a constraint, or of a watch, and of its rows.
    pub fn constraint(&self, part: Part<'_>) -> Result<(usize, usize), TextError> {
        // Names may be quoted.
        let name = part.text.trim_matches(['"', '\'']);
        if let Some(found) = self.language.contact(name) {
            return Ok(found);
        }
        let (what, known) = self.language.contacts();
        let mut problem = self.unknown(what, name, &known);
        // The message says how to declare a watch.
        if what == "watch" && known.is_empty() {
            problem += "; declare one, as in `[[watch]]` with `between = [A, B]`";
        }
        Err(part.error(problem))
    }

    /// Whether the number of [`Names::constraint`] is that of a joint of bodies.
    pub fn is_joint(&self, constraint: usize) -> bool {
        match &self.language {
            Language::Bodies(glossary) => constraint >= glossary.names.watches.len(),
            Language::Mechanism(_) => false,
        }
    }

    /// The number of a study.
    pub fn study(&self, part: Part<'_>) -> Result<usize, TextError> {
        let name = part.text.trim_matches(['"', '\'']);
        if let Some(index) = self.studies.iter().position(|study| study.name == name) {
            return Ok(index);
        }
        let known: Vec<String> = self
            .studies
            .iter()
            .map(|study| study.name.clone())
            .collect();
        Err(part.error(self.unknown("study", name, &known)))
    }

    /// A load case of limit analysis.
    pub fn load(&self, part: Part<'_>) -> Result<String, TextError> {
        let name = part.text.trim_matches(['"', '\'']);
        let known = self.language.loads();
        match known.iter().any(|load| load == name) {
            true => Ok(name.to_string()),
            false => Err(part.error(self.unknown("load", name, &known))),
        }
    }

    /// A parameter of a scene of bodies, by its name.
    pub fn parameter(&self, part: Part<'_>) -> Result<String, TextError> {
        let name = part.text.trim_matches(['"', '\'']);
        if !self.language.is_bodies() {
            return Err(part.error("`critical_parameter` is for scenes of bodies"));
        }
        let known: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        match known.iter().any(|parameter| parameter == name) {
            true => Ok(name.to_string()),
            false => Err(part.error(self.unknown("parameter", name, &known))),
        }
    }

    /// The message for an unknown name, with a similar known one.
    pub fn unknown(&self, what: &str, name: &str, known: &[String]) -> String {
        let guess = self.guess(name, known);
        match known.is_empty() {
            true => format!("unknown {what} `{name}`: there is none here"),
            false => format!(
                "unknown {what} `{name}`{guess} (known here: {})",
                known.join(", ")
            ),
        }
    }

    /// The clause `; did you mean ...?`, or an empty text.
    pub fn guess(&self, name: &str, known: &[String]) -> String {
        match percuss_expr::similar_names(name, known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        }
    }

    /// The message for a name in arithmetic that is no parameter.
    pub fn unknown_value(&mut self, name: &str) -> String {
        // An observable without a measure: the message asks which of its values is meant.
        if self.language.observable(Part::whole(name)).is_ok() {
            return format!(
                "`{name}` changes along the motion: say which of its values is meant, as in \
                 `final({name})` or `maximum({name})`"
            );
        }
        // Parameters and the step are known.
        let mut known: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        known.push("h".to_string());
        self.unknown("name", name, &known)
    }
}
