//! Value expressions: arithmetic in parameters and `h` with measures of the motion.
//!
//! A text is compiled once, which finds all its errors, and evaluated on a run, which can only find
//! that there is no value. Calls of measures are cut out, evaluated, and inserted as numbers; the
//! rest is arithmetic of `percuss-expr`. A list among the measures makes the arithmetic
//! elementwise.

use percuss_expr::{ErrorKind, ExprError, Graph, Scope};
use percuss_scene::bodies_scene::SceneNames;

use super::evaluated_run::{EvaluatedRun, Studies};
use crate::finding::compile;
use crate::finding::measure::{self, Call};
use crate::finding::names::Names;
use crate::finding::value::{Absent, Value, Valued};
use crate::scan::{self, Part, TextError, placeholder};
use percuss_simulation::ObservableRequest;

/// A compiled value expression.
#[derive(Debug, Clone)]
pub struct Expression(Form);

/// The three forms of a value expression.
#[derive(Debug, Clone)]
enum Form {
    /// A text between quotes.
    Literal(String),
    /// One measure and nothing else: the value keeps its type.
    Call(Box<Call>),
    /// Arithmetic.
    Formula {
        text: String,
        calls: Vec<Call>,
        truth: bool,
    },
}

impl Expression {
    /// Compiles a whole text; an error shows its place.
    pub fn compile(text: &str, names: &mut Names<'_>) -> Result<Self, String> {
        let compiled = Self::compile_part(Part::whole(text), names);
        compiled.map_err(|error| error.render(text))
    }

    /// Compiles a part of a text.
    pub fn compile_part(part: Part<'_>, names: &mut Names<'_>) -> Result<Self, TextError> {
        if part.text.trim().is_empty() {
            return Err(part.error("the expression is empty"));
        }
        // Cut out the calls of measures and compile them.
        let cut = scan::cut(part, &measure::is_measure)?;
        if let Some(literal) = cut.literal {
            return Ok(Self(Form::Literal(literal.to_string())));
        }
        let mut calls = Vec::with_capacity(cut.calls.len());
        for raw in &cut.calls {
            calls.push(compile::call(raw, names)?);
        }
        // A single measure needs no arithmetic.
        let alone = cut
            .calls
            .first()
            .is_some_and(|raw| raw.whole == part.trim());
        if let (true, Some(call)) = (alone, calls.pop_if(|_| alone)) {
            return Ok(Self(Form::Call(Box::new(call))));
        }
        // Parse the arithmetic once, so that errors are found before the run.
        let known: Vec<&str> = names
            .parameters
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        if let Err(error) = parse(&cut.rest, &known, calls.len()) {
            return Err(explain(part, &error, names));
        }
        Ok(Self(Form::Formula {
            text: cut.rest,
            calls,
            truth: cut.truth,
        }))
    }

    /// Whether the run alone is needed: no further runs, no studies.
    pub fn needs_only_the_run(&self) -> bool {
        match &self.0 {
            Form::Literal(_) => true,
            Form::Call(call) => call.needs_only_the_run(),
            Form::Formula { calls, .. } => calls.iter().all(Call::needs_only_the_run),
        }
    }

    /// Adds the observables and events that a run of bodies must keep for it.
    pub fn add_requests(&self, cast: &SceneNames, wanted: &mut ObservableRequest) {
        match &self.0 {
            Form::Literal(_) => {}
            Form::Call(call) => call.add_requests(cast, wanted),
            Form::Formula { calls, .. } => calls
                .iter()
                .for_each(|call| call.add_requests(cast, wanted)),
        }
    }

    /// The value on a run.
    pub fn evaluate(
        &self,
        subject: &mut EvaluatedRun<'_>,
        studies: &mut dyn Studies,
    ) -> Valued<Value> {
        let (text, calls, truth) = match &self.0 {
            Form::Literal(text) => return Ok(Value::Text(text.clone())),
            Form::Call(call) => return call.evaluate(subject, studies),
            Form::Formula { text, calls, truth } => (text, calls, *truth),
        };
        // Measures first, then the arithmetic with their values.
        let mut values = Vec::with_capacity(calls.len());
        for call in calls {
            values.push(call.evaluate(subject, studies)?);
        }
        arithmetic(text, &values, truth, subject)
    }

    /// The value as a number.
    pub fn number(&self, subject: &mut EvaluatedRun<'_>, studies: &mut dyn Studies) -> Valued<f64> {
        let value = self.evaluate(subject, studies)?;
        let sort = value.sort();
        let absent = || Absent::because(format!("a number was expected, not {sort}"));
        value.number().ok_or_else(absent)
    }

    /// The value as a list.
    pub fn list(
        &self,
        subject: &mut EvaluatedRun<'_>,
        studies: &mut dyn Studies,
    ) -> Valued<Vec<f64>> {
        match self.evaluate(subject, studies)? {
            Value::List(items) => Ok(items),
            other => Err(Absent::because(format!(
                "a list was expected, not {}: write `column(study, name)` or `list(a, b, ...)`",
                other.sort()
            ))),
        }
    }

