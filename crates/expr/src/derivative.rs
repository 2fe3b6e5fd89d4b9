//! Exact derivatives: symbolic forward differentiation over the graph.
//!
//! The directional derivative is propagated from the operands to the result by the chain rule, one node of the arena at
//! a time; nodes that do not depend on the direction have derivative 0 and are not visited. With ẋ the directional
//! derivative of x,
//!
//! ```text
//! (a b)˙ = ȧ b + a ḃ     (a/b)˙ = (ȧ − (a/b) ḃ)/b     f(a)˙ = f'(a) ȧ
//! ```
//!
//! Forward rather than reverse mode, although reverse mode would give a gradient in one pass: in forward mode the
//! derivative of `if(c, a, b)` is `if(c, ȧ, ḃ)` and a failure in the branch not taken stays there, while in reverse
//! mode it would be multiplied by 0 and give NaN (`if(x > 0, sqrt(x), 0)` at 0).
//!
//! Where there is no derivative, a definite value is taken: |x|' is 0 at 0; sign, floor, step, comparisons and logic
//! have derivative 0, also at their jumps; min and max at equality take that of their first operand; a condition takes
//! the derivative of its branch; mod(x, y)' is ẋ − floor(x/y) ẏ. √x at 0 and hypot at the origin have none and give inf
//! or NaN there, which a checked run reports by name. A term whose derivative factor is identically zero is left out,
//! also where its other factor fails.

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

impl Graph {
    /// Partial derivative ∂`node`/∂`variable`, exact.
    ///
    /// The variable is an input, a parameter, or any other node, which is then treated as independent.
    pub fn derivative(&mut self, node: NodeId, variable: NodeId) -> NodeId {
        self.directional(node, &[(variable, Self::ONE)])
    }

    /// Gradient: the derivatives by each of the variables.
    pub fn gradient(&mut self, node: NodeId, variables: &[NodeId]) -> Vec<NodeId> {
        let partial = |&variable| self.derivative(node, variable);
        variables.iter().map(partial).collect()
    }

    /// Directional derivative Σ ∂`node`/∂xᵢ · sᵢ over the given pairs (xᵢ, sᵢ) in one pass.
    ///
    /// With (position, velocity) pairs and (time, 1) this is the time derivative along a motion.
    pub fn directional(&mut self, node: NodeId, seeds: &[(NodeId, NodeId)]) -> NodeId {
        // One pass in order of evaluation: the rates of operands are known.
        let mut rate = vec![Self::ZERO; node.index() + 1];
        for id in self.reachable(&[node]) {
            let seed = seeds.iter().find(|(variable, _)| *variable == id);
            let value = match (seed, self.node(id)) {
                (Some(&(_, seed)), _) => seed,
                (None, form) => {
                    // No operand varies along the direction: rate 0.
                    let moves = form.operands().any(|a| rate[a.index()] != Self::ZERO);
                    match moves {
                        true => self.rate_of(id, |a| rate[a.index()]),
                        false => Self::ZERO,
                    }
                }
            };
            rate[id.index()] = value;
        }
        rate[node.index()]
    }

    /// Chain rule for one node, given the rates of its operands.
    fn rate_of(&mut self, id: NodeId, rate: impl Fn(NodeId) -> NodeId) -> NodeId {
        match self.node(id) {
            Node::Constant(_) | Node::Input(_) | Node::Parameter(_) => Self::ZERO,
            Node::Unary(op, a) => {
                let factor = self.slope(op, a, id);
                self.product_of_rate(rate(a), factor)
            }
            Node::Binary(op, a, b) => self.binary_rate(op, id, (a, rate(a)), (b, rate(b))),
            // The condition is piecewise constant: only the taken branch contributes.
            Node::Select(c, a, b) => self.select(c, rate(a), rate(b)),
        }
    }

    /// ẋ·factor; 0 where ẋ is identically zero, even if the factor fails.
    fn product_of_rate(&mut self, rate: NodeId, factor: NodeId) -> NodeId {
        match rate == Self::ZERO || factor == Self::ZERO {
            true => Self::ZERO,
            false => self.mul(factor, rate),
        }
    }

