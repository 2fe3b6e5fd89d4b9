//! Local data of each contact: the free velocity b_α, the diagonal block H_α, and κ_α = d / tr H_α.
//!
//! For a factored operator they are computed when the contact is added, while its blocks of Ĝ are in cache:
//!
//! ```text
//! b_α = W_α + ρ U_I + Σ Ĝ v̂_free,    H_α = Σ Ĝ Ĝᵀ      over the groups of the contact
//! ```
//!
//! Spheres in space have rows (s n, 0), (s t1, c t2), (s t2, −c t1) with an orthonormal frame, so that
//! H = Σ diag(s², s² + c², s² + c²) (see `builder::fixed`).

use crate::block_sparse::BlockSparseMatrix;
use crate::check::{all_finite, check_finite};
use crate::delassus::FactoredDelassus;
use crate::error::ProblemError;
use crate::law::Law;

/// b, H and κ by contact.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LocalBlocks {
    /// b by row.
    pub(crate) free: Vec<f64>,
    /// κ_α; −tr H_α where its computation is deferred.
    pub(crate) kappa: Vec<f64>,
    /// Whether some κ is deferred.
    has_deferred_kappa: bool,
    /// Diagonal blocks H_α, row-major, one after the other.
    block: Vec<f64>,
    /// End of each block in `block`.
    block_end: Vec<usize>,
}

impl LocalBlocks {
    /// Empties the lists and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.free.clear();
        self.kappa.clear();
        self.has_deferred_kappa = false;
        self.block.clear();
        self.block_end.clear();
    }

    /// Those of some contacts; `offset` has the first row of each.
    pub(crate) fn restricted_to(&self, contacts: &[u32], offset: &[usize]) -> Self {
        let mut part = Self::default();
        for a in contacts.iter().map(|a| *a as usize) {
            part.free
                .extend_from_slice(&self.free[offset[a]..offset[a + 1]]);
            part.kappa.push(self.kappa[a]);
            part.block.extend_from_slice(self.block(a));
            part.block_end.push(part.block.len());
        }
        part
    }

    /// H_α, row-major.
    #[inline]
    pub(crate) fn block(&self, a: usize) -> &[f64] {
        let start = if a == 0 { 0 } else { self.block_end[a - 1] };
        &self.block[start..self.block_end[a]]
    }

    /// Copies H and b of a problem that is given as a matrix, checks them and computes κ.
    pub(crate) fn fill_from_matrix(
        &mut self,
        matrix: &BlockSparseMatrix,
        free: &[f64],
        law: &[Law],
    ) -> Result<(), ProblemError> {
        let rows = matrix.offset().last().copied().unwrap_or(0);
        self.free.extend_from_slice(free);
        if free.len() != rows {
            return Err(ProblemError::Size {
                what: "the free velocity b".into(),
                found: free.len(),
                expected: rows,
                why: "one entry for each row of W".into(),
            });
        }
        check_finite("the free velocity b", || "the problem".into(), free)?;
        // Every diagonal block must be positive semidefinite, with a positive normal entry under a unilateral law.
        for (a, law) in law.iter().enumerate() {
            let block = matrix.diagonal(a);
            let d = matrix.dim(a);
            let whole = |detail| ProblemError::Block { contact: a, detail };
            sound(block, d, law.normal()).map_err(whole)?;
            semidefinite(block, d).map_err(whole)?;
            self.block.extend_from_slice(block);
            self.close(d);
        }
        Ok(())
    }

    /// Computes b, H and κ of the next contact of a factored operator, and checks them.
    pub(crate) fn push(
        &mut self,
        kinetic: &FactoredDelassus,
        contact: usize,
        normal: bool,
    ) -> Result<(), ProblemError> {
        self.push_any(kinetic, contact);
        let d = kinetic.offset[contact + 1] - kinetic.offset[contact];
        let b = &self.free[self.free.len() - d..];
        check_finite("the free velocity b", || "the problem".into(), b)?;
        // A sum of products Ĝ Ĝᵀ is semidefinite by construction: finite entries and positive trace are left to check.
        let block = &self.block[self.block.len() - d * d..];
        sound(block, d, normal).map_err(|detail| ProblemError::Block { contact, detail })?;
        self.close(d);
        Ok(())
    }

    /// Appends b and H that the caller has computed, checks them and computes κ.
    #[inline(always)]
    pub(crate) fn add<const R: usize>(
        &mut self,
        contact: usize,
        normal: bool,
        b: [f64; R],
        h: [[f64; R]; R],
    ) -> Result<(), ProblemError> {
        let mut trace = 0.0;
        for (i, row) in h.iter().enumerate() {
            trace += row[i];
        }
        let fine = all_finite(&b)
            & all_finite(h.as_flattened())
            & (trace > 0.0)
            & (!normal | (h[0][0] > 0.0));
        if !fine {
            return refuse(contact, normal, &b, h.as_flattened());
        }
        self.free.extend_from_slice(&b);
        self.block.extend_from_slice(h.as_flattened());
        self.kappa.push(R as f64 / trace);
        self.block_end.push(self.block.len());
        Ok(())
    }

    /// Appends b and H of a contact that the caller has checked; κ is computed for all at once by
    /// [`LocalBlocks::compute_deferred_kappa`]. One division per contact would stall on the latency of the divider,
    /// a loop of independent divisions pipelines.
    #[inline(always)]
    pub(crate) fn push_deferring_kappa<const R: usize>(
        &mut self,
        b: [f64; R],
        h: [[f64; R]; R],
        trace: f64,
    ) {
        self.free.extend_from_slice(&b);
        self.block.extend_from_slice(h.as_flattened());
        self.kappa.push(-trace);
        self.has_deferred_kappa = true;
        self.block_end.push(self.block.len());
    }

    /// Computes κ of the contacts added by [`LocalBlocks::push_deferring_kappa`]; other κ are positive already.
    pub(crate) fn compute_deferred_kappa(&mut self, offset: &[usize]) {
        if !std::mem::take(&mut self.has_deferred_kappa) {
            return;
        }
        for (kappa, rows) in self.kappa.iter_mut().zip(offset.windows(2)) {
            let due = (rows[1] - rows[0]) as f64 / -*kappa;
            *kappa = if *kappa < 0.0 { due } else { *kappa };
        }
    }

    /// Appends b and H of a contact, computed from its blocks of Ĝ.
    fn push_any(&mut self, kinetic: &FactoredDelassus, contact: usize) {
        let rows = kinetic.offset[contact]..kinetic.offset[contact + 1];
        let d = rows.len();
        // b = W_α + ρ U_I + Σ Ĝ v̂_free.
        let from = self.free.len();
        self.free.extend(rows.map(|row| kinetic.affine_term(row)));
        kinetic.add_gather(contact, &kinetic.free, &mut self.free[from..]);
        // H = Σ Ĝ Ĝᵀ.
        let start = self.block.len();
        self.block.resize(start + d * d, 0.0);
        for (_, g) in kinetic.dense_blocks(contact) {
            let m = g.len() / d.max(1);
            for i in 0..d {
                for j in 0..d {
                    let dot: f64 = (0..m).map(|c| g[i * m + c] * g[j * m + c]).sum();
                    self.block[start + i * d + j] += dot;
                }
            }
        }
    }

    /// Computes κ of the block appended last.
    #[inline]
    fn close(&mut self, d: usize) {
        let block = &self.block[self.block.len() - d * d..];
        let trace: f64 = (0..d).map(|i| block[i * d + i]).sum();
        self.kappa.push(d as f64 / trace);
        self.block_end.push(self.block.len());
    }
}