    /// The value as a positive whole number.
    pub fn count(
        &self,
        subject: &mut EvaluatedRun<'_>,
        studies: &mut dyn Studies,
    ) -> Valued<usize> {
        let number = self.number(subject, studies)?;
        match number >= 1.0 && number.fract() == 0.0 && number < 1e15 {
            true => Ok(number as usize),
            false => Err(Absent::because(format!(
                "a whole number from 1 was expected, not {number}"
            ))),
        }
    }
}

/// Why an expression in parameters and `h` has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoValue {
    /// The text is wrong, whatever the parameters are.
    Text(String),
    /// There is no finite value at these parameters.
    Here(String),
}

impl NoValue {
    /// The reason.
    pub fn reason(self) -> String {
        match self {
            Self::Text(reason) | Self::Here(reason) => reason,
        }
    }
}

/// The value of an expression in parameters and `h` alone.
pub fn plain(text: &str, parameters: &[(String, f64)], h: f64) -> Result<f64, NoValue> {
    // Inputs in the order of `parse`: parameters, then the step.
    let inputs: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    let known: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let wrong = |reason: String| NoValue::Text(reason);
    let (graph, node) = parse(text, &known, 0).map_err(|error| wrong(error.to_string()))?;
    let all: Vec<f64> = inputs.into_iter().chain([h]).collect();
    let value = graph
        .evaluate(node, &all)
        .map_err(|error| wrong(error.to_string()))?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(NoValue::Here(format!("`{text}` is {value}"))),
    }
}

/// Parses arithmetic: inputs are the parameters in order, `h`, then the calls.
fn parse(
    text: &str,
    known: &[&str],
    calls: usize,
) -> Result<(Graph, percuss_expr::NodeId), ExprError> {
    let (mut graph, mut scope) = (Graph::new(), Scope::new());
    for name in known {
        scope.input(&mut graph, name)?;
    }
    scope.input(&mut graph, "h")?;
    for call in 0..calls {
        scope.input(&mut graph, &placeholder(call))?;
    }
    let node = graph.parse(&scope, text)?;
    Ok((graph, node))
}

/// Evaluates the arithmetic, elementwise where a measure is a list.
fn arithmetic(
    text: &str,
    values: &[Value],
    truth: bool,
    subject: &EvaluatedRun<'_>,
) -> Valued<Value> {
    let parameters = subject.parameters();
    let known: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let failed = |error: ExprError| Absent::because(error.to_string());
    let (graph, node) = parse(text, &known, values.len()).map_err(failed)?;
    let mut inputs: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    inputs.push(subject.step());
    let first = inputs.len();
    // Elementwise over lists; numbers are repeated.
    let length = common_length(values)?;
    let mut items = Vec::with_capacity(length.unwrap_or(1));
    for item in 0..length.unwrap_or(1) {
        inputs.truncate(first);
        for value in values {
            inputs.push(match value {
                Value::Number(number) => *number,
                Value::Truth(truth) => f64::from(*truth),
                Value::List(list) => list[item],
                Value::Text(_) => return Err(Absent::because("a text is no number")),
            });
        }
        let result = graph.evaluate(node, &inputs);
        let result = result.map_err(|error| Absent::because(error.to_string()))?;
        if !result.is_finite() {
            return Err(Absent::because(format!(
                "the value is {result}, not a finite number"
            )));
        }
        items.push(result);
    }
    // A comparison of numbers gives true or false.
    Ok(match (length, items.first(), truth) {
        (None, Some(number), true) => Value::Truth(*number != 0.0),
        (None, Some(number), false) => Value::Number(*number),
        _ => Value::List(items),
    })
}

/// The common length of the lists among the values.
fn common_length(values: &[Value]) -> Valued<Option<usize>> {
    let mut length = None;
    for value in values {
        if let Value::List(list) = value {
            match length {
                Some(other) if other != list.len() => {
                    return Err(Absent::because(format!(
                        "lists of {other} and {} items cannot be combined",
                        list.len()
                    )));
                }
                _ => length = Some(list.len()),
            }
        }
    }
    Ok(length)
}

/// An error of the arithmetic, with the names that value expressions know.
fn explain(part: Part<'_>, error: &ExprError, names: &mut Names<'_>) -> TextError {
    // The place within the whole text.
    let offset = error
        .location()
        .map_or(0, |place| place.offset.min(part.text.len()));
    let at = part.at + offset;
    match error.kind() {
        ErrorKind::UnknownName { name, .. } => {
            TextError::new(at, name.len(), names.unknown_value(name))
        }
        ErrorKind::UnknownFunction {
            name, available, ..
        } => {
            // Functions and measures are searched for similar names.
            let mut known = available.clone();
            known.extend(measure::names().map(str::to_string));
            let guess = names.guess(name, &known);
            let measures: Vec<&str> = measure::names().collect();
            let problem = format!(
                "unknown measure or function `{name}`{guess} (measures: {})",
                measures.join(", ")
            );
            TextError::new(at, name.len(), problem)
        }
        ErrorKind::FunctionWithoutArgument(name) => {
            TextError::new(at, name.len(), error.kind().to_string())
        }
        kind => TextError::new(at, 1, kind.to_string()),
    }
}