    /// f'(a), given `value` = f(a).
    fn slope(&mut self, op: Unary, a: NodeId, value: NodeId) -> NodeId {
        match op {
            Unary::Neg => self.constant(-1.0),
            Unary::Sin => self.cos(a),
            Unary::Cos => {
                let sine = self.sin(a);
                self.neg(sine)
            }
            // tan' = 1 + tan².
            Unary::Tan => {
                let square = self.mul(value, value);
                self.add(Self::ONE, square)
            }
            // ±1/√(1 − a²).
            Unary::Asin | Unary::Acos => {
                let square = self.mul(a, a);
                let rest = self.sub(Self::ONE, square);
                let root = self.sqrt(rest);
                let sign = self.constant(if op == Unary::Asin { 1.0 } else { -1.0 });
                self.div(sign, root)
            }
            // 1/(1 + a²).
            Unary::Atan => {
                let square = self.mul(a, a);
                let sum = self.add(square, Self::ONE);
                self.div(Self::ONE, sum)
            }
            Unary::Sinh => self.unary(Unary::Cosh, a),
            Unary::Cosh => self.unary(Unary::Sinh, a),
            // tanh' = 1 − tanh².
            Unary::Tanh => {
                let square = self.mul(value, value);
                self.sub(Self::ONE, square)
            }
            Unary::Exp => value,
            Unary::Ln => self.div(Self::ONE, a),
            Unary::Log10 => {
                let scale = self.constant(std::f64::consts::LOG10_E);
                self.div(scale, a)
            }
            Unary::Sqrt => {
                let half = self.constant(0.5);
                self.div(half, value)
            }
            Unary::Abs => self.unary(Unary::Sign, a),
            Unary::Sign | Unary::Floor | Unary::Not => Self::ZERO,
        }
    }

    /// Rate of op(a, b), given (operand, rate) of both; `value` is the node itself.
    fn binary_rate(
        &mut self,
        op: Binary,
        value: NodeId,
        (a, da): (NodeId, NodeId),
        (b, db): (NodeId, NodeId),
    ) -> NodeId {
        match op {
            Binary::Add => self.add(da, db),
            // (a²)˙ = 2 a ȧ.
            Binary::Mul if a == b => {
                let half = self.mul(a, da);
                self.add(half, half)
            }
            Binary::Mul => self.weighted(b, da, a, db),
            // (a/b)˙ = (ȧ − (a/b) ḃ)/b.
            Binary::Div => {
                let part = self.product_of_rate(db, value);
                let rest = self.sub(da, part);
                self.div(rest, b)
            }
            Binary::Pow => self.power_rate(value, (a, da), (b, db)),
            // (b ȧ − a ḃ)/(a² + b²).
            Binary::Atan2 => {
                let minus_a = self.neg(a);
                let turn = self.weighted(b, da, minus_a, db);
                let (aa, bb) = (self.mul(a, a), self.mul(b, b));
                let square = self.add(aa, bb);
                self.div(turn, square)
            }
            // (a ȧ + b ḃ)/hypot(a, b).
            Binary::Hypot => {
                let along = self.weighted(a, da, b, db);
                self.div(along, value)
            }
            // At equality the derivative of the first operand.
            Binary::Min => {
                let first = self.binary(Binary::LessEqual, a, b);
                self.select(first, da, db)
            }
            Binary::Max => {
                let first = self.binary(Binary::LessEqual, b, a);
                self.select(first, da, db)
            }
            Binary::Mod => {
                let ratio = self.div(a, b);
                let turns = self.unary(Unary::Floor, ratio);
                let part = self.product_of_rate(db, turns);
                self.sub(da, part)
            }
            Binary::Less | Binary::LessEqual | Binary::Equal | Binary::And | Binary::Or => {
                Self::ZERO
            }
        }
    }

    /// p ȧ + q ḃ.
    fn weighted(&mut self, p: NodeId, da: NodeId, q: NodeId, db: NodeId) -> NodeId {
        let first = self.product_of_rate(da, p);
        let second = self.product_of_rate(db, q);
        self.add(first, second)
    }

    /// (aᵇ)˙ = b aᵇ⁻¹ ȧ + aᵇ ln(a) ḃ, the first term without a division so that it holds at a = 0.
    fn power_rate(
        &mut self,
        value: NodeId,
        (a, da): (NodeId, NodeId),
        (b, db): (NodeId, NodeId),
    ) -> NodeId {
        let mut sum = Self::ZERO;
        if da != Self::ZERO {
            let less = self.sub(b, Self::ONE);
            let power = self.pow(a, less);
            let slope = self.mul(b, power);
            sum = self.mul(slope, da);
        }
        if db != Self::ZERO {
            let log = self.unary(Unary::Ln, a);
            let slope = self.mul(value, log);
            let term = self.mul(slope, db);
            sum = self.add(sum, term);
        }
        sum
    }
}
