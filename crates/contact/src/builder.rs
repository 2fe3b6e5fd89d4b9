//! Assembly of a one-step problem: first groups of coordinates, then contacts.
//!
//! Each group's mass matrix is factored once, A = L Lᵀ, and every Jacobian block is stored as
//! Ĝ = G L⁻ᵀ (each row solves L ĝ = g), so that nothing downstream of the builder needs a mass.

mod factor;
mod fixed;
mod pairs;
#[cfg(test)]
mod tests;

use crate::check::{all_finite, check_finite, same_size};
use crate::delassus::{FactoredDelassus, MostlyZeroRows};
use crate::error::ProblemError;
use crate::law::Law;
use crate::local_blocks::LocalBlocks;
use crate::problem::{DelassusOperator, Problem};
use factor::{cholesky, forward};
pub use pairs::PairContacts;

/// Restitution coefficients of a contact: ρ = (1−δ)/(1+δ), δ the dissipation index (JM92 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Restitution {
    /// ρ of the normal row.
    pub normal: f64,
    /// ρ of the tangential (and rolling) rows.
    pub tangential: f64,
}

/// Collects groups and contacts, then builds the [`Problem`].
#[derive(Debug, Clone)]
pub struct ProblemBuilder {
    kinetic: FactoredDelassus,
    law: Vec<Law>,
    local_blocks: LocalBlocks,
    /// The first inadmissible contact; reported by [`ProblemBuilder::build`].
    first_error: Option<ProblemError>,
}

impl Default for ProblemBuilder {
    fn default() -> Self {
        Self {
            kinetic: FactoredDelassus {
                group_offset: vec![0],
                factor_ptr: Vec::new(),
                factor: Vec::new(),
                begin: Vec::new(),
                free: Vec::new(),
                curve_keys: Vec::new(),
                offset: vec![0],
                block_ptr: vec![0],
                blocks: Vec::new(),
                jacobian: Vec::new(),
                boundary: MostlyZeroRows::default(),
                rebound: MostlyZeroRows::default(),
            },
            law: Vec::new(),
            local_blocks: LocalBlocks::default(),
            first_error: None,
        }
    }
}

impl ProblemBuilder {
    /// An empty builder with the memory of a problem that is no longer needed: a step like the one
    /// before does not allocate.
    fn from_recycled(
        mut kinetic: FactoredDelassus,
        mut law: Vec<Law>,
        mut local_blocks: LocalBlocks,
    ) -> Self {
        kinetic.group_offset.truncate(1);
        kinetic.factor_ptr.clear();
        kinetic.factor.clear();
        kinetic.begin.clear();
        kinetic.free.clear();
        kinetic.curve_keys.clear();
        kinetic.offset.truncate(1);
        kinetic.block_ptr.truncate(1);
        kinetic.blocks.clear();
        kinetic.jacobian.clear();
        kinetic.boundary.clear();
        kinetic.rebound.clear();
        law.clear();
        local_blocks.clear();
        Self {
            kinetic,
            law,
            local_blocks,
            first_error: None,
        }
    }

