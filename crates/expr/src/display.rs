//! Expressions to text.
//!
//! The text is what a person would write and parses to the same node. As a text has no sharing, it may be exponentially
//! longer than the graph: it is truncated, with `...`, at a given length. The traversal uses an explicit stack, so that
//! a sum of 100 000 terms does not overflow.

use std::fmt;

use crate::graph::Graph;
use crate::node::{Binary, Node, NodeId, Unary};

/// Operator precedence, as in the parser.
mod precedence {
    pub const NOTHING: u8 = 0;
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARISON: u8 = 4;
    pub const SUM: u8 = 5;
    pub const PRODUCT: u8 = 6;
    pub const SIGN: u8 = 7;
    pub const POWER: u8 = 8;
    pub const ATOM: u8 = 9;
}
use precedence::*;

/// Bytes after which [`Graph::display`] truncates.
const LONGEST: usize = 1 << 20;

/// The text of a node, produced when it is formatted. See [`Graph::display`].
#[derive(Clone, Copy, Debug)]
pub struct ExpressionText<'g> {
    graph: &'g Graph,
    node: NodeId,
    longest: usize,
}

impl Graph {
    /// The text of an expression; [`Graph::parse`] gives the same node again.
    ///
    /// Truncated with `...` after 2²⁰ bytes.
    pub fn display(&self, node: NodeId) -> ExpressionText<'_> {
        self.display_short(node, LONGEST)
    }

    /// The text of an expression, for a message: truncated with `...` after `longest` bytes.
    pub fn display_short(&self, node: NodeId, longest: usize) -> ExpressionText<'_> {
        ExpressionText {
            graph: self,
            node,
            longest,
        }
    }
}

/// A piece of text still to be written.
enum Piece {
    Text(&'static str),
    Number(f64),
    /// A node, in brackets if its precedence is lower than this.
    Node(NodeId, u8),
}

impl fmt::Display for ExpressionText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = 0;
        let mut stack = vec![Piece::Node(self.node, NOTHING)];
        let mut pieces = Vec::new();
        while let Some(piece) = stack.pop() {
            if written > self.longest {
                return f.write_str("...");
            }
            match piece {
                Piece::Text(text) => {
                    written += text.len();
                    f.write_str(text)?;
                }
                Piece::Number(value) => {
                    let text = number(value);
                    written += text.len();
                    f.write_str(&text)?;
                }
                // Symbols by name; everything else by its pieces.
                Piece::Node(node, least) => match self.graph.symbol(node) {
                    Some(name) => {
                        written += name.len();
                        f.write_str(name)?;
                    }
                    None => {
                        // Brackets where the operator binds less strongly than its surroundings need.
                        let own = self.graph.pieces(node, &mut pieces);
                        if own < least {
                            stack.push(Piece::Text(")"));
                            stack.extend(pieces.drain(..).rev());
                            stack.push(Piece::Text("("));
                        } else {
                            stack.extend(pieces.drain(..).rev());
                        }
                    }
                },
            }
        }
        Ok(())
    }
}

/// The shortest digits that read back as the same number.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e15).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

impl Graph {
    /// The name of an input or parameter.
    pub(crate) fn symbol(&self, node: NodeId) -> Option<&str> {
        match self.node(node) {
            Node::Input(slot) => Some(&self.inputs[slot as usize]),
            Node::Parameter(slot) => Some(&self.parameters[slot as usize].name),
            _ => None,
        }
    }

    /// The pieces of a node that has no name; returns its precedence.
    fn pieces(&self, node: NodeId, out: &mut Vec<Piece>) -> u8 {
        use Piece::{Node as Part, Number, Text};
        match self.node(node) {
            Node::Constant(bits) => {
                let value = f64::from_bits(bits);
                out.push(Number(value));
                if value < 0.0 { SIGN } else { ATOM }
            }
            Node::Input(_) | Node::Parameter(_) => ATOM, // has a name
            Node::Unary(Unary::Neg, a) => {
                out.extend([Text("-"), Part(a, SIGN)]);
                SIGN
            }
            // not (a = b) is written a != b.
            Node::Unary(Unary::Not, a) => match self.node(a) {
                Node::Binary(Binary::Equal, a, b) => {
                    out.extend([Part(a, SUM), Text(" != "), Part(b, SUM)]);
                    COMPARISON
                }
                _ => {
                    out.extend([Text("not "), Part(a, NOT)]);
                    NOT
                }
            },
            Node::Unary(op, a) => call(out, op.name().unwrap_or(""), &[a]),
            Node::Select(c, a, b) => call(out, "if", &[c, a, b]),
            Node::Binary(op, a, b) => self.binary_pieces(op, a, b, out),
        }
    }

