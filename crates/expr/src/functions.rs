//! Constructors of powers, elementary functions, comparisons and conditions, with simplification.
//!
//! Same contract as for sums and products (`simplify.rs`): equal as real functions, and no subexpression dropped that
//! could fail.

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

/// Largest |n| for which xⁿ becomes products. Up to here they are cheaper than a call of `pow` and their rounding, at
/// most n/2 units in the last place, is no worse than that of their surroundings.
const LARGEST_PRODUCT: f64 = 16.0;

impl Graph {
    /// aᵇ. Small integer and half-integer exponents become products and roots.
    pub fn pow(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let Some(folded) = self.fold(Binary::Pow, a, b) {
            return folded;
        }
        let Some(exponent) = self.constant_value(b) else {
            return self.intern(Node::Binary(Binary::Pow, a, b));
        };
        // x⁰ = 1 only where x cannot fail.
        if exponent == 0.0 && self.facts(a).defined {
            return Self::ONE;
        }
        // |exponent| = whole + part, part 0 or ½: products and one root.
        let whole = exponent.abs().trunc();
        let part = exponent.abs() - whole;
        let simple = exponent != 0.0 && whole <= LARGEST_PRODUCT && (part == 0.0 || part == 0.5);
        if !simple || self.is_constant(a) {
            return self.intern(Node::Binary(Binary::Pow, a, b));
        }
        // xⁿ, times √x for a half-integer exponent.
        let mut power = self.whole_power(a, whole as u32);
        if part == 0.5 {
            let root = self.sqrt(a);
            power = match whole {
                0.0 => root,
                _ => self.mul(power, root),
            };
        }
        match exponent < 0.0 {
            true => self.div(Self::ONE, power),
            false => power,
        }
    }

    /// xⁿ by repeated squaring.
    fn whole_power(&mut self, x: NodeId, n: u32) -> NodeId {
        if n == 0 {
            return Self::ONE;
        }
        let mut power = x;
        for bit in (0..n.ilog2()).rev() {
            power = self.mul(power, power);
            if n >> bit & 1 == 1 {
                power = self.mul(power, x);
            }
        }
        power
    }