    /// Adds a group of m coordinates with its mass matrix A (m × m row-major, symmetric positive
    /// definite), velocity at the beginning of the step and impulse hK of the given forces.
    /// Returns the group's index.
    pub fn add_group(
        &mut self,
        mass: &[f64],
        velocity: &[f64],
        impulse: &[f64],
    ) -> Result<usize, ProblemError> {
        let k = &mut self.kinetic;
        let (group, m) = (k.group_offset.len() - 1, velocity.len());
        // Sizes and finite entries.
        same_size(
            "the mass matrix",
            mass.len(),
            m * m,
            "velocity length squared",
        )?;
        same_size(
            "the impulse of given forces",
            impulse.len(),
            m,
            "velocity length",
        )?;
        check_finite("mass", || format!("group {group}"), mass)?;
        check_finite("velocity", || format!("group {group}"), velocity)?;
        check_finite("impulse", || format!("group {group}"), impulse)?;
        // A = L Lᵀ.
        let start = k.factor.len();
        k.factor.extend_from_slice(mass);
        let l = &mut k.factor[start..];
        if let Err((pivot, value)) = cholesky(l, m) {
            k.factor.truncate(start);
            return Err(ProblemError::Mass {
                group,
                pivot,
                value,
            });
        }
        // v̂ = Lᵀ v; v̂_free = v̂ + L⁻¹ hK.
        let mut change = impulse.to_vec();
        forward(l, &mut change);
        for i in 0..m {
            let hat: f64 = (i..m).map(|j| l[j * m + i] * velocity[j]).sum();
            k.begin.push(hat);
            k.free.push(hat + change[i]);
        }
        // Groups without a factor before this one have the identity.
        k.factor_ptr.resize(group, None);
        k.factor_ptr.push(Some(start));
        k.group_offset.push(k.free.len());
        Ok(group)
    }

    /// Adds a group that is already in kinetic coordinates (mass matrix the identity): v̂ at the
    /// beginning of the step and v̂_free. Returns the group's index.
    #[inline]
    pub fn add_kinetic_group(
        &mut self,
        begin: &[f64],
        free: &[f64],
    ) -> Result<usize, ProblemError> {
        let group = self.kinetic.group_offset.len() - 1;
        if free.len() != begin.len() || !(all_finite(begin) & all_finite(free)) {
            refuse_group(group, begin, free)?;
        }
        let k = &mut self.kinetic;
        k.begin.extend_from_slice(begin);
        k.free.extend_from_slice(free);
        k.group_offset.push(k.free.len());
        Ok(group)
    }

    /// Sets the key of each group on a space-filling curve (such as Morton order), in group order. Solvers of large
    /// problems use them to keep neighbours close in memory; the solution does not depend on them, its last bits do.
    pub fn set_curve_keys(&mut self, places: impl Iterator<Item = u32>) {
        self.kinetic.curve_keys.clear();
        self.kinetic.curve_keys.extend(places);
    }

    /// Adds a contact: its law, the groups it acts on with its d × m block of G for each
    /// (row-major), the boundary velocity W_α (d entries) and its restitution. Returns the contact's index.
    pub fn add_contact(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
        restitution: Restitution,
    ) -> Result<usize, ProblemError> {
        let rho = [restitution.normal, restitution.tangential];
        let contact = self.kinetic.offset.len() - 1;
        check_finite("restitution", || format!("contact {contact}"), &rho)?;
        self.push_blocks(&law, touches, boundary)?;
        // U_I = Ĝ v̂_begin + W_α, weighted row by row.
        let k = &self.kinetic;
        let mut rebound = boundary.to_vec();
        let own = k.block_ptr.last().map_or(0, |first| *first as usize);
        k.gather_blocks(&k.blocks[own..], &k.begin, &mut rebound);
        for (i, u) in rebound.iter_mut().enumerate() {
            *u *= if i == 0 { rho[0] } else { rho[1] };
        }
        self.finish_contact(law, boundary, &rebound);
        Ok(contact)
    }

    /// Adds a contact whose weighted begin velocity ρ U_I is given row by row. Returns the contact's index.
    pub fn add_contact_with_rebound(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
        rebound: &[f64],
    ) -> Result<usize, ProblemError> {
        let contact = self.kinetic.offset.len() - 1;
        same_size(
            "the rebound velocity",
            rebound.len(),
            boundary.len(),
            "rows of the contact",
        )?;
        check_finite("rebound velocity", || format!("contact {contact}"), rebound)?;
        self.push_blocks(&law, touches, boundary)?;
        self.finish_contact(law, boundary, rebound);
        Ok(contact)
    }

