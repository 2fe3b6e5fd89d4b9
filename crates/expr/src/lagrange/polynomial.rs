//! An expression as a polynomial of degree ≤ 2, or ≤ 1, in the velocities.
//!
//! T = Σ c_m m over monomials m in the velocities, with coefficients free of velocities. The coefficients are
//! propagated through sums, products and quotients, which either succeeds exactly or ends at the subexpression that is
//! no such polynomial; differentiating twice and looking for velocities in the result would not locate it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

/// Coefficients by monomial: the sorted indices of its factors, none for the constant term.
pub(super) type Polynomial = BTreeMap<Vec<usize>, NodeId>;

/// Length to which expressions are quoted in a message, in bytes.
const QUOTED: usize = 160;

/// The subexpression that is no polynomial of the degree, and why.
pub(super) struct NotPolynomial {
    pub part: String,
    pub reason: &'static str,
}

/// The coefficients of `node` in the variables; `degree` is 1 or 2.
pub(super) fn coefficients(
    graph: &mut Graph,
    node: NodeId,
    variables: &[NodeId],
    degree: usize,
) -> Result<Polynomial, NotPolynomial> {
    let mut known: Vec<Option<Rc<Polynomial>>> = vec![None; node.index() + 1];
    for id in graph.reachable(&[node]) {
        let variable = variables.iter().position(|&v| v == id);
        let operands: Vec<NodeId> = graph.node(id).operands().collect();
        let free = |x: &NodeId| known[x.index()].is_none();
        // A velocity is the monomial of itself.
        let found = match variable {
            Some(number) => Polynomial::from([(vec![number], Graph::ONE)]),
            // Without velocities: a coefficient, used as it is.
            None if operands.iter().all(free) => continue,
            None => {
                let of = |x: NodeId| match &known[x.index()] {
                    Some(polynomial) => polynomial.clone(),
                    None => Rc::new(Polynomial::from([(Vec::new(), x)])),
                };
                combine(graph, id, of, free, degree)?
            }
        };
        known[id.index()] = Some(Rc::new(found));
    }
    let last = known.pop().flatten();
    Ok(match last {
        Some(polynomial) => (*polynomial).clone(),
        None => Polynomial::from([(Vec::new(), node)]),
    })
}

/// The polynomial of a node from those of its operands.
fn combine(
    graph: &mut Graph,
    id: NodeId,
    of: impl Fn(NodeId) -> Rc<Polynomial>,
    free: impl Fn(&NodeId) -> bool,
    degree: usize,
) -> Result<Polynomial, NotPolynomial> {
    let mut result = Polynomial::new();
    match graph.node(id) {
        Node::Unary(Unary::Neg, a) => {
            for (monomial, &c) in of(a).iter() {
                let c = graph.neg(c);
                accumulate(graph, &mut result, monomial.clone(), c);
            }
        }
        Node::Binary(Binary::Add, a, b) => {
            for (monomial, &c) in of(a).iter().chain(of(b).iter()) {
                accumulate(graph, &mut result, monomial.clone(), c);
            }
        }
        Node::Binary(Binary::Mul, a, b) => {
            for (first, &c) in of(a).iter() {
                for (second, &d) in of(b).iter() {
                    let monomial = product(first, second);
                    // The product exceeds the degree: report this node.
                    if monomial.len() > degree {
                        let reason = match degree {
                            1 => "is of degree 2 or higher",
                            _ => "is of degree 3 or higher",
                        };
                        return Err(refuse(graph, id, reason));
                    }
                    let c = graph.mul(c, d);
                    accumulate(graph, &mut result, monomial, c);
                }
            }
        }
        Node::Binary(Binary::Div, a, b) if free(&b) => {
            for (monomial, &c) in of(a).iter() {
                let c = graph.div(c, b);
                accumulate(graph, &mut result, monomial.clone(), c);
            }
        }
        // A condition free of velocities selects coefficient by coefficient.
        Node::Select(condition, a, b) if free(&condition) => {
            let (a, b) = (of(a), of(b));
            for monomial in a.keys().chain(b.keys()) {
                let in_branch = |p: &Polynomial| p.get(monomial).copied().unwrap_or(Graph::ZERO);
                let c = graph.select(condition, in_branch(&a), in_branch(&b));
                result.insert(monomial.clone(), c);
            }
        }
        _ => return Err(refuse(graph, id, "is not a polynomial of them")),
    }
    Ok(result)
}

/// Product of two monomials.
fn product(first: &[usize], second: &[usize]) -> Vec<usize> {
    let mut monomial = [first, second].concat();
    monomial.sort_unstable();
    monomial
}

/// Adds a term; one that vanishes is dropped, so that cancelled powers leave no trace.
fn accumulate(graph: &mut Graph, sum: &mut Polynomial, monomial: Vec<usize>, c: NodeId) {
    let present = sum.get(&monomial).copied().unwrap_or(Graph::ZERO);
    let total = graph.add(present, c);
    match total == Graph::ZERO {
        true => sum.remove(&monomial),
        false => sum.insert(monomial, total),
    };
}

fn refuse(graph: &Graph, id: NodeId, reason: &'static str) -> NotPolynomial {
    NotPolynomial {
        part: graph.display_short(id, QUOTED).to_string(),
        reason,
    }
}
