//! Lowering: graph to tape, by instruction selection and register allocation.
//!
//! Needed nodes are collected from the outputs downward; for each the widest fused instruction is selected that absorbs
//! operands used nowhere else; then registers are allocated in order of evaluation and released after the last use.
//!
//! Leaves are the values that the registers hold when the tape starts: *fixed* values, which stay from run to run, and
//! *loaded* ones.

use super::registers::Allocation;
use super::tape::{Instruction, Op};
use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

/// A tape with its register layout: fixed values first, in the order of `fixed`.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub tape: Tape,
    /// Nodes whose values the registers 0, 1, … must hold.
    pub fixed: Vec<NodeId>,
    /// (slot, register) of what is loaded at each run.
    pub loads: Vec<(u32, u32)>,
    /// Registers of the outputs.
    pub outputs: Vec<u32>,
    /// Size of the register file.
    pub registers: usize,
}

/// Instructions with one-byte or four-byte register numbers.
#[derive(Clone, Debug)]
pub(crate) enum Tape {
    Narrow(Vec<Instruction<u8>>),
    Wide(Vec<Instruction<u32>>),
}

impl Code {
    pub(crate) fn instructions(&self) -> usize {
        match &self.tape {
            Tape::Narrow(tape) => tape.len(),
            Tape::Wide(tape) => tape.len(),
        }
    }
}

/// Which nodes are leaves of a tape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapePhase {
    /// Parameters are loaded, constants fixed: run when parameters are bound.
    Binding,
    /// Inputs are loaded; all that does not depend on them is fixed: run at each evaluation.
    Evaluation,
}

/// A selected instruction over nodes, before registers are allocated.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    pub op: Op,
    pub operands: [Option<NodeId>; 4],
}

impl Pattern {
    fn new(op: Op, operands: &[NodeId]) -> Self {
        let mut list = [None; 4];
        for (place, &operand) in list.iter_mut().zip(operands) {
            *place = Some(operand);
        }
        Pattern { op, operands: list }
    }
}

/// Lowers the outputs to a tape.
pub(crate) fn lower(graph: &Graph, outputs: &[NodeId], stage: TapePhase) -> Code {
    let lowering = Lowering::new(graph, outputs, stage);
    let (patterns, leaves) = lowering.select(outputs);
    Allocation::new(&lowering, &patterns, &leaves, outputs).finish(&patterns, outputs)
}

/// Instruction selection for one tape.
pub(super) struct Lowering<'g> {
    pub graph: &'g Graph,
    pub stage: TapePhase,
    /// Nodes between leaves and outputs, ascending.
    nodes: Vec<NodeId>,
    /// Number of uses of each node, by other nodes or as output.
    uses: Vec<u32>,
}

impl<'g> Lowering<'g> {
    fn new(graph: &'g Graph, outputs: &[NodeId], stage: TapePhase) -> Self {
        let mut lowering = Lowering {
            graph,
            stage,
            nodes: Vec::new(),
            uses: vec![0; outputs.iter().map(|o| o.index() + 1).max().unwrap_or(0)],
        };
        lowering.nodes = graph.reachable_until(outputs, |id| lowering.is_leaf(id));
        // Count uses: as output, and as operand of a node that is computed.
        for &output in outputs {
            lowering.uses[output.index()] += 1;
        }
        for &id in &lowering.nodes {
            if !lowering.is_leaf(id) {
                for operand in graph.node(id).operands() {
                    lowering.uses[operand.index()] += 1;
                }
            }
        }
        lowering
    }

    fn is_leaf(&self, id: NodeId) -> bool {
        match self.stage {
            TapePhase::Binding => {
                matches!(self.graph.node(id), Node::Constant(_) | Node::Parameter(_))
            }
            TapePhase::Evaluation => {
                !self.graph.facts(id).varies || matches!(self.graph.node(id), Node::Input(_))
            }
        }
    }

    /// Selects the instructions, ascending, and the leaves they use, ascending.
    fn select(&self, outputs: &[NodeId]) -> (Vec<(NodeId, Pattern)>, Vec<NodeId>) {
        let mut needed = vec![false; self.uses.len()];
        for output in outputs {
            needed[output.index()] = true;
        }
        let (mut patterns, mut leaves) = (Vec::new(), Vec::new());
        // From the outputs downward: absorbed operands never become needed.
        for &id in self.nodes.iter().rev() {
            if !needed[id.index()] {
                continue;
            }
            if self.is_leaf(id) {
                leaves.push(id);
                continue;
            }
            let pattern = self.pattern(id);
            for operand in pattern.operands.iter().flatten() {
                needed[operand.index()] = true;
            }
            patterns.push((id, pattern));
        }
        patterns.reverse();
        leaves.reverse();
        (patterns, leaves)
    }

    /// The form of a node that may be absorbed: not a leaf, and used once.
    fn inner(&self, id: NodeId) -> Option<Node> {
        let single = self.uses[id.index()] == 1 && !self.is_leaf(id);
        single.then(|| self.graph.node(id))
    }