    /// Checks and appends the group blocks of a contact.
    fn push_blocks(
        &mut self,
        law: &Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
    ) -> Result<(), ProblemError> {
        let sizes = touches.iter().map(|(group, block)| (*group, block.len()));
        self.check_contact(law, boundary, sizes)?;
        let contact = self.kinetic.offset.len() - 1;
        for &(_, block) in touches {
            check_finite("G", || format!("contact {contact}"), block)?;
        }
        for &(group, block) in touches {
            self.kinetic
                .push_group_block(group, block, boundary.len())?;
        }
        Ok(())
    }

    /// Checks the law, the boundary velocity, the groups and the block sizes of a contact.
    fn check_contact(
        &self,
        law: &Law,
        boundary: &[f64],
        sizes: impl Iterator<Item = (usize, usize)>,
    ) -> Result<(), ProblemError> {
        let k = &self.kinetic;
        let (contact, rows) = (k.offset.len() - 1, boundary.len());
        let groups = k.group_offset.len() - 1;
        law.validate(rows)
            .map_err(|source| ProblemError::Law { contact, source })?;
        check_finite(
            "boundary velocity",
            || format!("contact {contact}"),
            boundary,
        )?;
        // Every group exists and its block has the right size.
        for (group, size) in sizes {
            if group >= groups {
                return Err(ProblemError::Group {
                    contact,
                    group,
                    groups,
                });
            }
            let m = k.group_offset[group + 1] - k.group_offset[group];
            same_size("a block of G", size, rows * m, "rows times coordinates")?;
        }
        Ok(())
    }

    /// Completes the contact whose group blocks have been appended: rows, b, H, κ, law.
    fn finish_contact(&mut self, law: Law, boundary: &[f64], rebound: &[f64]) {
        let k = &mut self.kinetic;
        let contact = k.offset.len() - 1;
        k.block_ptr.push(k.blocks.len() as u32);
        let first = k.offset[contact];
        k.boundary.push(first, boundary);
        k.rebound.push(first, rebound);
        k.offset.push(first + boundary.len());
        // b, H and κ of the contact; the first failure is kept.
        if self.first_error.is_none() {
            let pushed = self.local_blocks.push(k, contact, law.normal());
            self.first_error = pushed.err();
        }
        self.law.push(law);
    }

    /// v̂ at the beginning of the step, for the groups added so far.
    pub fn begin(&self) -> &[f64] {
        &self.kinetic.begin
    }

    /// v̂_free of the groups added so far.
    pub fn free(&self) -> &[f64] {
        &self.kinetic.free
    }

    /// Builds the problem.
    ///
    /// # Errors
    /// A contact whose diagonal block or free velocity no mechanical system produces.
    pub fn build(mut self) -> Result<Problem, ProblemError> {
        self.local_blocks
            .compute_deferred_kappa(&self.kinetic.offset);
        match self.first_error {
            Some(error) => Err(error),
            None => Ok(Problem::checked(self.law, self.kinetic, self.local_blocks)),
        }
    }
}

impl FactoredDelassus {
    /// An empty builder.
    pub fn builder() -> ProblemBuilder {
        ProblemBuilder::default()
    }
}

impl Problem {
    /// Takes a problem apart and returns an empty builder that reuses its memory. A stored problem has no memory
    /// that a builder can use.
    pub fn recycle(self) -> ProblemBuilder {
        let (law, DelassusOperator::Factored(kinetic), local_blocks) = self.into_parts() else {
            return ProblemBuilder::default();
        };
        ProblemBuilder::from_recycled(kinetic, law, local_blocks)
    }
}

/// Reports what is wrong with a group.
#[cold]
fn refuse_group(group: usize, begin: &[f64], free: &[f64]) -> Result<(), ProblemError> {
    same_size(
        "the free velocity of a group",
        free.len(),
        begin.len(),
        "velocity length",
    )?;
    check_finite("velocity", || format!("group {group}"), begin)?;
    check_finite("free velocity", || format!("group {group}"), free)
}

/// The error for more coordinates or entries than the indices can count.
fn too_large() -> ProblemError {
    ProblemError::TooLarge
}