/// Reports what is wrong with b or H.
#[cold]
fn refuse(contact: usize, normal: bool, b: &[f64], h: &[f64]) -> Result<(), ProblemError> {
    check_finite("the free velocity b", || "the problem".into(), b)?;
    sound(h, b.len(), normal).map_err(|detail| ProblemError::Block { contact, detail })
}

/// Contacts of bodies have at most this many rows; larger blocks are checked in heap memory.
const SMALL: usize = 6;

/// Checks that a diagonal block is finite, has a positive trace and, with a unilateral row, a positive normal entry.
#[inline]
fn sound(block: &[f64], d: usize, normal: bool) -> Result<(), String> {
    if !all_finite(block) {
        let bad = block.iter().find(|v| !v.is_finite());
        return Err(format!("it holds {}", bad.copied().unwrap_or(f64::NAN)));
    }
    let trace: f64 = (0..d).map(|i| block[i * d + i]).sum();
    if !(trace > 0.0) {
        return Err(format!("its trace is {trace:e}: the contact moves nothing"));
    }
    if normal && !(block[0] > 0.0) {
        return Err(format!("its normal entry is {:e}", block[0]));
    }
    Ok(())
}

/// Checks that a diagonal block is positive semidefinite (its symmetric part: a stored block may have a
/// small skew part); tangential rank may be deficient (M88 §17).
fn semidefinite(block: &[f64], d: usize) -> Result<(), String> {
    let trace: f64 = (0..d).map(|i| block[i * d + i]).sum();
    // Pivots of the symmetric part. Rounding of products G A⁻¹ Gᵀ leaves negative pivots of the
    // order 1e-16 of the trace in a singular block; 1e-9 keeps clear of that and of the skew part.
    let (mut small, mut large) = ([0.0; SMALL * SMALL], Vec::new());
    let s: &mut [f64] = if d <= SMALL {
        &mut small[..d * d]
    } else {
        large.resize(d * d, 0.0);
        &mut large
    };
    for (k, entry) in s.iter_mut().enumerate() {
        *entry = 0.5 * (block[k] + block[(k % d) * d + k / d]);
    }
    let floor = 1e-9 * trace;
    for k in 0..d {
        let pivot = s[k * d + k];
        if pivot < -floor {
            return Err(format!("pivot {k} of its symmetric part is {pivot:e}"));
        }
        if pivot <= floor {
            continue;
        }
        for i in k + 1..d {
            let factor = s[i * d + k] / pivot;
            for j in k + 1..d {
                s[i * d + j] -= factor * s[k * d + j];
            }
        }
    }
    Ok(())
}
