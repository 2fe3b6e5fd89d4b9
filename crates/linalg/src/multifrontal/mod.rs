//! Multifrontal LU factorisation of sparse matrices made of small dense blocks.
//!
//! ```text
//! M x = b,    M = ( M_ij ) by blocks, pattern symmetric, values not
//! ```
//!
//! Blocks are eliminated in an approximate minimum degree order (nested dissection by layers of the graph costs two to
//! three times as much in piles of spheres). Supernodes, runs of blocks with (nearly) the same neighbours, form one
//! dense front each, in which the arithmetic is done:
//!
//! ```text
//! F = M restricted + Σ updates of the children,   F = [L₁₁; L₂₁] [U₁₁ U₁₂] + [0 0; 0 update]
//! ```
//!
//! where the update (contribution) matrix of a child is added to its parent (extend-add).
//!
//! The symbolic factorisation depends on the pattern only and is done once for many matrices; a numeric factorisation
//! and a solve allocate nothing. Everything is sequential. The elimination in a front uses AVX2 where the processor has
//! it, without fused operations and so without a change of bits; the matrix product of large fronts chooses its
//! instructions by the processor. The same input gives the same bits on one machine.
//!
//! Limits: no pivoting, because the matrices of contact problems (a symmetric positive definite part, and an
//! unsymmetric one at sliding contacts) hardly need it, and a fixed order is what makes the method cheap. A vanishing
//! pivot is rejected; callers check the residual where accuracy matters.

mod front_lu;
mod numeric;
mod symbolic;
#[cfg(test)]
mod tests;

use symbolic::Symbolic;

/// A block matrix with its multifrontal LU factorisation.
#[derive(Debug, Clone, Default)]
pub struct MultifrontalLu {
    plan: Symbolic,
    /// The values of M, block after block in the order of the pattern, each row-major.
    value: Vec<f64>,
    /// L and U of every front.
    store: Vec<f64>,
    /// The current front, and the stack of update matrices of children that wait for their parent.
    front: Vec<f64>,
    stack: Vec<f64>,
    /// A right-hand side in elimination order.
    permuted: Vec<f64>,
}

impl MultifrontalLu {
    /// For a pattern: `size[i]` rows in block row i, blocks `(i, j)` in any order, each with its mirror (j, i) and all
    /// (i, i), none twice. `None` where an index is out of range.
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

    /// Multiplications of a numeric factorisation with the pattern of [`MultifrontalLu::new`].
    pub fn multiplications(size: &[usize], blocks: &[(u32, u32)]) -> Option<f64> {
        Some(Symbolic::new(size, blocks)?.multiplications())
    }

    /// The rows of M in the order in which they are eliminated.
    pub(crate) fn order(&self) -> &[u32] {
        &self.plan.source
    }

    /// The values of M, to be written: block after block in the order given, each row-major.
    #[inline]
    pub fn values(&mut self) -> &mut [f64] {
        &mut self.value
    }
}
