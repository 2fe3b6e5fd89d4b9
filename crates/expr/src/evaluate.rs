//! Reference evaluation, and the search for the origin of a failure.
//!
//! Node by node in ascending order, with the definitions of `node.rs` and nothing else: slow, simple, and the reference
//! for compiled programs. The search starts from an output that is not finite and descends, through taken branches
//! only, to a node that is not finite while all its operands are.

use std::fmt;

use thiserror::Error;

use crate::display::number;
use crate::graph::Graph;
use crate::node::{self, Node, NodeId};

/// Length to which expressions are quoted in a message, in bytes.
const QUOTED: usize = 160;

/// Why an evaluation has no result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// Too few inputs were given.
    #[error("the expressions need {expected} inputs, {found} were given")]
    Inputs {
        /// One more than the highest slot in use.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The output slice has the wrong length.
    #[error("there are {expected} outputs, but room for {found}")]
    Outputs {
        /// Number of outputs.
        expected: usize,
        /// Length of the slice.
        found: usize,
    },
    /// The wrong number of parameters, or an unknown parameter name.
    #[error("{0}")]
    Parameters(String),
    /// A value is NaN or infinite.
    #[error("{0}")]
    NotFinite(Box<NotFinite>),
}

/// An output that is NaN or infinite, and the subexpression where that began.
#[derive(Clone, Debug, PartialEq)]
pub struct NotFinite {
    /// Index of the output.
    pub output: usize,
    /// Its label; empty where it was given none.
    pub label: String,
    /// The smallest subexpression that is not finite although all its operands are.
    pub expression: String,
    /// The value of that subexpression.
    pub value: f64,
    /// Inputs and parameters that occur in it, with their values.
    pub at: Vec<(String, f64)>,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.label.is_empty() {
            write!(f, "in `{}`: ", self.label)?;
        }
        let value = match self.value {
            v if v.is_nan() => "not a number (NaN)",
            v if v > 0.0 => "infinite",
            _ => "minus infinite",
        };
        write!(f, "`{}` is {value}", self.expression)?;
        // An input that is itself the failure is not repeated.
        let others = self.at.iter().filter(|(name, _)| *name != self.expression);
        for (i, (name, value)) in others.enumerate() {
            let lead = if i == 0 { " at " } else { ", " };
            write!(f, "{lead}{name} = {}", number(*value))?;
        }
        Ok(())
    }
}

impl Graph {
    /// The value of an expression for the given inputs, with the parameters' registered values.
    ///
    /// # Errors
    /// An input that occurs in the expression is missing. A value that is not finite is no error.
    pub fn evaluate(&self, node: NodeId, inputs: &[f64]) -> Result<f64, RunError> {
        let expected = self.inputs_of(node).last().map_or(0, |slot| slot + 1);
        if inputs.len() < expected {
            let found = inputs.len();
            return Err(RunError::Inputs { expected, found });
        }
        // Parameters have their registered values.
        let parameters: Vec<f64> = self.parameters().map(|(_, value)| value).collect();
        Ok(self.values(node, inputs, &parameters)[node.index()])
    }

    /// The values of a node and its operands, by index; 0 for nodes that do not occur.
    fn values(&self, node: NodeId, inputs: &[f64], parameters: &[f64]) -> Vec<f64> {
        let mut value = vec![0.0; node.index() + 1];
        for id in self.reachable(&[node]) {
            let of = |x: NodeId| value[x.index()];
            value[id.index()] = match self.node(id) {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::Input(slot) => inputs[slot as usize],
                Node::Parameter(slot) => parameters[slot as usize],
                Node::Unary(op, a) => op.apply(of(a)),
                Node::Binary(op, a, b) => op.apply(of(a), of(b)),
                Node::Select(c, a, b) => node::select(of(c), of(a), of(b)),
            };
        }
        value
    }

    /// Origin of the failure of a node that is not finite: the subexpression, its value, and the symbols it depends on.
    pub(crate) fn origin_of_failure(
        &self,
        node: NodeId,
        inputs: &[f64],
        parameters: &[f64],
    ) -> (String, f64, Vec<(String, f64)>) {
        let value = self.values(node, inputs, parameters);
        let failed = |x: &NodeId| !value[x.index()].is_finite();
        let mut origin = node;
        // Descend to an operand that failed, until all are finite.
        loop {
            let cause = match self.node(origin) {
                Node::Select(c, a, b) => {
                    let taken = if value[c.index()] == 0.0 { b } else { a };
                    [c, taken].into_iter().find(failed)
                }
                form => form.operands().find(failed),
            };
            match cause {
                Some(operand) => origin = operand,
                None => break,
            }
        }
        // Inputs and parameters of the subexpression, with their values.
        let parts = self.reachable(&[origin]);
        let symbols = parts.iter().filter_map(|&part| {
            let name = self.symbol(part)?;
            Some((name.to_string(), value[part.index()]))
        });
        let text = self.display_short(origin, QUOTED).to_string();
        (text, value[origin.index()], symbols.collect())
    }
}
