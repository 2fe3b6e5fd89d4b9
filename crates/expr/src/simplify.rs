//! Constructors of sums, products and quotients in canonical form.
//!
//! Each constructor returns a node whose value is that of the operation as an identity of real numbers; rounding may
//! differ in the last digits. Simplification does what keeps derivatives small: constants folded and gathered at the
//! front of products, neutral elements dropped, like terms joined, signs moved outward, operands of commutative
//! operations in one order.
//!
//! Two rules keep it sound. An operation on constants whose result is not finite is kept as it is, so that `sqrt(-1)`
//! can still be named when it fails. And 0·x → 0, x − x → 0 and the like are done only where x is known to be finite
//! for all finite inputs ([`Facts::defined`]): `0*sqrt(x)` still fails for x < 0. Zero has no sign here: −0 becomes 0.
//!
//! [`Facts::defined`]: crate::graph::Facts

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

impl Graph {
    /// The constant `value`, which must be finite; any other value gives 0/0, whose evaluation is NaN and is reported
    /// as such.
    pub fn constant(&mut self, value: f64) -> NodeId {
        if !value.is_finite() {
            return self.intern(Node::Binary(Binary::Div, Self::ZERO, Self::ZERO));
        }
        // −0 becomes 0.
        let value = if value == 0.0 { 0.0 } else { value };
        self.intern(Node::Constant(value.to_bits()))
    }

