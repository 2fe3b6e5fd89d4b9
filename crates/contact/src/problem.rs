//! The one-step problem (★): find impulses r and relative velocities u with
//!
//! ```text
//! u = W r + b,     law_α(u_α, r_α)  for every contact α           (M88 §11, JM92 §7)
//! ```
//!
//! W = G A⁻¹ Gᵀ is the Delassus operator, b = U_free + ρ U_I the weighted free velocity. Hence u is
//! Moreau's Ū = U_F + ρ U_I, and the physical velocity at the end of the step is u − ρ U_I.
//! Mechanisms and systems of bodies give W in factored form ([`FactoredDelassus`]); a problem file
//! gives it as a matrix ([`BlockSparseMatrix`]). Solvers see only [`Problem`].

use std::borrow::Cow;

use crate::block_sparse::BlockSparseMatrix;
use crate::check::check_finite;
use crate::delassus::FactoredDelassus;
use crate::error::ProblemError;
use crate::law::Law;
use crate::local_blocks::LocalBlocks;

/// The Delassus operator W with the free velocity b, factored or stored.
#[derive(Debug, Clone, PartialEq)]
pub enum DelassusOperator {
    /// W = Ĝ Ĝᵀ through mass factors and Jacobian blocks; never formed.
    Factored(FactoredDelassus),
    /// W as a block-sparse matrix, b as a vector.
    Stored {
        /// W.
        matrix: BlockSparseMatrix,
        /// b, by row.
        free: Vec<f64>,
    },
}

impl DelassusOperator {
    /// First row of each contact; one more entry than contacts.
    #[inline]
    fn offset(&self) -> &[usize] {
        match self {
            Self::Factored(kinetic) => kinetic.offset(),
            Self::Stored { matrix, .. } => matrix.offset(),
        }
    }
}

/// A one-step problem with valid data.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    law: Vec<Law>,
    operator: DelassusOperator,
    local_blocks: LocalBlocks,
}

impl Problem {
    /// Checks the laws and the operator, and computes b_α, H_α and κ_α of every contact.
    pub fn new(law: Vec<Law>, operator: DelassusOperator) -> Result<Self, ProblemError> {
        let offset = operator.offset();
        let n = offset.len() - 1;
        // One valid law for each contact.
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
        // Diagonal blocks, free velocities and κ.
        let mut local_blocks = LocalBlocks::default();
        match &operator {
            DelassusOperator::Factored(kinetic) => {
                for (contact, law) in law.iter().enumerate() {
                    local_blocks.push(kinetic, contact, law.normal())?;
                }
            }
            DelassusOperator::Stored { matrix, free } => {
                local_blocks.fill_from_matrix(matrix, free, &law)?
            }
        }
        Ok(Self {
            law,
            operator,
            local_blocks,
        })
    }

    /// A problem whose data were checked while it was built.
    pub(crate) fn checked(
        law: Vec<Law>,
        kinetic: FactoredDelassus,
        local_blocks: LocalBlocks,
    ) -> Self {
        Self {
            law,
            operator: DelassusOperator::Factored(kinetic),
            local_blocks,
        }
    }

    /// The problem of these contacts alone, in this order, with the groups that they touch. Where the contacts are an
    /// island ([`crate::Islands`]), its solution is their part of the solution of the whole. `None` for a stored matrix,
    /// and where a contact does not exist.
    pub fn restricted_to(&self, contacts: &[u32]) -> Option<Self> {
        let DelassusOperator::Factored(kinetic) = &self.operator else {
            return None;
        };
        let kinetic = kinetic.restricted_to(contacts)?;
        let law = contacts.iter().map(|a| self.law[*a as usize].clone());
        Some(Self {
            law: law.collect(),
            local_blocks: self
                .local_blocks
                .restricted_to(contacts, self.operator.offset()),
            operator: DelassusOperator::Factored(kinetic),
        })
    }

