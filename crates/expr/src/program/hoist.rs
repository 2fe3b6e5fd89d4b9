//! Hoisting: factors that do not depend on inputs are gathered (loop-invariant code motion).
//!
//! 2π (f t) becomes (2π f) t: the first factor is then computed when parameters are bound. Done here and not when
//! expressions are built, where constants are gathered in front of parameters because that finds like terms. The only
//! effect on values is another order of rounding.

use std::collections::HashMap;

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId};

/// The outputs with their operands in a graph of their own, products regrouped.
pub(super) fn hoist(graph: &Graph, outputs: &[NodeId]) -> (Graph, Vec<NodeId>) {
    let (mut copy, outputs) = graph.extract(outputs);
    let mut image: HashMap<NodeId, NodeId> = HashMap::new();
    for id in copy.reachable(&outputs) {
        let of = |x: NodeId| image[&x];
        // Only products are regrouped; all other forms are copied.
        let node = match copy.node(id) {
            Node::Unary(op, a) => copy.intern(Node::Unary(op, of(a))),
            Node::Binary(Binary::Mul, a, b) => {
                let (a, b) = (of(a), of(b));
                product(&mut copy, a, b)
            }
            Node::Binary(op, a, b) => copy.intern(Node::Binary(op, of(a), of(b))),
            Node::Select(c, a, b) => copy.intern(Node::Select(of(c), of(a), of(b))),
            _ => id,
        };
        image.insert(id, node);
    }
    let outputs = outputs.iter().map(|output| image[output]).collect();
    (copy, outputs)
}

/// a b, regrouped if both have an invariant factor and a varying one is left.
fn product(graph: &mut Graph, a: NodeId, b: NodeId) -> NodeId {
    let varies = graph.facts(a).varies || graph.facts(b).varies;
    if varies && let ((Some(p), x), (Some(q), y)) = (split(graph, a), split(graph, b)) {
        // (p x)(q y) = (p q)(x y).
        let fixed = graph.mul(p, q);
        let varying = match (x, y) {
            (Some(x), Some(y)) => graph.ordered(Binary::Mul, x, y),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return graph.ordered(Binary::Mul, a, b),
        };
        return graph.ordered(Binary::Mul, fixed, varying);
    }
    graph.ordered(Binary::Mul, a, b)
}

/// The invariant and the varying factor of a node.
fn split(graph: &Graph, id: NodeId) -> (Option<NodeId>, Option<NodeId>) {
    if !graph.facts(id).varies {
        return (Some(id), None);
    }
    match graph.node(id) {
        Node::Binary(Binary::Mul, p, x) if !graph.facts(p).varies => (Some(p), Some(x)),
        Node::Binary(Binary::Mul, x, p) if !graph.facts(p).varies => (Some(p), Some(x)),
        _ => (None, Some(id)),
    }
}