    /// a + b.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        // Constants and neutral elements.
        if let Some(folded) = self.fold(Binary::Add, a, b) {
            return folded;
        }
        if a == Self::ZERO {
            return b;
        }
        if b == Self::ZERO {
            return a;
        }
        // Like terms: c₁ x + c₂ x = (c₁ + c₂) x; x + x and x − x among them.
        let ((ca, xa), (cb, xb)) = (self.split_coefficient(a), self.split_coefficient(b));
        if xa == xb && self.constant_value(xa).is_none() {
            let sum = ca + cb;
            if sum.is_finite() && (sum != 0.0 || self.facts(xa).defined) {
                let sum = self.constant(sum);
                return self.mul(sum, xa);
            }
        }
        // −x + −y = −(x + y).
        if let (Some(a), Some(b)) = (self.negated(a), self.negated(b)) {
            let sum = self.add(a, b);
            return self.neg(sum);
        }
        self.ordered(Binary::Add, a, b)
    }

    /// a − b.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let minus_b = self.neg(b);
        self.add(a, minus_b)
    }

    /// −a.
    pub fn neg(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::Constant(bits) => self.constant(-f64::from_bits(bits)),
            Node::Unary(Unary::Neg, x) => x,
            Node::Binary(Binary::Mul, c, x) if self.is_constant(c) => {
                let c = self.neg(c);
                self.mul(c, x)
            }
            Node::Binary(Binary::Div, c, x) if self.is_constant(c) => {
                let c = self.neg(c);
                self.div(c, x)
            }
            // −(x − y) = y − x and −(x − 3) = 3 − x cost no more. Not deeper into a long sum, which would be copied.
            Node::Binary(Binary::Add, x, y)
                if (self.is_negative(x) || self.is_negative(y))
                    && !self.is_sum(x)
                    && !self.is_sum(y) =>
            {
                let (x, y) = (self.neg(x), self.neg(y));
                self.add(x, y)
            }
            _ => self.intern(Node::Unary(Unary::Neg, a)),
        }
    }

    /// a b.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let Some(folded) = self.fold(Binary::Mul, a, b) {
            return folded;
        }
        let (a, b) = if self.is_constant(b) { (b, a) } else { (a, b) };
        if let Some(c) = self.constant_value(a) {
            return self.scale(c, b);
        }
        // Signs move outward.
        if let Some(x) = self.negated(a) {
            let product = self.mul(x, b);
            return self.neg(product);
        }
        if let Some(y) = self.negated(b) {
            let product = self.mul(a, y);
            return self.neg(product);
        }
        // Constant factors move to the front, where they are multiplied.
        let ((ca, xa), (cb, xb)) = (self.split_coefficient(a), self.split_coefficient(b));
        if (ca != 1.0 || cb != 1.0) && ordinary(ca * cb) {
            let product = self.mul(xa, xb);
            return self.scale(ca * cb, product);
        }
        // x · (c/y) = c · (x/y): constants in front here, too.
        for (x, quotient) in [(a, b), (b, a)] {
            if let Node::Binary(Binary::Div, c, y) = self.node(quotient)
                && let Some(c) = self.constant_value(c)
            {
                let ratio = self.div(x, y);
                return self.scale(c, ratio);
            }
        }
        // Squares cancel roots.
        if a == b {
            return self.square(a);
        }
        self.ordered(Binary::Mul, a, b)
    }

    /// x², which cancels a root: kinetic energies are often written as the square of a speed.
    pub(crate) fn square(&mut self, x: NodeId) -> NodeId {
        match self.node(x) {
            Node::Unary(Unary::Sqrt, y) if self.facts(y).nonnegative => y,
            Node::Unary(Unary::Abs | Unary::Neg, y) => self.mul(y, y),
            // One level only: the chain of such roots could be of any length.
            Node::Binary(Binary::Hypot, y, z) if !self.is_hypot(y) && !self.is_hypot(z) => {
                let (y, z) = (self.mul(y, y), self.mul(z, z));
                self.add(y, z)
            }
            Node::Constant(_) => self.mul(x, x),
            _ => self.ordered(Binary::Mul, x, x),
        }
    }

    /// c x for a constant c and an x that is not constant.
    fn scale(&mut self, c: f64, x: NodeId) -> NodeId {
        if c == 1.0 {
            return x;
        }
        if let Some(value) = self.constant_value(x)
            && (c * value).is_finite()
        {
            return self.constant(c * value);
        }
        // 0·x = 0 only where x cannot fail.
        if c == 0.0 && self.facts(x).defined {
            return Self::ZERO;
        }
        if c == -1.0 {
            return self.neg(x);
        }
        // Merge c with a constant factor of x.
        match self.node(x) {
            Node::Unary(Unary::Neg, y) => return self.scale(-c, y),
            Node::Binary(op @ (Binary::Mul | Binary::Div), d, y) => {
                if let Some(d) = self.constant_value(d)
                    && ordinary(c * d)
                {
                    let product = self.constant(c * d);
                    return match op {
                        Binary::Mul => self.mul(product, y),
                        _ => self.div(product, y),
                    };
                }
            }
            _ => {}
        }
        let c = self.constant(c);
        self.intern(Node::Binary(Binary::Mul, c, x))
    }

    /// a / b.
    pub fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if let Some(folded) = self.fold(Binary::Div, a, b) {
            return folded;
        }
        if let Some(d) = self.constant_value(b) {
            if let Some(quotient) = self.div_by_constant(a, d) {
                return quotient;
            }
        } else {
            if let Some(y) = self.negated(b) {
                let quotient = self.div(a, y);
                return self.neg(quotient);
            }
            // 0/b and b/b need b ≠ 0.
            let nonzero = self.facts(b).defined && self.facts(b).positive;
            if nonzero && a == Self::ZERO {
                return Self::ZERO;
            }
            if nonzero && a == b {
                return Self::ONE;
            }
            // (c x)/(d y) = (c/d) (x/y).
            let ((ca, xa), (cb, xb)) = (self.split_coefficient(a), self.split_coefficient(b));
            if (ca != 1.0 || cb != 1.0) && !self.is_constant(a) && ordinary(ca / cb) {
                let quotient = self.div(xa, xb);
                return self.scale(ca / cb, quotient);
            }
            // c/(d y) = (c/d)/y.
            if let Some(c) = self.constant_value(a)
                && cb != 1.0
                && ordinary(c / cb)
            {
                let c = self.constant(c / cb);
                return self.div(c, xb);
            }
        }
        if let Some(x) = self.negated(a) {
            let quotient = self.div(x, b);
            return self.neg(quotient);
        }
        self.intern(Node::Binary(Binary::Div, a, b))
    }

    /// a / d for a constant d, when there is a cheaper form than the division.
    fn div_by_constant(&mut self, a: NodeId, d: f64) -> Option<NodeId> {
        if d == 1.0 {
            return Some(a);
        }
        // Signs move outward; a division by zero is kept for the message.
        if d < 0.0 {
            let d = self.constant(-d);
            let quotient = self.div(a, d);
            return Some(self.neg(quotient));
        }
        if d == 0.0 {
            return None;
        }
        if a == Self::ZERO {
            return Some(a);
        }
        let (c, x) = self.split_coefficient(a);
        if c != 1.0 && c != -1.0 && !self.is_constant(a) && ordinary(c / d) {
            return Some(self.scale(c / d, x));
        }
        // The reciprocal of a power of two is exact; any other would add a rounding.
        let exact = d.to_bits() & ((1 << 52) - 1) == 0 && ordinary(1.0 / d) && ordinary(d);
        exact.then(|| self.scale(1.0 / d, a))
    }

    /// The two operands of a commutative operation in canonical order: constants in front of a product and behind a
    /// sum, as usual in writing, else by node number.
    pub(crate) fn ordered(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        // Sort key: constants in front of products, behind sums; then node number.
        let constant_first = op == Binary::Mul;
        let key = |graph: &Graph, x: NodeId| (graph.is_constant(x) != constant_first, x);
        let (a, b) = if op.commutes() && key(self, b) < key(self, a) {
            (b, a)
        } else {
            (a, b)
        };
        self.intern(Node::Binary(op, a, b))
    }

    /// The value of an operation on two constants, when it is finite.
    pub(crate) fn fold(&mut self, op: Binary, a: NodeId, b: NodeId) -> Option<NodeId> {
        let value = op.apply(self.constant_value(a)?, self.constant_value(b)?);
        value.is_finite().then(|| self.constant(value))
    }

    pub(crate) fn is_constant(&self, a: NodeId) -> bool {
        matches!(self.node(a), Node::Constant(_))
    }

    /// x where the node is −x.
    pub(crate) fn negated(&self, a: NodeId) -> Option<NodeId> {
        match self.node(a) {
            Node::Unary(Unary::Neg, x) => Some(x),
            _ => None,
        }
    }

    fn is_sum(&self, a: NodeId) -> bool {
        matches!(self.node(a), Node::Binary(Binary::Add, _, _))
    }

    fn is_hypot(&self, a: NodeId) -> bool {
        matches!(self.node(a), Node::Binary(Binary::Hypot, _, _))
    }

    fn is_negative(&self, a: NodeId) -> bool {
        self.negated(a).is_some() || self.constant_value(a).is_some_and(|c| c < 0.0)
    }

    /// The node as c·x with a constant c, 1 where there is none. Constants that could not be gathered (their product
    /// under- or overflows) are left where they are.
    pub(crate) fn split_coefficient(&self, a: NodeId) -> (f64, NodeId) {
        match self.node(a) {
            Node::Unary(Unary::Neg, x) => (-1.0, x),
            Node::Binary(Binary::Mul, c, x) => match (self.constant_value(c), self.node(x)) {
                (Some(_), Node::Binary(Binary::Mul, d, _)) if self.is_constant(d) => (1.0, a),
                (Some(c), _) => (c, x),
                (None, _) => (1.0, a),
            },
            _ => (1.0, a),
        }
    }
}

/// Neither zero, nor subnormal, nor infinite: a gathered constant must not lose digits of its factors.
fn ordinary(c: f64) -> bool {
    c.is_normal()
}
