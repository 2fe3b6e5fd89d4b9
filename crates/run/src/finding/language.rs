//! The names that observables may use: coordinates and constraints of a mechanism, or bodies and
//! watches.

use percuss_expr::{ErrorKind, ExprError, Graph, NodeId, Scope};
use percuss_mechanism::System;
use percuss_scene::SymbolicSystem;
use percuss_scene::bodies_scene::NameTable;
use percuss_scene::symbolic::of_time;

use crate::scan::{Part, TextError};
use percuss_simulation::bodies_run::Observables;

/// The names that observables may use.
pub enum Language<'a> {
    /// A mechanism.
    Mechanism(&'a mut SymbolicSystem),
    /// A scene of bodies.
    Bodies(NameTable<'a>),
}

impl<'a> From<&'a mut SymbolicSystem> for Language<'a> {
    fn from(system: &'a mut SymbolicSystem) -> Self {
        Self::Mechanism(system)
    }
}

impl<'a> From<NameTable<'a>> for Language<'a> {
    fn from(glossary: NameTable<'a>) -> Self {
        Self::Bodies(glossary)
    }
}

impl Language<'_> {
    /// Checks that a text is an observable.
    pub fn observable(&mut self, part: Part<'_>) -> Result<(), TextError> {
        match self {
            // Compiling is the check.
            Self::Mechanism(system) => match system.observable(part.text) {
                Ok(_) => Ok(()),
                Err(error) => Err(located(part, &error, "an observable")),
            },
            Self::Bodies(glossary) => match Observables::compile(glossary, &[part.text]) {
                Ok(_) => Ok(()),
                Err((_, error)) => {
                    let problem = format!("in an observable: {}", error.problem);
                    Err(TextError::new(part.at + error.at, error.width, problem))
                }
            },
        }
    }

    /// Checks an exact solution, which must have a value at the start. One that has none at these values of the
    /// parameters is no error: it is reported with the finding.
    pub fn exact(
        &mut self,
        part: Part<'_>,
        parameters: &[(String, f64)],
        start: f64,
    ) -> Result<(), TextError> {
        let what = "the reference (`event`, `finest` or an expression in `t`)";
        // The value at the start must exist and be finite.
        let value = match self {
            Self::Mechanism(system) => {
                let compiled = system.observable(part.text);
                let mut exact = compiled.map_err(|error| located(part, &error, what))?;
                of_time(&mut exact, system, start).ok()
            }
            Self::Bodies(glossary) => match exact(glossary.parameters, part.text) {
                Ok((graph, node)) => graph.evaluate(node, &[start]).ok(),
                // An observable of the motion: an exact solution must not use it, but its names are
                // known.
                Err(_) if Observables::compile(glossary, &[part.text]).is_ok() => None,
                Err(error) => return Err(located(part, &error, what)),
            },
        };
        // Of parameters and `t`, and not of `t` alone: other values of the parameters may give one.
        let of_parameters = exact(parameters, part.text).is_ok() && exact(&[], part.text).is_err();
        match value.is_some_and(f64::is_finite) || of_parameters {
            true => Ok(()),
            false => Err(part.error(format!(
                "an exact solution is an expression in `t` and parameters with a value at the \
                 start, t = {start}; it cannot use the motion"
            ))),
        }
    }

    /// The number of a contact, or of a watch or a joint with limits or play, and the number of its rows.
    pub fn contact(&self, name: &str) -> Option<(usize, usize)> {
        match self {
            Self::Mechanism(system) => {
                let constraints = system.constraints();
                let found = constraints.iter().position(|known| known.name == name)?;
                Some((found, constraints[found].rows))
            }
            // Tangents of different pairs cannot be added: the normal row alone.
            Self::Bodies(glossary) => glossary.event_source_named(name).map(|number| (number, 1)),
        }
    }

    /// What contacts are called here (contact or watch), and their names.
    pub fn contacts(&self) -> (&'static str, Vec<String>) {
        match self {
            Self::Mechanism(system) => {
                let constraints = system.constraints().iter();
                ("contact", constraints.map(|c| c.name.clone()).collect())
            }
            Self::Bodies(glossary) => ("watch", glossary.event_source_names()),
        }
    }

    /// Names of the load cases; a mechanism has none.
    pub fn loads(&self) -> Vec<String> {
        match self {
            Self::Mechanism(_) => Vec::new(),
            Self::Bodies(glossary) => {
                let loads = glossary.names.loads.iter();
                loads.map(|load| load.name.clone()).collect()
            }
        }
    }

    /// Whether it is a scene of bodies.
    pub fn is_bodies(&self) -> bool {
        matches!(self, Self::Bodies(_))
    }
}

/// Parses an expression in `t` and parameters.
pub fn exact(parameters: &[(String, f64)], text: &str) -> Result<(Graph, NodeId), ExprError> {
    let (mut graph, mut scope) = (Graph::new(), Scope::new());
    scope.input(&mut graph, "t")?;
    for (name, value) in parameters {
        scope.parameter(&mut graph, name, *value)?;
    }
    let node = graph.parse(&scope, text)?;
    Ok((graph, node))
}

/// An error of an expression at its place in the whole text.
fn located(part: Part<'_>, error: &ExprError, what: &str) -> TextError {
    let offset = error
        .location()
        .map_or(0, |place| place.offset.min(part.text.len()));
    let width = match error.kind() {
        ErrorKind::UnknownName { name, .. } | ErrorKind::UnknownFunction { name, .. } => name.len(),
        _ => 1,
    };
    TextError::new(
        part.at + offset,
        width,
        format!("in {what}: {}", error.kind()),
    )
}