    /// A unary function, simplified: constants folded, even and odd functions freed of signs.
    pub(crate) fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        if let Some(c) = self.constant_value(a) {
            // Fold, unless the result is not finite and must be reported.
            let value = op.apply(c);
            return match value.is_finite() {
                true => self.constant(value),
                false => self.intern(Node::Unary(op, a)),
            };
        }
        match op {
            Unary::Neg => self.neg(a),
            Unary::Not => self.not(a),
            Unary::Sqrt => self.sqrt(a),
            Unary::Abs => self.abs(a),
            // Even functions: f(−x) = f(x).
            Unary::Cos | Unary::Cosh => {
                let even = self.negated(a).unwrap_or(a);
                self.intern(Node::Unary(op, even))
            }
            // Odd functions: f(−x) = −f(x).
            Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan | Unary::Sinh | Unary::Tanh => {
                match self.negated(a) {
                    Some(x) => {
                        let value = self.intern(Node::Unary(op, x));
                        self.neg(value)
                    }
                    None => self.intern(Node::Unary(op, a)),
                }
            }
            Unary::Sign if self.facts(a).positive && self.facts(a).defined => Self::ONE,
            _ => self.intern(Node::Unary(op, a)),
        }
    }

    /// √a; √(x²) is |x|.
    pub fn sqrt(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::Binary(Binary::Mul, x, y) if x == y => self.abs(x),
            Node::Constant(_) if self.facts(a).nonnegative => {
                let value = self.constant_value(a).map_or(0.0, f64::sqrt);
                self.constant(value)
            }
            _ => self.intern(Node::Unary(Unary::Sqrt, a)),
        }
    }

    /// |a|.
    pub fn abs(&mut self, a: NodeId) -> NodeId {
        if let Some(c) = self.constant_value(a) {
            return self.constant(c.abs());
        }
        let even = self.negated(a).unwrap_or(a);
        match self.facts(even).nonnegative {
            true => even,
            false => self.intern(Node::Unary(Unary::Abs, even)),
        }
    }

    /// sin a.
    pub fn sin(&mut self, a: NodeId) -> NodeId {
        self.unary(Unary::Sin, a)
    }

    /// cos a.
    pub fn cos(&mut self, a: NodeId) -> NodeId {
        self.unary(Unary::Cos, a)
    }

    /// A binary function, simplified.
    pub(crate) fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        match op {
            Binary::Add => return self.add(a, b),
            Binary::Mul => return self.mul(a, b),
            Binary::Div => return self.div(a, b),
            Binary::Pow => return self.pow(a, b),
            _ => {}
        }
        if let Some(folded) = self.fold(op, a, b) {
            return folded;
        }
        let defined = self.facts(a).defined && self.facts(b).defined;
        // Equal operands.
        if a == b {
            match op {
                Binary::Min | Binary::Max => return a,
                Binary::LessEqual | Binary::Equal if defined => return Self::ONE,
                Binary::Less if defined => return Self::ZERO,
                _ => {}
            }
        }
        if op == Binary::Hypot {
            // |(x, y)| does not depend on signs.
            let (x, y) = (self.negated(a).unwrap_or(a), self.negated(b).unwrap_or(b));
            return self.ordered(op, x, y);
        }
        self.ordered(op, a, b)
    }

    /// a if the condition is not zero, else b.
    pub fn select(&mut self, condition: NodeId, a: NodeId, b: NodeId) -> NodeId {
        match self.node(condition) {
            Node::Constant(bits) if f64::from_bits(bits) != 0.0 => a,
            Node::Constant(_) => b,
            Node::Unary(Unary::Not, c) => self.select(c, b, a),
            _ if a == b && self.facts(condition).defined => a,
            _ => self.intern(Node::Select(condition, a, b)),
        }
    }

    /// not a. Since comparisons propagate NaN, not (a < b) is b ≤ a without exception.
    pub(crate) fn not(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::Constant(bits) => self.constant(Unary::Not.apply(f64::from_bits(bits))),
            Node::Binary(Binary::Less, x, y) => self.binary(Binary::LessEqual, y, x),
            Node::Binary(Binary::LessEqual, x, y) => self.binary(Binary::Less, y, x),
            Node::Unary(Unary::Not, x) if self.is_truth(x) => x,
            _ => self.intern(Node::Unary(Unary::Not, a)),
        }
    }

    /// Whether it takes only the values 0 and 1.
    fn is_truth(&self, a: NodeId) -> bool {
        use Binary::*;
        matches!(
            self.node(a),
            Node::Unary(Unary::Not, _) | Node::Binary(Less | LessEqual | Equal | And | Or, _, _)
        )
    }

    /// The operation of `like` on other operands, simplified.
    pub(crate) fn rebuild(&mut self, like: Node, operand: impl Fn(NodeId) -> NodeId) -> NodeId {
        match like {
            Node::Constant(_) | Node::Input(_) | Node::Parameter(_) => self.intern(like),
            Node::Unary(op, a) => self.unary(op, operand(a)),
            Node::Binary(op, a, b) => self.binary(op, operand(a), operand(b)),
            Node::Select(c, a, b) => self.select(operand(c), operand(a), operand(b)),
        }
    }

    /// `node` with each `from` replaced by its `to`, simultaneously, and simplified again.
    pub fn substitute(&mut self, node: NodeId, replacements: &[(NodeId, NodeId)]) -> NodeId {
        // Images in ascending order: operands are replaced before the nodes that use them.
        let mut image: Vec<NodeId> = (0..=node.0).map(NodeId).collect();
        for id in self.reachable(&[node]) {
            let replaced = replacements.iter().find(|(from, _)| *from == id);
            image[id.index()] = match replaced {
                Some(&(_, to)) => to,
                None => {
                    let like = self.node(id);
                    self.rebuild(like, |operand| image[operand.index()])
                }
            };
        }
        image[node.index()]
    }
}
