//! Expression graph: an arena of nodes without duplicates.
//!
//! Expressions are nodes of a directed acyclic graph built by hash-consing: asking twice for sin(q) gives the same
//! node. Second derivatives therefore stay of the size of what they really compute (common subexpressions are shared),
//! and equality of expressions is equality of node numbers.
//!
//! Three facts are stored with each node, because simplification may rely on them: whether it is defined (finite) for
//! all finite inputs barring overflow, whether it is ≥ 0, whether it is > 0. They are sufficient conditions inferred
//! from the form; "no" means "not known".

use std::collections::HashMap;

use crate::error::{ErrorKind, ExprError};
use crate::node::{Binary, Node, NodeId, Unary};

/// Facts about a node's value for all inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Depends on an input (else on parameters and constants alone).
    pub varies: bool,
    /// Finite for all finite inputs, barring overflow.
    pub defined: bool,
    /// ≥ 0 wherever it is defined.
    pub nonnegative: bool,
    /// > 0 wherever it is defined, barring underflow.
    pub positive: bool,
}

/// A parameter: its name and the value a program starts with.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub value: f64,
}

/// An arena of expressions over named inputs and parameters.
///
/// *Inputs* are given at every evaluation, by slot in the order of their registration. *Parameters* are bound to a
/// program between evaluations; what depends on parameters alone is computed when they are bound (hoisted), not at
/// every evaluation.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    /// Hash-consing table.
    index: HashMap<Node, NodeId>,
    pub(crate) inputs: Vec<String>,
    pub(crate) parameters: Vec<Parameter>,
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// The constant 0, in every graph.
    pub const ZERO: NodeId = NodeId(0);
    /// The constant 1, in every graph.
    pub const ONE: NodeId = NodeId(1);

    /// An arena that holds the constants 0 and 1.
    pub fn new() -> Self {
        let mut graph = Graph {
            nodes: Vec::new(),
            facts: Vec::new(),
            index: HashMap::new(),
            inputs: Vec::new(),
            parameters: Vec::new(),
        };
        graph.intern(Node::Constant(0.0_f64.to_bits()));
        graph.intern(Node::Constant(1.0_f64.to_bits()));
        graph
    }

    /// Registers an input and gives its node; the same node again for a name already registered.
    ///
    /// # Errors
    /// The text is not a name, is a word of the language, or names a parameter.
    pub fn input(&mut self, name: &str) -> Result<NodeId, ExprError> {
        crate::language::check_name(name)?;
        if self.parameters.iter().any(|p| p.name == name) {
            return Err(ErrorKind::NameTaken(name.to_string()).into());
        }
        // Slots are numbered in the order of registration.
        let slot = match self.inputs.iter().position(|known| known == name) {
            Some(slot) => slot,
            None => {
                self.inputs.push(name.to_string());
                self.inputs.len() - 1
            }
        };
        Ok(self.intern(Node::Input(slot as u32)))
    }

    /// Registers a parameter with its value and gives its node.
    ///
    /// # Errors
    /// The text is not a name or is in use, or the value is not finite.
    pub fn parameter(&mut self, name: &str, value: f64) -> Result<NodeId, ExprError> {
        crate::language::check_name(name)?;
        // Inputs and parameters share one name space.
        let taken = self.inputs.iter().any(|known| known == name)
            || self.parameters.iter().any(|p| p.name == name);
        if taken {
            return Err(ErrorKind::NameTaken(name.to_string()).into());
        }
        if !value.is_finite() {
            return Err(ErrorKind::ParameterNotFinite(name.to_string(), value.to_string()).into());
        }
        self.parameters.push(Parameter {
            name: name.to_string(),
            value,
        });
        Ok(self.intern(Node::Parameter(self.parameters.len() as u32 - 1)))
    }

    /// Names of the inputs, in the order of their slots.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(String::as_str)
    }

    /// Names and values of the parameters, in the order of their slots.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        self.parameters.iter().map(|p| (p.name.as_str(), p.value))
    }

    /// Number of nodes in the arena.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: the constants 0 and 1 are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number, when the node is a constant.
    pub fn constant_value(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Slot of an input node.
    pub fn input_slot(&self, id: NodeId) -> Option<usize> {
        match self.node(id) {
            Node::Input(slot) => Some(slot as usize),
            _ => None,
        }
    }

    /// Whether `part`, an input or any other expression, occurs in `node`.
    pub fn depends_on(&self, node: NodeId, part: NodeId) -> bool {
        self.reachable(&[node]).binary_search(&part).is_ok()
    }

    /// Slots of the inputs that occur in `node`, ascending.
    pub fn inputs_of(&self, node: NodeId) -> Vec<usize> {
        let nodes = self.reachable(&[node]);
        let mut slots: Vec<usize> = nodes.iter().filter_map(|&n| self.input_slot(n)).collect();
        slots.sort_unstable();
        slots
    }

    /// The given nodes and all their operands, transitively, ascending: an order of evaluation.
    pub(crate) fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.reachable_until(roots, |_| false)
    }

    /// As [`Graph::reachable`], without the operands of nodes for which `leaf` holds.
    pub(crate) fn reachable_until(
        &self,
        roots: &[NodeId],
        leaf: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let size = roots.iter().map(|r| r.index() + 1).max().unwrap_or(0);
        // Mark the roots.
        let mut marked = vec![false; size];
        for root in roots {
            marked[root.index()] = true;
        }
        let mut found = Vec::new();
        // Operands have smaller numbers: one descending pass marks all.
        for index in (0..size).rev() {
            if !marked[index] {
                continue;
            }
            let id = NodeId(index as u32);
            found.push(id);
            if !leaf(id) {
                for operand in self.nodes[index].operands() {
                    marked[operand.index()] = true;
                }
            }
        }
        found.reverse();
        found
    }

    /// A graph of the given nodes with their operands and all symbols; and the nodes' new identities. Forms are copied
    /// without simplification.
    pub(crate) fn extract(&self, roots: &[NodeId]) -> (Graph, Vec<NodeId>) {
        let mut copy = Graph::new();
        copy.inputs.clone_from(&self.inputs);
        copy.parameters.clone_from(&self.parameters);
        // Ascending order: the operands of a node have their image before it.
        let mut image = HashMap::new();
        for id in self.reachable(roots) {
            let form = match self.node(id) {
                Node::Unary(op, a) => Node::Unary(op, image[&a]),
                Node::Binary(op, a, b) => Node::Binary(op, image[&a], image[&b]),
                Node::Select(c, a, b) => Node::Select(image[&c], image[&a], image[&b]),
                leaf => leaf,
            };
            image.insert(id, copy.intern(form));
        }
        let roots = roots.iter().map(|root| image[root]).collect();
        (copy, roots)
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    pub(crate) fn facts(&self, id: NodeId) -> Facts {
        self.facts[id.index()]
    }

    /// The node of this form, created if there is none yet. No simplification.
    pub(crate) fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        // A new form: infer its facts and enter it into the table.
        let facts = self.infer(node);
        self.nodes.push(node);
        self.facts.push(facts);
        self.index.insert(node, id);
        id
    }

    /// Infers the facts of a node from those of its operands.
    fn infer(&self, node: Node) -> Facts {
        match node {
            Node::Constant(bits) => {
                let value = f64::from_bits(bits);
                Facts {
                    varies: false,
                    defined: true,
                    nonnegative: value >= 0.0,
                    positive: value > 0.0,
                }
            }
            // Inputs and parameters may have any sign; both are finite.
            Node::Input(_) | Node::Parameter(_) => Facts {
                varies: matches!(node, Node::Input(_)),
                defined: true,
                nonnegative: false,
                positive: false,
            },
            Node::Unary(op, a) => infer_unary(op, self.facts(a)),
            Node::Binary(op, a, b) => infer_binary(op, self.facts(a), self.facts(b), a == b),
            // Both branches must have the property.
            Node::Select(c, a, b) => {
                let (c, a, b) = (self.facts(c), self.facts(a), self.facts(b));
                Facts {
                    varies: c.varies || a.varies || b.varies,
                    defined: c.defined && a.defined && b.defined,
                    nonnegative: a.nonnegative && b.nonnegative,
                    positive: a.positive && b.positive,
                }
            }
        }
    }
}

