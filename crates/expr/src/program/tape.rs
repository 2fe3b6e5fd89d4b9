//! Tape: instructions of a register machine.
//!
//! Operands are register numbers of one byte over a file of exactly 256 registers, which the compiler knows to be in
//! range, so that no access is bounds-checked; a program that needs more uses four-byte numbers over a slice and pays
//! for the checks.
//!
//! Fused instructions do two or three operations in the order and with the roundings of the separate ones (no fused
//! multiply-add: it rounds once, and without hardware support it is a slow call), so that a tape gives the bits of the
//! reference evaluation.

use crate::node::{self, Binary, Unary};

/// Size of a narrow register file: what one byte can address.
pub(crate) const NARROW: usize = 256;

/// Operation of an instruction: computes register d from a, b, c, e.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// a + b.
    Add,
    /// a b.
    Mul,
    /// a / b.
    Div,
    /// −a.
    Neg,
    /// sin a.
    Sin,
    /// cos a.
    Cos,
    /// eᵃ.
    Exp,
    /// √a.
    Sqrt,
    /// Any other f(a).
    Unary(Unary),
    /// Any other f(a, b).
    Binary(Binary),
    /// a − b.
    Sub,
    /// −(a b).
    NegMul,
    /// (a b) c.
    Mul3,
    /// (a + b) + c.
    Add3,
    /// a b + c.
    MulAdd,
    /// a b − c.
    MulSub,
    /// c − a b.
    SubMul,
    /// a b + c e.
    MulAddMul,
    /// a b − c e.
    MulSubMul,
    /// (a + b) c.
    AddMul,
    /// (a − b) c.
    SubThenMul,
    /// b if a ≠ 0, else c.
    Select,
    /// c if a < b, else e.
    SelectLess,
    /// c if a ≤ b, else e.
    SelectLessEqual,
    /// sin a into d, cos a into b.
    SinCos,
}

impl From<Unary> for Op {
    /// Frequent functions have an opcode of their own, which saves a second dispatch.
    fn from(op: Unary) -> Self {
        match op {
            Unary::Neg => Op::Neg,
            Unary::Sin => Op::Sin,
            Unary::Cos => Op::Cos,
            Unary::Exp => Op::Exp,
            Unary::Sqrt => Op::Sqrt,
            other => Op::Unary(other),
        }
    }
}

impl From<Binary> for Op {
    fn from(op: Binary) -> Self {
        match op {
            Binary::Add => Op::Add,
            Binary::Mul => Op::Mul,
            Binary::Div => Op::Div,
            other => Op::Binary(other),
        }
    }
}

/// One instruction; registers that the operation does not use are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<R> {
    pub op: Op,
    pub d: R,
    pub a: R,
    pub b: R,
    pub c: R,
    pub e: R,
}

/// A register file addressed by `Register`.
pub(crate) trait RegisterFile {
    type Register: Copy;
    fn get(&self, register: Self::Register) -> f64;
    fn set(&mut self, register: Self::Register, value: f64);
}

impl RegisterFile for [f64; NARROW] {
    type Register = u8;

    #[inline(always)]
    fn get(&self, register: u8) -> f64 {
        self[register as usize]
    }

    #[inline(always)]
    fn set(&mut self, register: u8, value: f64) {
        self[register as usize] = value;
    }
}

impl RegisterFile for [f64] {
    type Register = u32;

    #[inline(always)]
    fn get(&self, register: u32) -> f64 {
        self[register as usize]
    }

    #[inline(always)]
    fn set(&mut self, register: u32, value: f64) {
        self[register as usize] = value;
    }
}

/// Executes the instructions in order.
pub(crate) fn execute<F: RegisterFile + ?Sized>(tape: &[Instruction<F::Register>], file: &mut F) {
    for i in tape {
        // Operands that an operation does not use are register 0.
        let (a, b) = (file.get(i.a), file.get(i.b));
        let value = match i.op {
            Op::Add => a + b,
            Op::Mul => a * b,
            Op::Div => a / b,
            Op::Neg => -a,
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Exp => a.exp(),
            Op::Sqrt => a.sqrt(),
            Op::Sub => a - b,
            Op::NegMul => -(a * b),
            Op::Mul3 => (a * b) * file.get(i.c),
            Op::Add3 => (a + b) + file.get(i.c),
            Op::MulAdd => a * b + file.get(i.c),
            Op::MulSub => a * b - file.get(i.c),
            Op::SubMul => file.get(i.c) - a * b,
            Op::MulAddMul => a * b + file.get(i.c) * file.get(i.e),
            Op::MulSubMul => a * b - file.get(i.c) * file.get(i.e),
            Op::AddMul => (a + b) * file.get(i.c),
            Op::SubThenMul => (a - b) * file.get(i.c),
            Op::Select => node::select(a, b, file.get(i.c)),
            Op::SelectLess => node::less(a, b, file.get(i.c), file.get(i.e)),
            Op::SelectLessEqual => node::less_equal(a, b, file.get(i.c), file.get(i.e)),
            Op::SinCos => {
                let (sine, cosine) = a.sin_cos();
                file.set(i.b, cosine);
                sine
            }
            Op::Unary(op) => op.apply(a),
            Op::Binary(op) => op.apply(a, b),
        };
        file.set(i.d, value);
    }
}
