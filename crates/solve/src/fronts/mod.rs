//! Direct solution of sparse systems made of small dense blocks.
//!
//! ```text
//! M x = b,    M = ( M_ij ) by blocks, pattern symmetric, values not
//! ```
//!
//! Method: multifrontal LU. Blocks are eliminated in an order of approximate minimum degree (nested
//! dissection by layers of the graph costs two to three times as much in piles of balls); runs of blocks
//! with (nearly) the same neighbours are one dense front, in which the arithmetic is done:
//!
//! ```text
//! F = M restricted + Σ remainders of the children,   F = [L₁₁; L₂₁] [U₁₁ U₁₂] + [0 0; 0 remainder]
//! ```
//!
//! The symbolic part depends on the pattern only and is done once for many matrices; a numeric
//! factorisation and a solve allocate nothing. Sequential, and no instruction depends on the
//! processor save the dense product of large fronts: the same input gives the same bits on one machine.
//!
//! Limits: no pivoting, because the matrices of contact (a symmetric positive definite part, and an
//! unsymmetric one at sliding contacts) hardly need it and a fixed order is what makes it cheap. A
//! vanishing pivot is refused; whoever solves checks the residual where accuracy matters.

mod dense;
mod numeric;
mod symbolic;
#[cfg(test)]
mod tests;

use symbolic::Symbolic;

/// A block matrix with its factors.
#[derive(Debug, Default)]
pub(crate) struct MultifrontalLu {
    plan: Symbolic,
    /// The values of M, block after block in the order of the pattern, each row-major.
    value: Vec<f64>,
    /// L and U of every front.
    store: Vec<f64>,
    /// The front at work, and the remainders of children that wait for their parent.
    front: Vec<f64>,
    stack: Vec<f64>,
    /// A right-hand side in the order of elimination.
    permuted: Vec<f64>,
}

impl MultifrontalLu {
    /// For a pattern: `size[i]` rows in block row i, blocks `(i, j)` in any order, each with its
    /// mirror (j, i) and all (i, i), none twice. None where it contradicts itself.
    pub fn new(size: &[usize], blocks: &[(u32, u32)]) -> Option<Self> {
        let plan = Symbolic::new(size, blocks)?;
        Some(Self {
            value: vec![0.0; plan.num_values],
            store: vec![0.0; plan.num_stored],
            front: vec![0.0; plan.widest * plan.widest],
            stack: vec![0.0; plan.deepest],
            permuted: vec![0.0; plan.rows],
            plan,
        })
    }

    /// The values of M to be written: block after block in the order given, each row-major.
    pub fn values(&mut self) -> &mut [f64] {
        &mut self.value
    }
}