    /// The factors of a product that may be absorbed.
    fn product(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        match self.inner(id) {
            Some(Node::Binary(Binary::Mul, a, b)) => Some((a, b)),
            _ => None,
        }
    }

    /// x where the node is −x and no leaf, so that the sign can go into the instruction.
    fn negated(&self, id: NodeId) -> Option<NodeId> {
        match self.is_leaf(id) {
            true => None,
            false => self.graph.negated(id),
        }
    }

    /// The widest instruction for a node.
    fn pattern(&self, id: NodeId) -> Pattern {
        match self.graph.node(id) {
            // Sums with a negated term become differences.
            Node::Binary(Binary::Add, a, b) => match (self.negated(a), self.negated(b)) {
                (_, Some(x)) => self.difference(a, b, x),
                (Some(x), None) => self.difference(b, a, x),
                (None, None) => self.sum(a, b),
            },
            Node::Binary(Binary::Mul, a, b) => self.multiplication(a, b),
            Node::Binary(op, a, b) => Pattern::new(op.into(), &[a, b]),
            Node::Unary(Unary::Neg, a) => match self.product(a) {
                Some((p, q)) => Pattern::new(Op::NegMul, &[p, q]),
                None => Pattern::new(Op::Neg, &[a]),
            },
            Node::Unary(op, a) => Pattern::new(op.into(), &[a]),
            // A comparison used only here is fused with the selection.
            Node::Select(c, a, b) => match self.inner(c) {
                Some(Node::Binary(Binary::Less, x, y)) => {
                    Pattern::new(Op::SelectLess, &[x, y, a, b])
                }
                Some(Node::Binary(Binary::LessEqual, x, y)) => {
                    Pattern::new(Op::SelectLessEqual, &[x, y, a, b])
                }
                _ => Pattern::new(Op::Select, &[c, a, b]),
            },
            // Leaves are never selected.
            Node::Constant(_) | Node::Input(_) | Node::Parameter(_) => {
                Pattern::new(Op::Unary(Unary::Abs), &[id])
            }
        }
    }

    /// a + b, with absorbed products or a third term.
    fn sum(&self, a: NodeId, b: NodeId) -> Pattern {
        match (self.product(a), self.product(b)) {
            (Some((p, q)), Some((r, s))) if a != b => Pattern::new(Op::MulAddMul, &[p, q, r, s]),
            (Some((p, q)), _) => Pattern::new(Op::MulAdd, &[p, q, b]),
            (None, Some((r, s))) => Pattern::new(Op::MulAdd, &[r, s, a]),
            (None, None) => match (self.plain_sum(a), self.plain_sum(b)) {
                (Some((p, q)), _) => Pattern::new(Op::Add3, &[p, q, b]),
                (_, Some((r, s))) => Pattern::new(Op::Add3, &[r, s, a]),
                _ => Pattern::new(Op::Add, &[a, b]),
            },
        }
    }

    /// a − x, where x is the operand of the negation `minus`.
    fn difference(&self, a: NodeId, minus: NodeId, x: NodeId) -> Pattern {
        // A product under a negation that has other uses would be computed twice.
        let second = self.inner(minus).and_then(|_| self.product(x));
        match (self.product(a), second) {
            (Some((p, q)), Some((r, s))) => Pattern::new(Op::MulSubMul, &[p, q, r, s]),
            (Some((p, q)), None) => Pattern::new(Op::MulSub, &[p, q, x]),
            (None, Some((r, s))) => Pattern::new(Op::SubMul, &[r, s, a]),
            (None, None) => Pattern::new(Op::Sub, &[a, x]),
        }
    }

    /// a b, with an absorbed product, sum or difference.
    fn multiplication(&self, a: NodeId, b: NodeId) -> Pattern {
        // Either factor may be absorbed.
        for (x, y) in [(a, b), (b, a)] {
            match self.inner(x) {
                Some(Node::Binary(Binary::Mul, p, q)) => {
                    return Pattern::new(Op::Mul3, &[p, q, y]);
                }
                Some(Node::Binary(Binary::Add, p, q)) => {
                    return match (self.negated(p), self.negated(q)) {
                        (_, Some(q)) => Pattern::new(Op::SubThenMul, &[p, q, y]),
                        (Some(p), None) => Pattern::new(Op::SubThenMul, &[q, p, y]),
                        (None, None) => Pattern::new(Op::AddMul, &[p, q, y]),
                    };
                }
                _ => {}
            }
        }
        Pattern::new(Op::Mul, &[a, b])
    }

    /// The terms of a sum that may be absorbed, without products, which are better fused into their own instructions.
    fn plain_sum(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let Some(Node::Binary(Binary::Add, a, b)) = self.inner(id) else {
            return None;
        };
        let plain = |x| self.negated(x).is_none() && self.product(x).is_none();
        (plain(a) && plain(b)).then_some((a, b))
    }
}
