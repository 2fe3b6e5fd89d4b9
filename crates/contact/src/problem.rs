//! The one-step problem (★): find impulses r and relative velocities u with
//!
//! ```text
//! u = W r + b,     law_α(u_α, r_α)  for every contact α           (M88 §11, JM92 §7)
//! ```
//!
//! W = G A⁻¹ Gᵀ is the Delassus operator, b = U_free + ρ U_I the weighted free velocity, so u is
//! Moreau's Ū = U_F + ρ U_I and the physical velocity at the end of the step is u − ρ U_I.
//! Mechanisms and collections of bodies give W through its factor ([`Kinetic`]); a problem file
//! gives it as a matrix ([`BlockSparse`]). Nothing behind this type knows where it came from.

use std::borrow::Cow;

use crate::builder::{KineticBuilder, finite};
use crate::error::ProblemError;
use crate::kinetic::Kinetic;
use crate::law::Law;
use crate::stored::BlockSparse;

/// How W and b are given.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// Through masses and the map G.
    Kinetic(Kinetic),
    /// As a matrix and a vector.
    Stored {
        /// W.
        matrix: BlockSparse,
        /// b, by row.
        free: Vec<f64>,
    },
}

impl Operator {
    /// First row of each contact; one more entry than contacts.
    #[inline]
    fn offset(&self) -> &[usize] {
        match self {
            Self::Kinetic(kinetic) => kinetic.offset(),
            Self::Stored { matrix, .. } => matrix.offset(),
        }
    }
}

/// A one-step problem with valid data.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    law: Vec<Law>,
    operator: Operator,
    /// b by row.
    free: Vec<f64>,
    /// Diagonal blocks H_α, row-major, one after the other.
    block: Vec<f64>,
    block_ptr: Vec<usize>,
    /// κ_α = d / tr H_α.
    kappa: Vec<f64>,
}

/// Memory of an old problem's derived data, to be filled again.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Buffers {
    free: Vec<f64>,
    block: Vec<f64>,
    block_ptr: Vec<usize>,
    kappa: Vec<f64>,
}

impl Problem {
    /// Checks the data and prepares the diagonal blocks.
    pub fn new(law: Vec<Law>, operator: Operator) -> Result<Self, ProblemError> {
        Self::with_buffers(law, operator, Buffers::default())
    }

    /// The same with memory to be used again.
    pub(crate) fn with_buffers(
        law: Vec<Law>,
        operator: Operator,
        buffers: Buffers,
    ) -> Result<Self, ProblemError> {
        let Buffers {
            mut free,
            mut block,
            mut block_ptr,
            mut kappa,
        } = buffers;
        free.clear();
        block.clear();
        block_ptr.clear();
        block_ptr.push(0);
        kappa.clear();
        let offset = operator.offset();
        let n = offset.len() - 1;
        if law.len() != n {
            return Err(ProblemError::Size {
                what: "the list of laws".into(),
                found: law.len(),
                expected: n,
                why: "one law for each contact".into(),
            });
        }
        for (contact, law) in law.iter().enumerate() {
            law.validate(offset[contact + 1] - offset[contact])
                .map_err(|source| ProblemError::Law { contact, source })?;
        }
        let mut problem = Self {
            law,
            operator,
            free,
            block,
            block_ptr,
            kappa,
        };
        problem.fill_free()?;
        for a in 0..n {
            problem.push_block(a)?;
        }
        Ok(problem)
    }

    /// Takes a problem apart for its memory: the builder of the next one, empty. Only a problem that
    /// came from masses has memory that a builder can use.
    pub fn recycle(self) -> KineticBuilder {
        let Operator::Kinetic(kinetic) = self.operator else {
            return KineticBuilder::default();
        };
        let buffers = Buffers {
            free: self.free,
            block: self.block,
            block_ptr: self.block_ptr,
            kappa: self.kappa,
        };
        KineticBuilder::reuse(kinetic, self.law, buffers)
    }

    /// A problem with W stored as a scalar compressed-row matrix, Coulomb's law at every contact.
    /// `dimension` is 2 or 3 (rows per contact); there is one `friction` entry per contact.
    pub fn from_matrix(
        dimension: usize,
        row_ptr: &[usize],
        col: &[usize],
        val: &[f64],
        free: Vec<f64>,
        friction: &[f64],
    ) -> Result<Self, ProblemError> {
        let offset = (0..=friction.len()).map(|a| a * dimension).collect();
        finite("an entry of W", || "the stored matrix".into(), val)?;
        let matrix = BlockSparse::from_rows(offset, row_ptr, col, val)?;
        let law = friction.iter().map(|&mu| Law::Coulomb { mu }).collect();
        Self::new(law, Operator::Stored { matrix, free })
    }

    fn fill_free(&mut self) -> Result<(), ProblemError> {
        let rows = self.num_rows();
        match &self.operator {
            Operator::Kinetic(k) => {
                let b = &mut self.free;
                b.extend((0..rows).map(|row| k.given(row)));
                for (a, ends) in k.offset().windows(2).enumerate() {
                    k.add_gather(a, k.free(), &mut b[ends[0]..ends[1]]);
                }
            }
            Operator::Stored { free, .. } => self.free.extend_from_slice(free),
        }
        if self.free.len() != rows {
            return Err(ProblemError::Size {
                what: "the free velocity b".into(),
                found: self.free.len(),
                expected: rows,
                why: "one entry for each row of W".into(),
            });
        }
        finite("the free velocity b", || "the problem".into(), &self.free)
    }