    fn binary_pieces(&self, op: Binary, a: NodeId, b: NodeId, out: &mut Vec<Piece>) -> u8 {
        use Piece::{Node as Part, Text};
        let mut between = |left: u8, text, right: u8, own: u8| {
            out.extend([Part(a, left), Text(text), Part(b, right)]);
            own
        };
        match op {
            Binary::Add => self.sum_pieces(a, b, out),
            Binary::Mul => self.product_pieces(a, b, out),
            // Left-associative operators: the right operand needs a higher precedence.
            Binary::Div => between(PRODUCT, "/", SIGN, PRODUCT),
            Binary::Pow => between(ATOM, "^", SIGN, POWER),
            Binary::Less => between(SUM, " < ", SUM, COMPARISON),
            Binary::LessEqual => between(SUM, " <= ", SUM, COMPARISON),
            Binary::Equal => between(SUM, " == ", SUM, COMPARISON),
            Binary::And => between(AND, " and ", NOT, AND),
            Binary::Or => between(OR, " or ", AND, OR),
            Binary::Atan2 => call(out, "atan2", &[a, b]),
            Binary::Min => call(out, "min", &[a, b]),
            Binary::Max => call(out, "max", &[a, b]),
            Binary::Hypot => call(out, "hypot", &[a, b]),
            Binary::Mod => call(out, "mod", &[a, b]),
        }
    }

    /// A sum: the longer operand first, which saves brackets, and a negative one after a minus.
    fn sum_pieces(&self, a: NodeId, b: NodeId, out: &mut Vec<Piece>) -> u8 {
        use Piece::{Node as Part, Number, Text};
        let is_sum = |x| matches!(self.node(x), Node::Binary(Binary::Add, _, _));
        // A sum or a term without sign comes first.
        let swap = !is_sum(a) && (is_sum(b) || self.negated(a).is_some());
        let (a, b) = if swap { (b, a) } else { (a, b) };
        out.push(Part(a, SUM));
        // Negative terms and coefficients are written with a minus.
        match (self.negated(b), self.split_coefficient(b)) {
            (Some(b), _) => out.extend([Text(" - "), Part(b, PRODUCT)]),
            (None, (c, x)) if c < 0.0 => {
                out.extend([Text(" - "), Number(-c), Text("*")]);
                self.factor_pieces(x, out);
            }
            _ => match self.constant_value(b) {
                Some(c) if c < 0.0 => out.extend([Text(" - "), Number(-c)]),
                _ => out.extend([Text(" + "), Part(b, PRODUCT)]),
            },
        }
        SUM
    }

    /// A product: small powers as such, a constant in front, else the longer factor first.
    fn product_pieces(&self, a: NodeId, b: NodeId, out: &mut Vec<Piece>) -> u8 {
        use Piece::{Node as Part, Text};
        // x², x³, x⁴.
        if let Some((base, power)) = self.power(a, b) {
            out.extend([Part(base, ATOM), Text(power)]);
            return POWER;
        }
        if self.is_constant(a) {
            out.extend([Part(a, SIGN), Text("*")]);
            self.factor_pieces(b, out);
            return PRODUCT;
        }
        let (a, b) = self.longer_first(a, b);
        out.extend([Part(a, PRODUCT), Text("*"), Part(b, SIGN)]);
        PRODUCT
    }

    /// The factor after a constant. A product without constants and quotients needs no brackets, because constants move
    /// to the front when it is parsed.
    fn factor_pieces(&self, x: NodeId, out: &mut Vec<Piece>) {
        // Descend to the first factor that will be written.
        let mut first = x;
        let plain = loop {
            match self.node(first) {
                Node::Binary(Binary::Mul, a, _) if self.is_constant(a) => break false,
                Node::Binary(Binary::Mul, a, b) if self.power(a, b).is_none() => {
                    first = self.longer_first(a, b).0
                }
                Node::Binary(Binary::Div, _, _) => break false,
                _ => break true,
            }
        };
        out.push(Piece::Node(x, if plain { PRODUCT } else { SIGN }));
    }

    /// The product as a power, in the forms in which powers are built.
    fn power(&self, a: NodeId, b: NodeId) -> Option<(NodeId, &'static str)> {
        let root = |x| match self.node(x) {
            Node::Binary(Binary::Mul, y, z) if y == z => Some(y),
            _ => None,
        };
        match (root(a), root(b)) {
            (Some(x), _) if a == b => Some((x, "^4")),
            _ if a == b => Some((a, "^2")),
            (Some(x), _) if x == b => Some((x, "^3")),
            (_, Some(x)) if x == a => Some((x, "^3")),
            _ => None,
        }
    }

    /// The factors in the order in which they are written.
    fn longer_first(&self, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
        match !self.is_chain(a) && self.is_chain(b) {
            true => (b, a),
            false => (a, b),
        }
    }

    /// A product or quotient that is written with an operator.
    fn is_chain(&self, x: NodeId) -> bool {
        match self.node(x) {
            Node::Binary(Binary::Mul, a, b) => self.power(a, b).is_none(),
            Node::Binary(Binary::Div, _, _) => true,
            _ => false,
        }
    }
}

/// Pieces of a function call.
fn call(out: &mut Vec<Piece>, name: &'static str, arguments: &[NodeId]) -> u8 {
    out.extend([Piece::Text(name), Piece::Text("(")]);
    for (i, &argument) in arguments.iter().enumerate() {
        if i > 0 {
            out.push(Piece::Text(", "));
        }
        out.push(Piece::Node(argument, NOTHING));
    }
    out.push(Piece::Text(")"));
    ATOM
}
