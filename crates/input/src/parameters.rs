//! Parameters of a scene: their values, and values of expressions in them.

use percuss_expr::{ErrorKind, ExprError, Graph, Scope};

use crate::error::{InputError, Origin};
use crate::reader::{Formula, Named};

/// Names reserved for observables and findings.
const RESERVED: [(&str, &str); 5] = [
    ("t", "the time"),
    ("h", "the length of a step in findings"),
    ("kinetic", "the kinetic energy"),
    ("potential", "the potential energy"),
    ("energy", "the sum of both energies"),
];

/// Refuses reserved names.
pub fn require_unreserved(name: &str) -> Result<(), String> {
    match RESERVED.iter().find(|(word, _)| *word == name) {
        Some((_, meaning)) => Err(format!(
            "`{name}` is {meaning} and cannot be used as a name"
        )),
        None => Ok(()),
    }
}

/// The error for an expression that cannot be parsed.
pub fn expression_error(
    file: &str,
    part: &str,
    key: &str,
    formula: &Formula,
    error: &ExprError,
) -> Box<InputError> {
    // The key already gives the position: the parser's own name of the text would repeat it.
    let problem = match error.location() {
        Some(place) => format!("{}\n{place}", error.kind()),
        None => error.kind().to_string(),
    };
    Box::new(InputError {
        file: file.to_string(),
        origin: formula.origin.clone(),
        part: part.to_string(),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}

/// The error for the value of an expression.
pub fn value_error(
    file: &str,
    part: &str,
    key: &str,
    formula: &Formula,
    problem: impl Into<String>,
    advice: impl Into<String>,
) -> Box<InputError> {
    Box::new(InputError {
        file: file.to_string(),
        origin: formula.origin.clone(),
        part: part.to_string(),
        key: key.to_string(),
        value: formula.shown(),
        problem: problem.into(),
        advice: advice.into(),
    })
}

/// The parameters with their values, and the graph in which further expressions are parsed.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    /// Names and values, in the order of the file.
    pub values: Vec<(String, f64)>,
    graph: Graph,
    scope: Scope,
}

impl Parameters {
    /// Evaluates all parameters; they may depend on each other in any order, but not in a cycle.
    pub fn resolve(file: &str, named: &[Named]) -> Result<Self, Box<InputError>> {
        const PART: &str = "[parameters]";
        let (mut graph, mut scope) = (Graph::new(), Scope::new());
        let texts: Vec<(&str, &str)> = named
            .iter()
            .map(|n| (n.name.as_str(), n.formula.text.as_str()))
            .collect();
        for n in named {
            require_unreserved(&n.name)
                .map_err(|why| value_error(file, PART, &n.name, &n.formula, why, ""))?;
        }
        // The scope sorts definitions by dependence and refuses cycles.
        scope
            .define(&mut graph, &texts)
            .map_err(|error| of_definitions(file, PART, named, &error))?;
        // Values must be finite.
        let mut values = Vec::new();
        for n in named {
            let node = scope.get(&n.name).unwrap_or(Graph::ZERO);
            let value = graph.evaluate(node, &[]).unwrap_or(f64::NAN);
            if !value.is_finite() {
                let problem = format!("the value is {value}; a finite number was expected");
                return Err(value_error(file, PART, &n.name, &n.formula, problem, ""));
            }
            values.push((n.name.clone(), value));
        }
        Ok(Self {
            values,
            graph,
            scope,
        })
    }

    /// The value of an expression in the parameters; it must be finite.
    pub fn evaluate(
        &mut self,
        file: &str,
        part: &str,
        key: &str,
        formula: &Formula,
    ) -> Result<f64, Box<InputError>> {
        let node = self
            .graph
            .parse(&self.scope, &formula.text)
            .map_err(|error| expression_error(file, part, key, formula, &error))?;
        let value = self.graph.evaluate(node, &[]).unwrap_or(f64::NAN);
        match value.is_finite() {
            true => Ok(value),
            false => {
                let problem = format!("the value is {value}; a finite number was expected");
                Err(value_error(file, part, key, formula, problem, ""))
            }
        }
    }
}

/// The error among definitions, at the definition that is at fault.
pub fn of_definitions(
    file: &str,
    part: &str,
    named: &[Named],
    error: &ExprError,
) -> Box<InputError> {
    // The name at fault.
    let culprit = match error.kind() {
        ErrorKind::Cycle(names) => names.first().map(String::as_str),
        // The last of two equal names: the first is legitimate.
        ErrorKind::NameTaken(name) | ErrorKind::Reserved(name) | ErrorKind::NotAName(name)
            if error.source_name().is_none() =>
        {
            Some(name.as_str())
        }
        _ => error.source_name(),
    };
    let found = named.iter().rfind(|n| Some(n.name.as_str()) == culprit);
    // A rate `x_dot` whose name is in use belongs to `x`.
    let owner = || {
        let name = culprit?.strip_suffix("_dot")?;
        named.iter().find(|n| n.name == name)
    };
    match found.or_else(owner) {
        Some(n) => expression_error(file, part, &n.name, &n.formula, error),
        None => Box::new(InputError {
            file: file.to_string(),
            origin: Origin::Whole,
            part: part.to_string(),
            key: String::new(),
            value: String::new(),
            problem: error.to_string(),
            advice: String::new(),
        }),
    }
}