fn infer_unary(op: Unary, a: Facts) -> Facts {
    use Unary::*;
    // Defined for every argument that the operand can take.
    let total = match op {
        Sqrt => a.nonnegative,
        Ln | Log10 => a.positive,
        Asin | Acos => false,
        _ => true,
    };
    // Positive values, or the sign of a positive operand.
    let positive = match op {
        Exp | Cosh => true,
        Sqrt | Abs | Sign | Sinh | Tanh | Atan => a.positive,
        _ => false,
    };
    // Non-negative values, or the sign of a non-negative operand.
    let nonnegative = match op {
        Sqrt | Abs | Acos | Not => true,
        Sign | Sinh | Tanh | Atan | Asin | Floor => a.nonnegative,
        _ => positive,
    };
    Facts {
        varies: a.varies,
        defined: a.defined && total,
        nonnegative,
        positive,
    }
}

fn infer_binary(op: Binary, a: Facts, b: Facts, same: bool) -> Facts {
    use Binary::*;
    // Quotients and powers need a positive operand to be known as defined.
    let total = match op {
        Div | Mod => b.positive,
        Pow => a.positive,
        _ => true,
    };
    // A product of equal operands is a square.
    let nonnegative = match op {
        Mul => same || (a.nonnegative && b.nonnegative),
        Add | Div | Min => a.nonnegative && b.nonnegative,
        Max => a.nonnegative || b.nonnegative,
        Hypot | Less | LessEqual | Equal | And | Or => true,
        Pow => a.nonnegative,
        Mod => b.positive,
        Atan2 => a.nonnegative,
    };
    // A sum of non-negative terms is positive if one term is.
    let positive = match op {
        Add => nonnegative && (a.positive || b.positive),
        Mul | Div | Min => a.positive && b.positive,
        Max | Hypot => a.positive || b.positive,
        Pow => a.positive,
        _ => false,
    };
    Facts {
        varies: a.varies || b.varies,
        defined: a.defined && b.defined && total,
        nonnegative,
        positive,
    }
}
