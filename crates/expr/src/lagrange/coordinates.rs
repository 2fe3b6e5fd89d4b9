//! Coordinates and velocities, and how positions follow from velocities.
//!
//! ```text
//! scalar:        q̇ = v
//! orientation:   ṗ = ½ p ⊗ (0, ω)        p = (w, x, y, z) of unit length, body to space; ω in body axes
//! ```
//!
//! In both cases q̇ = Σᵢ vᵢ Xᵢ(q) with one vector field Xᵢ for each velocity (quasi-velocities). The derivative of a
//! function along a velocity is Xᵢ f = Σⱼ ∂f/∂qⱼ ∂q̇ⱼ/∂vᵢ, which is ∂f/∂qᵢ for a scalar. The fields of an orientation
//! are tangent to |p| = 1, so that only the values of f there matter.

use super::LagrangeError;
use crate::graph::Graph;
use crate::node::NodeId;

/// One coordinate, by its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateInputs {
    /// A length or angle with its own rate as velocity.
    Scalar {
        /// q.
        position: NodeId,
        /// q̇.
        velocity: NodeId,
    },
    /// The orientation of a rigid body in space.
    Orientation {
        /// Unit quaternion (w, x, y, z), body to space.
        quaternion: [NodeId; 4],
        /// Angular velocity ω in body axes.
        spin: [NodeId; 3],
    },
}

/// The independent variables: time, positions, velocities.
#[derive(Clone, Debug)]
pub struct Coordinates {
    pub(super) time: Option<NodeId>,
    pub(super) positions: Vec<NodeId>,
    pub(super) velocities: Vec<NodeId>,
    /// q̇ of each position.
    rates: Vec<NodeId>,
    /// Xᵢ of each velocity: the positions that change with it and ∂q̇/∂vᵢ.
    fields: Vec<Vec<(NodeId, NodeId)>>,
    /// First velocity of each orientation.
    pub(super) spins: Vec<usize>,
    /// Names of the velocities in messages: a scalar by its position, an orientation by its angular velocity.
    pub(super) names: Vec<String>,
}

impl Coordinates {
    /// Scalars alone: distinct inputs of the graph, with a velocity for each position.
    ///
    /// # Errors
    /// One of them is not an input or occurs twice, or the numbers differ.
    pub fn new(
        graph: &Graph,
        time: Option<NodeId>,
        positions: Vec<NodeId>,
        velocities: Vec<NodeId>,
    ) -> Result<Self, LagrangeError> {
        if positions.len() != velocities.len() {
            return Err(LagrangeError::Count {
                what: "velocities",
                expected: positions.len(),
                found: velocities.len(),
            });
        }
        let mut all = Self::empty(time);
        for (&position, &velocity) in positions.iter().zip(&velocities) {
            all.line(graph, position, velocity);
        }
        all.require_distinct_inputs(graph)?;
        Ok(all)
    }

    /// Scalars and orientations, in order.
    ///
    /// # Errors
    /// A variable is not an input or occurs twice.
    pub fn of(
        graph: &mut Graph,
        time: Option<NodeId>,
        coordinates: &[CoordinateInputs],
    ) -> Result<Self, LagrangeError> {
        // Positions and velocities in the given order.
        let mut all = Self::empty(time);
        for coordinate in coordinates {
            match *coordinate {
                CoordinateInputs::Scalar { position, velocity } => {
                    all.line(graph, position, velocity)
                }
                CoordinateInputs::Orientation { quaternion, spin } => {
                    all.orientation(graph, quaternion, spin);
                }
            }
        }
        all.require_distinct_inputs(graph)?;
        Ok(all)
    }

