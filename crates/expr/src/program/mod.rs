//! Compiled programs: expressions as a tape of instructions over registers.
//!
//! y = f(x; p): outputs y from inputs x with parameters p bound. What depends on p alone is computed when p is bound
//! (hoisting); common subexpressions of several outputs are computed once; a run allocates nothing and does not touch
//! the graph. Values agree with [`Graph::evaluate`] to the bit, except that factors that depend on parameters alone are
//! multiplied first, and that a sine and a cosine of the same angle may come from one library call: both may round
//! differently.

mod hoist;
mod lower;
mod registers;
mod tape;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::evaluate::{NotFinite, RunError};
use crate::graph::Graph;
use crate::node::NodeId;
use hoist::hoist;
use lower::{Code, Tape, TapePhase, lower};
use tape::NARROW;

/// A compiled list of expressions. Cheap to clone; a clone has parameters of its own.
#[derive(Clone, Debug)]
pub struct Program {
    /// Tape of an evaluation.
    code: Arc<Code>,
    /// Tape of the binding of parameters; its outputs are the fixed values of `code`.
    binding: Arc<Code>,
    /// Fixed values of `binding`: constants.
    constants: Arc<[f64]>,
    /// Fixed values of `code`, for the bound parameters.
    fixed: Vec<f64>,
    parameters: Vec<f64>,
    /// Changes with the fixed values, so that a scratch can tell whether it holds them.
    stamp: u64,
    num_inputs: usize,
    source: Arc<Source>,
}

/// Graph and labels, used only to explain a failure.
#[derive(Debug)]
struct Source {
    graph: Graph,
    outputs: Vec<NodeId>,
    labels: Vec<String>,
}

/// Register file of a running program.
///
/// Fits any program; it is filled anew when it is used with another program or with other parameters, so that each
/// program should have its own.
#[derive(Debug, Default)]
pub struct Scratch {
    registers: Vec<f64>,
    stamp: u64,
}

impl Scratch {
    /// An empty register file, which grows at its first use.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Stamps begin at 1: a new scratch belongs to no program.
static NEXT_STAMP: AtomicU64 = AtomicU64::new(1);

fn new_stamp() -> u64 {
    NEXT_STAMP.fetch_add(1, Ordering::Relaxed)
}

impl Program {
    /// Compiles expressions, with the parameters' registered values.
    pub fn compile(graph: &Graph, outputs: &[NodeId]) -> Self {
        Self::build(graph, outputs.to_vec(), Vec::new())
    }

    /// Compiles expressions with a label each, by which a failure names them.
    pub fn compile_labelled<L: Into<String>>(
        graph: &Graph,
        outputs: impl IntoIterator<Item = (L, NodeId)>,
    ) -> Self {
        let labelled = outputs
            .into_iter()
            .map(|(label, node)| (label.into(), node));
        let (labels, outputs): (Vec<String>, Vec<NodeId>) = labelled.unzip();
        Self::build(graph, outputs, labels)
    }

    /// Hoists, lowers both tapes, and binds the registered parameter values.
    fn build(graph: &Graph, outputs: Vec<NodeId>, labels: Vec<String>) -> Self {
        let (graph, outputs) = graph.extract(&outputs);
        // Two tapes: evaluation, and the binding that computes its fixed values.
        let (grouped, grouped_outputs) = hoist(&graph, &outputs);
        let code = lower(&grouped, &grouped_outputs, TapePhase::Evaluation);
        let binding = lower(&grouped, &code.fixed, TapePhase::Binding);
        let constant = |&id: &NodeId| grouped.constant_value(id).unwrap_or(f64::NAN);
        let constants = binding.fixed.iter().map(constant).collect();
        // Inputs that the tape loads.
        let num_inputs = code.loads.iter().map(|&(slot, _)| slot as usize + 1).max();
        let mut program = Program {
            num_inputs: num_inputs.unwrap_or(0),
            fixed: vec![0.0; code.fixed.len()],
            parameters: graph.parameters().map(|(_, value)| value).collect(),
            code: Arc::new(code),
            binding: Arc::new(binding),
            constants,
            stamp: 0,
            source: Arc::new(Source {
                graph,
                outputs,
                labels,
            }),
        };
        program.bind();
        program
    }

    /// Runs the binding tape: fixed values from the parameters.
    fn bind(&mut self) {
        let mut registers = self.constants.to_vec();
        registers.resize(file_size(&self.binding), 0.0);
        run(
            &self.binding,
            &self.parameters,
            &mut registers,
            &mut self.fixed,
        );
        self.stamp = new_stamp();
    }

    /// Number of inputs a run needs: one more than the highest slot in use.
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// Number of outputs of a run.
    pub fn num_outputs(&self) -> usize {
        self.code.outputs.len()
    }

    /// Number of instructions of a run.
    pub fn num_instructions(&self) -> usize {
        self.code.instructions()
    }

    /// Names and values of the parameters as they are bound, in the order of their slots.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.source.graph.parameters().map(|(name, _)| name);
        names.zip(self.parameters.iter().copied())
    }

