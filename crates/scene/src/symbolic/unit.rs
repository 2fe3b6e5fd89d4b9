//! Compiled programs with their registers, and coefficients that are constant or follow the state.

use std::sync::Arc;

use percuss_expr::{Graph, NodeId, Program, RunError, Scratch};
use percuss_mechanism::SystemError;

/// Input vector of all programs: time, positions, velocities; then the reactions that thresholds see, 0 except while a
/// law is made from them.
#[derive(Debug, Clone)]
pub(super) struct Inputs {
    pub values: Vec<f64>,
    num_positions: usize,
    names: Arc<[String]>,
}

impl Inputs {
    /// `names` are those of t, positions, velocities in the order of their slots; `reactions` slots follow.
    pub fn new(names: Vec<String>, num_positions: usize, reactions: usize) -> Self {
        Self {
            values: vec![0.0; names.len() + reactions],
            num_positions,
            names: names.into(),
        }
    }

    #[inline]
    pub fn set(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.values[0] = t;
        // Slot 0 is the time.
        let state = self.names.len();
        let (positions, velocities) = self.values[1..state].split_at_mut(self.num_positions);
        positions.copy_from_slice(q);
        velocities.copy_from_slice(v);
    }

    /// Time, positions and velocities.
    pub fn state(&self) -> &[f64] {
        &self.values[..self.names.len()]
    }

    /// Sets time and positions only, for programs that do not read velocities.
    #[inline]
    pub fn set_position(&mut self, t: f64, q: &[f64]) {
        self.values[0] = t;
        self.values[1..=self.num_positions].copy_from_slice(q);
    }

    /// The error of a program at these inputs; `velocities` says whether velocities were set.
    #[cold]
    fn failure(&self, error: &RunError, velocities: bool) -> SystemError {
        let t = self.values[0];
        let shown = match velocities {
            true => self.names.len(),
            false => 1 + self.num_positions,
        };
        // The state in the message: positions, and velocities if they were set.
        let state = describe(&self.names[1..shown], &self.values[1..shown]);
        match error {
            RunError::NotFinite(failure) => {
                let what = failure.label.clone();
                let mut cause = failure.clone();
                cause.label.clear();
                SystemError {
                    what,
                    problem: format!("is not finite: {cause} (the state is {state})"),
                    t,
                }
            }
            other => SystemError {
                what: "an expression".to_string(),
                problem: format!("cannot be evaluated: {other} (the state is {state})"),
                t,
            },
        }
    }
}

/// A state in words: `x = 1, x_dot = -2`.
fn describe(names: &[String], values: &[f64]) -> String {
    let pairs = names.iter().zip(values);
    let texts: Vec<String> = pairs
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    texts.join(", ")
}

/// A program with its registers and its latest outputs.
#[derive(Debug)]
pub(super) struct Unit {
    program: Program,
    scratch: Scratch,
    out: Vec<f64>,
}

impl Clone for Unit {
    fn clone(&self) -> Self {
        Self::new(self.program.clone())
    }
}

impl Unit {
    pub fn new(program: Program) -> Self {
        Self {
            out: vec![0.0; program.num_outputs()],
            scratch: Scratch::new(),
            program,
        }
    }

    pub fn compile(graph: &Graph, outputs: Vec<(String, NodeId)>) -> Self {
        Self::new(Program::compile_labelled(graph, outputs))
    }

    /// The outputs for inputs that hold time, positions and velocities.
    #[inline]
    pub fn run(&mut self, inputs: &Inputs) -> Result<&[f64], SystemError> {
        match self.finite(&inputs.values) {
            true => Ok(&self.out),
            false => Err(self.explain(inputs, true)),
        }
    }

    /// The outputs for inputs that hold time and positions.
    #[inline]
    pub fn run_at_position(&mut self, inputs: &Inputs) -> Result<&[f64], SystemError> {
        match self.finite(&inputs.values) {
            true => Ok(&self.out),
            false => Err(self.explain(inputs, false)),
        }
    }

    /// Runs the program; whether all outputs are finite.
    #[inline]
    fn finite(&mut self, inputs: &[f64]) -> bool {
        // One pass over the straight-line program, then a check of the outputs.
        let run = self.program.run(inputs, &mut self.scratch, &mut self.out);
        run.is_ok() && self.out.iter().all(|value| value.is_finite())
    }

    #[cold]
    fn explain(&mut self, inputs: &Inputs, velocities: bool) -> SystemError {
        let run = self
            .program
            .run_checked(&inputs.values, &mut self.scratch, &mut self.out);
        match run {
            Err(error) => inputs.failure(&error, velocities),
            // The failed run and this one are the same, so that this is never reached; still no panic.
            Ok(()) => SystemError {
                what: "an expression".to_string(),
                problem: "is not finite".to_string(),
                t: inputs.values[0],
            },
        }
    }

    /// Runs with inputs beyond the state; an error names the state among them.
    pub fn run_with(&mut self, values: &[f64], inputs: &Inputs) -> Result<&[f64], SystemError> {
        if self.finite(values) {
            return Ok(&self.out);
        }
        match self
            .program
            .run_checked(values, &mut self.scratch, &mut self.out)
        {
            Err(error) => Err(inputs.failure(&error, true)),
            Ok(()) => Ok(&self.out),
        }
    }
}

/// Numbers that are constant or follow the state.
#[derive(Debug, Clone)]
pub(super) enum Values {
    Constant(Vec<f64>),
    Varying(Box<Unit>),
}

impl Values {
    /// Compiles expressions; constant where no input occurs in any of them.
    pub fn compile(graph: &Graph, outputs: Vec<(String, NodeId)>) -> Self {
        // Constant expressions are evaluated once.
        let constant = outputs
            .iter()
            .all(|(_, node)| graph.inputs_of(*node).is_empty());
        if !constant {
            return Self::Varying(Box::new(Unit::compile(graph, outputs)));
        }
        let value = |(_, node): &(String, NodeId)| graph.evaluate(*node, &[]).unwrap_or(f64::NAN);
        Self::Constant(outputs.iter().map(value).collect())
    }

    pub fn constant(&self) -> Option<&[f64]> {
        match self {
            Self::Constant(values) => Some(values),
            Self::Varying(_) => None,
        }
    }

    #[inline]
    pub fn at(&mut self, inputs: &Inputs) -> Result<&[f64], SystemError> {
        match self {
            Self::Constant(values) => Ok(values),
            Self::Varying(unit) => unit.run(inputs),
        }
    }
}