    fn empty(time: Option<NodeId>) -> Self {
        Coordinates {
            time,
            positions: Vec::new(),
            velocities: Vec::new(),
            rates: Vec::new(),
            fields: Vec::new(),
            spins: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Adds a scalar coordinate.
    fn line(&mut self, graph: &Graph, position: NodeId, velocity: NodeId) {
        self.positions.push(position);
        self.velocities.push(velocity);
        self.rates.push(velocity);
        self.fields.push(vec![(position, Graph::ONE)]);
        self.names.push(graph.display(position).to_string());
    }

    /// Adds an orientation. Columns of ½ p ⊗ (0, ω): X₁ = ½(−x, w, z, −y), X₂ = ½(−y, −z, w, x), X₃ = ½(−z, y, −x, w).
    fn orientation(&mut self, graph: &mut Graph, p: [NodeId; 4], spin: [NodeId; 3]) {
        const COLUMNS: [[(usize, f64); 4]; 3] = [
            [(1, -0.5), (0, 0.5), (3, 0.5), (2, -0.5)],
            [(2, -0.5), (3, -0.5), (0, 0.5), (1, 0.5)],
            [(3, -0.5), (2, 0.5), (1, -0.5), (0, 0.5)],
        ];
        // Hamel's term needs the first velocity of each orientation.
        self.spins.push(self.velocities.len());
        // ṗ and the fields, column by column.
        let mut rates = [Graph::ZERO; 4];
        for (&velocity, column) in spin.iter().zip(&COLUMNS) {
            let mut field = Vec::with_capacity(4);
            for (row, &(entry, factor)) in column.iter().enumerate() {
                let factor = graph.constant(factor);
                let slope = graph.mul(factor, p[entry]);
                let part = graph.mul(slope, velocity);
                rates[row] = graph.add(rates[row], part);
                field.push((p[row], slope));
            }
            self.velocities.push(velocity);
            self.fields.push(field);
            self.names.push(graph.display(velocity).to_string());
        }
        self.positions.extend(p);
        self.rates.extend(rates);
    }

    /// Refuses variables that are no inputs, and repetitions.
    fn require_distinct_inputs(&self, graph: &Graph) -> Result<(), LagrangeError> {
        let mut seen = Vec::new();
        let positions = self.time.iter().chain(&self.positions);
        for &id in positions.chain(&self.velocities) {
            if graph.input_slot(id).is_none() || seen.contains(&id) {
                return Err(LagrangeError::NotAnInput(graph.display(id).to_string()));
            }
            seen.push(id);
        }
        Ok(())
    }

    /// Number of velocities, the degrees of freedom.
    pub fn dimension(&self) -> usize {
        self.velocities.len()
    }

    /// The positions.
    pub fn positions(&self) -> &[NodeId] {
        &self.positions
    }

    /// The velocities.
    pub fn velocities(&self) -> &[NodeId] {
        &self.velocities
    }

    /// Xᵢ f, the derivative along velocity `i`: ∂f/∂qᵢ for a scalar.
    pub fn derivative_along(&self, graph: &mut Graph, node: NodeId, i: usize) -> NodeId {
        graph.directional(node, &self.fields[i])
    }

    /// All derivatives Xᵢ f.
    pub fn gradient(&self, graph: &mut Graph, node: NodeId) -> Vec<NodeId> {
        let along = |i| self.derivative_along(graph, node, i);
        (0..self.dimension()).map(along).collect()
    }

    /// df/dt along a motion, the part without accelerations.
    pub fn rate(&self, graph: &mut Graph, node: NodeId) -> NodeId {
        graph.directional(node, &self.motion())
    }

    /// Whether a velocity occurs in the expression.
    pub fn depends_on_velocity(&self, graph: &Graph, node: NodeId) -> bool {
        self.velocities.iter().any(|&v| graph.depends_on(node, v))
    }

    /// Rates of all variables along a motion, without the accelerations: the seeds of a directional derivative.
    pub(super) fn motion(&self) -> Vec<(NodeId, NodeId)> {
        // ṫ = 1, then q̇ of every position.
        let clock = self.time.map(|time| (time, Graph::ONE));
        let pairs = self
            .positions
            .iter()
            .copied()
            .zip(self.rates.iter().copied());
        clock.into_iter().chain(pairs).collect()
    }

    /// Partial derivative ∂f/∂t.
    pub fn time_derivative(&self, graph: &mut Graph, node: NodeId) -> NodeId {
        match self.time {
            Some(time) => graph.derivative(node, time),
            None => Graph::ZERO,
        }
    }

    /// Refuses an expression in which a velocity occurs.
    pub(super) fn require_free_of_velocities(
        &self,
        graph: &Graph,
        node: NodeId,
        what: impl Fn() -> String,
    ) -> Result<(), LagrangeError> {
        let found = self.velocities.iter().find(|&&v| graph.depends_on(node, v));
        match found {
            None => Ok(()),
            Some(&velocity) => Err(LagrangeError::Velocity {
                what: what(),
                velocity: graph.display(velocity).to_string(),
            }),
        }
    }
}
