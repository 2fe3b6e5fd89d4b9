//! Holonomic functions f(t,q) of constraints and their derivatives.

use super::{Coordinates, LagrangeError};
use crate::graph::Graph;
use crate::node::NodeId;
use crate::program::Program;

/// Functions f(t,q) with the derivatives that a time integration needs:
///
/// ```text
/// ḟ = ∂f/∂q · v + ∂f/∂t        f̈ = ∂f/∂q · a + bias
/// ```
///
/// with a column for each velocity: ∂f/∂q stands for Xᵢ f where q̇ is not v (orientations).
#[derive(Clone, Debug)]
pub struct Constraints {
    /// f.
    pub values: Vec<NodeId>,
    /// ∂f/∂q, a row for each function.
    pub gradients: Vec<NodeId>,
    /// ∂f/∂t.
    pub rates: Vec<NodeId>,
    /// The part of f̈ without accelerations: vᵀ ∂²f/∂q² v + 2 ∂²f/∂q∂t · v + ∂²f/∂t².
    pub bias: Vec<NodeId>,
    names: Vec<String>,
    coordinate_names: Vec<String>,
}

impl Constraints {
    /// Derives all derivatives of named functions.
    ///
    /// # Errors
    /// A velocity occurs in one of them.
    pub fn derive<N: AsRef<str>>(
        graph: &mut Graph,
        coordinates: &Coordinates,
        functions: &[(N, NodeId)],
    ) -> Result<Self, LagrangeError> {
        let mut all = Constraints {
            values: Vec::new(),
            gradients: Vec::new(),
            rates: Vec::new(),
            bias: Vec::new(),
            names: Vec::new(),
            coordinate_names: coordinates.names.clone(),
        };
        let motion = coordinates.motion();
        for (name, value) in functions {
            let (name, value) = (name.as_ref(), *value);
            let what = || format!("the constraint `{name}`");
            coordinates.require_free_of_velocities(graph, value, what)?;
            // ḟ without accelerations, differentiated once more: the bias.
            let speed = graph.directional(value, &motion);
            all.values.push(value);
            all.gradients.extend(coordinates.gradient(graph, value));
            all.rates.push(coordinates.time_derivative(graph, value));
            all.bias.push(graph.directional(speed, &motion));
            all.names.push(name.to_string());
        }
        Ok(all)
    }

    /// All f, then all rows of ∂f/∂q, then all ∂f/∂t, in one program.
    pub fn program(&self, graph: &Graph) -> Program {
        let mut outputs = Vec::new();
        let labelled = |text: &str, node: NodeId| (text.to_string(), node);
        // Outputs: values, gradients, rates, each with a label.
        for (name, &node) in self.names.iter().zip(&self.values) {
            outputs.push(labelled(name, node));
        }
        let n = self.coordinate_names.len();
        for (i, name) in self.names.iter().enumerate() {
            for (j, q) in self.coordinate_names.iter().enumerate() {
                let label = format!("derivative of {name} by {q}");
                outputs.push((label, self.gradients[i * n + j]));
            }
        }
        for (name, &node) in self.names.iter().zip(&self.rates) {
            outputs.push((format!("derivative of {name} by time"), node));
        }
        Program::compile_labelled(graph, outputs)
    }

    /// The velocity terms (bias) of all f̈ in one program.
    pub fn bias_program(&self, graph: &Graph) -> Program {
        let labels = self
            .names
            .iter()
            .map(|name| format!("second derivative of {name}"));
        Program::compile_labelled(graph, labels.zip(self.bias.iter().copied()))
    }
}