    /// Computes and checks H_α.
    fn push_block(&mut self, a: usize) -> Result<(), ProblemError> {
        let d = self.dim(a);
        let start = self.block.len();
        match &self.operator {
            Operator::Stored { matrix, .. } => self.block.extend_from_slice(matrix.diagonal(a)),
            Operator::Kinetic(k) => {
                self.block.resize(start + d * d, 0.0);
                for (_, g) in k.touches(a) {
                    let m = g.len() / d.max(1);
                    for i in 0..d {
                        for j in 0..d {
                            let dot: f64 = (0..m).map(|c| g[i * m + c] * g[j * m + c]).sum();
                            self.block[start + i * d + j] += dot;
                        }
                    }
                }
            }
        }
        let block = &self.block[start..];
        check_block(block, d, self.law[a].normal())
            .map_err(|detail| ProblemError::Block { contact: a, detail })?;
        let trace: f64 = (0..d).map(|i| block[i * d + i]).sum();
        self.kappa.push(d as f64 / trace);
        self.block_ptr.push(self.block.len());
        Ok(())
    }

    /// Puts another law in the place of that of contact `a`, where it fits the number of rows; the
    /// problem stays as it is where it does not.
    pub fn replace_law(&mut self, a: usize, law: Law) {
        let fits = a < self.law.len() && law.validate(self.dim(a)).is_ok();
        // A unilateral normal row needs a positive diagonal entry, which was checked only for such laws.
        if fits && (!law.normal() || self.law[a].normal()) {
            self.law[a] = law;
        }
    }

    /// Number of contacts (and joints: every block with a law).
    pub fn num_contacts(&self) -> usize {
        self.law.len()
    }

    /// Number of rows of all contacts.
    pub fn num_rows(&self) -> usize {
        *self.offset().last().unwrap_or(&0)
    }

    /// First row of each contact; one more entry than contacts.
    #[inline]
    pub fn offset(&self) -> &[usize] {
        self.operator.offset()
    }

    /// Rows of contact `a`.
    #[inline]
    pub fn rows(&self, a: usize) -> std::ops::Range<usize> {
        let offset = self.offset();
        offset[a]..offset[a + 1]
    }

    /// Number of rows of contact `a`.
    #[inline]
    pub fn dim(&self, a: usize) -> usize {
        self.rows(a).len()
    }

    /// Law of contact `a`.
    #[inline]
    pub fn law(&self, a: usize) -> &Law {
        &self.law[a]
    }

    /// All laws in contact order.
    pub fn laws(&self) -> &[Law] {
        &self.law
    }

    /// H_α, row-major.
    #[inline]
    pub fn block(&self, a: usize) -> &[f64] {
        &self.block[self.block_ptr[a]..self.block_ptr[a + 1]]
    }

    /// κ_α = d / tr H_α, the natural impulse-per-velocity scale of a contact.
    #[inline]
    pub fn kappa(&self, a: usize) -> f64 {
        self.kappa[a]
    }

    /// b by row.
    pub fn free(&self) -> &[f64] {
        &self.free
    }

    /// How W is given.
    pub fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Length of the scratch that [`Problem::velocity_into`] needs.
    pub fn scratch_len(&self) -> usize {
        match &self.operator {
            Operator::Kinetic(k) => k.num_coordinates(),
            Operator::Stored { .. } => 0,
        }
    }

    /// u = W r + b, recomputed from nothing but r.
    pub fn velocity_into(&self, r: &[f64], scratch: &mut [f64], u: &mut [f64]) {
        match &self.operator {
            Operator::Kinetic(k) => {
                k.velocity_into(r, scratch);
                for a in 0..self.num_contacts() {
                    let rows = self.rows(a);
                    for row in rows.clone() {
                        u[row] = k.given(row);
                    }
                    k.add_gather(a, scratch, &mut u[rows]);
                }
            }
            Operator::Stored { matrix, free } => {
                u.copy_from_slice(free);
                for a in 0..self.num_contacts() {
                    matrix.add_row_product(a, r, &mut u[self.rows(a)]);
                }
            }
        }
    }

    /// W as a block-sparse matrix: the stored one, or assembled from the factor.
    pub fn matrix(&self) -> Cow<'_, BlockSparse> {
        match &self.operator {
            Operator::Kinetic(k) => Cow::Owned(k.assemble()),
            Operator::Stored { matrix, .. } => Cow::Borrowed(matrix),
        }
    }

    /// Largest |W − Wᵀ| relative to the largest |W|; zero when W comes from masses.
    pub fn asymmetry(&self) -> f64 {
        match &self.operator {
            Operator::Kinetic(_) => 0.0,
            Operator::Stored { matrix, .. } => matrix.asymmetry(),
        }
    }
}

/// Contacts of bodies have at most this many rows; larger blocks are checked on the heap.
const SMALL: usize = 6;

/// A diagonal block must be positive semidefinite (its symmetric part: a stored block may carry a
/// small skew part) with a positive normal entry; tangential rank may be missing (M88 §17).
fn check_block(block: &[f64], d: usize, normal: bool) -> Result<(), String> {
    if let Some(bad) = block.iter().find(|v| !v.is_finite()) {
        return Err(format!("it holds {bad}"));
    }
    let trace: f64 = (0..d).map(|i| block[i * d + i]).sum();
    if !(trace > 0.0) {
        return Err(format!("its trace is {trace:e}: the contact moves nothing"));
    }
    if normal && !(block[0] > 0.0) {
        return Err(format!("its normal entry is {:e}", block[0]));
    }
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
