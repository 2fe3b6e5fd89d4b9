//! Cholesky factors of mass matrices, and Jacobian blocks in kinetic coordinates.

use super::too_large;
use crate::delassus::{BlockStorage, FactoredDelassus, GroupBlock};
use crate::error::ProblemError;

impl FactoredDelassus {
    /// Appends Ĝ = G L⁻ᵀ for one group of the contact being built: each row solves L ĝ = g.
    pub(super) fn push_group_block(
        &mut self,
        group: usize,
        block: &[f64],
        rows: usize,
    ) -> Result<(), ProblemError> {
        let (first, last) = (self.group_offset[group], self.group_offset[group + 1]);
        let m = last - first;
        if m == 0 {
            // An empty group moves nothing; its block would share the first coordinate with the next group.
            return Ok(());
        }
        // ĝ = L⁻¹ g, row by row.
        let start = self.jacobian.len();
        self.jacobian.extend_from_slice(block);
        if let Some(at) = self.factor_ptr.get(group).copied().flatten() {
            let l = &self.factor[at..at + m * m];
            for i in 0..rows {
                forward(l, &mut self.jacobian[start + i * m..start + (i + 1) * m]);
            }
        }
        // A contact between two points of one group: its blocks are added up.
        let own = *self.block_ptr.last().unwrap_or(&0) as usize;
        if let Some(same) = self.blocks[own..]
            .iter()
            .find(|t| t.first_coordinate as usize == first)
        {
            let (kept, added) = self.jacobian.split_at_mut(start);
            let kept = &mut kept[same.start()..same.start() + rows * m];
            kept.iter_mut().zip(added).for_each(|(k, a)| *k += *a);
            self.jacobian.truncate(start);
            return Ok(());
        }
        let touch = GroupBlock::new(first, m, start, BlockStorage::Dense);
        self.blocks.push(touch.ok_or_else(too_large)?);
        Ok(())
    }
}

/// Lower Cholesky factor in place (the strict upper part is zeroed); the failing pivot and its value otherwise.
pub(super) fn cholesky(a: &mut [f64], n: usize) -> Result<(), (usize, f64)> {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - dot;
            if i == j {
                // A pivot at rounding level means a singular mass matrix, not a small mass.
                if !(rest > 1e-14 * a[i * n + i].abs()) {
                    return Err((i, rest));
                }
                a[i * n + i] = rest.sqrt();
            } else {
                a[i * n + j] = rest / a[j * n + j];
            }
        }
        a[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    Ok(())
}

/// Solves L x = b in place (forward substitution).
pub(super) fn forward(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let dot: f64 = (0..i).map(|j| l[i * n + j] * x[j]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
}