    /// Binds all parameters, in the order of their slots.
    ///
    /// # Errors
    /// Wrong number of values, or one that is not finite; the program is then as before.
    pub fn set_parameters(&mut self, values: &[f64]) -> Result<(), RunError> {
        let expected = self.parameters.len();
        if values.len() != expected {
            let found = values.len();
            let text = format!("there are {expected} parameters, {found} values were given");
            return Err(RunError::Parameters(text));
        }
        // Check all before changing any.
        for ((name, _), value) in self.parameters().zip(values) {
            require_finite(name, *value)?;
        }
        self.parameters.copy_from_slice(values);
        self.bind();
        Ok(())
    }

    /// Binds one parameter.
    ///
    /// # Errors
    /// There is none of this name, or the value is not finite; the program is then as before.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), RunError> {
        let slot = self.parameters().position(|(known, _)| known == name);
        let Some(slot) = slot else {
            let known: Vec<&str> = self.parameters().map(|(known, _)| known).collect();
            let known = known.join(", ");
            let text = format!("there is no parameter `{name}` (known here: {known})");
            return Err(RunError::Parameters(text));
        };
        require_finite(name, value)?;
        self.parameters[slot] = value;
        self.bind();
        Ok(())
    }

    /// Computes all outputs.
    ///
    /// Inputs beyond [`Program::num_inputs`] are allowed and ignored: one list (time, positions,
    /// velocities) serves all programs of a mechanism. Outputs may come out NaN or infinite; see
    /// [`Program::run_checked`].
    ///
    /// # Errors
    /// Too few inputs, or room for another number of outputs.
    #[inline]
    pub fn run(
        &self,
        inputs: &[f64],
        scratch: &mut Scratch,
        outputs: &mut [f64],
    ) -> Result<(), RunError> {
        if inputs.len() < self.num_inputs || outputs.len() != self.num_outputs() {
            return Err(self.wrong_length(inputs.len(), outputs.len()));
        }
        // A scratch of another program, or of other parameters.
        if scratch.stamp != self.stamp {
            self.prepare(scratch);
        }
        run(&self.code, inputs, &mut scratch.registers, outputs);
        Ok(())
    }

    /// Computes all outputs and refuses values that are not finite.
    ///
    /// Costs one test per output; the origin of a failure is searched only when there is one.
    ///
    /// # Errors
    /// As for [`Program::run`]; an output that is NaN or infinite, with the subexpression that failed first. The
    /// outputs are written all the same.
    pub fn run_checked(
        &self,
        inputs: &[f64],
        scratch: &mut Scratch,
        outputs: &mut [f64],
    ) -> Result<(), RunError> {
        self.run(inputs, scratch, outputs)?;
        match outputs.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(output) => Err(self.explain(output, inputs)),
        }
    }

    #[cold]
    fn wrong_length(&self, inputs: usize, outputs: usize) -> RunError {
        match inputs < self.num_inputs {
            true => RunError::Inputs {
                expected: self.num_inputs,
                found: inputs,
            },
            false => RunError::Outputs {
                expected: self.num_outputs(),
                found: outputs,
            },
        }
    }

    /// Copies the fixed values into a scratch of another program or of other parameters.
    #[cold]
    fn prepare(&self, scratch: &mut Scratch) {
        let size = file_size(&self.code);
        if scratch.registers.len() < size {
            scratch.registers.resize(size, 0.0);
        }
        scratch.registers[..self.fixed.len()].copy_from_slice(&self.fixed);
        scratch.stamp = self.stamp;
    }

    /// The origin of a failed output, by the reference evaluation.
    #[cold]
    fn explain(&self, output: usize, inputs: &[f64]) -> RunError {
        let Source {
            graph,
            outputs,
            labels,
        } = &*self.source;
        let (expression, value, at) =
            graph.origin_of_failure(outputs[output], inputs, &self.parameters);
        RunError::NotFinite(Box::new(NotFinite {
            output,
            label: labels.get(output).cloned().unwrap_or_default(),
            expression,
            value,
            at,
        }))
    }
}

fn require_finite(name: &str, value: f64) -> Result<(), RunError> {
    match value.is_finite() {
        true => Ok(()),
        false => {
            let text = format!("the parameter `{name}` is {value}; it must be a finite number");
            Err(RunError::Parameters(text))
        }
    }
}

/// Size of the register file of a tape.
fn file_size(code: &Code) -> usize {
    match code.tape {
        Tape::Narrow(_) => NARROW,
        Tape::Wide(_) => code.registers,
    }
}

/// Runs a tape in a register file that holds its fixed values. The lengths were checked.
#[inline]
fn run(code: &Code, inputs: &[f64], registers: &mut [f64], outputs: &mut [f64]) {
    // Load inputs (or parameters), execute, store outputs.
    for &(slot, register) in &code.loads {
        registers[register as usize] = inputs[slot as usize];
    }
    match &code.tape {
        Tape::Narrow(tape) => {
            if let Some(file) = registers.first_chunk_mut::<NARROW>() {
                tape::execute(tape, file);
            }
        }
        Tape::Wide(tape) => tape::execute(tape, registers),
    }
    for (output, &register) in outputs.iter_mut().zip(&code.outputs) {
        *output = registers[register as usize];
    }
}
