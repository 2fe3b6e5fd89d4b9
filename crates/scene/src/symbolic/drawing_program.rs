//! Drawing programs: expressions of the points of a drawing, evaluated together along a motion.
//!
//! They may use the names of observables except forces, which states do not hold, and further inputs of their own:
//! the parameters of curves. Values that are not finite are not refused: a line has a gap there.

use percuss_expr::{ExprError, Program, Scratch};

use super::SymbolicSystem;

/// Compiled expressions of one system that are evaluated together.
#[derive(Debug)]
pub struct DrawingProgram {
    program: Program,
    scratch: Scratch,
    inputs: Vec<f64>,
    /// Slots of the further inputs (curve parameters).
    slots: Vec<usize>,
    out: Vec<f64>,
    constant: bool,
    still: bool,
}

/// Why a text cannot be part of a drawing.
#[derive(Debug)]
pub enum DrawingProgramError {
    /// It cannot be parsed, or uses an unknown name.
    Expression(ExprError),
    /// It uses a force or γ, which a state does not hold.
    Force,
}

impl SymbolicSystem {
    /// Compiles texts that may use the names in `free` beside those of observables. An error has the index of the
    /// first invalid text, or `None` for an invalid name in `free`.
    pub fn drawing_program(
        &mut self,
        texts: &[&str],
        free: &[&str],
    ) -> Result<DrawingProgram, (Option<usize>, DrawingProgramError)> {
        // Curve parameters are further inputs.
        let mut scope = self.model.scope.clone();
        let graph = &mut self.model.graph;
        let mut slots = Vec::new();
        for name in free {
            let node = scope.input(graph, name);
            let node = node.map_err(|error| (None, DrawingProgramError::Expression(error)))?;
            slots.push(graph.input_slot(node).unwrap_or_default());
        }
        let mut nodes = Vec::new();
        let (mut constant, mut still) = (true, true);
        for (place, text) in texts.iter().enumerate() {
            let node = graph.parse(&scope, text);
            let node = node.map_err(|e| (Some(place), DrawingProgramError::Expression(e)))?;
            // What the expressions depend on: nothing but curve parameters, or time as well.
            for slot in graph.inputs_of(node) {
                if self.model.measured.iter().any(|m| m.slot == slot) {
                    return Err((Some(place), DrawingProgramError::Force));
                }
                let own = slots.contains(&slot);
                constant &= own;
                // Slot 0 is the time.
                still &= own || slot == 0;
            }
            nodes.push(node);
        }
        // One program for all points.
        let program = Program::compile(graph, &nodes);
        let size = program.num_inputs().max(self.inputs.values.len());
        let size = slots.iter().map(|s| s + 1).fold(size, usize::max);
        Ok(DrawingProgram {
            out: vec![0.0; nodes.len()],
            inputs: vec![0.0; size],
            scratch: Scratch::new(),
            program,
            slots,
            constant,
            still,
        })
    }
}

impl DrawingProgram {
    /// Whether neither time nor state occurs.
    pub fn is_constant(&self) -> bool {
        self.constant
    }

    /// Whether neither positions nor velocities occur.
    pub fn is_still(&self) -> bool {
        self.still
    }

    /// Sets time, positions and velocities.
    pub fn place(&mut self, t: f64, q: &[f64], v: &[f64]) {
        let state = std::iter::once(&t).chain(q).chain(v);
        for (input, value) in self.inputs.iter_mut().zip(state) {
            *input = *value;
        }
    }

    /// The values at the state and these further inputs; NaN where they are not finite.
    pub fn values(&mut self, free: &[f64]) -> &[f64] {
        for (slot, value) in self.slots.iter().zip(free) {
            if let Some(input) = self.inputs.get_mut(*slot) {
                *input = *value;
            }
        }
        let run = self
            .program
            .run(&self.inputs, &mut self.scratch, &mut self.out);
        for value in &mut self.out {
            if run.is_err() || !value.is_finite() {
                *value = f64::NAN;
            }
        }
        &self.out
    }
}
