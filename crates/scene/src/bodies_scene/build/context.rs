//! Evaluation of expressions in the parameters, and error messages about them.

use std::cell::RefCell;
use std::path::PathBuf;

use percuss_expr::{ExprError, Graph, NodeId, Scope};

use crate::file::DataFile;
use percuss_input::tables::bodies::spec::Name;
use percuss_input::{
    Formula, InputError, Origin, Parameters, expression_error, keyword, value_error,
};

/// The file being built and the values of its parameters.
pub(super) struct Context<'a> {
    pub file: &'a str,
    pub parameters: Parameters,
    pub sources: &'a Sources,
}

/// Data files and seeds used beside the text of the scene.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// The folder that paths are relative to.
    pub folder: PathBuf,
    /// Files that were read, each once.
    pub files: RefCell<Vec<DataFile>>,
    /// Seeds of generators that drew numbers.
    pub seeds: RefCell<Vec<u64>>,
}

/// Position of a value: part and key.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub part: &'a str,
    pub key: &'a str,
}

/// A key of a part.
pub(super) fn at<'a>(part: &'a str, key: &'a str) -> At<'a> {
    At { part, key }
}

impl Context<'_> {
    /// The value of an expression in the parameters.
    pub fn number(&mut self, at: At<'_>, formula: &Formula) -> Result<f64, Box<InputError>> {
        // Most values are plain numbers, and there may be many thousands: no graph is needed for them.
        match formula.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => self
                .parameters
                .evaluate(self.file, at.part, at.key, formula),
        }
    }

    /// The value of an expression in t and the parameters.
    pub fn at_time(
        &mut self,
        at: At<'_>,
        formula: &Formula,
        t: f64,
    ) -> Result<f64, Box<InputError>> {
        // Parse with t as an input, evaluate at the time.
        let mut clock = Clock::new(self)?;
        let node = clock.parse(self, at, formula)?;
        let value = clock.graph.evaluate(node, &[t]).unwrap_or(f64::NAN);
        match value.is_finite() {
            true => Ok(value),
            false => {
                let problem =
                    format!("its value at t = {t} is {value}; a finite number was expected");
                Err(self.wrong(at, formula, problem, ""))
            }
        }
    }

    /// The values of several expressions.
    pub fn numbers(
        &mut self,
        at: At<'_>,
        formulas: &[Formula],
    ) -> Result<Vec<f64>, Box<InputError>> {
        formulas.iter().map(|f| self.number(at, f)).collect()
    }

    /// The values of points.
    pub fn points(
        &mut self,
        at: At<'_>,
        points: &[Vec<Formula>],
    ) -> Result<Vec<Vec<f64>>, Box<InputError>> {
        points.iter().map(|p| self.numbers(at, p)).collect()
    }

    /// A positive number.
    pub fn positive(&mut self, at: At<'_>, formula: &Formula) -> Result<f64, Box<InputError>> {
        let value = self.number(at, formula)?;
        match value > 0.0 {
            true => Ok(value),
            false => Err(self.not_that(at, formula, value, "a positive number was expected")),
        }
    }

    /// A number that is not negative.
    pub fn not_negative(&mut self, at: At<'_>, formula: &Formula) -> Result<f64, Box<InputError>> {
        let value = self.number(at, formula)?;
        match value >= 0.0 {
            true => Ok(value),
            false => Err(self.not_that(at, formula, value, "a number >= 0 was expected")),
        }
    }

    /// An integer from `least`.
    pub fn whole(
        &mut self,
        at: At<'_>,
        formula: &Formula,
        least: usize,
    ) -> Result<usize, Box<InputError>> {
        // 2⁵³: above it, not every integer is a double.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let value = self.number(at, formula)?;
        match value >= least as f64 && value <= LARGEST && value.fract() == 0.0 {
            true => Ok(value as usize),
            false => {
                let expected = format!("a whole number from {least} was expected");
                Err(self.not_that(at, formula, value, &expected))
            }
        }
    }

    /// A direction: numbers that are not all 0, normalised.
    pub fn direction(
        &mut self,
        at: At<'_>,
        formulas: &[Formula],
        what: &str,
    ) -> Result<Vec<f64>, Box<InputError>> {
        let mut values = self.numbers(at, formulas)?;
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        // Scaled by the largest component first: squares may overflow.
        values.iter_mut().for_each(|v| *v /= largest);
        let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        match largest > 0.0 && length.is_finite() {
            true => Ok(values.iter().map(|v| v / length).collect()),
            false => Err(self.list_error(
                at,
                formulas,
                format!("{what} has no direction: all entries are 0"),
                "Give at least one entry that is not 0",
            )),
        }
    }

    /// One of a few keywords.
    pub fn word<T: Copy>(
        &self,
        at: At<'_>,
        word: &Name,
        known: &[(&str, T)],
    ) -> Result<T, Box<InputError>> {
        keyword(&word.text, known).map_err(|problem| self.wrong(at, word, problem, ""))
    }

    /// The error for a value.
    pub fn wrong(
        &self,
        at: At<'_>,
        formula: &Formula,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Box<InputError> {
        value_error(self.file, at.part, at.key, formula, problem, advice)
    }

    /// The error for a number, with the value of its expression.
    pub fn not_that(
        &self,
        at: At<'_>,
        formula: &Formula,
        value: f64,
        expected: &str,
    ) -> Box<InputError> {
        self.wrong(at, formula, format!("the value is {value}; {expected}"), "")
    }

    /// The error for a list of values.
    pub fn list_error(
        &self,
        at: At<'_>,
        formulas: &[Formula],
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Box<InputError> {
        let shown: Vec<String> = formulas.iter().map(Formula::shown).collect();
        let origin = formulas.first().map(|f| f.origin.clone());
        Box::new(InputError {
            value: format!("[{}]", shown.join(", ")),
            ..*self.error(at, origin.unwrap_or_default(), problem, advice)
        })
    }

    /// The error for an expression that cannot be parsed.
    pub fn unreadable(&self, at: At<'_>, formula: &Formula, error: &ExprError) -> Box<InputError> {
        expression_error(self.file, at.part, at.key, formula, error)
    }

    /// The error for a key of a part, without its value.
    pub fn error(
        &self,
        at: At<'_>,
        origin: Origin,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Box<InputError> {
        Box::new(InputError {
            file: self.file.to_string(),
            origin,
            part: at.part.to_string(),
            key: at.key.to_string(),
            value: String::new(),
            problem: problem.into(),
            advice: advice.into(),
        })
    }

    /// The error for a part as a whole.
    pub fn part_error(
        &self,
        part: &str,
        line: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Box<InputError> {
        self.error(at(part, ""), Origin::Line(line), problem, advice)
    }

    /// The error for an unknown name, with similar ones.
    pub fn unknown(
        &self,
        at: At<'_>,
        name: &Name,
        word: &str,
        known: &mut dyn Iterator<Item = String>,
    ) -> Box<InputError> {
        /// Largest number of names listed in a message.
        const LISTED: usize = 12;
        let known: Vec<String> = known.collect();
        let guess = match percuss_expr::similar_names(&name.text, &known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        };
        let listed = match known.len() {
            0 => "there are none".to_string(),
            n if n > LISTED => format!("known here: {}, ...", known[..LISTED].join(", ")),
            _ => format!("known here: {}", known.join(", ")),
        };
        let problem = format!("there is no {word} `{}`{guess} ({listed})", name.text);
        Box::new(InputError {
            value: String::new(),
            ..*self.wrong(at, name, problem, "")
        })
    }
}

/// A graph for expressions in t and the parameters.
pub(super) struct Clock {
    pub graph: Graph,
    scope: Scope,
    pub time: NodeId,
}

impl Clock {
    /// Registers t and the parameters.
    pub fn new(context: &Context<'_>) -> Result<Self, Box<InputError>> {
        let (mut graph, mut scope) = (Graph::new(), Scope::new());
        let unreadable = |error: &ExprError| {
            let nowhere = Formula::at_line("", 1);
            context.unreadable(at("[parameters]", ""), &nowhere, error)
        };
        let time = scope.input(&mut graph, "t").map_err(|e| unreadable(&e))?;
        for (name, value) in &context.parameters.values {
            let node = graph.constant(*value);
            scope.bind(name, node).map_err(|e| unreadable(&e))?;
        }
        Ok(Self { graph, scope, time })
    }

    /// Parses an expression.
    pub fn parse(
        &mut self,
        context: &Context<'_>,
        at: At<'_>,
        formula: &Formula,
    ) -> Result<NodeId, Box<InputError>> {
        let node = self.graph.parse(&self.scope, &formula.text);
        node.map_err(|error| context.unreadable(at, formula, &error))
    }
}