    /// The parts of a problem that is no longer needed.
    pub(crate) fn into_parts(self) -> (Vec<Law>, DelassusOperator, LocalBlocks) {
        (self.law, self.operator, self.local_blocks)
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
        check_finite("an entry of W", || "the stored matrix".into(), val)?;
        let matrix = BlockSparseMatrix::from_rows(offset, row_ptr, col, val)?;
        let law = friction.iter().map(|&mu| Law::Coulomb { mu }).collect();
        Self::new(law, DelassusOperator::Stored { matrix, free })
    }

    /// Replaces the law of contact `a` if the new one fits the number of rows; otherwise the problem is unchanged.
    pub fn replace_law(&mut self, a: usize, law: Law) {
        let fits = a < self.law.len() && law.validate(self.dim(a)).is_ok();
        // A unilateral normal row needs a positive diagonal entry, which was checked only for such laws.
        if fits && (!law.normal() || self.law[a].normal()) {
            self.law[a] = law;
        }
    }

    /// Number of contacts (joints included: every block of rows with a law).
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

    /// The diagonal block H_α, row-major.
    #[inline]
    pub fn diagonal_block(&self, a: usize) -> &[f64] {
        self.local_blocks.block(a)
    }

    /// κ_α = d / tr H_α, the impulse per velocity of a contact.
    #[inline]
    pub fn kappa(&self, a: usize) -> f64 {
        self.local_blocks.kappa[a]
    }

    /// The weighted free velocity b, by row.
    pub fn free_velocity(&self) -> &[f64] {
        &self.local_blocks.free
    }

    /// The operator W, factored or stored.
    pub fn operator(&self) -> &DelassusOperator {
        &self.operator
    }

    /// Length of the scratch buffer of [`Problem::velocity_into`].
    pub fn scratch_len(&self) -> usize {
        match &self.operator {
            DelassusOperator::Factored(k) => k.num_coordinates(),
            DelassusOperator::Stored { .. } => 0,
        }
    }

    /// u = W r + b from r alone; `scratch` receives v̂ of a factored problem.
    pub fn velocity_into(&self, r: &[f64], scratch: &mut [f64], u: &mut [f64]) {
        match &self.operator {
            DelassusOperator::Factored(k) => {
                // v̂ = v̂_free + Ĝᵀ r, then u = Ĝ v̂ + W_α + ρ U_I.
                k.velocity_into(r, scratch);
                for (a, rows) in k.offset().windows(2).enumerate() {
                    let (first, u) = (rows[0], &mut u[rows[0]..rows[1]]);
                    match u.len() {
                        2 => u.copy_from_slice(&k.gather::<2>(a, scratch, k.affine_terms(first))),
                        3 => u.copy_from_slice(&k.gather::<3>(a, scratch, k.affine_terms(first))),
                        _ => {
                            for (i, u) in u.iter_mut().enumerate() {
                                *u = k.affine_term(first + i);
                            }
                            k.add_gather(a, scratch, u);
                        }
                    }
                }
            }
            DelassusOperator::Stored { matrix, free } => {
                // b + W r, block row by block row.
                u.copy_from_slice(free);
                for a in 0..self.num_contacts() {
                    matrix.add_row_product(a, r, &mut u[self.rows(a)]);
                }
            }
        }
    }

    /// W as a block-sparse matrix: the stored one, or assembled from the factored form.
    pub fn matrix(&self) -> Cow<'_, BlockSparseMatrix> {
        match &self.operator {
            DelassusOperator::Factored(k) => Cow::Owned(k.assemble()),
            DelassusOperator::Stored { matrix, .. } => Cow::Borrowed(matrix),
        }
    }

    /// Largest |W − Wᵀ| relative to the largest |W|; zero for a factored operator.
    pub fn asymmetry(&self) -> f64 {
        match &self.operator {
            DelassusOperator::Factored(_) => 0.0,
            DelassusOperator::Stored { matrix, .. } => matrix.asymmetry(),
        }
    }
}
