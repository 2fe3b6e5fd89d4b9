//! Operations of the language and their values.
//!
//! Every operation is a function of one, two or three numbers. [`Unary::apply`], [`Binary::apply`] and [`select`] are
//! the only definition of their values: constant folding, the reference evaluation and the compiled tape all call them,
//! so that the three agree to the bit.
//!
//! A NaN always propagates. Rust's `min`, a comparison or a condition would lose it (`NaN < 1` is false, `min(NaN, 1)`
//! is 1) and a simulation would continue with a wrong number; here each of them returns NaN, so that a check of the
//! outputs alone finds every failure that matters. The one exception is the branch that a condition does not take,
//! whose value is not used.

/// Identity of a node of a [`Graph`](crate::Graph): one expression with all its operands.
///
/// Identities are only meaningful in the graph that gave them. In one graph two expressions with the same identity are
/// the same expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Index in the arena.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Form of a node. Operands always have smaller identities than the node that uses them, so that ascending order is an
/// order of evaluation and no traversal needs recursion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// A finite number, by its bits; never −0.
    Constant(u64),
    /// A value given at each evaluation, by slot.
    Input(u32),
    /// A value that stays between evaluations, by slot.
    Parameter(u32),
    /// A function of one number.
    Unary(Unary, NodeId),
    /// A function of two numbers.
    Binary(Binary, NodeId, NodeId),
    /// Condition, value if it holds, value if not.
    Select(NodeId, NodeId, NodeId),
}

impl Node {
    /// The operands, first to last.
    pub(crate) fn operands(self) -> impl Iterator<Item = NodeId> {
        let list = match self {
            Node::Constant(_) | Node::Input(_) | Node::Parameter(_) => [None; 3],
            Node::Unary(_, a) => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        list.into_iter().flatten()
    }
}

/// Functions of one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unary {
    Neg,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Abs,
    Sign,
    Floor,
    Not,
}

impl Unary {
    /// Value at x.
    #[inline]
    pub(crate) fn apply(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
            Unary::Exp => x.exp(),
            Unary::Ln => x.ln(),
            Unary::Log10 => x.log10(),
            Unary::Sqrt => x.sqrt(),
            Unary::Abs => x.abs(),
            Unary::Sign => sign(x),
            Unary::Floor => x.floor(),
            Unary::Not => truth(x, 0.0, 1.0),
        }
    }

    /// Name in the language; `None` for the two that are written as operators.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self {
            Unary::Neg | Unary::Not => return None,
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sinh => "sinh",
            Unary::Cosh => "cosh",
            Unary::Tanh => "tanh",
            Unary::Exp => "exp",
            Unary::Ln => "ln",
            Unary::Log10 => "log10",
            Unary::Sqrt => "sqrt",
            Unary::Abs => "abs",
            Unary::Sign => "sign",
            Unary::Floor => "floor",
        })
    }
}

/// Functions of two numbers. a − b is a + (−b), a > b is b < a, a ≠ b is not (a = b): one form each,
/// so that equal expressions become equal nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Add,
    Mul,
    Div,
    Pow,
    Atan2,
    Min,
    Max,
    Hypot,
    Mod,
    Less,
    LessEqual,
    Equal,
    And,
    Or,
}

impl Binary {
    /// Value at (a, b).
    #[inline]
    pub(crate) fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => a.powf(b),
            Binary::Atan2 => a.atan2(b),
            Binary::Min => minimum(a, b),
            Binary::Max => maximum(a, b),
            Binary::Hypot => a.hypot(b),
            Binary::Mod => modulo(a, b),
            Binary::Less => less(a, b, 1.0, 0.0),
            Binary::LessEqual => less_equal(a, b, 1.0, 0.0),
            Binary::Equal => equal(a, b),
            // Both operands are tested, so that a NaN in either propagates.
            Binary::And => truth(a, truth(b, 1.0, 0.0), truth(b, 0.0, 0.0)),
            Binary::Or => truth(a, truth(b, 1.0, 1.0), truth(b, 1.0, 0.0)),
        }
    }

    /// Whether the operation is commutative.
    pub(crate) fn commutes(self) -> bool {
        use Binary::*;
        matches!(self, Add | Mul | Min | Max | Hypot | Equal | And | Or)
    }
}

/// `yes` where `condition` is not zero, `no` where it is, NaN where it is NaN.
#[inline]
pub(crate) fn select(condition: f64, yes: f64, no: f64) -> f64 {
    truth(condition, yes, no)
}

/// Condition of the language: 0 is false, NaN propagates, everything else is true.
#[inline]
fn truth(x: f64, yes: f64, no: f64) -> f64 {
    if x == 0.0 {
        no
    } else if x.is_nan() {
        f64::NAN
    } else {
        yes
    }
}

/// `yes` where a < b, `no` where a ≥ b, NaN where they cannot be compared.
#[inline]
pub(crate) fn less(a: f64, b: f64, yes: f64, no: f64) -> f64 {
    if a < b {
        yes
    } else if a >= b {
        no
    } else {
        f64::NAN
    }
}

/// `yes` where a ≤ b, `no` where a > b, NaN where they cannot be compared.
#[inline]
pub(crate) fn less_equal(a: f64, b: f64, yes: f64, no: f64) -> f64 {
    if a <= b {
        yes
    } else if a > b {
        no
    } else {
        f64::NAN
    }
}

fn equal(a: f64, b: f64) -> f64 {
    if a == b {
        1.0
    } else if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        0.0
    }
}

#[inline]
fn minimum(a: f64, b: f64) -> f64 {
    less_equal(a, b, a, b)
}

#[inline]
fn maximum(a: f64, b: f64) -> f64 {
    less_equal(b, a, a, b)
}

/// −1, 0 or 1: the derivative of |x| where it has one, and the midpoint of its subdifferential at 0.
#[inline]
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x // 0 or NaN
    }
}

/// Remainder with the sign of the divisor, x − y floor(x/y), from the exact remainder of the division: the formula
/// itself loses all digits when x is much larger than y.
fn modulo(x: f64, y: f64) -> f64 {
    // Rust's remainder has the sign of x: shift it to that of y.
    let remainder = x % y;
    if remainder != 0.0 && (remainder < 0.0) != (y < 0.0) {
        remainder + y
    } else {
        remainder
    }
}
